"""Minimal sample uniques, set by set where the sets of keys are few, record by record where they are many."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.suda.by_differences import search_by_differences
from sdc_sql.udfs.suda.set_by_set import SetBySet
from sdc_sql.udfs.suda.work import MOST_WORK, TooMuchWorkError, Work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Integers, Truths

FEW = 4_000_000_000  # cells times sets: some seconds


def special_uniques(
    codes: Sequence[NDArray[np.integer]], single: Truths, most: int, *, zero_is_null: bool = False
) -> Iterator[tuple[int, Integers]]:
    """Yield each set of keys that is minimal for some record, with the cells for which it is.

    Parameters
    ----------
    codes
        For each key its categories by number from 0, (n,), one for each cell; no two cells are equal in every key.
    single
        Which cells are one record, (n,); a cell of several records is sample unique on no set.
    most
        The largest size of a set.
    zero_is_null
        Code 0 of every key is a missing value, and no unique uses one; such a cell still counts as different.

    Yields
    ------
    The set, as a number whose bit p says whether key p is in it, and the places of the cells in `codes`; sizes upward.

    Raises
    ------
    TooMuchWorkError
        The search would take more than `MOST_WORK` looks at a cell, or hold more than `MOST_BYTES`.

    Notes
    -----
    All sets of keys are looked at where there are few (set_by_set.py). Where they are many, what is found may still be
    little: then record by record (by_differences.py), for as long as that takes at most a quarter of the former.

    References
    ----------
    Elliot, Manning & Ford (2002), A computational algorithm for handling the special uniques problem.
    Manning, Haglin & Keane (2008), A recursive search algorithm for statistical disclosure assessment (SUDA2).

    Examples
    --------
    Ages 30, 30, 41 and sexes f, m, f; the first of the cells is two records.

    >>> found = special_uniques([np.array([0, 0, 1]), np.array([0, 1, 0])], np.array([False, True, True]), 2)
    >>> [(keys, cells.tolist()) for keys, cells in found]
    [(1, [2]), (2, [1])]
    """
    columns, single = [np.asarray(c) for c in codes], np.asarray(single, dtype=np.bool_)
    sets = sum(comb(len(columns), size) for size in range(1, most + 1))
    if len(single) > 1 and sets * len(single) > FEW:
        work = Work(min(sets * len(single), MOST_WORK) // 4)
        try:
            found = list(search_by_differences(columns, single, most, zero_is_null=zero_is_null, work=work))
        except TooMuchWorkError:
            pass
        else:
            yield from found
            return
    search = SetBySet(columns, single, zero_is_null=zero_is_null, work=Work(MOST_WORK))
    for size in range(1, most + 1):
        if not search.level:
            return
        yield from search.list_sets(size, last=size == most)
