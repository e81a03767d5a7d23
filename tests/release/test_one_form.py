"""A release gives values one form where it reads them: what is counted and what the file holds agree."""

from __future__ import annotations

import csv
from collections import Counter

import duckdb
import pytest

from sdc_sql import run_release
from sdc_sql.release.reporting.internal_report import internal_report
from sdc_sql.release.running.one_form import unify_values

FILE = """
[source]
{source}
[roles]
id = "id"
released_as_collected = ["rent"]
[[scenarios]]
name = "neighbour"
keys = ["hours", "sex"]
limits = ["k_anonymity.3.records <= {least}"]
[output]
path = "{output}"
"""


def source(tmp_path, kind: str):
    """Return a file of eight records: the key 0.0 three times, -0.0 once, nan twice, -nan twice; rent -0.0 in half."""
    with duckdb.connect(str(tmp_path / "raw.duckdb")) as con:
        con.execute("CREATE TABLE raw (id INTEGER, hours DOUBLE, sex VARCHAR, rent FLOAT)")
        for i, hours in enumerate(["0.0", "0.0", "0.0", "-0.0", "nan", "nan", "-nan", "-nan"]):
            values = [i, hours, ["-0.0", "7.5"][i % 2]]
            con.execute("INSERT INTO raw VALUES (?, CAST(? AS DOUBLE), 'f', CAST(? AS FLOAT))", values)
        if kind != "duckdb":
            con.execute(f"COPY raw TO '{tmp_path}/raw.{kind}'")
    return tmp_path / f"raw.{kind}"


def texts(path) -> list[tuple[str, ...]]:
    """Return the records of a released file as a CSV file has them."""
    with duckdb.connect() as con:
        if path.suffix == ".parquet":
            con.execute(f"COPY (SELECT hours, sex, rent FROM '{path}') TO '{path}.csv' (FORMAT csv, HEADER)")
            path = path.with_name(path.name + ".csv")
    with path.open(newline="") as file:
        return [(r["hours"], r["sex"], r["rent"]) for r in csv.DictReader(file)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("kind", "output"), [("parquet", "csv"), ("csv", "parquet"), ("duckdb", "parquet")])
def test_a_released_file_has_the_cells_that_were_counted(con, tmp_path, kind, output):
    """Before, the counts were 4 and 4, the file had 3 zeros, one with a sign, 2 nan, 2 -nan: 5 records below 3."""
    file = tmp_path / "release.toml"
    path = source(tmp_path, kind).name
    named = f'database = "{path}"\ntable = "raw"' if kind == "duckdb" else f'path = "{path}"'
    file.write_text(FILE.format(source=named, least=0, output=f"out.{output}"))
    said = []
    outcome = run_release(file, con, progress=said.append)
    assert outcome.accepted
    released = texts(tmp_path / f"out.{output}")
    cells = Counter((hours, sex) for hours, sex, _ in released)
    assert cells == {("0.0", "f"): 4, ("nan", "f"): 4}
    assert Counter(rent for *_, rent in released) == {"0.0": 4, "7.5": 4}
    counted = {row["k"]: row["records"] for row in outcome.scenarios[0].figures["k_anonymity"]}
    assert counted[5] == sum(n for n in cells.values() if n < 5) == 8
    assert counted[3] == sum(n for n in cells.values() if n < 3) == 0
    assert outcome.reformed == {"hours": 3, "rent": 4}
    assert any("3 in hours, 4 in rent" in line for line in said)
    assert "3 in hours, 4 in rent" in internal_report(outcome, "markdown")


def test_intervals_keep_what_sql_compares(con):
    """Each interval is equal to what it was, and equal ones have one text."""
    con.execute("""CREATE TABLE t AS SELECT i, to_months((i % 5 - 2)::INTEGER) + to_days((i * 7 % 100 - 50)::INTEGER)
        + to_microseconds((i * 1234567891 % 200000000000 - 100000000000)::BIGINT) AS v FROM range(500) AS r(i)
        UNION ALL
        SELECT 500, INTERVAL 1 MONTH UNION ALL SELECT 501, INTERVAL 30 DAY UNION ALL SELECT 502, INTERVAL 720 HOUR""")
    con.execute("CREATE TABLE before AS FROM t")
    assert unify_values(con, "t")["v"] > 100
    one = "SELECT count(DISTINCT v::VARCHAR) - count(DISTINCT v) FROM t"
    assert con.execute(one).fetchall() == [(0,)]
    texts = con.execute("SELECT DISTINCT v::VARCHAR FROM t WHERE i >= 500").fetchall()
    assert texts == [("1 month",)]
    assert con.execute("SELECT count(*) FROM t JOIN before USING (i) WHERE t.v <> before.v").fetchall() == [(0,)]
    assert unify_values(con, "t") == {}
