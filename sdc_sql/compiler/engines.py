"""Say a query as an engine understands it. What is said otherwise here means the same there; the tests run it.

Both engines: a quotient is one of DOUBLEs (DuckDB's ``/``; dividing by zero is an error there, not infinity), a number
with a point is a DOUBLE, a NULL that nothing gives a type is a DOUBLE.

Errors. Spark has ``raise_error``. PostgreSQL has no such function in SQL: the message is cast to an integer, which it
is not, and PostgreSQL answers ``invalid input syntax for type integer: "sdc-sql: ..."``. The error stands in a branch
of a CASE of its own (so that the other branches keep their type), and its message always hangs on a column (PostgreSQL
computes what hangs on none before the query runs, even in branches that are never reached).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.compiler import lists
from sdc_sql.compiler.constants import is_error
from sdc_sql.compiler.empty import postgres_check
from sdc_sql.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable


def rewritten(tree: exp.Query, dialect: str) -> exp.Query:
    """Return a query in the words of an engine (the tree itself is changed, by whatever a step returns)."""
    nodes: list[Any] = list(tree.walk())
    for step in _STEPS[dialect]:
        changed = False
        for node in reversed(nodes):  # what is inside comes first
            made = step(node)
            if made is not node:
                node.replace(made)
                changed = True
        if changed:
            nodes = list(tree.walk())
    return tree


def _double(tree: exp.Expression) -> exp.Expression:
    return tree if isinstance(tree, exp.Cast) and tree.to.this == exp.DataType.Type.DOUBLE else exp.cast(tree, "double")


def _is_decimal(node: exp.Expression) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and not str(node.this).isdigit()


def _number(text: str) -> exp.Expression:
    written = repr(float(text))
    return exp.Literal.number(written if "e" in written else f"{written}e0")


def _spark_number(node: exp.Expression) -> exp.Expression:
    """0.5 is a DECIMAL in Spark, 0.5e0 a DOUBLE."""
    return _number(node.this) if _is_decimal(node) else node


def _postgres_number(node: exp.Expression) -> exp.Expression:
    """0.5 and 0.5e0 are both NUMERIC in PostgreSQL."""
    if not _is_decimal(node) or (isinstance(node.parent, exp.Cast) and node.parent.to.is_type("double")):
        return node
    return exp.cast(_number(node.this), "double")


def _quotient(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.Div):
        left, right = node.this.copy(), node.expression.copy()
        if not (_is_double(left) or _is_double(right)):
            left = _double(_whole(left))
        return exp.Div(this=left, expression=right, typed=True)
    return node


def _is_double(node: exp.Expression) -> bool:
    """Say whether an expression is known to be a DOUBLE: a number with a point, or one that it makes a DOUBLE."""
    if isinstance(node, exp.Add | exp.Sub | exp.Mul):
        return _is_double(node.this) or _is_double(node.expression)
    if isinstance(node, exp.Paren):
        return _is_double(node.this)
    return _is_decimal(node) or isinstance(node, exp.Div) or (isinstance(node, exp.Cast) and node.to.is_type("double"))


def _whole(tree: exp.Expression) -> exp.Expression:
    return tree.this if isinstance(tree, exp.Paren) else tree


def _null(node: exp.Expression) -> exp.Expression:
    """Give a NULL that is a column, or what is summed, a type."""
    if isinstance(node, exp.Null) and isinstance(node.parent, exp.AggFunc | exp.Select | exp.Alias):
        return exp.cast(exp.null(), "double")
    return node


def _any_value(node: exp.Expression) -> exp.Expression:
    """Take the least for any value that is not NULL."""
    if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.AnyValue):
        return exp.Min(this=node.this.this.copy())
    return node


# what the engines call DuckDB's types; the rest have the same name in capitals
_SPARK_TYPES = {"int": "INTEGER", "string": "VARCHAR"}
_POSTGRES_TYPES = {
    "real": "FLOAT", "double precision": "DOUBLE", "numeric": "DECIMAL", "text": "VARCHAR",
    "character varying": "VARCHAR",
}  # fmt: skip


def _type_name(name: exp.Expression, known: dict[str, str]) -> exp.Expression:
    ifs = [
        exp.If(this=exp.Literal.string(theirs), true=exp.Literal.string(duckdbs)) for theirs, duckdbs in known.items()
    ]
    return exp.Case(this=name, ifs=ifs, default=exp.Upper(this=name.copy()))


def _spark_types(node: exp.Expression) -> exp.Expression:
    return _type_name(node.copy(), _SPARK_TYPES) if isinstance(node, exp.Typeof) else node


def _postgres_types(node: exp.Expression) -> exp.Expression:
    """Say typeof; a number always casts to DOUBLE, and where anything else does not, PostgreSQL complains."""
    if isinstance(node, exp.Typeof):
        name = exp.cast(exp.Anonymous(this="PG_TYPEOF", expressions=[node.this.copy()]), "text")
        return _type_name(name, _POSTGRES_TYPES)
    if isinstance(node, exp.TryCast) and node.to.is_type("double"):
        return exp.cast(node.this.copy(), "double")
    return node


def _postgres_same(node: exp.Expression) -> exp.Expression:
    """Say IS NOT DISTINCT FROM, for which PostgreSQL has no hash join: arrays are equal where both hold NULL."""
    if isinstance(node, exp.NullSafeEQ):
        left, right = (exp.Array(expressions=[_whole(side.copy())]) for side in (node.this, node.expression))
        return exp.EQ(this=left, expression=right)
    return node


def _postgres_struct(node: exp.Expression) -> exp.Expression:
    """Say a struct in a message."""
    if isinstance(node, exp.Struct) and isinstance(node.parent, exp.Cast) and node.parent.to.is_type("text", "varchar"):
        return exp.Anonymous(this="ROW", expressions=[e.expression.copy() for e in node.expressions])
    return node


def _postgres_order(node: exp.Expression) -> exp.Expression:
    """Let text be summed up in the order of its bytes, as DuckDB has it, whatever the collation of the database."""
    if not (isinstance(node, exp.Window) and isinstance(node.this, exp.Sum) and node.args.get("order")):
        return node
    by: list[exp.Expression] = []
    for key in node.args["order"].expressions:
        if isinstance(key.this, exp.Column):
            text = exp.cast(key.this.copy(), "text")
            kind = exp.cast(exp.Anonymous(this="PG_TYPEOF", expressions=[key.this.copy()]), "text")
            is_text = exp.In(this=kind, expressions=[exp.Literal.string(n) for n in ("text", "character varying")])
            bytes_ = exp.Collate(this=text, expression=exp.to_identifier("C", quoted=True))
            first = key.copy()
            first.set("this", exp.Case(ifs=[exp.If(this=is_text, true=bytes_)]))
            by.append(first)
        by.append(key.copy())
    node.args["order"].set("expressions", by)
    return node


# Columns of the macros' own that are never NULL, and known to Spark as such (so is sdc__id in USING, a cell's number).
NEVER_NULL = {
    "sdc__key", "sdc__pair", "sdc__restricted", "sdc__code", "sdc__mask", "sdc__few", "sdc__many", "sdc__rank",
}  # fmt: skip


def _spark_join(node: exp.Expression) -> exp.Expression:
    """Say a = b of an inner join so that Spark infers no `a IS NOT NULL`, with which it would drop an error."""
    if not (isinstance(node, exp.Join) and not node.side and node.args.get("on")):
        return node
    parts: list[Any] = []
    for part in node.args["on"].flatten() if isinstance(node.args["on"], exp.And) else [node.args["on"]]:
        both = (
            isinstance(part, exp.EQ) and isinstance(part.this, exp.Column) and isinstance(part.expression, exp.Column)
        )
        if both and not {part.this.name, part.expression.name} <= NEVER_NULL:
            parts += [
                exp.NullSafeEQ(this=part.this.copy(), expression=part.expression.copy()),
                exp.Coalesce(this=part.copy(), expressions=[exp.false()]),
            ]
        else:
            parts.append(part.copy())
    made = node.copy()
    made.set("on", exp.and_(*parts, wrap=False))
    return made


def _spark_error(node: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this="RAISE_ERROR", expressions=node.expressions) if is_error(node) else node


def _fails(error: exp.Expression, beside: exp.Expression) -> exp.Expression:
    """Return a condition that PostgreSQL cannot decide, with the complaint in its error."""
    message = error.expressions[0]
    parts = [exp.Literal.string("sdc-sql: "), message]
    if next(message.find_all(exp.Column, exp.AggFunc), None) is None:
        parts.append(exp.Left(this=exp.cast(_atom(beside), "text"), expression=exp.Literal.number(0)))
    return exp.EQ(
        this=exp.cast(exp.Anonymous(this="CONCAT", expressions=parts), "int"), expression=exp.Literal.number(0)
    )


def _atom(tree: exp.Expression) -> exp.Expression:
    """Return a part of an expression that hangs on the data: an aggregate, or a column outside of one."""
    nodes: list[Any] = list(tree.walk())
    for node in nodes:
        if isinstance(node, exp.AggFunc | exp.Column | exp.Window):
            copy: Any = node.copy()
            atom: exp.Expression = copy
            return atom
    raise Unsupported(f"An error that hangs on no column cannot be raised on PostgreSQL: {tree.sql('duckdb')[:80]}")


def _branches(case: exp.Case) -> list[exp.Expression | None]:
    return [*(branch.args["true"] for branch in case.args["ifs"]), case.args.get("default")]


def _postgres_error(node: exp.Expression) -> exp.Expression:
    """Say CASE ... ELSE error(m) END and coalesce(x, error(m))."""
    if isinstance(node, exp.Coalesce) and is_error(node.expressions[-1]):
        kept = [part.copy() for part in (node.this, *node.expressions[:-1])]
        value = kept[0] if len(kept) == 1 else exp.Coalesce(this=kept[0], expressions=kept[1:])
        found = exp.Not(this=exp.Is(this=exp.Paren(this=value.copy()), expression=exp.null()))
        fails = exp.If(this=_fails(node.expressions[-1], value), true=exp.null())
        return exp.Case(ifs=[exp.If(this=found, true=value), fails])
    if isinstance(node, exp.Case) and any(is_error(part) for part in _branches(node)):
        node = node.copy()
        default = node.args.get("default")
        for branch in node.args["ifs"]:
            if is_error(branch.args["true"]):
                condition = exp.Case(
                    ifs=[exp.If(this=branch.this.copy(), true=_fails(branch.args["true"], branch.this))],
                    default=exp.false(),
                )
                branch.replace(exp.If(this=condition, true=exp.null()))
        if default is not None and is_error(default):
            node.append("ifs", exp.If(this=_fails(default, node.args["ifs"][0].this), true=exp.null()))
            node.set("default", None)
    return node


def _postgres_exp(node: exp.Expression) -> exp.Expression:
    """exp(-800) is an error in PostgreSQL (an underflow), 0 in DuckDB."""
    if isinstance(node, exp.Exp):
        tiny = exp.LT(this=exp.Paren(this=node.this.copy()), expression=exp.Neg(this=exp.Literal.number(700)))
        return exp.Case(ifs=[exp.If(this=tiny, true=exp.cast(exp.Literal.number(0), "double"))], default=node.copy())
    return node


_STEPS: dict[str, tuple[Callable[[exp.Expression], exp.Expression], ...]] = {
    "spark": (
        _any_value,
        _null,
        lists.listed,
        lists.bits,
        lists.collected,
        _quotient,
        _spark_number,
        _spark_types,
        lists.spark_lists,
        lists.spark_rows,
        lists.spark_selection,
        lists.spark_bits,
        lists.spark_common,
        _spark_join,
        _spark_error,
    ),
    "postgres": (
        _any_value,
        _null,
        lists.listed,
        lists.bits,
        lists.collected,
        _quotient,
        _postgres_number,
        _postgres_types,
        lists.postgres_lists,
        lists.postgres_rows,
        lists.postgres_selection,
        lists.postgres_bits,
        lists.postgres_common,
        _postgres_struct,
        _postgres_same,
        _postgres_order,
        _postgres_exp,
        postgres_check,
        _postgres_error,
    ),
}
