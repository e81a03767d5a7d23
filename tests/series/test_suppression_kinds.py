"""Each suppressing mask in a series, its guarantee counted apart: strong, wildcard, threshold rules, limits of risk."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

import sdc_sql
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.errors import SeriesError
from tests import series_world as world
from tests.series.test_suppression import Nights, count_shown_again, is_given

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow  # whole releases, one after another

KEYS = ["sex", "region", "occupation"]
MASKS: dict[str, Callable[[Any, str], Any]] = {
    "strong": lambda mask, into: mask.local_suppression(3, keys=KEYS, guarantee="strong", into=into),
    "wildcard": lambda mask, into: mask.local_suppression(3, keys=KEYS, guarantee="wildcard", into=into),
    "of records": lambda mask, into: mask.suppress_combinations(2, dimension=2, weight=1, keys=KEYS, into=into),
    "of persons": lambda mask, into: mask.suppress_combinations(40, dimension=3, weight="w", keys=KEYS, into=into),
    "of risk": lambda mask, into: mask.suppress_risky(0.05, weight="w", keys=KEYS, into=into),
}


class Intruder:
    """Who has all releases, and knows the keys of everybody and in which releases each stands; not who has which id.

    For `strong` and what counts like it he counts persons: their originals, night by night.
    """

    def __init__(self, nights: Nights, weights: list[dict[Any, float]]) -> None:
        self.nights, self.weights = nights, weights[-1]
        self.now = nights.released[-1]
        self.stands = {i: [t for t, r in enumerate(nights.released) if i in r] for i in self.now}
        # whose an id is: of given ids their keeper alone knows, so of these only what they show is counted
        self.own = {i for i in self.now if not is_given(i)}

    def count_persons(self, i: Any, kept: tuple[int, ...]) -> tuple[int, float]:
        """Return how many of those who stand in the same releases agree in the original, in each of these."""
        row, found = self.now[i], [0, 0.0]
        for o in self.own:
            if set(self.stands[i]) <= set(self.stands[o]) and all(
                all(self.nights.originals[t][o][j] == row[j] for j in kept) for t in self.stands[i]
            ):
                found[0] += 1
                found[1] += self.weights[o]
        return found[0], max(found[1], found[0])

    def count_compatible(self, i: Any) -> int:
        """Return how many released rows agree, NULL with every value."""
        row, found = self.now[i], 0
        for o, other in self.now.items():
            agree = all(a is None or b is None or a == b for a, b in zip(row, other, strict=True))
            same = not is_given(i) or (is_given(o) and self.stands[o][0] == self.stands[i][0])
            found += agree and same and set(self.stands[i]) <= set(self.stands[o])
        return found


def find_unsafe(kind: str, intruder: Intruder) -> list[Any]:
    """Return the ids of which the guarantee does not hold; of ids that were given anew it is counted by the mask."""
    unsafe = []
    for i in intruder.now if kind == "wildcard" else intruder.own:
        kept = tuple(j for j, v in enumerate(intruder.now[i]) if v is not None)
        if kind == "wildcard":
            safe = intruder.count_compatible(i) >= 3
        elif kind == "strong":
            safe = intruder.count_persons(i, kept)[0] >= 3
        elif kind == "of risk":
            # E(1/F) of a cell of f records that stand for F persons, term by term
            f, big = intruder.count_persons(i, kept)
            safe = expect_inverse(f, f / big) <= 0.05 + 1e-9
        else:
            sets = [s for size in (1, 2, 3) if size < 3 or kind == "of persons" for s in combinations(range(3), size)]
            counted = [intruder.count_persons(i, tuple(set(s) & set(kept))) for s in sets]
            safe = all(n > 2 if kind == "of records" else w > 40 for n, w in counted)
        if not safe:
            unsafe.append(i)
    return unsafe


def expect_inverse(f: int, p: float) -> float:
    """Return E(1/F), F - f negative binomial: the sum of its terms until they are as good as 0."""
    term, total, n = p**f, 0.0, f
    while term > 1e-14 or n < f / p:
        total += term / n
        term *= (1 - p) * n / (n - f + 1)
        n += 1
    return total


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("scenario", ["move", "churn"])
@pytest.mark.parametrize("weakened", ["leave_out", "new_id"])
def test_five_nights(con, tmp_path, kind, scenario, weakened):
    """The guarantee holds each night on all that was shown, and no value is suppressed and then shown."""
    nights, weights = Nights(con, tmp_path, MASKS[kind], KEYS, weakened), []
    for name in world.make_nights(con, scenario, 250, 5, 11):
        con.execute(f'CREATE OR REPLACE TABLE tonight AS FROM "{name}"')
        nights.release("tonight")
        weights.append(dict(con.execute("SELECT id, w FROM tonight").fetchall()))
        assert find_unsafe(kind, Intruder(nights, weights)) == []
    assert count_shown_again(nights)[0] == 0
    assert sum(v is None for row in nights.released[0].values() for v in row) > 3


def test_every_suppressing_mask_has_a_rule():
    """Those of the catalogue are these: whoever adds one says what it does in a series."""
    hides = [d for d in read_catalogue() if d.is_step and d.effect.suppresses.kind == "values"]
    found = {d.verb: d.effect.series.kind for d in hides}
    assert found == {"local_suppression": "values", "suppress_combinations": "values", "suppress_risky": "values"}


def test_what_is_refused(con, tmp_path):
    """What hangs on households, on shares of a file, on what others lose, or on one key of two values."""
    con.execute("""
        CREATE TABLE h AS SELECT i AS id, i // 2 AS home, i // 10 AS area, i % 7 AS age, i % 2 AS s
        FROM range(60) t(i)""")
    alone = {"keys": ["age"], "household_columns": [], "into": "z"}
    calls = (
        (lambda d: d.mask.local_suppression(2, keys=["area", "age"], into="z"), "another household"),
        (lambda d: d.mask.local_suppression(2, unit="household", **alone), "counts households"),
        (lambda d: d.mask.suppress_risky(0.4, weight=2, household="home", **alone), "counts households"),
        (lambda d: d.mask.local_suppression(2, max_share=0.9, **alone), "newcomers alone"),
        (lambda d: d.mask.suppress_combinations(2, weight=1, guarantee="wildcard", **alone), "hangs on all records"),
        (lambda d: d.mask.local_suppression(2, **alone | {"keys": ["s"]}), "is the only key"),
    )
    for n, (call, said) in enumerate(calls):
        series = sdc_sql.Series(tmp_path / f"l{n}", "p", "one", disk_encrypted=True)
        data = sdc_sql.Microdata(con, "h", id="id", household="home", household_columns=["area"], series=series)
        with pytest.raises(SeriesError, match=said):
            call(data)


def test_odd_names_and_types(con, tmp_path):
    """A table named k, columns f and Select, NULLs, dates, a ghost that follows, one row that comes, an empty night."""
    con.execute("""CREATE TABLE k AS SELECT 'p''' || i AS "i'd", i % 3 AS f, NULLIF(i % 5, 4)::DOUBLE AS "Select",
                       DATE '2000-01-01' + (i % 4)::INTEGER AS day, i % 20 AS street, [i] AS tags
                   FROM range(90) t(i)""")

    def call(mask, into):
        return mask.local_suppression(3, keys=["Select", "f", "day"], ghosts={"f": ["street"]}, into=into)

    nights = Nights(con, tmp_path, call, ["Select", "f", "day", "street"], "new_id", id="i'd")
    nights.release("k")
    con.execute(
        """INSERT INTO k VALUES ('new', 2, 3, DATE '1999-01-01', 5, [1]);
           UPDATE k SET f = 9 WHERE f = 2 AND street < 5"""
    )
    second = nights.release("k")
    for row in second.values():
        assert row[3] is None or row[1] is not None
    con.execute("DELETE FROM k WHERE true")
    with pytest.raises(sdc_sql.SdcError):
        nights.release("k")


@pytest.mark.parametrize("guarantee", ["identical", "wildcard", "strong"])
def test_ids_that_are_given_anew_are_counted_among_those_of_their_release(con, guarantee):
    """Who looks for a person whose id is no more looks among these: five alike are three and two."""
    con.execute(
        "CREATE TABLE live AS SELECT i AS sdc__person, 'all'::BLOB AS sdc__part, CASE WHEN i < 3 THEN 0 ELSE 2 END AS "
        "sdc__cohort, '01'::BIT AS sdc__standing, 2 AS sdc__settled, 0 AS sdc__lost, ['vn'::BLOB, 'vf'::BLOB] AS "
        "sdc__values, 1e0 AS sdc__weight FROM range(5) AS t(i)"
    )
    below = "SELECT sdc__person FROM sdc__series_below('live', [65535], [$k], $guarantee, 'records') ORDER BY ALL"
    asked = {"guarantee": guarantee}
    assert con.execute(below, {**asked, "k": 2}).fetchall() == []
    assert con.execute(below, {**asked, "k": 3}).fetchall() == [(3,), (4,)]
    assert con.execute(below, {**asked, "k": 6}).fetchall() == [(i,) for i in range(5)]


def test_who_is_left_alone_while_a_hidden_key_of_his_changes_is_left_out(con, tmp_path):
    """Of two who are rare one leaves: the other's id, in both releases, is alone, whatever is hidden of him."""
    common = [(i, "common", "x") for i in range(1, 9)]
    con.execute("CREATE TABLE t (id INTEGER, job VARCHAR, town VARCHAR)")
    for seed, town in enumerate(("p", "z")):
        nights = Nights(
            con, tmp_path / str(seed), lambda mask, into: mask.local_suppression(
                2, keys=["job", "town"], guarantee="strong", into=into
            ), ["job", "town"],
        )  # fmt: skip
        nights.folder.mkdir()
        for rare in ([(101, "rare", "p"), (102, "rare", "q")], [(101, "rare", town), (103, "rare", "w")]):
            con.execute("DELETE FROM t")
            con.executemany("INSERT INTO t VALUES (?, ?, ?)", [*common, *rare])
            nights.release("t")
        assert nights.released[0][101] == ("rare", None)
        assert set(nights.released[1]) == {*range(1, 9), 103}
        assert nights.counts[1]["weakened"] == 1
