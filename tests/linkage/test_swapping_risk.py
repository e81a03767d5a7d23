"""Karr & Sanil's risk of a swapped file: by hand, and against plain Python on random tables."""

from __future__ import annotations

import random
from collections import Counter

import duckdb
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError, SdcError

NAMES = (
    "records", "unswapped", "cells_of_one", "cells_of_two", "unswapped_in_ones", "unswapped_in_twos", "threshold",
    "unswapped_in_small",
)  # fmt: skip


@pytest.fixture
def swapped(con) -> duckdb.DuckDBPyConnection:
    """Return a connection with the tables of the header: the regions of 3 and 5 exchanged."""
    con.execute("""
        CREATE TABLE k AS FROM (VALUES
            (1, 'f', 'north'), (2, 'f', 'north'), (3, 'f', 'north'), (4, 'm', 'south'), (5, 'm', 'south'),
            (6, 'm', 'south'), (7, 'm', 'east'), (8, 'f', 'north')) t(id, sex, "Select");
        CREATE TABLE f AS
            SELECT * REPLACE (CASE id WHEN 3 THEN 'south' WHEN 5 THEN 'north' ELSE "Select" END AS "Select") FROM k
    """)
    return con


def test_the_header_by_hand(swapped):
    data = Microdata(swapped, "f", id="id")
    found = data.linkage.swapping_risk("k", ["sex", "select"], swapped=["Select"])
    assert tuple(getattr(found, n) for n in NAMES) == (8, 6, 3, 1, 1, 2, 2, 3)
    assert found.risk == 0.5
    assert data.linkage.swapping_risk("k", ["sex", "Select"], threshold=1).risk == pytest.approx(1 / 6)
    assert data.linkage.swapping_risk("k", ["sex", "Select"], threshold=3).risk == 1


def test_unswapped_is_what_it_says_of_the_swapped_columns_alone(swapped):
    """An attribute that was changed otherwise leaves a record unswapped, and its cell is the released one."""
    swapped.execute("CREATE TABLE g AS SELECT * REPLACE (CASE id WHEN 8 THEN 'm' ELSE sex END AS sex) FROM f")
    data = Microdata(swapped, "g", id="id")
    assert data.linkage.swapping_risk("k", ["sex", "Select"], swapped=["Select"]).unswapped == 6
    assert data.linkage.swapping_risk("k", ["sex", "Select"]).unswapped == 5


def test_identity_and_all_swapped(swapped):
    row = swapped.execute("FROM sdc_swapping_risk('k', 'k', ['sex', 'Select'], 'id')").fetchone()
    assert row == (8, 8, 1, 0, 1, 0, 2, 1, 1 / 8)  # cells of 4, 3 and 1
    swapped.execute("CREATE TABLE h AS SELECT i AS id, i AS x FROM range(9) t(i)")
    swapped.execute("CREATE TABLE moved AS SELECT id, (x + 1) % 9 AS x FROM h")
    assert swapped.execute("FROM sdc_swapping_risk('h', 'moved', ['x'], 'id')").fetchone() == (
        9,
        0,
        9,
        0,
        0,
        0,
        2,
        0,
        0,
    )


@pytest.mark.one_in(3)
@pytest.mark.whole
@pytest.mark.parametrize("seed", range(3))
def test_against_plain_python(con, seed):
    draw = random.Random(seed)  # noqa: S311 - a table for a test
    before = {i: (draw.choice([1, 2, None]), draw.choice("xyzw"), draw.choice(["p'", None])) for i in range(50)}
    after = {
        i: (draw.choice([a, a, 2, None]), draw.choice([b, b, "x"]), c) for i, (a, b, c) in list(before.items())[3:]
    }
    for name, rows in (("k", before), ("f", after)):
        con.execute(f'CREATE TABLE {name} (id INTEGER, a INTEGER, "b""c" VARCHAR, c VARCHAR)')
        con.execute(
            f"INSERT INTO {name} VALUES {', '.join(['(?, ?, ?, ?)'] * len(rows))}",
            [v for i, row in rows.items() for v in (i, *row)],
        )
    sizes = Counter(after.values())
    for chosen, places in ((["A"], [0]), (['b"c', "a"], [0, 1]), (None, [0, 1, 2])):
        kept = [sizes[row] for i, row in after.items() if all(row[p] == before[i][p] for p in places)]
        small = [n for n in kept if n <= 3]
        row = con.execute(
            "FROM sdc_swapping_risk('k', 'f', ['a', 'b\"c', 'c'], 'id', swapped := ?, threshold := 3)", [chosen]
        ).fetchone()
        ones, twos = (sum(n == size for n in sizes.values()) for size in (1, 2))
        assert row == (47, len(kept), ones, twos, kept.count(1), kept.count(2), 3, len(small), len(small) / len(kept))


def test_wrong_arguments(swapped):
    data = Microdata(swapped, "f", id="id")
    with pytest.raises(ColumnError, match='swapped names "id"'):
        data.linkage.swapping_risk("k", ["sex", "Select"], swapped=["id"])
    with pytest.raises(ColumnError, match="color"):
        data.linkage.swapping_risk("k", ["sex", "color"])
    with pytest.raises(ParameterError, match="threshold is 0"):
        data.linkage.swapping_risk("k", ["sex"], threshold=0)
    with pytest.raises(duckdb.Error, match="threshold is 0"):
        swapped.execute("FROM sdc_swapping_risk('k', 'f', ['sex'], 'id', threshold := 0)")
    swapped.execute("CREATE TABLE twice AS FROM f UNION ALL FROM f")
    with pytest.raises(duckdb.Error, match="must be unique"):
        swapped.execute("FROM sdc_swapping_risk('k', 'twice', ['sex'], 'id')").fetchall()


def test_a_swapped_attribute_that_was_recoded_is_no_risk_of_none(swapped):
    """Its labels are in no original record: all would count as swapped."""
    swapped.execute("""
        CREATE TABLE g AS SELECT * REPLACE (upper("Select") AS "Select") FROM f;
        CREATE TABLE h AS SELECT * REPLACE (upper(sex) AS sex) FROM f;
        CREATE TABLE n AS SELECT * REPLACE (NULL::VARCHAR AS "Select") FROM f
    """)
    for columns in (["Select"], None):
        with pytest.raises(SdcError, match=r"No value of Select occurs in both tables"):
            Microdata(swapped, "g", id="id").linkage.swapping_risk("k", ["sex", "Select"], swapped=columns)
    assert (
        Microdata(swapped, "h", id="id").linkage.swapping_risk("k", ["sex", "Select"], swapped=["select"]).unswapped
        == 6
    )
    with pytest.raises(SdcError, match=r"No value of Select occurs in both tables"):
        Microdata(swapped, "n", id="id").linkage.swapping_risk("k", ["sex", "Select"])
