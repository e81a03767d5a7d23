"""A limit as it is written, ``theta.upper_bound <= 0.1``: read, and checked for the side on which it bounds."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError
from sdc_sql.figures.registry import find_measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sdc_sql.db.catalogue.gives import Column
    from sdc_sql.figures.asked import Asked

FORM = "it must compare a figure with a number, as in 'theta.upper_bound <= 0.1'"
LONGEST = 2_000  # a limit has at most so many characters
DEEPEST = 100  # a limit nests parentheses and NOT at most so deep
# these parts of a comparison have the measures of the other table, or of another reading of NULL
PARTS = ("before", "wildcard", "category", "before_wildcard", "before_category")

_NESTING = re.compile(r"\(|\bNOT\b", re.IGNORECASE)
_PLAIN = re.compile(r""""(?:[^"]|"")*"|'(?:[^']|'')*'|\b(?P<name>[A-Za-z_]\w*|(?<=\.)\d+)(?=\.)""")
_CONTRARY: Mapping[type[exp.Expr], type[exp.Binary]] = {
    exp.GT: exp.LTE, exp.LTE: exp.GT, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.EQ: exp.NEQ, exp.NEQ: exp.EQ,
}  # fmt: skip
_ABOVE, _BELOW = (exp.LT, exp.LTE), (exp.GT, exp.GTE)  # these comparisons bound from above, and those from below


_WORDS: Mapping[type[exp.Expr], str] = {
    exp.LTE: "at most", exp.GTE: "at least", exp.LT: "less than", exp.GT: "more than", exp.EQ: "exactly",
}  # fmt: skip


class Named(NamedTuple):
    """A figure as a limit names it: ``before.theta.theta``, ``k_anonymity.3.records``, ``il1.income.il1``."""

    part: str
    label: str
    row: str | None
    figure: str

    @property
    def measured(self) -> str:
        """Return where a report has it."""
        return f"{self.part}.{self.label}" if self.part else self.label


def parse_limit(limit: str, asked: Mapping[str, Asked]) -> exp.Expr:
    """Return a limit as a tree: comparisons of figures with numbers, joined by AND, OR, NOT and parentheses.

    Raises
    ------
    ParameterError
        Where it is not of the form, or names a figure that there is not.
    """
    tree = _parse_condition(limit)
    for comparison in _comparisons(tree, limit):
        read_bound(comparison.right, limit)
        found = find_figure(comparison.left, limit)
        _find_column(found, limit, asked)
    return tree


def list_named_figures(limit: str) -> list[Named]:
    """Return the figures that a limit names.

    Examples
    --------
    >>> [(n.label, n.row, n.figure) for n in list_named_figures("theta.theta < 0.1 AND k_anonymity.3.records <= 0")]
    [('theta', None, 'theta'), ('k_anonymity', '3', 'records')]
    """
    return [find_figure(comparison.left, limit) for comparison in _comparisons(_parse_condition(limit), limit)]


class Bound(NamedTuple):
    """What one figure must keep: ``at most`` the number, ``at least`` it, ``less than``, ``more than``, ``exactly``."""

    bound: float
    must: str


def find_single_comparison(limit: str) -> Bound | None:
    """Return the bound of a limit that compares one figure with one number; None of any other limit.

    Examples
    --------
    >>> find_single_comparison("NOT theta.theta > 0.1")
    Bound(bound=0.1, must='at most')
    """
    found = list(_comparisons(_parse_condition(limit), limit))
    if len(found) != 1:
        return None
    (comparison,) = found
    kind = type(comparison)
    kind = _CONTRARY[kind] if _negations(comparison) % 2 else kind
    return Bound(read_bound(comparison.right, limit), _WORDS[kind]) if kind in _WORDS else None


def check_side(limit: str, asked: Mapping[str, Asked], *, holds: bool) -> None:
    """Refuse a comparison that bounds a figure on its good side, or not at all.

    Where more of a figure is worse, ``x <= 3`` bounds the bad side if the limit must hold; where a pipeline stops
    if it is met (``holds`` is False) ``x > 3`` does. A comparison with = or <> to the best value is a bound too.

    Raises
    ------
    ParameterError
        With the limit that was meant.

    Examples
    --------
    >>> from sdc_sql.figures.asked import list_measures
    >>> check_side("k_anonymity.3.records <= 0", list_measures(), holds=True)
    >>> check_side("k_anonymity.3.records > 0", list_measures(), holds=True)
    Traceback (most recent call last):
    sdc_sql.errors.ParameterError: The limit 'k_anonymity.3.records > 0' bounds ... <= 0.
    """
    tree = parse_limit(limit, asked)
    meant, wrong = tree.copy(), ""
    for comparison, inner in zip(_comparisons(tree, limit), list(_comparisons(meant, limit)), strict=True):
        found = find_figure(comparison.left, limit)
        column = _find_column(found, limit, asked)
        turned = _negations(comparison) % 2 == (1 if holds else 0)
        # it is written as a condition that must hold
        kind = _CONTRARY[type(comparison)] if turned else type(comparison)
        if not column.bears or _bounds(kind, column, read_bound(comparison.right, limit)):
            continue
        side = "a high" if column.more else "a low"
        wrong = wrong or f"{side} value of {found.label}.{found.figure} is {column.bears}"
        above, below = exp.LTE, exp.GTE
        right = _CONTRARY[kind] if kind not in (exp.EQ, exp.NEQ) else above if column.more else below
        right = _CONTRARY[right] if turned else right
        new = right(this=inner.left.copy(), expression=inner.right.copy())
        meant = new if inner is meant else meant
        inner.replace(new)
    if wrong:
        must = "it must hold" if holds else "what it says fails the run"
        raise ParameterError(
            f"The limit {text_for_message(limit)} bounds the wrong side: {wrong}, and {must}. Write "
            f"{_format_limit(meant)}."
        )


def _bounds(kind: type[exp.Expr], column: Column, value: float) -> bool:
    if kind is exp.EQ:
        return column.best is not None and value == column.best
    return kind in (_ABOVE if column.more else _BELOW)


def _find_column(found: Named, limit: str, asked: Mapping[str, Asked]) -> Column:
    try:
        if found.label not in asked:
            find_measure(found.label, found.figure)  # the error says what is near, or what the figure is called now
        its = asked[found.label].measure
        if found.figure not in its.figures:
            find_measure(its.name, found.figure)
    except ParameterError as error:
        raise ParameterError(f"The limit {text_for_message(limit)} cannot be read: {error}") from None
    if found.row is not None and not its.by:
        raise ParameterError(
            f"The limit {text_for_message(limit)} names a row, {text_for_message(found.row)}, and {found.label} has "
            "one: leave it out."
        )
    return its.figures[found.figure]


def find_figure(column: exp.Expr, limit: str) -> Named:
    """Return the figure that a column of the tree names."""
    parts = [part.name for part in column.parts] if isinstance(column, exp.Column) else []
    part = parts.pop(0) if parts and parts[0] in PARTS else ""
    if len(parts) not in {2, 3}:
        raise ParameterError(f"The limit {text_for_message(limit)} cannot be read: {FORM}.")
    return Named(part, parts[0], parts[1] if len(parts) > 2 else None, parts[-1])  # noqa: PLR2004 - with a row


def read_bound(tree: exp.Expr, limit: str) -> float:
    """Return the number that a figure is compared with."""
    value = tree.this if isinstance(tree, exp.Neg) else tree
    try:
        found = float(value.name) if isinstance(value, exp.Literal) and not value.is_string else math.nan
    except ValueError:  # it is no number, as 1e
        found = math.nan
    if not math.isfinite(found):
        raise ParameterError(f"The limit {text_for_message(limit)} cannot be read: {FORM}.")
    return -found if isinstance(tree, exp.Neg) else found


def _parse_condition(limit: str) -> exp.Expr:
    try:
        if len(limit) <= LONGEST and len(_NESTING.findall(limit)) <= DEEPEST:
            return parse_one(_quote_figures(limit), read="duckdb")
    except SqlglotError:
        raise ParameterError(f"The limit {text_for_message(limit)} cannot be read: {FORM}.") from None
    except RecursionError:
        pass
    raise ParameterError(
        f"The limit {limit[:40]!r}... has {len(limit):,} characters (at most {LONGEST:,}), or too many parentheses in "
        "one another: write several shorter limits."
    )


def _comparisons(tree: exp.Expr, limit: str) -> Iterator[Any]:
    """Yield the comparisons of a limit; refuse whatever else stands there."""
    if isinstance(tree, exp.Paren | exp.Not):
        yield from _comparisons(tree.this, limit)
    elif isinstance(tree, exp.And | exp.Or):
        yield from _comparisons(tree.left, limit)
        yield from _comparisons(tree.right, limit)
    elif type(tree) in _CONTRARY:
        yield tree
    else:
        raise ParameterError(f"The limit {text_for_message(limit)} cannot be read: {FORM}.")


def _negations(tree: exp.Expr) -> int:
    """Return how many times NOT stands about a comparison."""
    above, count = tree.parent, 0
    while above is not None:
        count += isinstance(above, exp.Not)
        above = above.parent
    return count


def _quote_figures(limit: str) -> str:
    # a tokenizer takes k_anonymity.3.records for "k_anonymity.3 records", and the Select of theta_by.Select.theta for
    # a word of SQL
    return _PLAIN.sub(lambda found: found[0] if found["name"] is None else f'"{found["name"]}"', limit)


def _format_limit(tree: exp.Expr) -> str:
    """Return a limit as it is written."""
    return re.sub(r'"(\w+)"(?=\.)', r"\1", tree.sql(dialect="duckdb"))
