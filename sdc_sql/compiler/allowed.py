"""The constructs that are known to mean the same on each engine as in DuckDB, once ``engines`` has rewritten them.

It is a list of what is allowed, not of what is forbidden: a construct that nobody has compared makes an error, not
wrong numbers.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sdc_sql.compiler.engines import ENGINES
from sdc_sql.errors import Unsupported

_QUERIES = (
    exp.Select, exp.Union, exp.Subquery, exp.With, exp.CTE, exp.TableAlias, exp.Table, exp.From, exp.Join, exp.Where,
    exp.Having, exp.Group, exp.Order, exp.Ordered, exp.Limit, exp.Alias, exp.Column, exp.Identifier, exp.Distinct,
    exp.Window, exp.WindowSpec, exp.Filter,
)  # fmt: skip
_TRUTHS = (
    exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE,
    exp.Boolean, exp.NullSafeEQ,
)  # fmt: skip
_VALUES = (
    exp.Literal, exp.Null, exp.Paren, exp.Case, exp.If, exp.Coalesce, exp.DataType, exp.Array, exp.DPipe,
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Pow, exp.Sqrt, exp.Ln, exp.Exp, exp.Abs, exp.Sign, exp.Floor,
    exp.Ceil, exp.Least, exp.Greatest, exp.StartsWith, exp.Upper, exp.Nullif,
    exp.BitwiseAnd, exp.BitwiseRightShift, exp.Translate,
)  # fmt: skip
_AGGREGATES = (
    exp.Count, exp.Sum, exp.Min, exp.Max, exp.Avg, exp.VariancePop, exp.Star, exp.RowNumber, exp.DenseRank, exp.Rank,
    exp.LogicalOr, exp.Lead,
)  # fmt: skip
_TYPES = {"DOUBLE", "TEXT", "VARCHAR", "BOOLEAN"}
_WHOLE = {"BIGINT", "INT"}


def refuse_unknown_constructs(tree: exp.Query, dialect: str) -> None:
    """Refuse a query with a construct that is not known to mean the same on an engine.

    Raises
    ------
    Unsupported
        It names the construct.
    """
    engine = ENGINES[dialect]
    allowed = {*_QUERIES, *_TRUTHS, *_VALUES, *_AGGREGATES, *engine.nodes}
    for node in tree.walk():
        if isinstance(node, exp.Anonymous):
            known = node.name in engine.functions
        elif isinstance(node, exp.Cast):
            known = (type(node) is exp.Cast or (engine.try_casts and node.to.is_type("double"))) and _is_known_cast(
                node
            )
        elif isinstance(node, exp.Trim):
            known = node.expression is not None  # only a TRIM that names its characters is known
        else:
            known = type(node) in allowed
        if not known:
            raise Unsupported(
                f"{_name_construct(node)} is not known to mean in {dialect} what it means in DuckDB: "
                f"{node.sql('duckdb')[:120]}"
            )
    if engine.refuse_join is not None:
        for join in tree.find_all(exp.Join):
            engine.refuse_join(join)


def _name_construct(node: Any) -> str:  # noqa: ANN401 - sqlglot 30 splits what was Expression
    if isinstance(node, exp.Anonymous):
        return node.name
    if isinstance(node, exp.Cast):
        return f"{node.sql_name()} AS {node.to.sql('duckdb')}"
    return node.sql_name() if isinstance(node, exp.Func) else type(node).__name__.upper()


def _is_known_cast(cast: exp.Cast) -> bool:
    """Numbers are rounded on their way to integers here and cut off there: only whole ones may go that way."""
    kind = cast.to.this.value
    if kind in _TYPES:
        return True
    if kind == "BIT":
        return isinstance(cast.parent, exp.Cast) or (
            isinstance(cast.parent, exp.Anonymous) and cast.parent.name == "BIT_COUNT"
        )
    if kind not in _WHOLE:
        return False
    inner = cast.this
    if isinstance(inner, exp.Cast) and inner.to.is_type("bit"):
        return True
    while isinstance(inner, exp.Coalesce | exp.Filter | exp.Paren | exp.Window):
        inner = inner.this
    is_whole = isinstance(inner, exp.Anonymous) and inner.name in {"CONCAT", "BIT_COUNT"}  # CONCAT makes a message
    # (a difference from a whole number is allowed, and so is a whole number with its sign)
    is_whole |= isinstance(inner, exp.Sub | exp.Mul) and isinstance(inner.this, exp.Floor | exp.Sign)
    is_place = isinstance(inner, exp.Column) and isinstance(cast.find_ancestor(exp.Array), exp.Array)
    return (
        is_whole
        or is_place
        or isinstance(
            inner, (exp.Sum, exp.Count, exp.Min, exp.Max, exp.DenseRank, exp.Literal, exp.Floor, exp.Ceil, *_TRUTHS)
        )
    )
