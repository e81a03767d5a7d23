"""Real files released again, and attacked by who knows the source: he finds no more than the certificate says."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from informed_intruder import completed, constant, few_fits, given_back, rare

import sdc_sql

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
K = 3
KEY = "of-the-tests-0123456789-abcdefghijklmnopq"
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
            rows = _write(con, tmp_path / f"raw{ending}", what["keys"])
        file = tmp_path / "release.toml"
        weight = f'"{what["weight"]}"' if weighed else what["weight"]
        file.write_text(
            TEXT.format(ending=ending, weight=weight, rest=json.dumps(what["rest"]), keys=json.dumps(what["keys"]),
                        households=households)
        )  # fmt: skip
        return rows, file

    return write


def _write(con: duckdb.DuckDBPyConnection, path: Path, keys: list[str]) -> list[dict[str, Any]]:
    """Write the table `raw`, where the file is one of a statistical package with labels, and return its records."""
    if path.suffix == ".parquet":
        con.execute(f"COPY raw TO '{path}'")
        return _records(con, "raw")
    labels = _coded(con, keys)
    write = getattr(pytest.importorskip("pyreadstat"), f"write_{path.suffix[1:]}")
    write(con.sql("FROM raw").pl(), str(path), variable_value_labels=labels)
    return _records(con, "raw")


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


ENDINGS = [".parquet", ".dta", ".sav"]
CASES = [(name, ending) for name in FILES for ending in ENDINGS]


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


@pytest.mark.parametrize("ending", ENDINGS)
def test_who_knows_the_register_finds_one_enterprise_in_three_at_most(fixtures, tmp_path, monkeypatch, ending):
    """The innovation survey by its own release file: he knows activity, size and turnover of all that are in it."""
    monkeypatch.setenv("SDC_KEY", KEY)
    text = (fixtures / "cis.toml").read_text(encoding="utf-8")
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE raw AS FROM '{fixtures / 'cis.parquet'}'")
        source = _write(con, tmp_path / f"cis{ending}", ["region"] if ending != ".parquet" else [])
    if ending != ".parquet":  # the codes of the regions are labelled, and have no first letters
        text = text.replace("cis.parquet", f"cis{ending}").replace("cis-released.parquet", f"cis-released{ending}")
        text = text.replace('column = "region"\nkeep_first = 2', 'column = "region"\nbreaks = [1, 100]')
    (tmp_path / "cis.toml").write_text(text, "utf-8")
    outcome = sdc_sql.run_release(tmp_path / "cis.toml")
    assert outcome.accepted, outcome.reasons
    said = json.loads((tmp_path / "cis-certificate.json").read_text())
    figures = {n: v for limit in said["limits"] for n, v in limit["figures"].items()}
    released = _read(tmp_path / f"cis-released{ending}")
    assert len(released) == len(source)
    assert not {"name", "head_office", "stratum"} & released[0].keys()
    keys = ["nace", "region", "employees"]
    assert rare(released, keys, K) == figures[f"k_anonymity.{K}.records"] == 0
    assert rare(released, [*keys, "turnover", "exports"], K) == 0  # nobody of a group is nearer than its others
    near = defaultdict(list)
    for row in released:
        near[tuple(row[key] for key in keys)].append(row["turnover"])
    alone = sum(
        sum(abs(other - row["turnover"]) <= 0.1 * abs(row["turnover"]) for other in near[tuple(row[k] for k in keys)])
        < K
        for row in released
    )
    assert alone == figures["neighbourhood.below_k"] == 0
    means = sum(row["turnover"] for row in source), sum(row["turnover"] for row in released)
    assert means[1] == pytest.approx(means[0], abs=len(source) / 2)  # the totals are kept, but for whole numbers


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
