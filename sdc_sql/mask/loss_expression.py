"""A loss of the user's own, as an expression in SQL over the cells of a generalisation."""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sdc_sql.db.checks import told
from sdc_sql.errors import ParameterError

NAMED = ("generalised_loss", "precision", "entropy", "discernibility", "average_class_size")
NAMES = ("records", "suppressed", "total", "levels", "heights")
_KINDS = (
    exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Neg, exp.Not, exp.Paren, exp.Binary, exp.Case,
    exp.If, exp.Bracket, exp.Between, exp.In, exp.Abs, exp.Ceil, exp.Coalesce, exp.Exp, exp.Floor, exp.Greatest,
    exp.Least, exp.Ln, exp.Log, exp.Pow, exp.Round, exp.Sqrt,
)  # fmt: skip
_NOT = (exp.Dot, exp.SubqueryPredicate, exp.JSONExtract, exp.PropertyEQ)


def checked_loss(loss: str) -> str:
    """Return the name of a loss, or an expression as it is written in DuckDB's SQL.

    Raises
    ------
    ParameterError
        Where it is no expression of numbers and of the names that one may use.

    Examples
    --------
    >>> checked_loss("entropy"), checked_loss("case when suppressed then total else records end")
    ('entropy', 'CASE WHEN suppressed THEN total ELSE records END')
    """
    if loss in NAMED:
        return loss
    try:
        tree = parse_one(loss, read="duckdb") if isinstance(loss, str) else None
    except SqlglotError:
        tree = None
    strange = tree is None or next((node for node in tree.walk() if not _allowed(node)), None)
    if tree is None or strange:
        what = f", but {strange.sql('duckdb')!r} is none of it" if isinstance(strange, exp.Expression) else ""
        raise ParameterError(
            f"The loss is {told(loss)}: it must be one of {', '.join(NAMED)}, or an expression in SQL with numbers, "
            f"the names {', '.join(NAMES)}, arithmetic, comparisons, CASE, and functions such as ln, sqrt and "
            f"greatest{what}."
        )
    return tree.sql(dialect="duckdb", normalize_functions=False)


def _allowed(node: exp.Expr) -> bool:
    if isinstance(node, exp.Column):
        return not node.table and node.name.lower() in NAMES
    return isinstance(node, _KINDS) and not isinstance(node, _NOT)
