"""Say a query as PostgreSQL understands it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler import lists
from sdc_sql.compiler.doubles import any_value, is_decimal, null, number, plain_sum, quotient, type_name, whole
from sdc_sql.compiler.draws import postgres_functions, postgres_words
from sdc_sql.compiler.empty import postgres_check
from sdc_sql.compiler.postgres_errors import error

if TYPE_CHECKING:
    from collections.abc import Callable


def decimal(node: exp.Expression) -> exp.Expression:
    """0.5 and 0.5e0 are both NUMERIC in PostgreSQL."""
    if not is_decimal(node) or (isinstance(node.parent, exp.Cast) and node.parent.to.is_type("double")):
        return node
    return exp.cast(number(node.this), "double")


# what PostgreSQL calls DuckDB's types
_TYPES = {
    "real": "FLOAT", "double precision": "DOUBLE", "numeric": "DECIMAL", "text": "VARCHAR",
    "character varying": "VARCHAR",
}  # fmt: skip


def types(node: exp.Expression) -> exp.Expression:
    """Say typeof; a number always casts to DOUBLE, and where anything else does not, PostgreSQL complains."""
    if isinstance(node, exp.Typeof):
        name = exp.cast(exp.Anonymous(this="PG_TYPEOF", expressions=[node.this.copy()]), "text")
        return type_name(name, _TYPES)
    if isinstance(node, exp.TryCast) and node.to.is_type("double"):
        return exp.cast(node.this.copy(), "double")
    return node


def same(node: exp.Expression) -> exp.Expression:
    """Say IS NOT DISTINCT FROM, for which PostgreSQL has no hash join: arrays are equal where both hold NULL."""
    if isinstance(node, exp.NullSafeEQ):
        left, right = (exp.Array(expressions=[whole(side.copy())]) for side in (node.this, node.expression))
        return exp.EQ(this=left, expression=right)
    return node


def struct(node: exp.Expression) -> exp.Expression:
    """Say a struct in a message."""
    if isinstance(node, exp.Struct) and isinstance(node.parent, exp.Cast) and node.parent.to.is_type("text", "varchar"):
        return exp.Anonymous(this="ROW", expressions=[e.expression.copy() for e in node.expressions])
    return node


def byte_order(node: exp.Expression) -> exp.Expression:
    """Let text be summed up in the order of its bytes, as DuckDB has it, whatever the collation of the database."""
    if not (isinstance(node, exp.Window) and isinstance(node.this, exp.Sum) and node.args.get("order")):
        return node
    node = node.copy()
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


def exponential(node: exp.Expression) -> exp.Expression:
    """exp(-800) is an error in PostgreSQL (an underflow), 0 in DuckDB."""
    if isinstance(node, exp.Exp):
        tiny = exp.LT(this=exp.Paren(this=node.this.copy()), expression=exp.Neg(this=exp.Literal.number(700)))
        return exp.Case(ifs=[exp.If(this=tiny, true=exp.cast(exp.Literal.number(0), "double"))], default=node.copy())
    return node


def filtered(node: exp.Expression) -> exp.Expression:
    """Say list_filter as an array of a subquery, and its length."""
    is_list = isinstance(node, exp.Length) and isinstance(node.this, exp.Array)
    if is_list and isinstance(node.this.expressions[0], exp.Select):
        return exp.Anonymous(this="CARDINALITY", expressions=[node.this.copy()])
    parts = lists.selection(node)
    if parts is None:
        return node
    listed, value, place, condition = parts
    place = place or "sdc__place"
    number_of_place = exp.cast(exp.column(place, quoted=True), "int")
    where = lists.replaced(lists.replaced(condition, place, number_of_place), value, exp.column(value, quoted=True))
    rows_of_list = exp.Unnest(
        expressions=[listed.copy()],
        alias=exp.TableAlias(
            this=exp.to_identifier("sdc__list", quoted=True), columns=[exp.to_identifier(value, quoted=True)]
        ),
        offset=exp.to_identifier(place, quoted=True),
    )
    chosen = exp.select(exp.column(value, quoted=True)).from_(rows_of_list).where(where)
    return exp.Array(expressions=[chosen.order_by(exp.column(place, quoted=True))])


def common_bits(node: exp.Expression) -> exp.Expression:
    """Say the bits that two have in common."""
    if not (isinstance(node, exp.Anonymous) and node.name == "sdc__common_bits"):
        return node
    names = [exp.to_identifier(n, quoted=True) for n in ("x", "y")]
    place = exp.to_identifier("sdc__place", quoted=True)
    rows_of_list = exp.Unnest(
        expressions=node.expressions,
        alias=exp.TableAlias(this=exp.to_identifier("sdc__lists", quoted=True), columns=names),
        offset=place,
    )
    x, y = (exp.column(n.copy()) for n in names)
    common = exp.select(exp.BitwiseAnd(this=x, expression=y)).from_(rows_of_list)
    return exp.Array(expressions=[common.order_by(exp.column(place.copy()))])


def bit_count(node: exp.Expression) -> exp.Expression:
    """Say bit_count of a number, which PostgreSQL counts in bit strings."""
    if isinstance(node, exp.Anonymous) and node.name == "bit_count":
        return exp.Anonymous(this="BIT_COUNT", expressions=[exp.cast(node.expressions[0].copy(), "bit(64)")])
    return node


def unnested(node: exp.Expression) -> exp.Expression:
    """Say unnest(list) and unnest(range(len(list)))."""
    listed = lists.is_series_of(node)
    if listed is not None:
        size = exp.Anonymous(this="CARDINALITY", expressions=[listed.copy()])
        last = exp.Sub(this=size, expression=exp.Literal.number(1))
        return exp.Anonymous(this="GENERATE_SERIES", expressions=[exp.Literal.number(0), last])
    if isinstance(node, exp.Explode) and isinstance(node.this, exp.Column | exp.Array):
        return exp.Anonymous(this="UNNEST", expressions=[node.this.copy()])
    return node


def rows(node: exp.Expression) -> exp.Expression:
    """Say unnest(range(a, b))."""
    made = lists.series(node)
    return node if made is node else exp.Anonymous(this="GENERATE_SERIES", expressions=made.expressions)


STEPS: tuple[Callable[[exp.Expression], exp.Expression], ...] = (
    postgres_words, plain_sum, any_value, null, lists.listed, lists.as_it_is, lists.collected, quotient, decimal,
    types, unnested, rows,
    filtered, bit_count, common_bits, struct, same, byte_order, exponential, postgres_functions,
    postgres_check, error,
)  # fmt: skip
