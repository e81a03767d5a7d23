"""k records can be one family: cells counted in households."""

from __future__ import annotations

import random

import pytest

import sdc_sql
from sdc_sql import Microdata, ParameterError

FAMILY = [(26, "north", "young")] * 3 + [(27, "south", "old"), (28, "south", "old")]


def test_three_of_one_family(con):
    con.execute("CREATE TABLE survey (household INTEGER, region VARCHAR, age VARCHAR)")
    con.executemany("INSERT INTO survey VALUES (?, ?, ?)", FAMILY)
    data = Microdata(con, "survey", keys=["region", "age"], household="household")
    assert [v.records for v in data.risk.k_anonymity(3)] == [0, 2]
    assert [(v.k, v.records, v.cells) for v in data.risk.household_k_anonymity(3)] == [(2, 3, 1), (3, 5, 2)]
    (limit,) = data.check_limits(["household_k_anonymity.2.records <= 0"])
    assert (limit.holds, limit.figures) == (False, {"household_k_anonymity.2.records": 3})
    with pytest.raises(ParameterError, match="household"):
        Microdata(con, "survey", keys=["region"]).risk.household_k_anonymity()


def test_by_hand(con):
    """Random tables, odd names, NULL as a value of its own."""
    sdc_sql.load(con)
    wrong = []
    for seed in range(5):
        draw = random.Random(seed)  # noqa: S311
        rows = [(draw.choice([1, 2, 3, 4, 5]), draw.choice("ab"), draw.choice(["x", None])) for _ in range(20)]
        con.execute('CREATE OR REPLACE TABLE "k" ("house hold" INTEGER, "Select" VARCHAR, "f" VARCHAR)')
        con.executemany('INSERT INTO "k" VALUES (?, ?, ?)', rows)
        cells = {}
        for house, *values in rows:
            cells.setdefault(tuple(values), []).append(house)
        expected = [
            (j, sum(len(c) for c in cells.values() if len({*c}) < j), sum(len({*c}) < j for c in cells.values()))
            for j in range(2, 6)
        ]
        found = con.execute("FROM sdc_household_k_anonymity('k', ['SELECT', 'f'], 'house hold', 5)").fetchall()
        wrong += [] if found == expected else [(seed, found, expected)]
    assert wrong == []


def test_without_a_k_it_is_three(con):
    """Cells of one, two and three households, of 3, 2 and 4 records: exactly three are enough."""
    con.execute("CREATE TABLE survey (household INTEGER, region VARCHAR)")
    homes = {"north": [1, 1, 1], "south": [1, 2], "west": [3, 4, 4, 5]}
    rows = [(home, region) for region, members in homes.items() for home in members]
    con.executemany("INSERT INTO survey VALUES (?, ?)", rows)
    found = con.execute("FROM sdc_household_k_anonymity('survey', ['region'], 'household')").fetchall()
    assert found == [(2, 3, 1), (3, 5, 2)]
    found = con.execute("FROM sdc_household_k_anonymity('survey', ['region'], 'household', 4)").fetchall()
    assert found == [(2, 3, 1), (3, 5, 2), (4, 9, 3)]
    assert con.execute("FROM sdc_household_k_anonymity('survey', ['region'], 'household', 2)").fetchall() == [(2, 3, 1)]
    con.execute("UPDATE survey SET household = NULL WHERE household = 5")
    with pytest.raises(Exception, match="household number is NULL"):
        con.execute("FROM sdc_household_k_anonymity('survey', ['region'], 'household')").fetchall()
