"""Limits on a report, as a pipeline states them: ``theta.upper_bound > 0.1``."""

from __future__ import annotations

import math
import operator
from itertools import product
from typing import TYPE_CHECKING, Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

COMPARISONS: dict[type[exp.Expr], Callable[[Any, Any], bool]] = {
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
}
FORM = "it must compare a figure of the report with a number, as in 'theta.upper_bound > 0.1'"


def exceeded(limit: str, report: dict[str, Any]) -> bool:
    """Return whether a limit is exceeded.

    A limit compares a figure of the report (``measure.figure``) with a number by > >= < <= = or <>;
    comparisons can be joined with AND, OR, NOT and parentheses. For k-anonymity write the k first
    (``k_anonymity.3.records > 0``); of theta by stratum, of the sensitive variables (``attribute``), and of the sets
    of keys of a threshold rule, a limit is exceeded when any one exceeds it.

    Raises
    ------
    ParameterError
        Where the limit is not of that form, or names a figure that was not measured: a limit that
        cannot be checked must not pass.

    Examples
    --------
    >>> report = {"theta": {"upper_bound": 0.2}, "k_anonymity": [{"k": 2, "records": 7}]}
    >>> exceeded("theta.upper_bound > 0.1", report), exceeded("k_anonymity.2.records > 10", report)
    (True, False)
    """
    try:
        tree = parse_one(_quoted_k(limit), read="duckdb")
    except SqlglotError:
        raise ParameterError(f"The limit {limit!r} cannot be read: {FORM}.") from None
    # a condition on strata, variables or sets of keys is checked for each of them; none may meet it
    columns = [[part.name for part in column.parts] for column in tree.find_all(exp.Column)]
    whole = {parts[0] for parts in columns if len(parts) > 2}  # noqa: PLR2004 - k_anonymity.3.records names its row itself
    each = sorted({parts[0] for parts in columns if isinstance(report.get(parts[0]), list)} - whole)
    rows = product(*([[row] for row in report[measure]] for measure in each))
    return any(_holds(tree, limit, {**report, **dict(zip(each, chosen, strict=True))}) for chosen in rows)


def _quoted_k(limit: str) -> str:
    # k_anonymity.3.records is three names to a reader and "k_anonymity.3 records" to a tokenizer
    head, *rest = limit.split("k_anonymity.")
    quoted = []
    for piece in rest:
        k, dot, tail = piece.partition(".")
        quoted.append(f'k_anonymity."{k}"{dot}{tail}' if k.isdigit() else f"k_anonymity.{piece}")
    return "".join([head, *quoted])


def _holds(tree: exp.Expr, limit: str, report: dict[str, Any]) -> bool:
    if isinstance(tree, exp.Paren):
        return _holds(tree.this, limit, report)
    if isinstance(tree, exp.Not):
        return not _holds(tree.this, limit, report)
    if isinstance(tree, exp.And | exp.Or):
        # both sides are looked up, so that a missing figure is always reported
        left, right = _holds(tree.left, limit, report), _holds(tree.right, limit, report)
        return (left and right) if isinstance(tree, exp.And) else (left or right)
    compare = COMPARISONS.get(type(tree))
    if compare is None or not isinstance(tree, exp.Binary) or not isinstance(tree.left, exp.Column):
        raise ParameterError(f"The limit {limit!r} cannot be read: {FORM}.")
    number = _number(tree.right, limit)
    return any(compare(figure, number) for figure in _figures(tree.left, limit, report))


def _number(tree: exp.Expr, limit: str) -> float:
    value = tree.this if isinstance(tree, exp.Neg) else tree
    if not isinstance(value, exp.Literal) or value.is_string or not math.isfinite(float(value.name)):
        raise ParameterError(f"The limit {limit!r} cannot be read: {FORM}.")
    return -float(value.name) if isinstance(tree, exp.Neg) else float(value.name)


def _figures(column: exp.Column, limit: str, report: dict[str, Any]) -> list[float]:
    measure, *rest = [part.name for part in column.parts]
    found = report.get(measure)
    if found is None:
        known = ", ".join(sorted(name for name, value in report.items() if value and not isinstance(value, str)))
        raise ParameterError(
            f"The limit {limit!r} names {measure}, which was not measured (measured: {known}); "
            "give what it needs (a sampling fraction, a weight, a household, a stratum)."
        )
    rows = found if isinstance(found, list) else [found]
    if measure == "k_anonymity" and rest:
        k = rest.pop(0)
        rows = [row for row in rows if str(row["k"]) == k]
    figures = [row[rest[0]] for row in rows if isinstance(row, dict) and len(rest) == 1 and rest[0] in row]
    if not figures or any(isinstance(f, bool) or not isinstance(f, int | float) for f in figures):
        raise ParameterError(f"The limit {limit!r} names no figure of the report: {FORM}.")
    return figures
