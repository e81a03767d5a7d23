"""Limits on measured figures, as a release file (they must hold) and a pipeline (they must not be met) state them."""

from __future__ import annotations

import math
import operator
from itertools import product
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db.catalogue.gives import ANY
from sdc_sql.db.checks import is_number, text_for_message
from sdc_sql.errors import ParameterError
from sdc_sql.figures.asked import list_measures
from sdc_sql.figures.condition import check_side, find_figure, parse_limit, read_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sdc_sql.figures.asked import Asked
    from sdc_sql.figures.condition import Named
    from sdc_sql.figures.registry import Measure

    Report = Mapping[str, Any]
    Row = Mapping[str, Any]

COMPARISONS: Mapping[type[exp.Expr], Callable[[Any, Any], bool]] = {
    exp.GT: operator.gt, exp.GTE: operator.ge, exp.LT: operator.lt, exp.LTE: operator.le,
    exp.EQ: operator.eq, exp.NEQ: operator.ne,
}  # fmt: skip
ALL = "all"  # the row has no variable: it is all of them together


def is_exceeded(limit: str, report: Report, asked: Mapping[str, Asked] | None = None) -> bool:
    """Return whether a limit is exceeded: what it says is met by a row of the figures, or one of them is no number.

    A limit compares figures (``measure.figure``) with numbers by > >= < <= = or <>; comparisons can be joined with AND,
    OR, NOT and parentheses. For k-anonymity write the k first (``k_anonymity.3.records > 0``); so for any measure with
    several rows that one column tells apart (``il1.income.il1``). Without a row, any one may exceed it. In a comparison
    the figures before masking have ``before`` in front (``before.theta.theta``).

    Parameters
    ----------
    report
        The row, or rows, of each measure by its name.
    asked
        The figures by name, where there are others than each measure under its own.

    Raises
    ------
    ParameterError
        Where the limit is not of that form, bounds a figure on its good side, or names a figure that was not measured:
        a limit that cannot be checked must not pass.

    Examples
    --------
    >>> report = {"theta": {"upper_bound": 0.2}, "k_anonymity": [{"k": 2, "records": 7}]}
    >>> is_exceeded("theta.upper_bound > 0.1", report), is_exceeded("k_anonymity.2.records > 10", report)
    (True, False)
    """
    asked = list_measures() if asked is None else asked
    check_side(limit, asked, holds=False)
    tree = parse_limit(limit, asked)
    for found in _list_named(tree, limit):
        if found.row is None and asked[found.label].measure.by == ("k",):
            raise ParameterError(
                f"The limit {text_for_message(limit)} names no k, and any would exceed it: write it first, as in "
                f"{found.label}.3.{found.figure}."
            )
    worlds = list(_worlds(tree, limit, report, asked))
    # a value that is no number fulfils no comparison: it must not be passed by
    return any(not all(map(_is_known, world.values())) or _is_met(tree, limit, world) for world in worlds)


def holds_limit(limit: str, report: Report, asked: Mapping[str, Asked] | None = None) -> bool:
    """Return whether a condition holds for every row of the figures that it names; NULL and NaN never meet it.

    The form is that of :func:`is_exceeded`, the meaning its contrary: of theta by stratum, of the sensitive variables,
    of
    every k where none is named (``k_anonymity.records``), a condition holds when it holds for each.

    Raises
    ------
    ParameterError
        As :func:`is_exceeded`.

    Examples
    --------
    >>> report = {"theta": {"upper_bound": float("nan")}, "k_anonymity": [{"k": 2, "records": 0}]}
    >>> holds_limit("NOT theta.upper_bound > 0.1", report), holds_limit("k_anonymity.records <= 0", report)
    (False, True)
    """
    asked = list_measures() if asked is None else asked
    check_side(limit, asked, holds=True)
    tree = parse_limit(limit, asked)
    worlds = list(_worlds(tree, limit, report, asked))
    return all(all(map(_is_known, world.values())) and _is_met(tree, limit, world) for world in worlds)


def collect_figures(
    limit: str, report: Report, asked: Mapping[str, Asked] | None = None
) -> dict[str, float | None]:  # fmt: skip
    """Return the figures that a limit names, of several rows the worst by the direction of the figure; None for NULL.

    Examples
    --------
    >>> collect_figures("il1.il1 < 1", {"il1": [{"il1": 0.2, "variable": None}, {"il1": 0.5, "variable": "age"}]})
    {'il1.il1 (age)': 0.5}
    """
    asked = list_measures() if asked is None else asked
    found: dict[str, float | None] = {}
    for name in _list_named(parse_limit(limit, asked), limit):
        its = asked[name.label].measure
        rows = _find_rows(name, limit, report, asked)
        unknown = [row for row in rows if not _is_known(row[name.figure])]
        worst = unknown[0] if unknown else rows[0]
        for row in () if unknown else rows[1:]:
            values = row[name.figure], worst[name.figure]
            worst = row if its.figures[name.figure].choose_worst(*values) != values[1] else worst
        label = "" if name.row is not None else row_label(worst, its)
        value = worst[name.figure]
        of_all = len(rows) == 1 and label == ALL
        written = ".".join(part for part in (name.part, name.label, name.row, name.figure) if part)
        found[f"{written} ({label})" if label and not of_all else written] = None if value is None else value + 0
    return found


def row_label(row: Row, measure: Measure) -> str:
    """Return what tells a row apart, as a limit writes it: no variable is ``all``, NULL in the data ``NULL``.

    Examples
    --------
    >>> from sdc_sql.figures.registry import list_all_measures
    >>> row_label({"columns": ["age", "sex"]}, list_all_measures()["threshold_rule_summary"])
    'age, sex'
    >>> row_label({"variable": None}, list_all_measures()["il1"]), row_label({"stratum": None},
    ...     list_all_measures()["theta_by"])
    ('all', 'NULL')
    """
    of_table = {column.name for column in measure.declaration.given.columns if column.type == ANY}
    texts = []
    for name in ("sensitive", *measure.by):
        if name in row:
            value = row[name]
            nothing = "NULL" if name in of_table else ALL
            joined = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            texts.append(nothing if value is None else joined)
    return ", ".join(texts)


def _list_named(tree: exp.Expr, limit: str) -> list[Named]:
    return [find_figure(column, limit) for column in tree.find_all(exp.Column)]


def _worlds(
    tree: exp.Expr, limit: str, report: Report, asked: Mapping[str, Asked]
) -> Iterator[dict[Named, Any]]:  # fmt: skip
    """Yield the figures by their names, in each combination of rows: those of one measure are of one row."""
    named = _list_named(tree, limit)
    rows: dict[tuple[str, str | None], list[Row]] = {}
    for name in named:
        its = _find_rows(name, limit, report, asked)
        rows[name.measured, name.row] = [row for row in rows.get((name.measured, name.row), its) if row in its]
    both = {measured for measured, row in rows if row is None} & {measured for measured, row in rows if row is not None}
    if both:
        raise ParameterError(
            f"The limit {text_for_message(limit)} names {both.pop()} with a row and without: write two limits."
        )
    for chosen in product(*rows.values()):
        of = dict(zip(rows, chosen, strict=True))
        yield {name: of[name.measured, name.row][name.figure] for name in named}


def _find_rows(name: Named, limit: str, report: Report, asked: Mapping[str, Asked]) -> list[Row]:
    """Return the rows that have a figure; an error where it was not measured."""
    found = report.get(name.part, {}).get(name.label) if name.part else report.get(name.label)
    if found is None:
        known = ", ".join(sorted(n for n in report if n in asked and report[n] is not None)) or "nothing"
        raise ParameterError(
            f"The limit {text_for_message(limit)} names {name.measured}, which was not measured (measured: {known})."
        )
    rows: list[Row] = [found] if isinstance(found, dict) else list(found)
    if name.row is not None:
        its = asked[name.label].measure
        labels = [_name_row(row, its) for row in rows]
        rows = [row for row, label in zip(rows, labels, strict=True) if label.lower() == name.row.lower()]
        if not rows:
            there = ", ".join(labels)
            raise ParameterError(
                f"The limit {text_for_message(limit)} names the row {text_for_message(name.row)} of {name.measured}: "
                f"it has {there}."
            )
    if not rows or any(name.figure not in row for row in rows):
        raise ParameterError(
            f"The limit {text_for_message(limit)} names {name.measured}.{name.figure}, which was not measured."
        )
    return rows


def _name_row(row: Row, its: Measure) -> str:
    """Return the name of a row: of several columns that tell rows apart those that say something, ``north, f``."""
    said = [name for name in its.by if row.get(name) is not None]
    return row_label({name: row[name] for name in said} if said else {its.by[0]: None}, its)


def _is_known(figure: object) -> bool:
    return isinstance(figure, bool) or (is_number(figure) and not math.isnan(figure))  # type: ignore[arg-type] # a number


def _is_met(tree: Any, limit: str, world: Mapping[Named, Any]) -> bool:  # noqa: ANN401 - a tree
    if isinstance(tree, exp.Paren):
        return _is_met(tree.this, limit, world)
    if isinstance(tree, exp.Not):
        return not _is_met(tree.this, limit, world)
    if isinstance(tree, exp.And | exp.Or):
        left, right = (_is_met(side, limit, world) for side in (tree.left, tree.right))
        return (left and right) if isinstance(tree, exp.And) else (left or right)
    return COMPARISONS[type(tree)](world[find_figure(tree.left, limit)], read_bound(tree.right, limit))


__all__ = ["collect_figures", "holds_limit", "is_exceeded", "row_label"]
