"""Changed and suppressed values are those of each person's two records, side by side or joined, in any table."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import sdc_sql
from sdc_sql.db.masking import places
from sdc_sql.release.reporting import lost

TABLES = {
    "in one order": "",
    "in another order": "CREATE OR REPLACE TABLE r AS FROM r ORDER BY hash(id)",
    "two neighbours": "UPDATE r SET id = 'p' || (25 - substr(id, 2)::INTEGER) WHERE id::BLOB IN ('p12', 'p13')",
    "nobody": "UPDATE r SET id = NULL WHERE id IN ('p3', 'p4'); UPDATE o SET id = NULL WHERE id IN ('p3', 'p4')",
    "somebody new": "UPDATE r SET id = 'new' WHERE id = 'p7'",
    "records left out": "DELETE FROM r WHERE hash(id::BLOB) % 3 = 0",
    "a column rowid": "CREATE OR REPLACE TABLE o AS SELECT *, (row_number() OVER () * 7) % 400 AS rowid FROM o",
    "a view": "ALTER TABLE o RENAME TO own; CREATE VIEW o AS FROM own",
}


def count_changes(con, columns):
    """Return what is counted of tables o and r, with the people who are in both."""
    outcome = SimpleNamespace(
        original=sdc_sql.Microdata(con, "o"), released=sdc_sql.Microdata(con, "r"),
        plan=SimpleNamespace(roles=SimpleNamespace(id="id")),
    )  # fmt: skip
    return [tuple(row.values()) for row in lost._count_changes(outcome, columns)]


def count_one_by_one(con, columns):
    own, its = (con.execute(f"SELECT id, {', '.join(columns)} FROM {t} WHERE id IS NOT NULL").fetchall() for t in "or")
    before, after = ({row[0]: row[1:] for row in rows} for rows in (own, its))
    pairs = [(before[one], after[one]) for one in before if one in after]
    return [
        (
            name,
            len(pairs),
            sum(str(old[i]) != str(new[i]) for old, new in pairs),
            sum(old[i] is not None and new[i] is None for old, new in pairs),
        )
        for i, name in enumerate(columns)
    ]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("collation", ["", "COLLATE NOCASE"])
def test_changes_are_those_of_each_person(con, monkeypatch, table, collation):
    con.execute("SET threads = 3")
    con.execute(f"CREATE TABLE o (id VARCHAR {collation}, x INTEGER, c VARCHAR {collation})")
    # every other person has the number of the one before, in capitals
    con.execute("""INSERT INTO o SELECT ['p', 'P'][1 + range % 2] || range // 2, nullif(range % 11, 5),
                   ['North', 'south'][1 + range % 2] FROM range(400)""")
    con.execute("CREATE TABLE r AS SELECT * REPLACE (nullif(x, 7)::VARCHAR AS x, lower(c) AS c) FROM o")
    con.execute(TABLES[table])
    wanted = count_one_by_one(con, ["x", "c"])
    assert [0 < row[2] < row[1] for row in wanted] == [True, True]
    for run in (10**9, 50):
        monkeypatch.setattr(places, "RUN", run)
        assert count_changes(con, ["x", "c"]) == wanted


def test_one_thread_counts_them_side_by_side(con, monkeypatch):
    con.execute("SET threads = 1")
    con.execute("CREATE TABLE o AS SELECT range AS id, range % 5 AS x FROM range(300)")
    con.execute("CREATE TABLE r AS SELECT * REPLACE (nullif(x, 1) AS x) FROM o")
    monkeypatch.setattr(places, "RUN", 50)
    monkeypatch.setattr(lost, "_join_original", None)
    assert count_changes(con, ["x"]) == [("x", 300, 60, 60)]


def test_a_dimension_has_the_values_and_the_households_that_its_bytes_tell_apart(con):
    con.execute("CREATE TABLE o (id INTEGER, region VARCHAR COLLATE NOCASE, home VARCHAR COLLATE NOCASE, x INTEGER)")
    con.execute("INSERT INTO o SELECT range, ['N', 'n'][1 + range % 2], ['H', 'h'][1 + range % 2], 1 FROM range(5)")
    con.execute("CREATE TABLE r AS SELECT * REPLACE (CASE WHEN id > 0 THEN x END AS x) FROM o")
    outcome = SimpleNamespace(
        original=sdc_sql.Microdata(con, "o"), released=sdc_sql.Microdata(con, "r"),
        plan=SimpleNamespace(roles=SimpleNamespace(id="id", strata=("region",), household="home")),
    )  # fmt: skip
    found = lost.count_by_dimension(outcome, ["x"])
    counted = {
        name: [(row["value"], row["records"], row["suppressed"]["x"]) for row in rows] for name, rows in found.items()
    }
    # the first of five persons lost x: she is of N, as the third and the fifth, in H
    assert counted == {"region": [("N", 3, 1), ("n", 2, 0)], lost.HOUSEHOLD_SIZE: [("2", 2, 0), ("3", 3, 1)]}
