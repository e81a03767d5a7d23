"""The table of ten nights: every mask stands in it, and a sample of it is measured anew in a small world."""

from __future__ import annotations

import pytest
import ten_nights
import ten_nights_table
from every_mask import MASKS
from series_world import ALIKE, CALLS, make_nights
from ten_nights import Towns, attack, count_changes, mask_nights, measure_nights, parse_call, try_series
from ten_nights_table import FIRST, LAST, README, SCENARIOS, write_tables

RECORDS, NIGHTS = 240, 4
DRIFTING = "income"  # the column that drifts


@pytest.fixture(scope="module")
def con(connect):
    with connect() as con:
        con.execute("SET threads = 1")
        yield con


@pytest.fixture(scope="module")
def nights(con):
    """Return for each scenario the names of its tables, in the order in which they are made."""
    made = {}

    def find(scenario: str) -> list[str]:
        if scenario not in made:
            names = make_nights(con, scenario, RECORDS, NIGHTS, 7)
            made[scenario] = [f"small, {name}" for name in names]
            for name, own in zip(names, made[scenario], strict=True):
                con.execute(f'ALTER TABLE "{name}" RENAME TO "{own}"')
        return made[scenario]

    return find


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
def test_a_series_tells_no_more_than_one_release(con, nights, scenario, label):
    if read_rows()[label][0] == "refused":
        pytest.skip("refused in a series")
    if scenario == "drift" and DRIFTING in CALLS[label][0]:
        pytest.skip("the mean of the releases tells the level of a number that drifts, with a series as without")
    if scenario == "placed" and label == "data_swap":
        pytest.skip("who placed all but one of a batch that is swapped has that one: the set of its values is released")
    names = nights(scenario)
    assert attack(con, scenario, label, names, mask_nights(con, scenario, label, names, serial=True)) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "scenario", "without"),
    [
        ("microaggregate, one column", "churn", True), ("rank_swap", "column", False),
        ("recode_intervals", "churn", False),
    ],
)  # fmt: skip
def test_the_script_measures_towns(connect, monkeypatch, label, scenario, without):
    """With a series nothing; without one averages give more, and of a table that stays as it is nothing more."""
    monkeypatch.setattr(ten_nights, "RECORDS", 80)
    monkeypatch.setattr(ten_nights, "NIGHTS", 4)
    with connect() as con:
        towns = Towns(con)
        plain = label == "recode_intervals"
        for serial in (True, False):
            shares, _ = measure_nights(towns, con, scenario, label, serial=serial, plain=plain)
            assert len(shares) == len(ten_nights.SEEDS)
            assert (max(shares) > 0) == (without and not serial), shares


@pytest.mark.slow
@pytest.mark.parametrize("label", ["noise_absolute", "recode_keep_first", "rank_swap"])
def test_what_changing_tells_is_counted(con, nights, label):
    """By hand: of each person in two nights that follow, whether the original and the released value are others."""
    names = nights("back")
    released = mask_nights(con, "back", label, names, serial=True)
    (column,) = CALLS[label][0]
    rows = [[dict(con.execute(f'SELECT id, "{column}" FROM "{name}"').fetchall()) for name in them]
            for them in (names, released)]  # fmt: skip
    found = {"changed": 0, "changed_shown": 0, "stayed": 0, "stayed_shown": 0, "records": 0, "missing": 0, "gone": 0}
    for before, after, was, shows in zip(rows[0], rows[0][1:], rows[1], rows[1][1:], strict=False):
        for person in was:
            changed = before[person] != after[person]
            found["records"] += changed
            found["gone"] += person not in shows
            found["missing"] += changed and person not in shows
            if person in shows:
                found["changed" if changed else "stayed"] += 1
                found["changed_shown" if changed else "stayed_shown"] += was[person] != shows[person]
    assert count_changes(con, label, names, released) == found
    assert found["changed"] + found["missing"] > 0


def test_the_tables_are_written(tmp_path, monkeypatch):
    """A cell is the mean over the towns with Student's interval; a dash is a mask that is refused."""
    page = tmp_path / "README.md"
    marks = [FIRST, LAST, ten_nights_table.FIRST_CHANGES, ten_nights_table.LAST_CHANGES]
    page.write_text("before\n" + "\nbetween\n".join(marks) + "\nafter\n", encoding="utf-8")
    monkeypatch.setattr(ten_nights_table, "README", page)
    counts = {"changed": 100, "changed_shown": 50, "stayed": 900, "stayed_shown": 0, "records": 100, "missing": 0}
    write_tables({
        "round|refused": "", "round|ledger": "ids", "round|churn|with": [[0.0, 0.0, 0.0, 0.0, 0.1], None],
        "round|churn|without": [[0.5] * 5, None], "round|back|with": [[0.0] * 5, counts],
        "ipso|refused": "why", "ipso|ledger": "", "ipso|churn|without": [[0.01] * 5, None],
    }, ["round", "ipso", "hybrid"])  # fmt: skip
    text = page.read_text(encoding="utf-8")
    assert "| round | ids | 2.0 \u00b1 5.6 (50) | n.m. | n.m. | n.m. | n.m. | 0 |" in text  # 2.776 * 4.472 / sqrt(5)
    assert "| ipso | refused | - (1) |" in text
    assert "hybrid" not in text
    assert "| round | 50 (40.4 to 59.6) | 0 (0.0 to 3.7) | - | 100 (92.9 to 100.0) | n.m. |" in text  # Wilson (1927)
    assert (text[:7], text[-6:]) == ("before\n", "after\n")
