"""Limits on a report, as a pipeline states them: ``theta.upper_bound > 0.1``."""

from __future__ import annotations

import math
import operator
import re
from itertools import product
from typing import TYPE_CHECKING, Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sdc_sql.db.checks import told
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

# of a comparison, what has the measures of another table or another reading of NULL
LONGEST = 2_000  # characters
PARTS = ("before", "wildcard", "category", "before_wildcard", "before_category")

# What a measure of the report needs, with its option on the command line.
NEEDED = {
    "theta": "a sampling fraction (--sampling-fraction)",
    "theta_by": "a stratum and a sampling fraction (--stratum, --sampling-fraction)",
    "global_risk": "a weight (--weight)",
    "risk_distribution": "a weight (--weight)",
    "household_risk": "a household and a weight (--household, --weight)",
    "attribute": "the sensitive variables (--sensitive)",
    "suda": "what asks for it (--suda)",
    "suda_contributions": "what asks for it (--suda --contributions)",
    "suda_value_contributions": "what asks for it (--suda --contributions)",
    "theta_misclassified": "a matrix of a key and a sampling fraction (--misclassified, --sampling-fraction)",
    "data_intrusion": "the number of searches and a sampling fraction (--simulate, --sampling-fraction)",
    "log_linear_risk": "a model and a weight (--log-linear, --weight)",
    "population_uniqueness": "the size of the population (--population-size)",
    "neighbourhood": "the continuous keys (--continuous)",
    "k_map": "the population (--population)",
}


def exceeded(limit: str, report: dict[str, Any]) -> bool:
    """Return whether a limit is exceeded.

    A limit compares a figure of the report (``measure.figure``) with a number by > >= < <= = or <>;
    comparisons can be joined with AND, OR, NOT and parentheses. For k-anonymity write the k first
    (``k_anonymity.3.records > 0``); of theta by stratum, of the sensitive variables (``attribute``), and of the sets
    of keys of a threshold rule, a limit is exceeded when any one exceeds it. Of a comparison, the figures before
    masking have ``before`` in front (``before.theta.theta``), and a loss by variable is exceeded where any one is.
    A figure that is NaN exceeds every limit.

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
    tree, report = _tree(limit), _flat(report)
    # a condition on strata, variables or sets of keys is checked for each of them; none may meet it
    columns = [_parts(column, report) for column in tree.find_all(exp.Column)]
    if any(_has_k(parts[0]) and len(parts) == 2 for parts in columns):  # noqa: PLR2004 - any k would exceed it
        raise ParameterError(
            f"The limit {told(limit)} names no k, and any would exceed it: write it first, as in k_anonymity.3.records."
        )
    whole = {parts[0] for parts in columns if len(parts) > 2}  # noqa: PLR2004 - k_anonymity.3.records names its row itself
    each = sorted({parts[0] for parts in columns if isinstance(report.get(parts[0]), list)} - whole)
    rows = product(*([[row] for row in report[measure]] for measure in each))
    found = [_holds(tree, limit, {**report, **dict(zip(each, chosen, strict=True))}) for chosen in rows]
    # no comparison holds of NaN, which is no figure to pass by
    figures = (figure for column in tree.find_all(exp.Column) for figure in _figures(column, limit, report))
    return any(found) or any(math.isnan(figure) for figure in figures)


def holds(limit: str, report: dict[str, Any]) -> bool:
    """Return whether a condition holds of every row of the figures that it names; NULL and NaN never meet it.

    The form is that of :func:`exceeded`, the meaning its contrary: of theta by stratum, of the sensitive variables, of
    every k where none is named (``k_anonymity.records``), a condition holds when it holds for each.

    Raises
    ------
    ParameterError
        As :func:`exceeded`; also where ``k_anonymity`` is named both with its k and without.

    Examples
    --------
    >>> report = {"theta": {"upper_bound": float("nan")}, "k_anonymity": [{"k": 2, "records": 0}]}
    >>> holds("NOT theta.upper_bound > 0.1", report), holds("k_anonymity.records <= 0", report)
    (False, True)
    """
    tree, report = _tree(limit), _flat(report)
    found = {column: _figures(column, limit, report, missing=True) for column in tree.find_all(exp.Column)}
    if any(figure is None or math.isnan(figure) for figures in found.values() for figure in figures):
        _holds(tree, limit, report, lambda *_: False)  # of the right form all the same
        return False
    parts = [_parts(column, report) for column in found]
    whole = {p[0] for p in parts if len(p) > 2}  # noqa: PLR2004 - as above
    each = sorted({p[0] for p in parts if len(p) <= 2 and isinstance(report.get(p[0]), list)})  # noqa: PLR2004
    if whole & {*each}:
        raise ParameterError(f"The limit {told(limit)} names k_anonymity with a k and without: write two limits.")
    rows = product(*([[row] for row in report[measure]] for measure in each))
    return all(_holds(tree, limit, {**report, **dict(zip(each, chosen, strict=True))}) for chosen in rows)


def named(limit: str) -> list[tuple[str, str, int | None]]:
    """Return the figures that a limit names: measure, figure, and the k of k-anonymity where it is written.

    Raises
    ------
    ParameterError
        Where the limit is not of the form.

    Examples
    --------
    >>> named("theta.theta < 0.1 AND k_anonymity.3.records <= 0")
    [('theta', 'theta', None), ('k_anonymity', 'records', 3)]
    """
    tree = _tree(limit)
    found = []
    for column in tree.find_all(exp.Column):
        measure, *rest = [part.name for part in column.parts]
        k = int(rest.pop(0)) if len(rest) == 2 and measure == "k_anonymity" and rest[0].isdigit() else None  # noqa: PLR2004
        if len(rest) != 1:
            raise ParameterError(f"The limit {told(limit)} cannot be read: {FORM}.")
        found.append((measure, rest[0], k))
    form: dict[str, Any] = {measure: [] for measure, *_ in found}
    for measure, _figure, k in found:
        form[measure].append({"k": k, **{figure: 0.0 for of, figure, _ in found if of == measure}})
    _holds(tree, limit, form, lambda *_: False)
    return found


def figures_of(limit: str, report: dict[str, Any]) -> dict[str, float | None]:
    """Return the figures that a limit names, of several rows the one that is worst for it; None for NULL.

    Examples
    --------
    >>> figures_of("il1.il1 < 1", {"il1": [{"il1": 0.2, "variable": None}, {"il1": 0.5, "variable": "age"}]})
    {'il1.il1 (age)': 0.5}
    """
    found: dict[str, float | None] = {}
    report = _flat(report)
    for column in _tree(limit).find_all(exp.Column):
        figures = _figures(column, limit, report, missing=True)
        least = isinstance(column.parent, exp.GT | exp.GTE)
        missing = [i for i, f in enumerate(figures) if f is None or math.isnan(f)]
        known = range(len(figures))
        worst = missing[0] if missing else (min if least else max)(known, key=figures.__getitem__)
        name = ".".join(part.name for part in column.parts)
        rows = report[_parts(column, report)[0]]
        row = rows[worst] if isinstance(rows, list) and len(rows) == len(figures) else {}
        label = next((str(row[by]) for by in ("variable", "sensitive", "k") if row.get(by) is not None), "")
        found[f"{name} ({label})" if label else name] = figures[worst]
    return found


def _tree(limit: str) -> exp.Expr:
    try:
        if len(limit) <= LONGEST:
            return parse_one(_quoted_k(limit), read="duckdb")
    except SqlglotError:
        raise ParameterError(f"The limit {told(limit)} cannot be read: {FORM}.") from None
    except RecursionError:
        pass
    raise ParameterError(
        f"The limit {limit[:40]!r}... has {len(limit):,} characters (at most {LONGEST:,}), or too many parentheses in "
        "one another: write several shorter limits."
    )


def _flat(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report in which the measures before masking, or in another reading of NULL, are named with that too."""
    within = {f"{part}.{measure}": found for part in PARTS for measure, found in report.get(part, {}).items()}
    return {**report, **within}


def _parts(column: exp.Column, report: dict[str, Any]) -> list[str]:
    """Return the name of the measure, and what stands behind it."""
    first, *rest = [part.name for part in column.parts]
    return [f"{first}.{rest[0]}", *rest[1:]] if rest and f"{first}.{rest[0]}" in report else [first, *rest]


def _has_k(measure: str) -> bool:
    return measure.rpartition(".")[2] == "k_anonymity"


def _quoted_k(limit: str) -> str:
    # k_anonymity.3.records is three names to a reader and "k_anonymity.3 records" to a tokenizer (so is a wrong name)
    return re.sub(r"\b([A-Za-z_]\w*)\.(\d+)\.(?=[A-Za-z_])", r'\1."\2".', limit)


def _holds(
    tree: exp.Expr, limit: str, report: dict[str, Any], compared: Callable[[Any, Any], bool] | None = None
) -> bool:
    if isinstance(tree, exp.Paren):
        return _holds(tree.this, limit, report, compared)
    if isinstance(tree, exp.Not):
        return not _holds(tree.this, limit, report, compared)
    if isinstance(tree, exp.And | exp.Or):
        # both sides are looked up, so that a missing figure is always reported
        left, right = (_holds(side, limit, report, compared) for side in (tree.left, tree.right))
        return (left and right) if isinstance(tree, exp.And) else (left or right)
    compare = COMPARISONS.get(type(tree))
    if compare is None or not isinstance(tree, exp.Binary) or not isinstance(tree.left, exp.Column):
        raise ParameterError(f"The limit {told(limit)} cannot be read: {FORM}.")
    number = _number(tree.right, limit)
    figures = _figures(tree.left, limit, report, missing=compared is not None)
    return any((compared or compare)(figure, number) for figure in figures)


def _number(tree: exp.Expr, limit: str) -> float:
    value = tree.this if isinstance(tree, exp.Neg) else tree
    try:
        number = float(value.name) if isinstance(value, exp.Literal) and not value.is_string else math.nan
    except ValueError:  # 1e
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"The limit {told(limit)} cannot be read: {FORM}.")
    return -number if isinstance(tree, exp.Neg) else number


def _figures(column: exp.Column, limit: str, report: dict[str, Any], *, missing: bool = False) -> list[Any]:
    measure, *rest = _parts(column, report)
    found = report.get(measure)
    if found is None:
        known = ", ".join(sorted(name for name, value in report.items() if _named_in(value)))
        # of a report; a check of thresholds takes none of these
        needs = f"; give {NEEDED.get(measure, 'what it needs (a sampling fraction, a weight, a household, a stratum)')}"
        raise ParameterError(
            f"The limit {told(limit)} names {measure}, which was not measured (measured: {known})"
            f"{needs if [*report] != ['threshold_rule'] else ''}."
        )
    rows = found if isinstance(found, list) else [found]
    if _has_k(measure) and len(rest) > 1:
        k = rest.pop(0)
        rows = [row for row in rows if str(row["k"]) == k]
    figures = [row[rest[0]] for row in rows if isinstance(row, dict) and len(rest) == 1 and rest[0] in row]
    allowed: Any = int | float | None if missing else int | float
    if not figures or any(isinstance(f, bool) or not isinstance(f, allowed) for f in figures):
        names = ", ".join(_named_in(found))
        there = f" (of {measure}: {names})" if names else ""
        raise ParameterError(f"The limit {told(limit)} names no figure of the report{there}: {FORM}.")
    return figures


def _named_in(found: object) -> list[str]:
    """Return the names of the figures that a limit can name of a measure; none of what is no measure."""
    rows = [row for row in (found if isinstance(found, list) else [found]) if isinstance(row, dict)]
    numbers = (n for row in rows for n, f in row.items() if isinstance(f, int | float) and not isinstance(f, bool))
    return [name for name in dict.fromkeys(numbers) if name != "k"]
