"""Hierarchies made from intervals, from the places of a code, or from a tree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, TypeAlias

from sdc_sql.db.checks import is_number
from sdc_sql.errors import ParameterError
from sdc_sql.mask.hierarchies import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Tree: TypeAlias = "Mapping[str, Tree] | Iterable[object]"

TOP = "*"


def interval_hierarchy(values: Iterable[object], breaks: Sequence[Sequence[float]]) -> Hierarchy:
    """Return a hierarchy of numbers: at each level the interval that a number lies in, at the top '*'.

    Parameters
    ----------
    values
        The numbers that the column holds, once or more; None where it holds missing values, which stay apart up to the
        top.
    breaks
        For each level the numbers at which an interval begins, ascending; the breaks of a level must be among those of
        the level below. Numbers below the first break are one interval, those from the last on another.

    Raises
    ------
    ParameterError
        Where a value is no number, or breaks do not ascend or are not among those below.

    Examples
    --------
    >>> interval_hierarchy([7, 12, 31], [[10, 20, 30], [20]]).rows
    (('7', 'below 10', 'below 20', '*'), ('12', '[10, 20)', 'below 20', '*'), ('31', '30 and over', '20 and over', '*'))
    """
    distinct = _list_distinct(values)
    numbers = [value for value in distinct if isinstance(value, Real | Decimal) and is_number(value)]
    if len(numbers) + (None in distinct) < len(distinct) or not all(math.isfinite(float(value)) for value in numbers):
        raise ParameterError("The values of an interval hierarchy are not all finite numbers: leave out what is none.")
    for level, points in enumerate(breaks, 1):
        if not points or not all(is_number(point) for point in points) or sorted(set(points)) != list(points):
            raise ParameterError(f"The breaks of level {level} are not numbers that ascend: give as in [10, 20, 30].")
        if level > 1 and not set(points) <= set(breaks[level - 2]):
            raise ParameterError(
                f"A break of level {level} is not among those of level {level - 1}: an interval would be cut in two. "
                "Take the breaks of each level from the one below."
            )
    rows = [
        (str(value), *(_interval(points, float(value)) for points in breaks), TOP)
        for value in sorted(numbers, key=float)
    ]
    return Hierarchy(_add_missing_row(rows, len(breaks), missing=None in distinct))


def code_hierarchy(values: Iterable[object], keep: Sequence[int]) -> Hierarchy:
    """Return a hierarchy of codes: at each level their first characters, the rest as stars, at the top '*'.

    Parameters
    ----------
    values
        The codes that the column holds; None where it holds missing values, which stay apart up to the top.
    keep
        For each level how many characters are kept, descending, as in [3, 2, 1]. A code that is shorter stays whole.

    Raises
    ------
    ParameterError
        Where the numbers do not descend or are below 1.

    Examples
    --------
    >>> code_hierarchy(["0111", "0112", "0923"], [3, 1]).rows
    (('0111', '011*', '0***', '*'), ('0112', '011*', '0***', '*'), ('0923', '092*', '0***', '*'))
    """
    given = list(keep)
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in given)
    if not whole or any(number < 1 for number in given) or sorted(set(given), reverse=True) != given:
        raise ParameterError("The numbers of characters to keep do not descend to 1 or more: give as in [3, 2, 1].")
    distinct = _list_distinct(values)
    codes = sorted(str(value) for value in distinct if value is not None)
    rows = [(code, *(_truncate_code(code, number) for number in given), TOP) for code in codes]
    return Hierarchy(_add_missing_row(rows, len(given), missing=None in distinct))


def tree_hierarchy(tree: Tree) -> Hierarchy:
    """Return the hierarchy of a tree: nested dicts by label from the top down, and lists of values at the leaves.

    Where branches are of different depth, the values of a shorter one stay as they are on the lower levels.

    Raises
    ------
    ParameterError
        Where the tree has no value, or a value stands twice.

    Examples
    --------
    >>> tree_hierarchy({"*": {"Europe": {"north": ["SE", "NO"], "south": ["IT"]}, "Asia": ["JP"]}}).rows[2:]
    (('IT', 'south', 'Europe', '*'), ('JP', 'JP', 'Asia', '*'))
    """
    paths = list(_paths(tree))
    depth = max((len(path) for path in paths), default=0)
    return Hierarchy(tuple((path[0],) * (depth - len(path)) + path for path in paths))


def _paths(tree: Tree) -> Iterator[tuple[str, ...]]:
    """Yield for each value of a tree its labels, its own first."""
    if isinstance(tree, str):
        raise ParameterError("A branch of the tree is a text: give its values as a list, one too.")
    if not isinstance(tree, Mapping):
        yield from ((str(value),) for value in tree)
        return
    for label, branch in tree.items():
        yield from ((*path, str(label)) for path in _paths(branch))


def _list_distinct(values: Iterable[object]) -> list[object]:
    return list(dict.fromkeys(values))


def _add_missing_row(
    rows: Sequence[tuple[str | None, ...]], levels: int, *, missing: bool
) -> tuple[tuple[str | None, ...], ...]:
    return (*rows, (None, *(None,) * levels, TOP)) if missing else tuple(rows)


def _interval(breaks: Sequence[float], value: float) -> str:
    import numpy as np  # noqa: PLC0415 - which not every program needs

    place = int(np.searchsorted(np.asarray(breaks, dtype=np.float64), value, side="right"))
    if place == 0:
        return f"below {breaks[0]}"
    return f"{breaks[-1]} and over" if place == len(breaks) else f"[{breaks[place - 1]}, {breaks[place]})"


def _truncate_code(code: str, number: int) -> str:
    return code[:number] + "*" * max(len(code) - number, 0)
