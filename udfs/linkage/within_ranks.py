"""The linkage of rank-swapped records to those original ones alone whose ranks are within the range of the swap.

Source: Nin, Herranz & Torra (2008), Rethinking rank swapping to decrease disclosure risk, Data & Knowledge Engineering
64, 346-364; Handbook on Statistical Disclosure Control, sections 3.3.8 and 3.4.2.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, fsum
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.linkage.distances import require_weights, split_sides
from sdc_sql.udfs.linkage.nearer import TWO, Limits, count_nearer
from sdc_sql.udfs.linkage.records import Records, Variables, compute_squared_distances
from sdc_sql.udfs.linkage.within import count_within_limits

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

PERCENT = 100


def rank_linkage(
    columns: Floats, person: Floats, first: Floats, stratum: Floats, ranges: Floats, weights: Floats
) -> list[Floats]:
    """Return for each row of the released file how its own record stands among the candidates.

    Parameters
    ----------
    columns
        Of each variable numbers in the order of its values, of both files together, NaN where it is missing; shape
        (variables, rows).
    person
        The number of the person of each row.
    first
        Whether a row is of the original: 1, else 0.
    stratum
        The number of the stratum of each row.
    ranges
        Of each variable how far ranks may lie apart, in percent of the values in a stratum; NaN: as far as they do.
    weights
        Of each variable in the distance, at least 0.

    Returns
    -------
    list
        The distance of its own, how many candidates are nearer (2 stands for more, too, and for an own record that is
        no candidate) and how many as near, whether it is a candidate (1, else 0), how many there are, and the widest
        range of a variable, in percent of the values in the stratum; NaN in rows of the original.

    Notes
    -----
    Where values were suppressed that the original has, a missing one is read in two ways: as one that the original
    lacks (a swap leaves these where they are), or as no information. Of the two the one with more correct links counts.
    """
    files = split_sides(person, first, external=False)
    weights = require_weights(weights)
    if not (np.isnan(ranges) | ((ranges > 0) & (ranges <= PERCENT))).all():
        raise ValueError("p must be above 0, at most 100 (percent): give one, or one for each column, or leave it out")
    own = files.candidates[files.own]

    def link(tells_nothing: Truths) -> Floats:
        found = np.full((6, len(person)), np.nan)
        for group in np.unique(stratum[files.released]):
            here = np.flatnonzero(stratum[files.released] == group)
            known = np.flatnonzero((first != 0) & (stratum == group))
            candidates = files.candidates[stratum[files.candidates] == group]
            inside = stratum[own[here]] == group
            four = [columns[:, rows] for rows in (files.released[here], own[here], known, candidates)]
            hidden = np.isnan(four[0]) & tells_nothing[:, None]
            found[:, files.released[here]] = _link_stratum(four, inside, ranges, weights, hidden)
        return found

    suppressed = np.asarray((np.isnan(columns[:, files.released]) & ~np.isnan(columns[:, own])).any(axis=1))
    read = [link(np.zeros(len(columns), dtype=bool))]
    if suppressed.any():
        read.append(link(suppressed))
    return [*max(read, key=_expect_correct_links)]


def _expect_correct_links(found: Floats) -> float:
    """Return the expected number of correct links, by the nearest candidate or by any, whichever has more."""
    _, closer, near, within, number, _ = found
    return max(fsum(1 / near[closer == 0]), fsum(1 / number[within == 1]))


@dataclass(frozen=True)
class _Ranks:
    """The ranks that values share among those of the original: the least and the greatest, and their number."""

    least: Floats
    greatest: Floats
    count: int

    @classmethod
    def make(cls, values: Floats, known: Floats) -> _Ranks:
        """Return the ranks of values; missing ones are past all others, and alike."""
        ordered = np.sort(known[~np.isnan(known)])
        least = np.searchsorted(ordered, values, "left").astype(np.float64) + 1
        greatest = np.maximum(np.searchsorted(ordered, values, "right").astype(np.float64), least - 1)
        missing = np.isnan(values)
        least[missing] = greatest[missing] = -(len(ordered) + 1.0)
        return cls(least, greatest, len(ordered))

    @property
    def middle(self) -> Floats:
        return (self.least + self.greatest) / 2

    @property
    def known(self) -> Truths:
        return np.asarray(self.least > 0)

    def measure_distance(self, other: _Ranks) -> Floats:
        """Return by how many ranks values lie apart, at the least that equal values allow."""
        return np.maximum(np.maximum(self.least - other.greatest, other.least - self.greatest), 0)

    def limits(self, reach: float, candidates: _Ranks) -> tuple[Floats, Floats]:
        """Return between which middles of candidates the ranks lie at most so far apart; of missing ones theirs."""
        order = np.argsort(candidates.middle)
        middle, least, greatest = (m[order] for m in (candidates.middle, candidates.least, candidates.greatest))
        past = 2.0 * self.count + 2
        low = np.r_[middle, past][np.searchsorted(greatest, self.least - reach, "left")]
        high = np.r_[-past, middle][np.searchsorted(least, self.greatest + reach, "right")]
        return np.where(self.known, low, self.least), np.where(self.known, high, self.least)


def _link_stratum(four: list[Floats], inside: Truths, ranges: Floats, weights: Floats, hidden: Truths) -> Floats:
    """Return the figures of a stratum: of released values, their own, those of the original, and of the candidates.

    ``hidden``: of each variable the released values that tell nothing.
    """
    released, own, known, candidates = four
    n = released.shape[1]
    mine, true, other = (
        [_Ranks.make(v, k) for v, k in zip(of, known, strict=True)] for of in (released, own, candidates)
    )
    reaches = [_reach(m, t, inside, p) for m, t, p in zip(mine, true, ranges, strict=True)]
    within = inside.copy()
    for m, t, reach, h in zip(mine, true, reaches, hidden, strict=True):
        within &= h | ((m.known == t.known) & (m.measure_distance(t) <= reach))
    x, o, y = (_make_records(ranks) for ranks in (mine, true, other))
    least, greatest = zip(*(m.limits(reach, c) for m, reach, c in zip(mine, reaches, other, strict=True)), strict=True)
    past = np.array([2.0 * m.count + 2 for m in mine])
    limits = Limits(
        np.where(hidden.T, -past, np.column_stack(least)), np.where(hidden.T, past, np.column_stack(greatest))
    )
    most, closer, near = np.empty(n), np.full(n, TWO), np.zeros(n, dtype=np.int64)
    patterns, of = np.unique(hidden, axis=1, return_inverse=True)
    for place, tells_nothing in enumerate(patterns.T):
        used = np.where(tells_nothing, 0, weights)
        variables = Variables(np.sqrt(used) / [max(m.count - 1, 1) for m in mine], np.empty(0))
        alike = of.reshape(-1) == place
        rows, some = np.flatnonzero(alike), np.flatnonzero(alike & within)
        most[rows] = compute_squared_distances(x.select(rows), np.arange(len(rows)), o, rows, variables)
        closer[some], near[some] = count_nearer(x.select(some), y, most[some], variables, _select_limits(limits, some))
    some = np.flatnonzero(within)
    counted = np.zeros(n)
    counted[some] = count_within_limits(y, _select_limits(limits, some))
    widest = max(PERCENT * reach / max(m.count, 1) for reach, m in zip(reaches, mine, strict=True))
    return np.array([np.sqrt(most), closer, near, within, counted, np.full(n, widest)])


def _reach(mine: _Ranks, true: _Ranks, inside: Truths, p: float) -> float:
    """Return how many ranks apart a swap put values: given in percent, or by the pairs that belong together."""
    if not np.isnan(p):
        return float(floor(p * mine.count / PERCENT + 1e-6))  # the swap rounds in the same way
    both = inside & mine.known & true.known
    return float(mine.measure_distance(true)[both].max(initial=0))


def _make_records(ranks: list[_Ranks]) -> Records:
    n = len(ranks[0].least)
    return Records(
        np.column_stack([r.middle for r in ranks]), np.empty((n, 0), dtype=np.int64), np.ones(n, dtype=np.int64)
    )


def _select_limits(limits: Limits, rows: Integers) -> Limits:
    return Limits(limits.least[rows], limits.greatest[rows])


FUNCTIONS = (
    declare_function(
        "rank_linkage", rank_linkage, TABLE, by_stratum=False, columns=TABLE, person=NUMBERS, first=NUMBERS,
        stratum=NUMBERS, ranges=NUMBERS, weights=NUMBERS,
    ),
)  # fmt: skip
