"""In which variables the records of two files agree: for each record how many of the other file agree in just these.

No pair of records is looked at. How many records agree in all variables of a set, whatever the others do, is counted
by groups; those that agree in a set and in nothing else follow by inclusion and exclusion (a Moebius transform).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.udfs.arguments import Floats, Integers

MOST = 400_000_000  # counts held at once, of four bytes
DENSE = 8  # so many times as many numbers as rows are looked up in a table: sorting takes longer


class Interval(NamedTuple):
    """The places of a number among the distinct ones: of each record looked for from, and without, which to which."""

    low: Integers
    high: Integers
    place: Integers  # the place of each record that is looked through


def number_values(values: Integers) -> Integers:
    """Return the places of whole numbers, at least 0, among the distinct ones, from 0."""
    if values.max(initial=0) >= DENSE * len(values):
        return np.unique(values, return_inverse=True)[1]
    there = np.zeros(DENSE * len(values), dtype=bool)
    there[values] = True
    return (np.cumsum(there) - 1)[values]


def pair_numbers(first: Integers, second: Integers) -> Integers:
    """Return the numbers of the pairs of two lists of numbers, from 0; a pair with a negative one has -1."""
    known = (first >= 0) & (second >= 0)
    found = np.full(len(first), -1)
    found[known] = number_values(first[known] * (int(second.max(initial=0)) + 1) + second[known])
    return found


def number_kinds(codes: Integers) -> Integers:
    """Return for each row the number of its kind, from 0; shape (variables, rows), codes from 0."""
    of = np.zeros(codes.shape[1], dtype=np.int64)
    for column in codes:
        of = pair_numbers(of, column)
    return of


class Kinds(NamedTuple):
    """A row of each kind, the place of each row's kind among these, and how many records are of each."""

    first: Integers
    of: Integers
    counts: Integers


def list_kinds(numbers: Integers, times: Floats | None = None) -> Kinds:
    """Return the kinds of rows, by their numbers from 0, which are at most as many as rows.

    ``times``: how many records each row stands for, counted together.
    """
    counts = np.bincount(numbers, times).astype(np.int64)
    there = counts > 0
    first = np.empty(len(counts), dtype=np.int64)
    first[numbers] = np.arange(len(numbers))
    return Kinds(first[there], (np.cumsum(there) - 1)[numbers], counts[there])


def intervals(asked: Floats, offered: Floats, tolerance: float) -> Interval:
    """Return for each number asked which of those offered are within the tolerance; NaN is near to none."""
    distinct = np.unique(offered[~np.isnan(offered)])
    width = tolerance + 1e-12 * (np.abs(asked) + tolerance)  # 0.3 and 0.2 differ by 0.1
    low = np.searchsorted(distinct, asked - width, "left")
    high = np.searchsorted(distinct, asked + width, "right")
    none = np.isnan(asked)
    place = np.where(np.isnan(offered), -1, np.searchsorted(distinct, offered))
    return Interval(np.where(none, 0, low), np.where(none, 0, high), place)


def sum_within_intervals(asked: Integers, offered: Integers, weights: Integers, near: Sequence[Interval]) -> Integers:
    """Return for each record asked the weights of those offered in its group and within all of its intervals.

    One interval is a difference of two cumulated sums of the sorted records. Of several, the last is cut into its
    dyadic parts, at most two of each length 1, 2, 4, ...: a part is a group more, with one interval less.
    """
    if not near:
        sums = np.bincount(offered[offered >= 0], weights[offered >= 0], minlength=int(asked.max(initial=0)) + 1)
        return np.where(asked >= 0, sums.astype(np.int64)[asked], 0)
    *others, last = near
    known = (offered >= 0) & (last.place >= 0)
    if not others:
        size = int(max(last.high.max(initial=0), last.place.max(initial=0))) + 1
        keys = offered[known] * size + last.place[known]
        order = np.argsort(keys)
        cumulated = np.concatenate([[0], np.cumsum(weights[known][order])])
        ends = [np.searchsorted(keys[order], asked * size + end) for end in (last.low, last.high)]
        return np.where((asked >= 0) & (last.low < last.high), cumulated[ends[1]] - cumulated[ends[0]], 0)
    found = np.zeros(len(asked), dtype=np.int64)
    low, high, part = last.low.copy(), last.high.copy(), last.place.copy()
    while (wide := (low < high) & (asked >= 0)).any():
        for end, of in ((low, wide & (low & 1 == 1)), (high - 1, wide & (high & 1 == 1))):
            rows = np.flatnonzero(of)
            groups = pair_numbers(
                np.concatenate([asked[rows], offered[known]]), np.concatenate([end[rows], part[known]])
            )
            cut = [Interval(o.low[rows], o.high[rows], o.place[known]) for o in others]
            found[rows] += sum_within_intervals(groups[: len(rows)], groups[len(rows) :], weights[known], cut)
        low, high, part = (low + 1) >> 1, high >> 1, part >> 1
    return found


def agreements(
    equal: Sequence[tuple[Integers, Integers]],
    near: Sequence[Interval],
    blocks: tuple[Integers, Integers],
    weights: Integers,
) -> Integers:
    """Return for each record asked how many offered ones agree in just a set of variables; shape (2^k, records).

    Parameters
    ----------
    equal
        Of each variable that agrees where equal the numbers of the values, of those asked and of those offered;
        negative: agrees with none. Variable j is bit j of the number of a set, these first.
    near
        Of each further variable the interval within which it agrees.
    blocks
        The numbers of the blocks likewise: records of others, and negative ones, are not compared.
    weights
        How many records each one offered stands for.
    """
    first, sets, split = len(equal), 2 ** (len(equal) + len(near)), len(blocks[0])
    if sets * split > MOST:
        raise ValueError(
            f"{split:,} records of different values with {sets:,} patterns of agreement are more than the {MOST:,} "
            "counts that are held at once: name fewer variables, or compare the file in parts"
        )
    groups = [np.concatenate(blocks)]
    found = np.empty((sets, split), dtype=np.int32 if weights.sum() < 2**31 else np.int64)
    for chosen in range(2**first):
        if chosen:  # the group without the highest variable is known already
            highest = chosen.bit_length() - 1
            groups.append(pair_numbers(groups[chosen - (1 << highest)], np.concatenate(equal[highest])))
        for besides in range(2 ** len(near)):
            cut = [interval for j, interval in enumerate(near) if besides >> j & 1]
            found[chosen + (besides << first)] = sum_within_intervals(
                groups[chosen][:split], groups[chosen][split:], weights, cut
            )
    for j in range(first + len(near)):  # those who agree in more are taken away
        pairs = found.reshape(-1, 2, 1 << j, split)
        pairs[:, 0] -= pairs[:, 1]
    return found
