"""What is known to mean the same on each engine as in DuckDB, once it is said as ``engines`` says it.

A list of what is allowed, not of what is forbidden: a construct that nobody has compared makes an error, not wrong numbers.
"""

from __future__ import annotations

from sqlglot import exp

from sdc_sql.errors import Unsupported

_QUERIES = (
    exp.Select, exp.Union, exp.Subquery, exp.With, exp.CTE, exp.TableAlias, exp.Table, exp.From, exp.Join, exp.Where,
    exp.Having, exp.Group, exp.Order, exp.Ordered, exp.Limit, exp.Alias, exp.Column, exp.Identifier, exp.Distinct,
    exp.Window, exp.WindowSpec, exp.Filter,
)  # fmt: skip
_VALUES = (
    exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Case, exp.If, exp.Coalesce, exp.Cast, exp.DataType,
    exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE,
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Pow, exp.Sqrt, exp.Ln, exp.Exp, exp.Abs, exp.Sign, exp.Floor,
    exp.Least, exp.Greatest, exp.DPipe,
)  # fmt: skip
_AGGREGATES = (
    exp.Count, exp.Sum, exp.Min, exp.Max, exp.Avg, exp.VariancePop, exp.AnyValue, exp.Star, exp.RowNumber, exp.DenseRank, exp.Rank,
)  # fmt: skip
_OWN: dict[str, tuple[type[exp.Expression], ...]] = {
    "spark": (exp.Struct, exp.PropertyEQ, exp.Dot, exp.Explode),
    "postgres": (exp.Left,),
}
_FUNCTIONS = {
    "spark": {"RAISE_ERROR", "SEQUENCE"},
    "postgres": {"CONCAT", "ROW", "GENERATE_SERIES"},
}
_TYPES = {"DOUBLE", "TEXT", "VARCHAR", "BOOLEAN"}
_WHOLE = {"BIGINT", "INT"}


def check(tree: exp.Query, dialect: str) -> None:
    """Refuse a query with a construct that is not known to mean the same on an engine.

    Raises
    ------
    Unsupported
        It names the construct.
    """
    allowed = {*_QUERIES, *_VALUES, *_AGGREGATES, *_OWN[dialect]}
    for node in tree.walk():
        if isinstance(node, exp.Anonymous):
            known = node.name in _FUNCTIONS[dialect]
        elif isinstance(node, exp.Cast):
            known = type(node) is exp.Cast and _is_known_cast(node)
        else:
            known = type(node) in allowed
        if not known:
            what = f"the function {node.name}" if isinstance(node, exp.Anonymous) else type(node).__name__.upper()
            raise Unsupported(
                f"{dialect}: {what} is not known to mean there what it means in DuckDB: {node.sql('duckdb')[:120]}"
            )


def _is_known_cast(cast: exp.Cast) -> bool:
    """Numbers are rounded on their way to integers here and cut off there: only sums and counts may go that way."""
    kind = cast.to.this.value
    if kind in _TYPES:
        return True
    if kind not in _WHOLE:
        return False
    inner = cast.this
    while isinstance(inner, exp.Coalesce | exp.Filter | exp.Paren):
        inner = inner.this
    is_message = isinstance(inner, exp.Anonymous) and inner.name == "CONCAT"
    return is_message or isinstance(inner, exp.Sum | exp.Count | exp.Min | exp.Max | exp.Literal)
