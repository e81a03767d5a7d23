"""The motivated intruder finds whom the linkages find, of persons drawn by the key, with Wilson's interval."""

from __future__ import annotations

import math

import duckdb
import pytest

import sdc_sql
from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import ColumnError, ParameterError, TableError

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
KNOWN = ["region", "age", "sex"]


@pytest.fixture
def files(con):
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    con.execute("CREATE TABLE original AS SELECT i AS id, i % 7 AS region, (i * 31) % 53 AS age, i % 2 AS sex,"
                " (i * 7919) % 1009 / 4 AS income FROM range(400) t(i)")  # fmt: skip
    # a half is released: values suppressed, incomes rounded, and one in five sexes another one
    con.execute("CREATE TABLE released AS SELECT id, CASE WHEN id % 9 > 0 THEN region END AS region, age,"
                " CASE WHEN id % 10 = 0 THEN 1 - sex ELSE sex END AS sex, round(income, -1) AS income"
                " FROM original WHERE id % 4 < 2")  # fmt: skip
    return sdc_sql.Microdata(con, "released", id="id")


def wilson(s: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return the roots p of (s / n - p)^2 = z^2 p (1 - p) / n, which bound the interval (Wilson 1927, equation 4)."""
    a, b, c = 1 + z * z / n, -(2 * s / n + z * z / n), (s / n) ** 2
    root = math.sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


@pytest.mark.slow
def test_all_persons_are_found_as_often_as_the_linkages_find_them(con, files):
    """Each draw has the probability of the linkage, so that the expected number is that of the measure of the file."""
    found = {row.linkage: row for row in files.linkage.motivated_intruder("original", KNOWN, records=400)}
    by_keys = sdc_sql.Microdata(con, "released", keys=KNOWN, id="id").linkage.true_reidentification("original")
    probabilities = {
        name: con.execute(
            "SELECT sum(probability), sum(probability * (1 - probability)) FROM"
            " sdc_motivated_intruder_records('original', 'released', ?, 'id', linkage := ?, records := 400)",
            [KNOWN, name],
        ).fetchone()
        for name in ("keys", "distance", "agreement")
    }
    assert probabilities["keys"][0] == pytest.approx(by_keys.expected_correct_matches)
    for name, (mean, variance) in probabilities.items():
        assert found[name].records == 400
        assert abs(found[name].found - mean) <= 5 * math.sqrt(variance) + 1e-9, name


@pytest.mark.slow
def test_the_interval_is_wilsons(files):
    for row in files.linkage.motivated_intruder("original", KNOWN, records=150):
        assert row.records == 150
        assert row.rate == row.found / 150
        assert (row.lower, row.upper) == pytest.approx(wilson(row.found, 150))
    narrow = files.linkage.motivated_intruder("original", KNOWN, records=150, confidence=0.5)[0]
    assert (narrow.lower, narrow.upper) == pytest.approx(wilson(narrow.found, 150, 0.6744897501960817))


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_whoever_is_found_by_one_linkage_counts_once(con):
    given = "'original', 'released', ['region', 'age', 'sex', 'income'], 'id', continuous := ['income'], records := 120"
    rows = con.execute(f"FROM sdc_motivated_intruder_records({given})").fetchall()
    people = {person for person, *_ in rows}
    assert len(people) == 120
    assert len(rows) == 120 * 4
    first, *others = con.execute(f"FROM sdc_motivated_intruder({given})").fetchall()
    assert first[:3] == (None, 120, len({person for person, _, _, found in rows if found}))
    assert [row[0] for row in others] == ["agreement", "distance", "keys", "ranks"]
    for linkage, n, s, *_ in others:
        assert (n, s) == (120, sum(found for _, name, _, found in rows if name == linkage))


@pytest.mark.slow
def test_who_is_drawn_hangs_on_the_key_and_the_stream_alone(con, files):
    def drawn(**given):
        rows = files.linkage.motivated_intruder_records(
            "original", KNOWN, linkage="keys", records=50, **given
        ).fetchall()
        return sorted(rows)

    first = drawn()
    con.execute("CREATE TABLE turned AS FROM original ORDER BY hash(id)")
    con.execute("DROP TABLE original; ALTER TABLE turned RENAME TO original")
    assert drawn() == first
    others = drawn(stream="2025")
    assert 20 < len({row[0] for row in others} - {row[0] for row in first}) <= 50
    con.execute("SET VARIABLE sdc_key = ?", [KEY[::-1]])
    assert {row[0] for row in drawn()} != {row[0] for row in first}
    con.execute("RESET VARIABLE sdc_key")
    with pytest.raises(duckdb.Error, match="No secret key"):
        drawn()


@pytest.mark.usefixtures("files")
def test_persons_who_are_not_released_are_found_by_nobody(con):
    rows = con.execute("FROM sdc_motivated_intruder_records('original', 'released', ['region', 'age', 'sex'], 'id',"
                       " records := 400)").fetchall()  # fmt: skip
    assert {found for person, _, _, found in rows if person % 4 > 1} == {False}
    assert sum(found for *_, found in rows) > 0


@pytest.mark.usefixtures("files")
def test_a_linkage_that_finds_nobody_is_named(con):
    """Of a file in which nobody is released who was drawn, too."""
    con.execute("CREATE TABLE one AS FROM released WHERE id = 201")
    rows = sdc_sql.Microdata(con, "one", id="id").linkage.motivated_intruder(
        "original", ["region", "sex"], linkage="keys", records=3
    )
    assert [(row.linkage, row.records) for row in rows] == [(None, 3), ("keys", 3)]


@pytest.mark.slow
@pytest.mark.whole
@pytest.mark.usefixtures("files")
def test_a_file_that_is_the_source_is_found_wholly(con):
    con.execute("CREATE TABLE apart AS SELECT id, id AS place, id * 2.5 AS pay, id % 3 AS f FROM original")
    source = sdc_sql.Microdata(con, "apart", id="id")
    found = source.linkage.motivated_intruder("apart", ["place", "pay", "f"], continuous=["pay"], records=60)
    assert {row.linkage: row.rate for row in found} == {None: 1, "distance": 1, "keys": 1, "ranks": 1}


@pytest.mark.slow
@pytest.mark.whole
def test_it_can_be_limited(files):
    limits = ["motivated_intruder.all.rate <= 0.999", "motivated_intruder.rate <= 0.001"]
    some, none = files.check_limits(limits, original="original", columns=KNOWN)
    assert (some.holds, none.holds) == (True, False)
    assert list(some.figures) == ["motivated_intruder.all.rate"]


@pytest.mark.slow
@pytest.mark.whole
def test_wrong_input_is_refused(con, files):
    for given, error, told in (
        ({"linkage": "agreement", "columns": ["age", "sex"]}, ParameterError, "needs three categories"),
        ({"linkage": "ranks", "columns": KNOWN}, ParameterError, "no column is continuous"),
        ({"linkage": "keys", "columns": ["income"], "continuous": ["income"]}, ParameterError, "all columns are"),
        ({"linkage": "luck", "columns": KNOWN}, ParameterError, "luck"),
        ({"records": 0, "columns": KNOWN}, ParameterError, "at least 1"),
        ({"columns": ["nosuch"]}, ColumnError, "nosuch"),
    ):
        with pytest.raises(error, match=told):
            files.linkage.motivated_intruder("original", **given)
    for linkage in ("'luck'", "NULL"):
        with pytest.raises(duckdb.Error, match="must be one of all, keys"):
            con.execute("FROM sdc_motivated_intruder('original', 'released', ['age', 'sex'], 'id', linkage := "
                        f"{linkage})").fetchall()  # fmt: skip
    con.execute("CREATE TABLE classes AS SELECT id, 'r' || region // 2 AS region, age, sex FROM original")
    # which of the query's two checks is the first to refuse hangs on its threads
    with pytest.raises((TableError, ColumnError), match=r"[Rr]ecode the original"):
        sdc_sql.Microdata(con, "classes", id="id").linkage.motivated_intruder("original", KNOWN)


STRANGE = {
    "is NULL": "CREATE OR REPLACE TABLE {} AS SELECT * REPLACE (nullif(id, 8) AS id) FROM {}",
    "is the same on": "INSERT INTO {} FROM {} LIMIT 1",
    "no record of the original has": "UPDATE released SET id = 9999 WHERE id = 8",
}


@pytest.mark.parametrize("persons", [None, "original"])
@pytest.mark.parametrize("table", ["original", "released"])
@pytest.mark.parametrize("told", STRANGE)
def test_ids_are_checked_where_the_original_has_labels_too(con, files, told, table, persons):  # noqa: ARG001
    con.execute(STRANGE[told].format(table, table))
    con.execute("CREATE TABLE labels AS SELECT DISTINCT age, age // 10 AS label FROM original")
    con.execute(
        "CREATE VIEW labelled AS SELECT * EXCLUDE (label) REPLACE (label AS age) FROM original JOIN labels USING (age)"
    )
    con.execute("CREATE OR REPLACE TABLE released AS SELECT * REPLACE (age // 10 AS age) FROM released")
    con.execute("CREATE TABLE who AS SELECT 4 AS sdc__person, '4' AS sdc__name")
    look = query.call_macro(
        "sdc__looked_up", "who", "labelled", "released", KNOWN, "id", None, "keys", "", persons=persons
    )
    with pytest.raises(duckdb.InvalidInputException, match=told):
        execute(con, look).fetchall()
