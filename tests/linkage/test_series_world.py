"""Every mask of the catalogue over nights of a table that changes: the header says of repeating what is measured.

The figures of the whole world (4,000 records, ten nights) are in the table of ``sdc_sql/mask/README.md``.
"""

from __future__ import annotations

import numpy as np
import pytest
from every_mask import MASKS
from series_world import ALIKE, CALLS, README, make_nights, measure, read_table, release_nights, wilson, write_row

pytestmark = pytest.mark.slow  # whole releases, one after another


RECORDS, NIGHTS = 240, 3
# a method of a mask that its header tells apart
METHODS = {"multiplicative_noise, hoehne_sum": "once", "top_bottom_code, value": "again", "pram_retention": "once"}


def find_mask(label: str) -> str:
    return f"sdc_{label.partition(',')[0]}"


def says_again(label: str) -> bool:
    return METHODS.get(label, MASKS[find_mask(label)].repeated).startswith("again")


@pytest.fixture(scope="module")
def world(connect):
    """Return a connection with the nights of two scenarios, and their names."""
    with connect() as con:
        con.execute("SET threads = 1")
        yield con, {s: make_nights(con, s, RECORDS, NIGHTS) for s in ("churn", "newcomer", "change")}


def test_every_mask_is_tried():
    tried = {find_mask(label) for label in CALLS}
    assert MASKS.keys() <= tried | ALIKE.keys(), MASKS.keys() - tried - ALIKE.keys()
    assert {*ALIKE.values()} <= CALLS.keys()
    assert all(MASKS[name].repeated.partition(" ")[0].rstrip(".") == ("again" if says_again(label) else "once")
               for name, label in ALIKE.items())  # fmt: skip


@pytest.mark.one_in(14)
@pytest.mark.parametrize("label", [label for label in CALLS if says_again(label)])
def test_of_what_may_be_repeated_the_series_tells_no_more(world, label):
    con, nights = world
    columns, call = CALLS[label]
    for names in nights.values():
        for row in measure(con, names, release_nights(con, names, call), columns):
            assert (row["gain"], row["given_alone"], row["shown"]) == (0, 0, 0), row


# these depend on the file, but on so little of it that three small nights need not show it
QUIET = {"generalise", "synthesise", "pram_retention", "calibrate", "resample", "bootstrap", "data_distortion", "ipso",
         "hybrid_masking", "microhybrid", "hybrid", "data_shuffling", "distort_sensitive", "suppress_combinations",
         "suppress_risky", "top_bottom_code, mean"}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("label", [label for label in CALLS if not says_again(label) and label not in QUIET])
def test_of_the_others_it_tells_more(world, label):
    con, nights = world
    columns, call = CALLS[label]
    rows = [row for names in nights.values() for row in measure(con, names, release_nights(con, names, call), columns)]
    assert any(row["gain"] > 0.02 or row["given_alone"] or row["given"] for row in rows), rows


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "label", ["microaggregate, one column", "noise, linear", "rank_swap", "multiplicative_noise, hoehne_sum"]
)
def test_one_newcomer_and_two_releases(world, label):
    """What keeps a total, or a set, gives the one who came."""
    con, nights = world
    columns, call = CALLS[label]
    (row,) = measure(con, nights["newcomer"], release_nights(con, nights["newcomer"], call), columns)
    assert (row["moved"], row["given_alone"]) == (1, 1)


@pytest.mark.slow
def test_noise_drawn_anew_averages(world):
    """Uncorrelated errors of deviation s, m of them: their mean is within w with 2 Phi(w sqrt(m) / s) - 1."""
    con, nights = world
    names = nights["newcomer"][:1] * 9
    for i in range(9):
        con.execute(
            f'CREATE OR REPLACE TABLE "drawn {i}" AS '
            f"FROM sdc_noise_absolute('{names[0]}', ['income'], 700, 'id', release := '{i}')"
        )
    released = [f"drawn {i}" for i in range(9)]
    (row,) = measure(con, names, released, ["income"])
    draws = np.random.default_rng(1).normal(0, 700, (200_000, 9))
    for found, expected in (
        (row["one"], np.mean(np.abs(draws[:, 0]) <= row["within"])),
        (row["together"], np.mean(np.abs(draws.mean(axis=1)) <= row["within"])),
    ):
        low, high = wilson(found, row["values"])
        assert low - 0.02 <= expected <= high + 0.02
    assert row["attack"] == "equations"
    # a tenth of the median of |N(0, s)|, which errs by 1.17 of itself over the root of the values
    assert row["within"] == pytest.approx(0.1 * 0.6745 * 700, rel=4 * 1.17 / row["values"] ** 0.5)


@pytest.mark.slow
def test_what_change_tells_of_a_value_that_drifts(world):
    """Noise that is drawn anew with each value averages out; what is rounded by fixed points does not."""
    con, _ = world
    names = make_nights(con, "drift", 400, 8)
    found = {}
    for label in ("noise_absolute", "recode_intervals"):
        columns, call = CALLS[label]
        (found[label],) = measure(con, names, release_nights(con, names, call), columns, "sdc_series_changes")
    assert found["noise_absolute"]["changed"] == found["noise_absolute"]["changed_shown"] == 7 * 400
    assert found["noise_absolute"]["certainty"] == 1
    assert found["noise_absolute"]["level_gain"] > 0.05  # eight draws: a deviation of 0.35 of one
    assert found["recode_intervals"]["level_gain"] == found["recode_intervals"]["changed"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "exact", "least", "most"),
    [
        ("microaggregate, one column", 0.01, 0.85, 1.0),
        ("microaggregate, k = 5", 0.01, 0.65, 0.95),
        ("microaggregate, two columns", 0.01, 0.65, 0.95),
        ("microaggregate, univariate", 0.01, 0.15, 0.5),
    ],
)
def test_ten_nights_of_averages_give_the_values_to_the_cent(connect, label, exact, least, most):
    """Of one release hardly any is within 0.01; a simulation apart found 94, 78, 80 and 31 % in another such world."""
    with connect() as con:
        names = make_nights(con, "churn")
        columns, call = CALLS[label]
        released = release_nights(con, names, call)
        width = 0.1 * exact / measure(con, names, released, columns[:1])[0]["within"]
        given = [names[-1], released[-1], columns[:1], "id", names[:-1], released[:-1], width]
        query = 'SELECT "within", one / "values", together / "values" FROM sdc_series_disclosure(?, ?, ?, ?, ?, ?, ?)'
        within, one, together = con.execute(query, given).fetchone()
    assert within == pytest.approx(exact)
    assert one <= 0.005
    assert least <= together <= most


@pytest.mark.slow
@pytest.mark.parametrize("label", ["microaggregate, univariate", "noise, alpha", "suppress_risky"])
def test_the_table_of_the_chapter(connect, label):
    with connect() as con:
        assert write_row(con, label) == read_table(README)[label]


def test_the_table_has_every_mask():
    assert [*read_table(README)] == [*CALLS]
