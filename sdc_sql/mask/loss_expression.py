"""A loss of the user's own, as an expression in SQL over the cells of a generalisation."""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError

NAMED = ("generalised_loss", "precision", "entropy", "discernibility", "average_class_size")
NAMES = ("records", "suppressed", "total", "levels", "heights")
_KINDS = (
    exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Neg, exp.Not, exp.Paren, exp.Binary, exp.Case,
    exp.If, exp.Bracket, exp.Between, exp.In, exp.Abs, exp.Ceil, exp.Coalesce, exp.Exp, exp.Floor, exp.Greatest,
    exp.Least, exp.Ln, exp.Log, exp.Pow, exp.Round, exp.Sqrt,
)  # fmt: skip
_NOT = (exp.Dot, exp.SubqueryPredicate, exp.JSONExtract, exp.PropertyEQ)


def require_loss(loss: str) -> str:
    """Return the name of a loss, or an expression as it is written in DuckDB's SQL.

    Raises
    ------
    ParameterError
        Where it is no expression of numbers and of the names that one may use.

    Examples
    --------
    >>> require_loss("entropy"), require_loss("case when suppressed then total else records end")
    ('entropy', 'CASE WHEN suppressed THEN total ELSE records END')
    """
    if loss in NAMED:
        return loss
    said = f"The loss is {text_for_message(loss)}: it must be one of {', '.join(NAMED)}, or"
    return arithmetic(loss, NAMES, said).sql(dialect="duckdb", normalize_functions=False)


def arithmetic(text: str, names: tuple[str, ...], said: str) -> exp.Expr:
    """Return an expression in SQL of numbers and of the names that one may use; `said` begins the message otherwise.

    Raises
    ------
    ParameterError
        Where it is none.
    """
    try:
        tree = parse_one(text, read="duckdb") if isinstance(text, str) else None
    except (SqlglotError, RecursionError):  # the latter of thousands of parentheses in one another
        tree = None
    strange = tree is None or next((node for node in tree.walk() if not _is_allowed_node(node, names)), None)
    if tree is None or strange:
        what = f", but {strange.sql('duckdb')!r} is none of it" if isinstance(strange, exp.Expression) else ""
        raise ParameterError(
            f"{said} an expression in SQL with numbers, the names {', '.join(names)}, arithmetic, comparisons, CASE, "
            f"and functions such as ln, sqrt and greatest{what}."
        )
    return tree


def _is_allowed_node(node: exp.Expr, names: tuple[str, ...]) -> bool:
    if isinstance(node, exp.Column):
        return not node.table and node.name.lower() in names
    return isinstance(node, _KINDS) and not isinstance(node, _NOT)
