"""Members who stand together again without the number of their household."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

import sdc_sql
from sdc_sql import Microdata, ParameterError


def by_hand(rows):
    """Return persons, households, records of a household and values: groups of two and more of one household."""
    groups, sizes = defaultdict(list), defaultdict(int)
    for house, *values in rows:
        if house is not None:
            groups[tuple(values)].append(house)
            sizes[house] += 1
    joined = [members for members in groups.values() if len(members) > 1 and len({*members}) == 1]
    persons = sum(size for size in sizes.values() if size > 1)
    return persons, len({members[0] for members in joined}), sum(map(len, joined))


def test_by_hand(con):
    """Random tables, odd names, numbers and values that are NULL."""
    sdc_sql.load(con)
    for seed in range(6):
        draw = random.Random(seed)  # noqa: S311
        rows = [
            (draw.choice([1, 2, 3, 4, 5, 6, None]), draw.choice("abc"), draw.choice(["x", "y", None]))
            for _ in range(14)
        ]
        con.execute('CREATE OR REPLACE TABLE "k" ("house hold" INTEGER, "Select" VARCHAR, "f" VARCHAR)')
        con.executemany('INSERT INTO "k" VALUES (?, ?, ?)', rows)
        found = con.execute("FROM sdc_rejoined_households('k', 'house hold', ['SELECT', 'f'])").fetchone()
        persons, households, records = by_hand(rows)
        assert found == (persons, households, records, records / persons)
    con.execute("CREATE OR REPLACE TABLE k AS SELECT i AS h, 1 AS f FROM range(3) t(i)")
    assert con.execute("FROM sdc_rejoined_households('k', 'h', ['f'])").fetchone() == (0, 0, 0, 0)


def test_columns_are_found(con):
    con.execute(
        "CREATE TABLE survey AS SELECT i AS id, i // 2 AS hh, i // 2 * 11 AS income, i % 2 AS sex FROM range(60) t(i)"
    )
    data = Microdata(con, "survey", id="id", household="hh")
    assert data.risk.rejoined_households() == data.risk.rejoined_households(["income"])
    assert (data.risk.rejoined_households().records, data.risk.rejoined_households().share) == (60, 1)
    assert data.risk.rejoined_households(["sex"]).records == 0
    (limit,) = data.check_limits(["rejoined_households.records <= 0"])
    assert not limit.holds
    with pytest.raises(ParameterError, match="household"):
        Microdata(con, "survey").risk.rejoined_households()
    con.execute("CREATE TABLE alone AS SELECT i AS hh, i AS income FROM range(5) t(i)")
    assert Microdata(con, "alone", household="hh").risk.rejoined_households().records == 0


def test_a_column_that_is_nearly_of_the_household_parts_nobody(con):
    """Sizes are given with an error in one household of fifty: the income alone joins its two members."""
    con.execute("""
        CREATE TABLE survey AS
        SELECT i AS id, i // 2 AS hh, i // 2 * 11 AS income, CASE WHEN i = 7 THEN 9 ELSE i // 2 % 5 END AS dwelling
        FROM range(100) t(i)""")
    data = Microdata(con, "survey", id="id", household="hh")
    assert data.risk.rejoined_households(["income", "dwelling"]).records == 98
    assert data.risk.rejoined_households().records == 100
    named = Microdata(con, "survey", id="id", household="hh", household_columns=["dwelling"])
    assert named.risk.rejoined_households().records == 100
