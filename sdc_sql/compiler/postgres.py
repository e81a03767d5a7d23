"""Write a query as PostgreSQL understands it."""

from __future__ import annotations

from sqlglot import exp

from sdc_sql.compiler import lists
from sdc_sql.compiler.definitions import wrap_value
from sdc_sql.compiler.doubles import (
    is_decimal,
    make_number,
    replace_any_value,
    replace_null,
    replace_quotient,
    replace_sum,
    strip_parentheses,
    type_name,
)
from sdc_sql.compiler.draws import make_call, match_call, replace_shared_function, write_digits, write_uniform
from sdc_sql.compiler.empty import CHECK
from sdc_sql.compiler.engine import Engine
from sdc_sql.compiler.equal_values import FORM
from sdc_sql.compiler.postgres_errors import replace_error
from sdc_sql.compiler.trees import FROM


def replace_decimal(node: exp.Expression) -> exp.Expression:
    """0.5 and 0.5e0 are both NUMERIC in PostgreSQL."""
    if not is_decimal(node) or (isinstance(node.parent, exp.Cast) and node.parent.to.is_type("double")):
        return node
    return exp.cast(make_number(node.this), "double")


# PostgreSQL calls DuckDB's types so
_TYPES = {
    "real": "FLOAT", "double precision": "DOUBLE", "numeric": "DECIMAL", "text": "VARCHAR",
    "character varying": "VARCHAR",
}  # fmt: skip


def replace_types(node: exp.Expression) -> exp.Expression:
    """Write typeof; a number always casts to DOUBLE, and where anything else does not, PostgreSQL complains."""
    if isinstance(node, exp.Typeof):
        name = exp.cast(exp.Anonymous(this="PG_TYPEOF", expressions=[node.this.copy()]), "text")
        return type_name(name, _TYPES)
    if isinstance(node, exp.TryCast) and node.to.is_type("double"):
        return exp.cast(node.this.copy(), "double")
    return node


def replace_distinct(node: exp.Expression) -> exp.Expression:
    """Write IS NOT DISTINCT FROM, for which PostgreSQL has no hash join: arrays are equal where both hold NULL."""
    if isinstance(node, exp.NullSafeEQ):
        left, right = (exp.Array(expressions=[strip_parentheses(side.copy())]) for side in (node.this, node.expression))
        return exp.EQ(this=left, expression=right)
    return node


def replace_struct(node: exp.Expression) -> exp.Expression:
    """Write a struct that stands in a message."""
    if isinstance(node, exp.Struct) and isinstance(node.parent, exp.Cast) and node.parent.to.is_type("text", "varchar"):
        return exp.Anonymous(this="ROW", expressions=[e.expression.copy() for e in node.expressions])
    return node


def replace_byte_order(node: exp.Expression) -> exp.Expression:
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


def replace_exponential(node: exp.Expression) -> exp.Expression:
    """exp(-800) is an error in PostgreSQL (an underflow), 0 in DuckDB."""
    if isinstance(node, exp.Exp):
        tiny = exp.LT(this=exp.Paren(this=node.this.copy()), expression=exp.Neg(this=exp.Literal.number(700)))
        return exp.Case(ifs=[exp.If(this=tiny, true=exp.cast(exp.Literal.number(0), "double"))], default=node.copy())
    return node


def replace_list_filter(node: exp.Expression) -> exp.Expression:
    """Write list_filter as an array of a subquery, and its length."""
    is_list = isinstance(node, exp.Length) and isinstance(node.this, exp.Array)
    if is_list and isinstance(node.this.expressions[0], exp.Select):
        return exp.Anonymous(this="CARDINALITY", expressions=[node.this.copy()])
    parts = lists.selection(node)
    if parts is None:
        return node
    listed, value, place, condition = parts
    place = place or "sdc__place"
    number_of_place = exp.cast(exp.column(place, quoted=True), "int")
    where = lists.substitute_variable(
        lists.substitute_variable(condition, place, number_of_place), value, exp.column(value, quoted=True)
    )
    rows_of_list = exp.Unnest(
        expressions=[listed.copy()],
        alias=exp.TableAlias(
            this=exp.to_identifier("sdc__list", quoted=True), columns=[exp.to_identifier(value, quoted=True)]
        ),
        offset=exp.to_identifier(place, quoted=True),
    )
    chosen = exp.select(exp.column(value, quoted=True)).from_(rows_of_list).where(where)
    return exp.Array(expressions=[chosen.order_by(exp.column(place, quoted=True))])


def replace_common_bits(node: exp.Expression) -> exp.Expression:
    """Write the bits that two bit strings have in common."""
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


def replace_bit_count(node: exp.Expression) -> exp.Expression:
    """Write bit_count of a number, which PostgreSQL counts in bit strings."""
    if isinstance(node, exp.Anonymous) and node.name == "bit_count":
        return exp.Anonymous(this="BIT_COUNT", expressions=[exp.cast(node.expressions[0].copy(), "bit(64)")])
    return node


def replace_unnest(node: exp.Expression) -> exp.Expression:
    """Write unnest(list) and unnest(range(len(list)))."""
    listed = lists.match_series(node)
    if listed is not None:
        size = exp.Anonymous(this="CARDINALITY", expressions=[listed.copy()])
        last = exp.Sub(this=size, expression=exp.Literal.number(1))
        return exp.Anonymous(this="GENERATE_SERIES", expressions=[exp.Literal.number(0), last])
    if isinstance(node, exp.Explode) and isinstance(node.this, exp.Column | exp.Array):
        return exp.Anonymous(this="UNNEST", expressions=[node.this.copy()])
    return node


def replace_rows(node: exp.Expression) -> exp.Expression:
    """Write unnest(range(a, b))."""
    made = lists.series(node)
    return node if made is node else exp.Anonymous(this="GENERATE_SERIES", expressions=made.expressions)


def replace_draw_words(node: exp.Expression) -> exp.Expression:
    """Write the functions that draws call."""
    if parts := match_call(node, "sdc__uniform_of"):
        bits = exp.cast(make_call("CONCAT", "x", write_digits(*parts)), "bit(52)")
        return exp.Paren(this=write_uniform(exp.cast(bits, "bigint")))
    if parts := match_call(node, "sdc__fraction_text"):
        return exp.cast(parts[0].copy(), "text")
    if match_call(node, "getvariable"):
        return exp.Anonymous(this="CURRENT_SETTING", expressions=[exp.Literal.string("sdc.key"), exp.true()])
    return node


def replace_functions(node: exp.Expression) -> exp.Expression:
    """Write functions of texts and numbers."""
    if isinstance(node, exp.SHA2):
        return make_call("ENCODE", make_call("SHA256", make_call("CONVERT_TO", node.this, "UTF8")), "hex")
    if isinstance(node, exp.ToBase64):
        return make_call("ENCODE", node.this, "base64")
    if isinstance(node, exp.Unhex):
        return make_call("DECODE", node.this, "hex")
    if isinstance(node, exp.IsNan):
        return exp.EQ(this=wrap_value(node.this), expression=exp.cast(exp.Literal.string("NaN"), "double"))
    if parts := match_call(node, "round_even"):
        return make_call("ROUND", parts[0])
    return replace_shared_function(node) or node


def replace_type_question(node: exp.Expression) -> exp.Expression:
    """Ask the type of one record, where values in two forms are looked for: no other is read if it has one form.

    Texts have one form as long as no collation of the database calls different texts equal; told apart by their bytes.
    """
    if not (isinstance(node, exp.Select) and node.expressions and node.expressions[0].alias == FORM):
        return node
    made = node.copy()
    asked = made.find(exp.Typeof)
    if asked is not None:
        one = exp.select(asked.copy()).from_(made.args[FROM].this.copy()).limit(1)
        asked.replace(exp.Subquery(this=one))
    bytes_ = exp.to_identifier("C", quoted=True)
    for text in [*made.find_all(exp.Min), *made.find_all(exp.Max)]:
        text.set("this", exp.Collate(this=text.this.copy(), expression=bytes_.copy()))
    number = exp.select(exp.Count(this=exp.Star())).from_("pg_catalog.pg_collation")
    alike = number.where(exp.Not(this=exp.column("collisdeterministic")))
    some = exp.GT(this=exp.Subquery(this=alike), expression=exp.Literal.number(0))
    where = made.args["where"]
    is_text = where.find(exp.In).copy()
    is_text.set("expressions", [exp.Literal.string("VARCHAR")])
    texts = exp.And(this=is_text, expression=some)
    where.set("this", exp.Or(this=exp.Paren(this=where.this.copy()), expression=exp.Paren(this=texts)))
    return made


def replace_check(node: exp.Expression) -> exp.Expression:
    """Write the branch of a check with bare NULLs, which take any type."""
    source = node.args.get(FROM) if isinstance(node, exp.Select) else None
    if source is None or source.this.alias != CHECK:
        return node
    counted = source.this.this
    case = counted.expressions[0].this.copy()
    case.args["ifs"][0].set("true", exp.false())
    branch = exp.select(*(exp.null() for _ in node.expressions)).from_(counted.args[FROM].this.copy())
    return exp.Subquery(this=branch.where(case).offset(0))


ENGINE = Engine(
    steps=(
        replace_type_question, replace_draw_words, replace_sum, replace_any_value, replace_null,
        lists.replace_list_lookup, lists.replace_bit_string, lists.replace_list_aggregate, replace_quotient,
        replace_decimal,
        replace_types, replace_unnest, replace_rows, replace_list_filter, replace_bit_count, replace_common_bits,
        replace_struct, replace_distinct, replace_byte_order, replace_exponential, replace_functions,
        replace_check, replace_error,
    ),
    nodes=(exp.Offset, exp.Left, exp.Unnest, exp.Collate, exp.DataTypeParam),
    functions=frozenset({
        "CONCAT", "ROW", "GENERATE_SERIES", "UNNEST", "CARDINALITY", "PG_TYPEOF", "ARRAY_AGG", "BIT_COUNT", "LENGTH",
        "SUBSTR", "LOG10", "ENCODE", "DECODE", "SHA256", "CONVERT_TO", "ROUND", "CURRENT_SETTING",
    }),
    key="Give the secret key first, as a bound parameter, which is not logged as a statement's text:"
    " SELECT set_config('sdc.key', $1, false).",
    notes=(
        "Below a million records or so, SET jit = off: to compile the query may take PostgreSQL longer than to run it.",
    ),
    plans_once=True,
)  # fmt: skip
