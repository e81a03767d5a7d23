"""Suppression of records whose cells are counted apart from them: what the mask itself does, record by record."""

from __future__ import annotations

import pytest

from sdc_sql import InputError
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.counted import COUNTED, count_cells
from sdc_sql.errors import translate_errors

KEYS = "['region', 'Select', 'f']"
TABLE = """CREATE TABLE k AS
    SELECT i AS id, CASE WHEN i % 11 = 0 THEN NULL ELSE 'r' || (i * i % 7) END AS region,
           ['f', 'm', 'it''s'][1 + i % 3] AS "Select", (i * 7 % 5)::INTEGER AS f, 1.5 + i % 4 AS w
    FROM range(1, 181) AS t(i)"""
# as they are counted elsewhere: the sums of the weights in parts that any engine adds up
COUNT = """CREATE OR REPLACE TABLE {name} AS
    SELECT region, "Select", f, count(*) AS sdc__records, sum(sdc__low) AS sdc__low, sum(sdc__middle) AS sdc__middle,
           sum(sdc__high) AS sdc__high, min(sdc__least) AS sdc__least, sum(w)::DOUBLE AS sdc__w
    FROM {table} POSITIONAL JOIN sdc__parted_weights('{table}', 'w') GROUP BY ALL"""
# the ids between which the records of a cell lose the same, by their places: as the records are, in the order of ids
PLACED = """CREATE OR REPLACE TABLE design AS
    WITH places AS (
        SELECT sdc__cell, sdc__id, row_number() OVER (PARTITION BY sdc__cell ORDER BY sdc__id) AS place
        FROM sdc__local_suppression_apart('k', {given}, 'found')
    )
    SELECT found.*, b.sdc__id AS sdc__from, e.sdc__id AS sdc__to
    FROM found LEFT JOIN places AS b ON b.sdc__cell = found.sdc__cell AND b.place = sdc__above
         LEFT JOIN places AS e ON e.sdc__cell = found.sdc__cell AND e.place = sdc__upto"""
LOCAL = "{keys}, {k}, 'id', '{guarantee}', NULL, 'equal', NULL, NULL, NULL, NULL, NULL, NULL, 'record'"
COMBINATIONS = "{keys}, {k}, 'id', {weight}, NULL, NULL, true, 'strong', NULL, NULL, 'equal', 'error', NULL, NULL"
RISKY = "{keys}, 0.2, 'id', 'w', NULL, NULL, NULL, 'equal', 'error', NULL, NULL"


@pytest.fixture
def counted(con):
    con.execute(TABLE)
    execute(con, COUNT.format(name="cells", table="k"))
    return con


def suppress(con, macro, given):
    """Suppress by the cells; put the records as they are then into the table `masked`, and its cells into `after`."""
    execute(con, f"CREATE TABLE found AS FROM sdc__{macro}_design('cells', {given})")
    execute(con, PLACED.format(given=given) if macro == "local_suppression" else "CREATE TABLE design AS FROM found")
    masked = f"SELECT r.*, k.w FROM sdc__{macro}_designed('k', {given}, 'design') AS r JOIN k ON id = sdc__id"
    execute(con, f"CREATE TABLE masked AS {masked}")
    execute(con, COUNT.format(name="after", table="masked"))
    return con.execute('SELECT region, "Select", f FROM masked ORDER BY sdc__id').fetchall()


def prove(con, macro, given, after):
    with translate_errors(), count_cells(con, COUNTED):
        execute(con, f"FROM sdc__{macro}_proved('cells', '{after}', {given})").fetchall()


def changed(con):
    unlike = 'SELECT count(*) FROM k JOIN masked m ON id = sdc__id WHERE (k.region, k."Select", k.f) IS DISTINCT FROM '
    return con.execute(unlike + '(m.region, m."Select", m.f)').fetchone()[0]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("guarantee", ["identical", "strong", "wildcard"])
@pytest.mark.parametrize("k", [3, 6])
def test_local_suppression(counted, guarantee, k):
    given = LOCAL.format(keys=KEYS, k=k, guarantee=guarantee)
    found = suppress(counted, "local_suppression", given)
    call = f"sdc_local_suppression('k', {KEYS}, {k}, 'id', guarantee := '{guarantee}')"
    expected = execute(counted, f'SELECT region, "Select", f FROM {call} ORDER BY id').fetchall()
    assert found == expected
    assert changed(counted)
    prove(counted, "local_suppression", given, "after")
    with pytest.raises(InputError, match="guarantee"):
        prove(counted, "local_suppression", given, "cells")


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize(("weight", "k"), [("NULL", 3), ("'w'", 9)])
def test_suppression_of_combinations(counted, weight, k):
    given = COMBINATIONS.format(keys=KEYS, k=k, weight=weight)
    found = suppress(counted, "suppress_combinations", given)
    call = f"sdc_suppress_combinations('k', {KEYS}, {k}, 'id', weight := {weight})"
    assert found == execute(counted, f'SELECT region, "Select", f FROM {call} ORDER BY id').fetchall()
    assert changed(counted)
    prove(counted, "suppress_combinations", given, "after")
    with pytest.raises(InputError, match="still below the threshold"):
        prove(counted, "suppress_combinations", given, "cells")


def test_suppression_of_risky_records(counted):
    given = RISKY.format(keys=KEYS)
    found = suppress(counted, "suppress_risky", given)
    call = f"sdc_suppress_risky('k', {KEYS}, 0.2, 'id', weight := 'w')"
    assert found == execute(counted, f'SELECT region, "Select", f FROM {call} ORDER BY id').fetchall()
    assert changed(counted)
    prove(counted, "suppress_risky", given, "after")
    with pytest.raises(InputError, match="risk"):
        prove(counted, "suppress_risky", given, "cells")
