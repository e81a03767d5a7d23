"""Values that SQL calls equal and a file tells apart are never counted as one.

The attack: three records with the key 0.0 and one with -0.0 are a cell of four to GROUP BY, and whoever opens the CSV
file sees one record that is unique.
"""

from __future__ import annotations

import csv
import struct
from collections import Counter

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from every_macro import CALLS, READERS, query

import sdc_sql

ONE = "ColumnError: The column x"
# A type, values of it that one cell would hold, and whether they are told apart.
FORMS = [
    ("DOUBLE", ["0.0", "-0.0"]),
    ("FLOAT", ["0.0", "-0.0"]),
    ("DOUBLE", ["nan", "-nan"]),
    ("FLOAT", ["nan", "-nan"]),
    ("INTERVAL", ["1 month", "30 days"]),
    ("INTERVAL", ["1 day", "24 hours"]),
    ("INTERVAL", ["-1 month", "-30 days"]),
    ("DOUBLE[]", ["[0.0]", "[-0.0]"]),
    ("STRUCT(a FLOAT, b VARCHAR)", ["{'a': nan, 'b': x}", "{'a': -nan, 'b': x}"]),
    ("STRUCT(a INTERVAL)", ["{'a': 1 month}", "{'a': 30 days}"]),
]
# And values that are equal to nothing else, and so may be keys.
APART = [
    ("DOUBLE", ["0.0", "nan", "inf", "-inf", "5e-324", "-5e-324", "-7.5", None]),
    ("FLOAT", ["0.0", "nan", "1e-45", "-1e-45", None]),
    ("INTERVAL", ["1 month", "29 days", "23:59:59", "-29 days -23 hours", "14 months", None]),
    ("DOUBLE[]", ["[0.0]", "[-0.05]", "[0.0, -0.01]", "[-5e-324]", "[nan]", "[]", None]),
    ("STRUCT(a FLOAT, b VARCHAR)", ["{'a': 0.0, 'b': x}", "{'a': -0.5, 'b': x}", None]),
    ("VARCHAR", ["0.0", "-0.0", "nan", "-nan"]),
]


def stored(con: duckdb.DuckDBPyConnection, kind: str, values: list[str | None], name: str = "t") -> None:
    """Store a table with a key x of these values, the first of them three times."""
    con.execute(f"CREATE OR REPLACE TABLE {name} (id INTEGER, x {kind}, sex VARCHAR)")
    for i, value in enumerate([values[0]] * 2 + values):
        con.execute(f"INSERT INTO {name} VALUES (?, CAST(? AS {kind}), 'f')", [i, value])


def cells_of_the_file(con: duckdb.DuckDBPyConnection, folder, name: str = "t") -> Counter:
    """Return how many records have each text of the key in the CSV file."""
    con.execute(f"COPY (SELECT x, id FROM {name}) TO '{folder}/t.csv' (FORMAT csv, HEADER)")
    with (folder / "t.csv").open(newline="") as file:
        return Counter(row[0] for row in [*csv.reader(file)][1:])


@pytest.mark.parametrize(("kind", "values"), FORMS, ids=str)
def test_one_minus_zero_among_zeros_is_no_member_of_their_cell(con, tmp_path, kind, values):
    stored(con, kind, values)
    assert sorted(cells_of_the_file(con, tmp_path).values()) == [1, 3]
    assert con.execute("SELECT count(*) FROM t GROUP BY x").fetchall() == [(4,)]  # so says SQL
    for nulls in ("category", "wildcard"):
        with pytest.raises(duckdb.Error, match=ONE):
            con.execute(f"FROM sdc_cells('t', ['x'], nulls := '{nulls}')").fetchall()


@pytest.mark.parametrize(("kind", "values"), APART, ids=str)
def test_values_that_are_equal_to_no_other_are_counted_as_the_file_has_them(con, tmp_path, kind, values):
    stored(con, kind, values)
    found = con.execute("SELECT sample_frequency FROM sdc_cells('t', ['X'])").fetchall()
    assert sorted(n for (n,) in found) == sorted(cells_of_the_file(con, tmp_path).values())


def test_nan_with_other_bits_is_refused(con, tmp_path):
    """A file of another program may hold any of 2^52: Parquet keeps them apart."""
    (odd,) = struct.unpack("<d", struct.pack("<Q", 0x7FF80000000007A2))  # R's NA
    pq.write_table(pa.table({"x": pa.array([float("nan"), odd], pa.float64())}), tmp_path / "t.parquet")
    with pytest.raises(duckdb.Error, match=ONE):
        con.execute(f"FROM sdc_k_anonymity('{tmp_path}/t.parquet', ['x'], 2)").fetchall()


def test_the_error_names_column_and_way_out_which_helps(con):
    stored(con, "DOUBLE", ["0.0", "-0.0", "-nan", None])
    with pytest.raises(duckdb.Error, match="ALTER TABLE") as raised:
        con.execute("FROM sdc_cells('t', ['x'])").fetchall()
    assert "The column x of t (DOUBLE)" in str(raised.value)
    con.execute("ALTER TABLE t ALTER x TYPE DOUBLE USING CASE WHEN isnan(x) THEN 'nan' ELSE x + 0 END")
    assert con.execute("SELECT x, sample_frequency FROM sdc_cells('t', ['x']) WHERE x = 0").fetchall() == [(0, 4)]


@pytest.mark.parametrize("names", [READERS, pytest.param(sorted(CALLS), marks=pytest.mark.slow)], ids=["few", "all"])
def test_every_measure_of_keys_refuses_them(con, names):
    """Put the check out of sdc__refused, and each answers with cells that nobody who opens the file sees."""
    con.execute("CREATE TABLE t AS SELECT i AS id, (i % 3)::DOUBLE AS x, 'f' || i % 2 AS sex, 'r' || i % 4 AS region,"
                " 10e0 AS weight, i // 3 AS household, i % 5 AS age FROM range(60) AS r(i)")  # fmt: skip
    con.execute("CREATE TABLE two AS SELECT * REPLACE (CASE WHEN id = 3 THEN '-0.0' ELSE x END::DOUBLE AS x) FROM t")
    answered, skipped = [], []
    for name in names:
        roles = {"keys": "['sex', 'x']"}
        sound = query(name, tbl="'t'", **roles)
        try:
            con.execute(sound).fetchall()
        except duckdb.Error as error:
            if "measures" in str(error) or "tells apart" in str(error):
                raise
            skipped.append(name)  # an example that names the keys elsewhere too, or of a model that cannot be fitted
            continue
        try:
            con.execute(query(name, tbl="'two'", **roles)).fetchall()
            answered.append(name)
        except duckdb.Error as error:
            if ONE not in str(error):
                answered.append(f"{name}: {error}")
    assert answered == []
    assert len(skipped) < len(names) / 3, skipped


def test_what_is_only_reckoned_with_may_hold_minus_zero(con):
    """A column of incomes in a file of households holds -0.0: what is lost of it is measured all the same."""
    minus = "CASE WHEN i % 2 = 0 THEN '-0.0' ELSE i END::DOUBLE"
    con.execute(f"CREATE TABLE o AS SELECT i AS id, {minus} AS x, i % 2 AS a FROM range(20) AS r(i)")
    con.execute("CREATE TABLE m AS SELECT * REPLACE (x + 1 AS x) FROM o")
    for call in (
        "sdc_il1('o', 'm', ['x'], 'id')",
        "sdc_entropy_loss('o', 'm', ['x'], 'id')",
        "sdc_l_diversity('o', ['a'], 'x')",
    ):
        assert con.execute(f"FROM {call}").fetchall()


def test_columns_of_other_types_are_not_read(con):
    """Of integers and texts nothing is planned; where a key is a DOUBLE, that column alone is read once more."""
    con.execute("CREATE TABLE t AS SELECT i AS a, i::DOUBLE AS x, 's' || i AS s FROM range(1000) AS r(i)")

    def scans(keys: list[str]) -> int:
        con.execute("SET explain_output = 'all'")
        ((_, plan), *_) = [
            r for r in con.execute(f"EXPLAIN FROM sdc__told_apart('t', {keys})").fetchall() if r[0] == "physical_plan"
        ]
        return plan.lower().count("scan")

    assert scans(["a", "s"]) == 0
    assert scans(["a", "x"]) > 0


# Of the doors in Python: masks that count cells, linkage, the whole report, a comparison, limits, the frontier.
DOORS = {
    "local_suppression": lambda d: d.mask.local_suppression(3, into="o"),
    "by wildcards": lambda d: d.mask.local_suppression(3, guarantee="wildcard", into="o"),
    "by households": lambda d: d.mask.local_suppression(3, unit="household", into="o"),
    "suppress_combinations": lambda d: d.mask.suppress_combinations(50, into="o"),
    "suppress_risky": lambda d: d.mask.suppress_risky(0.01, into="o"),
    "mondrian": lambda d: d.mask.mondrian(3, into="o"),
    "pram": lambda d: d.mask.pram_retention("f", 0.9, into="o"),
    "record_swap": lambda d: d.mask.record_swap("Select", 0.1, k=3, into="o"),
    "household_k_anonymity": lambda d: d.risk.household_k_anonymity(3),
    "household_risk": lambda d: d.risk.household_risk().fetchall(),
    "suda": lambda d: d.risk.suda().fetchall(),
    "distance_linkage": lambda d: d.linkage.distance_linkage("other", ["f", "Select"]),
    "certain_matches": lambda d: d.linkage.certain_matches("other", 3),
    "report": sdc_sql.risk_report,
    "limits": lambda d: d.check_limits(["k_anonymity.3.records <= 0"]),
    "comparison": lambda d: d.compare(sdc_sql.Microdata(d.con, "other", keys=d.keys, id="id")),
    "frontier": lambda d: d.frontier([("round", {"columns": "x", "base": 5})], "k_anonymity.3.records", "il1.il1"),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_refuses_them(con, door):
    con.execute("SET VARIABLE sdc_key = 'ahV5eib9-Ohg2-uoX4ien-ooSh3iep-Quo7ma'")
    con.execute(
        'CREATE TABLE k AS SELECT i AS id, i // 4 AS "h\'h",'
        " CASE WHEN i % 5 = 0 THEN '-0.0'::DOUBLE ELSE i % 3 END AS f, ['a', 'b'][1 + i // 4 % 2] AS \"Select\","
        " 10.0 AS w, 1.5 * i AS x FROM range(60) t(i)"
    )
    con.execute("CREATE TABLE other AS FROM k")
    data = sdc_sql.Microdata(con, "k", keys=["f", "Select"], id="id", household="h'h", weight="w")
    with pytest.raises(sdc_sql.ColumnError, match=r"The column f of \w+ \(DOUBLE\) holds a value in a form that SQL"):
        DOORS[door](data)
