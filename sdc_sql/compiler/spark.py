"""Write a query as Spark understands it."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sdc_sql.compiler import lists
from sdc_sql.compiler.constants import is_error
from sdc_sql.compiler.definitions import wrap_value
from sdc_sql.compiler.doubles import (
    is_decimal,
    make_number,
    replace_any_value,
    replace_null,
    replace_quotient,
    replace_sum,
    type_name,
)
from sdc_sql.compiler.draws import make_call, match_call, replace_shared_function, write_digits, write_uniform
from sdc_sql.compiler.engine import Engine
from sdc_sql.errors import Unsupported


def replace_decimal(node: exp.Expression) -> exp.Expression:
    """0.5 is a DECIMAL in Spark, 0.5e0 a DOUBLE."""
    return make_number(node.this) if is_decimal(node) else node


# Spark calls DuckDB's types so
_TYPES = {"int": "INTEGER", "string": "VARCHAR"}


def replace_types(node: exp.Expression) -> exp.Expression:
    """Write typeof."""
    return type_name(node.copy(), _TYPES) if isinstance(node, exp.Typeof) else node


def replace_list_filter(node: exp.Expression) -> exp.Expression:
    """Write list_filter and its length (Spark counts places from 0)."""
    if isinstance(node, exp.Length) and isinstance(node.this, exp.ArrayFilter):
        return exp.Anonymous(this="SIZE", expressions=[node.this.copy()])
    parts = lists.selection(node)
    if parts is None or not parts[2]:
        return node
    listed, value, place, condition = parts
    one_more = exp.Paren(this=exp.Add(this=exp.to_identifier(place), expression=exp.Literal.number(1)))
    rule = exp.Lambda(
        this=lists.substitute_variable(condition, place, one_more),
        expressions=[exp.to_identifier(value), exp.to_identifier(place)],
    )
    return exp.ArrayFilter(this=listed.copy(), expression=rule)


def replace_common_bits(node: exp.Expression) -> exp.Expression:
    """Write the bits that two bit strings have in common."""
    if not (isinstance(node, exp.Anonymous) and node.name == "sdc__common_bits"):
        return node
    pair = [exp.to_identifier("x"), exp.to_identifier("y")]
    rule = exp.Lambda(this=exp.BitwiseAnd(this=pair[0].copy(), expression=pair[1].copy()), expressions=pair)
    return exp.Anonymous(this="ZIP_WITH", expressions=[*node.expressions, rule])


def replace_bit_count(node: exp.Expression) -> exp.Expression:
    """Write bit_count."""
    if isinstance(node, exp.Anonymous) and node.name == "bit_count":
        return exp.Anonymous(this="BIT_COUNT", expressions=node.expressions)
    return node


def replace_zip(node: exp.Expression) -> exp.Expression:
    """Write several unnest(list) side by side, which Spark does not take: inline(arrays_zip(...))."""
    if not isinstance(node, exp.Select):
        return node
    unnested = [e for e in node.expressions if isinstance(e, exp.Alias) and isinstance(e.this, exp.Explode)]
    if len(unnested) < 2:  # noqa: PLR2004 - two stand side by side
        return node
    parts = []
    for item in unnested:
        listed = lists.match_series(item.this)
        if listed is None:
            parts.append(item.this.this.copy())
        else:
            size = exp.Anonymous(this="SIZE", expressions=[listed.copy()])
            last = exp.Sub(this=size, expression=exp.Literal.number(1))
            parts.append(exp.Anonymous(this="SEQUENCE", expressions=[exp.Literal.number(0), last]))
    zipped = exp.Anonymous(this="INLINE", expressions=[exp.Anonymous(this="ARRAYS_ZIP", expressions=parts)])
    names = [item.args["alias"].copy() for item in unnested]
    others = [e for e in node.expressions if not any(e is item for item in unnested)]
    made = node.copy()
    made.set("expressions", [*(e.copy() for e in others), exp.Aliases(this=zipped, expressions=names)])
    return made


def replace_rows(node: exp.Expression) -> exp.Expression:
    """Write unnest(range(a, b))."""
    made = lists.series(node)
    if made is node:
        return node
    return exp.Explode(this=exp.Anonymous(this="SEQUENCE", expressions=made.expressions))


# Columns of the macros' own that are never NULL, and known to Spark as such (so is sdc__id in USING, a cell's number).
NEVER_NULL = {
    "sdc__key", "sdc__pair", "sdc__restricted", "sdc__code", "sdc__mask", "sdc__few", "sdc__many", "sdc__rank",
}  # fmt: skip


def replace_join(node: exp.Expression) -> exp.Expression:
    """Write a = b of an inner join so that Spark infers no `a IS NOT NULL`, with which it would drop an error."""
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


def replace_error(node: exp.Expression) -> exp.Expression:
    """Write error(message)."""
    return exp.Anonymous(this="RAISE_ERROR", expressions=node.expressions) if is_error(node) else node


def replace_draw_words(node: exp.Expression) -> exp.Expression:
    """Write the functions that draws call."""
    if parts := match_call(node, "sdc__uniform_of"):
        return exp.Paren(this=write_uniform(make_call("CONV", write_digits(*parts), 16, 10)))
    if parts := match_call(node, "sdc__fraction_text"):  # its text is like 12.3, 0.000123 or 1.23e-05
        (figure,) = parts
        plain = make_call("REGEXP_REPLACE", make_call("FORMAT_STRING", "%.10f", figure), "0+$", "")
        power: exp.Expression = exp.cast(figure.copy(), "text")
        for old, new in (("[.]0E", "E"), ("E-([0-9])$", "e-0$1"), ("E", "e")):
            power = make_call("REGEXP_REPLACE", power, old, new)
        small = exp.LT(this=wrap_value(figure), expression=exp.Literal.number("1e-4"))
        return exp.Case(ifs=[exp.If(this=small, true=power)], default=plain)
    if match_call(node, "getvariable"):  # an aggregate has a row, with a NULL, whatever the view holds
        key = exp.column("sdc_key", quoted=True)
        return exp.Subquery(this=exp.select(exp.Max(this=key)).from_(exp.to_table("sdc_key")))
    return node


_NAMES: dict[type[exp.Expression], str] = {exp.ToBase64: "BASE64", exp.Unhex: "UNHEX", exp.IsNan: "ISNAN"}


def replace_functions(node: exp.Expression) -> exp.Expression:
    """Write functions of texts and numbers."""
    if type(node) in _NAMES:
        return make_call(_NAMES[type(node)], node.this)
    if isinstance(node, exp.SHA2):
        return make_call("SHA2", node.this, 256)
    if isinstance(node, exp.Left):
        return make_call("SUBSTR", node.this, 1, node.expression)
    if parts := match_call(node, "round_even"):
        return make_call("RINT", parts[0])
    return replace_shared_function(node) or node


def refuse_join(join: exp.Join) -> None:
    """Refuse a join with whose rows Spark may drop a check of the data."""
    if not _keeps_checks(join):
        raise Unsupported(
            "An inner JOIN on a column is not known to keep the checks of the data in spark, whose optimiser"
            f" drops a check with the rows where the column is NULL: {join.sql('duckdb')[:120]}"
        )


def _keeps_checks(join: exp.Join) -> bool:
    """Say whether Spark infers nothing from a join that removes an error.

    The struct of the keys is never NULL, nor is the number of a row; nothing is inferred from <=> and from coalesce.
    """
    if join.side:
        return True
    if any(identifier.name not in NEVER_NULL | {"sdc__id"} for identifier in join.args.get("using") or []):
        return False
    on = join.args.get("on")
    on = None if on is None else on.unnest()
    parts = [] if on is None else list(on.flatten()) if isinstance(on, exp.And) else [on]
    return all(
        isinstance(part, exp.NullSafeEQ | exp.Coalesce) or all(c.name in NEVER_NULL for c in part.find_all(exp.Column))
        for part in parts
    )


ENGINE = Engine(
    steps=(
        replace_draw_words, replace_sum, replace_any_value, replace_null, lists.replace_list_lookup,
        lists.replace_bit_string, lists.replace_list_aggregate, replace_quotient, replace_decimal, replace_types,
        replace_zip, replace_rows, replace_list_filter, replace_bit_count, replace_common_bits, replace_join,
        replace_functions, replace_error,
    ),
    nodes=(exp.Struct, exp.PropertyEQ, exp.Dot, exp.Explode, exp.Aliases, exp.Typeof, exp.ArrayFilter, exp.Lambda),
    functions=frozenset({
        "RAISE_ERROR", "SEQUENCE", "INLINE", "ARRAYS_ZIP", "SIZE", "ARRAY_AGG", "BIT_COUNT", "ZIP_WITH", "CONCAT",
        "LENGTH", "SUBSTR", "LOG10", "SHA2", "BASE64", "UNHEX", "ISNAN", "RINT", "CONV", "FORMAT_STRING",
        "REGEXP_REPLACE",
    }),
    key="Give the secret key first, as the one row of a view, which no plan shows:"
    " spark.createDataFrame([(key,)], 'sdc_key string').createOrReplaceTempView('sdc_key').",
    try_casts=True,
    refuse_join=refuse_join,
)  # fmt: skip
