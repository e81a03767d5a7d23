"""The best recoding of keys that are numbers: what is proposed is counted again without any of our code."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cache
from itertools import groupby

import duckdb
import pytest

from sdc_sql.app.protect_best import propose_recodings
from sdc_sql.app.state import State
from sdc_sql.app.worked import Worked, read_plan

K = 3


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Return what searches a file, and its rows of keys; four records are alone whatever becomes of the numbers."""
    path = tmp_path_factory.mktemp("best") / "k.parquet"
    with duckdb.connect() as con:
        con.execute(
            f"""COPY (SELECT i AS id, (i * i % 37)::INTEGER AS "f", (i * 7 % 6)::INTEGER AS "Select",
                             CASE WHEN i < 4 THEN 'b' || i
                                  WHEN i % 11 < 10 THEN 'a' || i % 2 END AS kind FROM range(300) r(i)) TO '{path}'"""
        )
        rows = con.execute(f"""SELECT "f", "Select", kind FROM '{path}'""").fetchall()
    scenario = {"name": "one", "keys": ["f", "Select", "kind"]}
    with State(path) as state:
        state.change("all", lambda release: release.update(roles={"id": "id"}, scenarios=[scenario]))
        plan, _ = read_plan(state)
        cursor, worked = state.cursor(), Worked()

        @cache
        def search(share):
            with worked.open(cursor, plan) as sides:
                return propose_recodings(sides, plan.scenarios[0], K, share)

        yield search, rows
        cursor.close()


def count_below(rows, steps):
    """Return how many records are in cells below k, and how many cells there are, after the steps."""
    breaks = {step["column"]: step["breaks"] for step in steps}
    cells = Counter(
        tuple(
            bisect_right(breaks[name], value) if name in breaks and value is not None else value
            for name, value in zip(("f", "Select", "kind"), row, strict=True)
        )
        for row in rows
    )
    return sum(n for n in cells.values() if n < K)


def test_the_smallest_share_is_told_where_none_is_enough_and_holds_when_it_is_asked(opened):
    search, rows = opened
    none = search(0)
    assert not none.reached
    assert {one.suppressed for one in none.proposals} == {4}
    assert none.least_share == 0.0134  # 4 / 300, rounded up
    assert none.records == len(rows)
    least = search(none.least_share)
    assert least.reached
    assert {one.suppressed for one in least.proposals} == {4}


@pytest.mark.parametrize("share", [0.0134, pytest.param(0.5, marks=pytest.mark.slow)])
def test_no_proposal_stands_there_twice_and_each_is_what_its_steps_do(opened, share):
    search, rows = opened
    found = search(share).proposals
    assert found
    parts = []
    for one in found:
        assert one.suppressed == count_below(rows, one.steps)
        parts.append(tuple(sorted((step["column"], tuple(step["breaks"])) for step in one.steps)))
        for step in one.steps:  # each joins some values
            values = sorted({row[("f", "Select", "kind").index(step["column"])] for row in rows})
            classes = [[*own] for _, own in groupby(values, key=lambda v, at=step["breaks"]: bisect_right(at, v))]
            assert len(classes) < len(values)
    assert len({*parts}) == len(parts)
    assert [one.loss for one in found] == sorted(one.loss for one in found)


def test_records_too_few_to_be_alike_are_told_as_such(tmp_path):
    path = tmp_path / "k.parquet"
    with duckdb.connect() as con:
        con.execute(
            f"COPY (SELECT i AS id, i % 8 AS f, CASE WHEN i = 0 THEN 'alone' ELSE 'a' END AS g FROM range(99) r(i)) "
            f"TO '{path}'"
        )
    with State(path) as state:
        scenario = {"name": "one", "keys": ["f", "g"]}
        state.change("all", lambda release: release.update(roles={"id": "id"}, scenarios=[scenario]))
        plan, _ = read_plan(state)
        cursor = state.cursor()
        with Worked().open(cursor, plan) as sides:
            found = propose_recodings(sides, plan.scenarios[0], K, 0.5)
        cursor.close()
    assert not found.reached
    assert {one.suppressed for one in found.proposals} == {1}
