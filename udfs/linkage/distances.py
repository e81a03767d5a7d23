"""The distance-based linkage of released records to those of another file.

Source: Handbook on Statistical Disclosure Control, section 3.3.8.1; Pagliuca & Seri (1999); Domingo-Ferrer & Torra
(2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.linkage.agreement import Kinds, list_kinds, number_kinds, pair_numbers
from sdc_sql.udfs.linkage.nearer import TWO, count_nearer
from sdc_sql.udfs.linkage.records import Records, Variables, compute_squared_distances
from sdc_sql.udfs.linkage.scales import compute_deviation, scale_variables

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

MISSING = 0  # the code of a category that is missing, a category of its own


@dataclass(frozen=True)
class Sides:
    """The rows of the released records, those of the candidates, and for each released one the place of its own.

    ``own`` is -1 where no candidate is of the same person; ``paired`` are the places where one is.
    """

    released: Integers
    candidates: Integers
    own: Integers

    @property
    def paired(self) -> Integers:
        """The places of released records that have a candidate of the same person."""
        return np.flatnonzero(self.own >= 0)


def split_sides(person: Floats, first: Floats, *, external: bool) -> Sides:
    """Return the two files of one list of rows; ``first`` are those of the other file.

    Unless this is external, those of its persons are candidates who are in the released file.
    """
    released, other = np.flatnonzero(first == 0), np.flatnonzero(first != 0)
    numbers = person.astype(np.int64)
    if not external:
        other = other[np.isin(numbers[other], numbers[released])]
    at = np.full(int(numbers.max(initial=0)) + 1, -1)
    at[numbers[other]] = np.arange(len(other))
    return Sides(released, other, at[numbers[released]])


def require_weights(weights: Floats) -> Floats:
    """Return the weights, or refuse them."""
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError("weights must be numbers of at least 0, one of them above 0: give one, or one for each column")
    return weights


def distance_linkage(
    columns: Floats,
    categories: float,
    ordinal: float,
    person: Floats,
    first: Floats,
    times: Floats,
    weights: Floats,
    scaling: str | None,
    external: float,
) -> list[Floats]:
    """Return for each row of the released file how near its own record is, and how many are nearer and as near.

    Parameters
    ----------
    columns
        Of each variable the numbers of its categories from 1, the ranks of its categories from 1, or its numbers, in
        this order; shape (variables, rows). NaN where a value is missing.
    categories, ordinal
        How many variables have categories, the first ones, and how many have ranks, the next ones.
    person
        The number of the person of each row.
    first
        Whether a row is of the other file, in which the record is looked for: 1, else 0.
    times
        How many records each row of the other file stands for; 1 where some variables have numbers.
    weights
        Of each variable, at least 0.
    scaling
        What the difference of two numbers is divided by: the standard deviation or the range in the other file, or
        nothing; ``mahalanobis``: the numbers together by their covariances.
    external
        Whether all persons of the other file are candidates, and a released one may be missing there: 1, else 0.

    Returns
    -------
    list
        Distance, how many are nearer (2 stands for more, too) and how many as near, its own among them; NaN in rows of
        the other file, and where a person is not in both.

    Notes
    -----
    Where values were suppressed that the other file has, and it lacks some of its own, a missing value is read in two
    ways: as what the other file lacks, or as no information. Of the two the one with more correct links counts.
    """
    files = split_sides(person, first, external=bool(external))
    weights = require_weights(weights)
    nominal, ranked = int(categories), int(categories) + int(ordinal)
    ranks = columns[nominal:ranked]
    numbers, scales = scale_variables(ranks, columns[ranked:], files.candidates, weights[ranked:], scaling)
    variables = Variables(np.sqrt(weights[nominal:]) / scales, weights[:nominal])
    released, own = files.released[files.paired], files.own[files.paired]
    asked, offered = _merge_alike(columns, released, files.candidates, own, times, alone=len(columns) > ranked)
    x, y = (
        _Side(numbers[rows], np.nan_to_num(columns[:nominal, rows].T, nan=MISSING).astype(np.int64), kinds.counts)
        for rows, kinds in ((released[asked.first], asked), (files.candidates[offered.first], offered))
    )
    own = offered.of[own[asked.first]]
    none = np.zeros(numbers.shape[1], dtype=bool)
    read = [_compare_records(x, y, own, variables, none)[:, asked.of]]
    if (tells_nothing := x.find_suppressed(y, own)).any():
        hidden = tells_nothing[:nominal] & (x.codes == MISSING)
        # what is hidden agrees with no candidate
        beyond = np.maximum(x.codes.max(axis=0, initial=0), y.codes.max(axis=0, initial=0)) + 1
        masked = _Side(x.numbers, np.where(hidden, beyond, x.codes), x.counts)
        read.append(_compare_records(masked, y, own, variables, tells_nothing[nominal:])[:, asked.of])
    found = np.full((3, len(person)), np.nan)
    found[:, released] = max(read, key=_expect_correct_links)
    return [*found]


def _merge_alike(
    columns: Floats, released: Integers, candidates: Integers, own: Integers, times: Floats, *, alone: bool
) -> tuple[Kinds, Kinds]:
    """Return the kinds of released records, with their own each, and those of candidates: each is compared once.

    ``alone``: with continuous numbers, where hardly two records are alike, each is a kind of its own.
    """
    if alone:
        asked, offered = (
            Kinds(np.arange(n), np.arange(n), np.ones(n, dtype=np.int64)) for n in (len(released), len(candidates))
        )
        return asked, offered
    kinds = number_kinds(np.nan_to_num(columns, nan=MISSING).astype(np.int64))
    offered = list_kinds(kinds[candidates], times[candidates])
    return list_kinds(pair_numbers(kinds[released], offered.of[own])), offered


def _expect_correct_links(compared: Floats) -> float:
    """Return the expected number of correct links, ties at random."""
    _, closer, near = compared
    return fsum(1 / near[closer == 0])


@dataclass(frozen=True)
class _Side:
    """The numbers of a file, NaN where they are missing, and its codes, ``MISSING`` where there is none."""

    numbers: Floats
    codes: Integers
    counts: Integers  # how many records each stands for

    def select(self, rows: Integers) -> _Side:
        return _Side(self.numbers[rows], self.codes[rows], self.counts[rows])

    def find_missing(self) -> Truths:
        """Return which values are missing: those with codes, then the numbers."""
        return np.hstack([self.codes == MISSING, np.isnan(self.numbers)])

    def find_suppressed(self, y: _Side, own: Integers) -> Truths:
        """Return the variables in which a value of y is missing here, and where y lacks values too."""
        lacked = y.find_missing()
        return np.asarray((self.find_missing() & ~lacked[own]).any(axis=0) & lacked.any(axis=0))

    def records(self, there: Truths, mark: int | None) -> Records:
        """Return the records with the numbers that both files have; with a mark, and a category that it is of."""
        codes = self.codes if mark is None else np.column_stack([self.codes, np.full(len(self.codes), mark)])
        return Records(self.numbers[:, there], codes, self.counts)

    def list_patterns_of_missing(self) -> tuple[Truths, Integers]:
        """Return which numbers records lack, each pattern once, and for each record which of these it has."""
        missing = np.isnan(self.numbers)
        _, first, of = np.unique(missing @ (2.0 ** np.arange(missing.shape[1])), return_index=True, return_inverse=True)
        return missing[first], of


def _compare_records(x: _Side, y: _Side, own: Integers, variables: Variables, tells_nothing: Truths) -> Floats:
    """Return the distances, how many are nearer and how many as near, of records that have their own in y.

    A number that one of two records lacks adds what two records of y differ by on average: the same for all that have
    it, so that it tells none of them from another. ``tells_nothing``: numbers which, missing in x, add it for all.
    """
    each = np.repeat(y.numbers, y.counts, axis=0)
    spreads = np.array([compute_deviation(values[~np.isnan(values)]) for values in each.T])
    unknown = 2 * np.square(spreads * variables.factors)

    def compare_alike(x: _Side, y: _Side, mine: Truths, theirs: Truths) -> tuple[Records, Records, Variables]:
        more = unknown[(mine != theirs) | (mine & tells_nothing)].sum()
        return _align_records(x, y, ~(mine | theirs), variables, more)

    (lacks, of), (other_lacks, other_of) = x.list_patterns_of_missing(), y.list_patterns_of_missing()
    parts = [(a, b, lacks[a], other_lacks[b]) for a in range(len(lacks)) for b in range(len(other_lacks))]
    most = np.empty(len(own))
    for a, b, mine, theirs in parts:
        rows = np.flatnonzero((of == a) & (other_of[own] == b))
        every = np.arange(len(rows))
        made = compare_alike(x.select(rows), y.select(own[rows]), mine, theirs)
        most[rows] = compute_squared_distances(made[0], every, made[1], every, made[2])
    closer, near = np.zeros((2, len(own)), dtype=np.int64)
    for a, b, mine, theirs in parts:
        rows = np.flatnonzero((of == a) & (closer < TWO))
        one, other, of_both = compare_alike(x.select(rows), y.select(np.flatnonzero(other_of == b)), mine, theirs)
        more, same = count_nearer(one, other, most[rows], of_both)
        closer[rows] += more
        near[rows] += same
    return np.array([np.sqrt(most), np.minimum(closer, TWO), near])


def _align_records(
    x: _Side, y: _Side, there: Truths, variables: Variables, more: float
) -> tuple[Records, Records, Variables]:
    """Return records by the numbers that both have; a category in which all differ adds ``more``."""
    marks, costs = ((0, 1), np.r_[variables.costs, more]) if more else ((None, None), variables.costs)
    return x.records(there, marks[0]), y.records(there, marks[1]), Variables(variables.factors[there], costs)


FUNCTIONS = (
    declare_function(
        "distance_linkage", distance_linkage, TABLE, by_stratum=False, columns=TABLE, categories=NUMBER, ordinal=NUMBER,
        person=NUMBERS, first=NUMBERS, times=NUMBERS, weights=NUMBERS, scaling=TEXT, external=NUMBER,
    ),
)  # fmt: skip
