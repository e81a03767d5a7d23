"""Real files released again, and attacked by who knows the source: he finds no more than the certificate says."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import duckdb
import pytest
from informed_intruder import completed, constant, few_fits, given_back, rare

import sdc_sql

pytestmark = pytest.mark.slow
K = 3
FILES = {
    "testdata": {
        "from": "{shared}/testdata.parquet", "id": "row_number() OVER ()", "household": "ori_hid", "where": "true",
        "keys": ["urbrur", "roof", "walls", "water", "sex", "age"], "weight": "sampling_weight", "rest": ["savings"],
    },
    "eusilc": {
        "from": "{shared}/eusilc_population.parquet", "id": "id", "household": "hid", "where": "hash(hid) % 10 = 0",
        "keys": ["region", "gender", "age", "citizenship", "ecoStat"], "weight": "10", "rest": ["py010n"],
    },
    "ghana": {
        "from": "{shared}/ghana_survey.parquet", "id": "row_number() OVER ()", "household": "hhid", "where": "true",
        "keys": ["region", "sex", "age", "relate", "nation", "religion"], "weight": "weight", "rest": ["income"],
    },
    "lfs": {
        "from": "{fixtures}/lfs.parquet", "id": "person", "household": "household", "where": "true",
        "keys": ["residence", "sex", "age", "marital_status", "relationship"], "weight": "weight",
        "rest": ["education"],
    },
}  # fmt: skip
WRITTEN = {"age": "least(age // 15, 5)::INTEGER AS age", "residence": "left(residence, 2) AS residence"}
TEXT = """
[source]
path = "raw{ending}"
[roles]
id = "id"
household = "hh"
weight = {weight}
released_as_collected = {rest}
[[scenarios]]
name = "register"
keys = {keys}
nulls = "category"
limits = ["k_anonymity.3.records <= 0", "household_k_anonymity.2.records <= 1000000"]
[[steps]]
mask = "local_suppression"
columns = {keys}
k = 3
[output]
path = "released{ending}"
ids = "keep"
households = "{households}"
certificate = "certificate.json"
"""


@pytest.fixture
def written(shared, fixtures, tmp_path):
    """Return what writes a source and its release file: the records, and the path of the latter."""

    def write(name: str, households: str, ending: str = ".parquet") -> tuple[list[dict[str, Any]], Any]:
        what = FILES[name]
        weighed = not what["weight"].isdigit()
        columns = [*what["keys"], *what["rest"], *([what["weight"]] if weighed else [])]
        listed = ", ".join(WRITTEN.get(column, column) for column in columns)
        path = what["from"].format(shared=shared / "data", fixtures=fixtures)
        with duckdb.connect() as con:
            con.execute(
                f"CREATE TABLE raw AS SELECT {what['id']} AS id, {what['household']} AS hh, {listed} "
                f"FROM read_parquet('{path}') WHERE {what['where']}"
            )
            labels = _coded(con, what["keys"]) if ending != ".parquet" else {}
            rows = _records(con, "raw")
            if ending == ".parquet":
                con.execute(f"COPY raw TO '{tmp_path}/raw.parquet'")
            else:
                pyreadstat = pytest.importorskip("pyreadstat")
                getattr(pyreadstat, f"write_{ending[1:]}")(
                    con.sql("FROM raw").pl(), f"{tmp_path}/raw{ending}", variable_value_labels=labels
                )
        file = tmp_path / "release.toml"
        weight = f'"{what["weight"]}"' if weighed else what["weight"]
        file.write_text(
            TEXT.format(ending=ending, weight=weight, rest=json.dumps(what["rest"]), keys=json.dumps(what["keys"]),
                        households=households)
        )  # fmt: skip
        return rows, file

    return write


def _coded(con: duckdb.DuckDBPyConnection, keys: list[str]) -> dict[str, dict[int, str]]:
    """Write texts as numbers with labels, as a statistical package has them."""
    labels = {}
    for key in keys:
        values = [v for (v,) in con.execute(f'SELECT DISTINCT "{key}" FROM raw ORDER BY 1').fetchall() if v is not None]
        if isinstance(values[0], str):
            labels[key] = dict(enumerate(values, 1))
            coded = f'SELECT * REPLACE (list_position($1, "{key}") AS "{key}") FROM raw'
            con.execute(f"CREATE OR REPLACE TABLE raw AS {coded}", [values])
    return labels


def _records(con: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, Any]]:
    found = con.sql(f"FROM {table}")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def _read(path: Any) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        with duckdb.connect() as con:
            return _records(con, f"read_parquet('{path}')")
    frame, _ = getattr(pytest.importorskip("pyreadstat"), f"read_{path.suffix[1:]}")(str(path), output_format="polars")
    return [{n: None if v is None or v == "" else v for n, v in row.items()} for row in frame.rows(named=True)]


CASES = [*((name, ".parquet") for name in FILES), ("eusilc", ".dta"), ("eusilc", ".sav")]


@pytest.mark.parametrize(("name", "ending"), CASES)
def test_who_knows_the_source_finds_no_more_than_the_certificate_says(written, tmp_path, name, ending):
    source, file = written(name, "keep", ending)
    keys = FILES[name]["keys"]
    outcome = sdc_sql.run_release(file)
    assert outcome.accepted, outcome.reasons
    said = json.loads((tmp_path / "certificate.json").read_text())
    assert all(limit["holds"] for limit in said["limits"])
    again = file if name != "ghana" else None  # which takes its time
    assert sdc_sql.verify(tmp_path / "certificate.json", tmp_path / f"released{ending}", release=again).holds
    released = _read(tmp_path / f"released{ending}")
    assert len(released) == len(source)
    truth = {int(row["id"]): row for row in source}
    for row in released:  # nothing was changed that the file does not show to be suppressed
        row["id"] = int(row["id"])
        assert all(row[key] is None or row[key] == truth[row["id"]][key] for key in keys)
    of_household = constant(source, "hh", keys)
    assert of_household  # or there were nothing to complete
    seen = completed(released, "hh", of_household)
    figures = {n: v for limit in said["limits"] for n, v in limit["figures"].items()}
    assert rare(seen, keys, K) == figures[f"k_anonymity.{K}.records"] == 0
    assert few_fits(seen, source, keys, K) == 0
    houses = defaultdict(set)
    for row in seen:
        houses[tuple(row[key] for key in keys)].add(row["hh"])
    alone = sum(len(houses[tuple(row[key] for key in keys)]) < 2 for row in seen)
    assert alone == figures["household_k_anonymity.2.records"]
    back = given_back(seen, truth, "id", [*keys, "hh", *FILES[name]["rest"]], keys)
    assert back == []
    assert figures["derived_values_summary.exact_givers"] == 0
    below = rare(source, keys, K)
    hidden = sum(row[key] is None and truth[row["id"]][key] is not None for row in released for key in keys)
    print(
        f"\n{name}{ending}: {len(source):,} records, {below:,} below {K} before, {hidden:,} values suppressed, "
        f"{alone} in cells of one household"
    )


@pytest.mark.parametrize("name", [*FILES])
def test_members_that_columns_join_again_without_the_number(written, con, name):
    """The intruder counts them in the released file as the limit does."""
    source, file = written(name, "drop")
    outcome = sdc_sql.run_release(file, con, write=False)
    (limit,) = (o for o in outcome.limits if o.limit.text.startswith("rejoined_households"))
    released = _records(con, "sdc_release")
    con.execute("DROP TABLE sdc_release; DROP TABLE sdc_original")
    others = constant(released, "hh", [c for c in source[0] if c not in {"id", "hh"}])
    together = defaultdict(list)
    for row in released:
        together[tuple(row[c] for c in others)].append(row["hh"])
    joined = sum(len(those) for those in together.values() if len(those) > 1 and len({*those}) == 1)
    assert joined == limit.figures["rejoined_households.records"]
    assert limit.holds is (joined == 0)
    print(f"\n{name}: {joined:,} of {len(released):,} records joined again by {', '.join(others)}")
