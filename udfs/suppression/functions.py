"""Local suppression as DuckDB is given it: a stratum at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, WHOLE, declare_function, require_given
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE, WHOLE_TABLE, WHOLES
from sdc_sql.udfs.sorting import order_rows
from sdc_sql.udfs.suppression.by_households import suppress_to_k_households
from sdc_sql.udfs.suppression.cells import Cells
from sdc_sql.udfs.suppression.combinations import choose_least_frequencies, keep_frequent
from sdc_sql.udfs.suppression.compatible_combinations import compatible_combinations
from sdc_sql.udfs.suppression.households import suppress_whole_households
from sdc_sql.udfs.suppression.identical import make_identical, make_identical_within
from sdc_sql.udfs.suppression.risky import suppress_to_bearable
from sdc_sql.udfs.suppression.shares import bound_cost, search_within_shares
from sdc_sql.udfs.suppression.strong import suppress_strongly
from sdc_sql.udfs.suppression.wildcard import suppress_by_wildcard

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats, Integers

_GUARANTEES = {"identical": make_identical, "strong": suppress_strongly, "wildcard": suppress_by_wildcard}
_MOMENT = 100_000  # records x sets of keys
_OF_COMBINATIONS = {"strong": keep_frequent, "wildcard": compatible_combinations}
_LEAST = 1e-6  # a value of a key of one category costs so much: its entropy is 0


def suppress(_stratum: str | None, cells: Integers, hashes: Integers, sizes: Integers, k: float, guarantee: str,
             importance: Floats, cost: str, shares: Floats, keys: str) -> Integers:  # fmt: skip
    """Return four numbers for each set of keys that records of a cell lose: the cell, the keys, and which records.

    They are those above one place up to another, or all of the cell where that is 0. Cells that lose nothing are left
    out.

    Parameters
    ----------
    cells
        A row for each cell, in any order: the hashes of its values (-1: NULL), its records, those besides that stay as
        they are, and its name.
    hashes, sizes
        The hashes of all values of the first key in the order of the values, then those of the next, and how many.
    importance
        What a value of each key costs, multiplied by what `cost` says of it; -inf: the key is never suppressed.
    shares
        At most which share of the values of each key is suppressed; NaN: no limit.
    keys
        Their names, a line each.
    """
    priced, names = _price_cells(cells, hashes, sizes, importance, cost)
    search, k = _choose_way(guarantee, "guarantee", _GUARANTEES), int(require_given(k, "k"))
    if search is make_identical and np.isneginf(importance).any():
        search = make_identical_within
    plain = priced(np.ones(len(shares)))
    limited = _has_limits(shares, keys.split("\n"))
    found = _search_briefly(search, priced, k, shares, keys)[0] if limited else search(plain, k)
    if found.ndim == 1:
        if (found < 0).any() and (priced(np.ones(len(importance))).counts[found < 0] > 0).any():
            raise ValueError(f"some records are fewer than k = {k} on keys that cannot be suppressed: recode these")
        losing = np.flatnonzero(found > 0)
        nowhere = np.zeros_like(losing)
        return np.stack([names[losing], found[losing], nowhere, nowhere], axis=1).ravel()
    return _order_by_place(found, names)


def gap(_stratum: str | None, cells: Integers, hashes: Integers, sizes: Integers, k: float, guarantee: str,
        importance: Floats, cost: str, shares: Floats, keys: str) -> Floats:  # fmt: skip
    """Return what the suppressions within limits cost, and what they cost at least (NaN: unknown, of 'wildcard')."""
    priced, _ = _price_cells(cells, hashes, sizes, importance, cost)
    search, k = _choose_way(guarantee, "guarantee", _GUARANTEES), int(require_given(k, "k"))
    _, found = _search_briefly(search, priced, k, shares, keys)
    return np.array([found, np.nan if guarantee == "wildcard" else bound_cost(priced, k, shares)])


def _search_briefly(
    search: Callable[[Cells, int], Integers], priced: Callable[[Floats], Cells], k: int, shares: Floats, keys: str
) -> tuple[Integers, float]:
    """Return what :func:`search_within_shares` does; each of many answers is bettered for a moment only."""
    quick = partial(make_identical, effort=_MOMENT) if search is make_identical else search
    return search_within_shares(quick, priced, k, shares, keys.split("\n"))


def _has_limits(shares: Floats, keys: list[str]) -> bool:
    """Return whether there are limits; refuse what is no share."""
    for key, share in zip(keys, shares.tolist(), strict=True):
        if share < 0 or share > 1:
            raise ValueError(
                f"max_share of the key {key} is {share:g}, outside [0, 1]: give the greatest share of its values that "
                "may be suppressed, as in 0.05"
            )
    return not np.isnan(shares).all()


def _price_cells(
    cells: Integers, hashes: Integers, sizes: Integers, importance: Floats, cost: str
) -> tuple[Callable[[Floats], Cells], Integers]:
    """Return what gives the cells, in their order, for factors of what each key costs; and their names."""
    codes = number_categories(cells[:, :-3], hashes, sizes)
    order = order_rows(codes)  # the answer does not depend on the order of the cells
    numbers, (counts, others, names) = codes[order], cells[order, -3:].T
    kept = np.isneginf(importance)
    weights = _weights(np.where(kept, 1.0, importance), cost, numbers, counts + others)
    never = int((kept.astype(np.int64) << np.arange(len(kept))).sum())
    return lambda factors: Cells(numbers, counts, (weights * factors).tolist(), others, never), names


def _order_by_place(found: Integers, names: Integers) -> Integers:
    """Return the same of rows of a cell, what it loses and how many records do, in the order of the cells."""
    cells, lost, records = found.T
    first = np.flatnonzero(np.diff(cells, prepend=-1))
    parts = np.diff(first, append=len(cells))
    upto = np.cumsum(records)
    upto -= np.repeat(upto[first] - records[first], parts)
    split = np.repeat(parts > 1, parts)
    rows = np.stack([names[cells], lost, np.where(split, upto - records, 0), np.where(split, upto, 0)], axis=1)
    return np.asarray(rows[split | (lost > 0)].ravel())


def suppress_households(codes: Floats, members: Floats, numbers: Floats, labels: Floats, k: float,
                        weights: Floats, unit: str) -> Integers:  # fmt: skip
    """Return four numbers for each part of a row of households that loses columns, as :func:`suppress` does of cells.

    Rows from 1; the places are those of the households of the row. See :class:`Households`.
    """
    rows, places, houses, parts = (a.astype(np.int64) for a in (codes, members, numbers, labels))
    found = suppress_whole_households(rows, places, houses, parts, weights, int(require_given(k, "k")), unit=unit)
    return _list_losing_rows(found) if not len(found) else _order_by_place(found, np.arange(1, len(codes) + 1))


def settle_households(
    _stratum: str | None, codes: Integers, houses: Integers, records: Integers, k: float, weights: Floats
) -> Integers:
    """Return what each entry of released rows loses besides, a bit for each key: see :class:`ReleasedRows`."""
    return suppress_to_k_households(codes, houses, records, weights, int(require_given(k, "k")))


def number_categories(cells: Integers, hashes: Integers, sizes: Integers) -> Integers:
    """Return the categories by number from 1, 0 where NULL: a hash becomes its place among those of its key.

    Examples
    --------
    >>> number_categories(np.array([[77, 5], [-1, 5], [33, 5]]), np.array([77, 33, 5]), np.array([2, 1])).tolist()
    [[1, 1], [0, 1], [2, 1]]
    """
    codes = np.zeros_like(cells)
    for key, own in enumerate(np.split(hashes, np.cumsum(sizes)[:-1])):
        order = np.argsort(own)
        ascending = own[order]
        if (ascending[1:] == ascending[:-1]).any():
            raise ValueError("two values of a key have the same hash by chance: recode one of them")
        if len(own):
            places = order[np.searchsorted(ascending, cells[:, key]) % len(own)] + 1
            codes[:, key] = np.where(cells[:, key] < 0, 0, places)
    return codes


def _weights(importance: Floats, cost: str, numbers: Integers, counts: Integers) -> Floats:
    """Return what a value of each key costs."""
    weights = np.where(np.isnan(importance), 1.0, importance)
    if not ((weights > 0) & (weights < np.inf)).all():
        raise ValueError("importance has a number that is not positive and finite: give what a value of each key costs")
    weights *= _choose_way(cost, "cost", {"equal": _share_equally, "entropy": entropies})(numbers, counts)
    return np.asarray(weights)


def _choose_way(value: str | None, name: str, ways: dict[str, Any]) -> Any:  # noqa: ANN401 - a function
    if value not in ways:
        raise ValueError(f"{name} is {value!r}: it must be one of {', '.join(ways)}")
    return ways[value]


def _number_from_one(codes: Integers) -> Integers:
    """Return the categories that occur numbered from 1, 0 where NULL: the same in whatever table they stand."""
    columns = [np.searchsorted(np.unique(column[column > 0]), column) + 1 for column in codes.T]
    return np.where(codes > 0, np.stack(columns, axis=1), 0)


def keep_frequent_combinations(codes: Floats, counts: Floats, amounts: Floats, sets: Floats, thresholds: Floats,
                    inclusive: float, guarantee: str, importance: Floats, cost: str) -> Integers:  # fmt: skip
    """Return the same for combinations of keys; `sets`: a row of 0 and 1 for the keys of each."""
    numbers, sizes = _number_from_one(codes.astype(np.int64)), counts.astype(np.int64)
    cells = Cells(numbers, sizes, _weights(importance, cost, numbers, sizes).tolist())
    bits = (sets.astype(np.int64) << np.arange(sets.shape[1])).sum(axis=1).tolist()
    limits = choose_least_frequencies(bits, thresholds.tolist(), inclusive=bool(inclusive))
    every = max(amounts.sum(), counts.sum())
    if limits and every < max(limits.values()):
        raise ValueError(f"all records together are {every:g}, too few for a threshold of {thresholds.max():g}")
    lost = _choose_way(guarantee, "guarantee", _OF_COMBINATIONS)(
        cells, limits, amounts, counts if (amounts < counts).any() else None
    )
    return _list_losing_rows(np.stack([np.arange(len(lost)), lost, cells.counts], axis=1))


def suppress_risky_cells(codes: Floats, counts: Floats, amounts: Floats, cells: Floats | None,
                         households: Floats | None,
                   members: Floats | None, max_risk: float, may: Floats, importance: Floats,
                   cost: str) -> Integers:  # fmt: skip
    """Return what is lost, a bit a key: by each cell or, where households are given, by their members in each cell.

    Parameters
    ----------
    cells, households, members
        The cells of households by their places, the numbers of the households, and how many members these cells hold.
    may
        A 1 for each key that may be suppressed.
    """
    numbers, sizes = _number_from_one(codes.astype(np.int64)), counts.astype(np.int64)
    priced = Cells(numbers, sizes, _weights(importance, cost, numbers, sizes).tolist())
    bits = int((may.astype(np.int64) << np.arange(len(may))).sum())
    rows = None
    if cells is not None and households is not None and members is not None:
        rows = (cells.astype(np.int64), households.astype(np.int64), members.astype(np.int64))
    return suppress_to_bearable(priced, amounts, max_risk, bits, rows)


def _list_losing_rows(found: Integers) -> Integers:
    """Return the rows of the cells that lose something, one after another; the cells from 1."""
    losing = np.zeros(int(found[:, 0].max(initial=-1)) + 1, dtype=np.bool_)
    losing[found[found[:, 1] > 0, 0]] = True
    return np.asarray((found[losing[found[:, 0]]] + np.array([1, 0, 0])).ravel())


def _share_equally(codes: Integers, _counts: Integers) -> Floats:
    return np.ones(codes.shape[1])


def entropies(codes: Integers, counts: Integers) -> Floats:
    """Return the entropy of each key in nats: -sum p ln p over its categories, without NULL.

    Examples
    --------
    >>> entropies(np.array([[1, 1], [1, 2]]), np.array([5, 5])).round(3).tolist()
    [0.0, 0.693]
    """
    found = []
    for column in codes.T:
        of = np.bincount(column, weights=counts)[1:]
        p = of[of > 0] / max(of.sum(), 1.0)
        found.append(max(_LEAST, float(-(p * np.log(p)).sum())))
    return np.array(found)


FUNCTIONS = (
    declare_function(
        "suppress", suppress, WHOLE,
        cells=WHOLE_TABLE, hashes=WHOLES, sizes=WHOLES, k=NUMBER, guarantee=TEXT, importance=NUMBERS, cost=TEXT,
        shares=NUMBERS, keys=TEXT,
    ),
    declare_function(
        "suppress_households", suppress_households, WHOLE, by_stratum=False,
        codes=TABLE, members=NUMBERS, numbers=NUMBERS, labels=NUMBERS, k=NUMBER, weights=NUMBERS, unit=TEXT,
    ),
    declare_function(
        "settle_households", settle_households, WHOLE,
        codes=WHOLE_TABLE, houses=WHOLES, records=WHOLES, k=NUMBER, weights=NUMBERS,
    ),
    declare_function(
        "suppression_gap", gap, NUMBERS,
        cells=WHOLE_TABLE, hashes=WHOLES, sizes=WHOLES, k=NUMBER, guarantee=TEXT, importance=NUMBERS, cost=TEXT,
        shares=NUMBERS, keys=TEXT,
    ),
    declare_function(
        "suppress_combinations", keep_frequent_combinations, WHOLE, by_stratum=False,
        codes=TABLE, counts=NUMBERS, amounts=NUMBERS, sets=TABLE, thresholds=NUMBERS, inclusive=NUMBER,
        guarantee=TEXT, importance=NUMBERS, cost=TEXT,
    ),
    declare_function(
        "suppress_risky", suppress_risky_cells, WHOLE, by_stratum=False,
        codes=TABLE, counts=NUMBERS, amounts=NUMBERS, cells=NUMBERS, households=NUMBERS, members=NUMBERS,
        max_risk=NUMBER, may=NUMBERS, importance=NUMBERS, cost=TEXT,
    ),
)  # fmt: skip
