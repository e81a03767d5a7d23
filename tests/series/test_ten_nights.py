"""The table of ten nights: every mask stands in it, and a sample of it is measured anew in a small world."""

from __future__ import annotations

import pytest
from every_mask import MASKS
from series_world import ALIKE, CALLS
from ten_nights import FIRST, LAST, README, SCENARIOS, measure_cell, parse_call, try_series

RECORDS, NIGHTS = 240, 4
DRIFTING = "income"  # the column that drifts


@pytest.fixture(scope="module")
def con(connect):
    with connect() as con:
        con.execute("SET threads = 1")
        yield con


def read_rows() -> dict[str, list[str]]:
    inside = README.read_text(encoding="utf-8").partition(FIRST)[2].partition(LAST)[0]
    rows = [line.strip("| ").split(" | ") for line in inside.splitlines() if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows[2:]}


def test_every_mask_of_the_catalogue_stands_in_the_table():
    """A mask is in it by itself or by another of its kind, which does alike in a series."""
    assert [*read_rows()] == [*CALLS]
    tried = {f"sdc_{parse_call(call)[0]}" for _, call in CALLS.values()}
    assert MASKS.keys() <= tried | ALIKE.keys()


@pytest.mark.slow
@pytest.mark.parametrize("label", CALLS)
def test_the_table_says_what_is_refused_and_what_a_ledger_holds(con, label):
    refused, held = try_series(con, label)
    assert read_rows()[label][0] == ("refused" if refused else held)


CELLS = [(scenario, label) for label in CALLS for scenario in SCENARIOS if scenario != "two"]


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "label"), CELLS, ids=[f"{s}, {n}" for s, n in CELLS])
def test_a_series_tells_no_more_than_one_release(con, scenario, label):
    if read_rows()[label][0] == "refused":
        pytest.skip("refused in a series")
    if scenario == "drift" and DRIFTING in CALLS[label][0]:
        pytest.skip("the mean of the releases tells the level of a number that drifts, with a series as without")
    if scenario == "placed" and label == "data_swap":
        pytest.skip("who placed all but one of a batch that is swapped has that one: the set of its values is released")
    gain = measure_cell(con, scenario, label, 7, serial=True, records=RECORDS, nights=NIGHTS)
    assert gain == 0
