"""Lists, rows made of lists, and bit strings: what both engines need to know of them."""

from __future__ import annotations

from sqlglot import exp

from sdc_sql.compiler.constants import fold, is_constant
from sdc_sql.compiler.definitions import wrap_value
from sdc_sql.errors import Unsupported

# Macros that the engines have words of their own for. Of bit strings (sql/core/wildcard_cells.sql) they have lists of
# numbers; their texts are compared by their bytes as they are (sql/core/rows.sql).
_AS_THEY_ARE = ("sdc__bits", "sdc__exact", "sdc__by_bytes")
OWN_WORDS = (*_AS_THEY_ARE, "sdc__common_bits")
# These table macros do there what others do in DuckDB: with such lists what it does with numbers of 128 bits; and they
# count each id, since rows stand in no order there by which ids are seen to be unique (sql/core/pairs.sql).
ELSEWHERE = {"sdc__wildcard_cells": "sdc__wildcard_cells_by_lists", "sdc__counted_ids": "sdc__counted_each"}


def series(node: exp.Expression) -> exp.Expression:
    """Write unnest(range(a, b)) out, where a and b are known."""
    if not (isinstance(node, exp.Explode) and isinstance(node.this, exp.GenerateSeries)):
        return node
    series = node.this
    if series.args.get("step"):
        raise Unsupported(f"A range with steps is not known on this engine: {series.sql('duckdb')}")
    last = series.args["end"]
    if series.args.get("is_end_exclusive"):
        last = fold(exp.Sub(this=last.copy(), expression=exp.Literal.number(1)))
    if not (is_constant(series.args["start"]) and is_constant(last)):
        raise Unsupported(f"A range that depends on the data is not known on this engine: {series.sql('duckdb')}")
    return exp.Anonymous(this="sdc_rows", expressions=[series.args["start"], last])


def replace_list_lookup(node: exp.Expression) -> exp.Expression:
    """Write list_contains([...], x) and list_extract([...], i) of constant lists without lists."""
    if isinstance(node, exp.ArrayContains) and isinstance(node.this, exp.Array):
        known = [e.copy() for e in node.this.expressions if not isinstance(e, exp.Null)]
        return exp.In(this=node.expression.copy(), expressions=known) if known else node
    if isinstance(node, exp.Anonymous) and node.name == "list_extract" and isinstance(node.expressions[0], exp.Array):
        listed, place = node.expressions
        ifs = [
            exp.If(this=exp.EQ(this=wrap_value(place), expression=exp.Literal.number(i)), true=value.copy())
            for i, value in enumerate(listed.expressions, start=1)
        ]
        return exp.Case(ifs=ifs) if ifs else node
    return node


def selection(node: exp.Expression) -> tuple[exp.Expression, str, str, exp.Expression] | None:
    """Return the parts of list_filter(list, lambda value, place: condition)."""
    rule = node.expression if isinstance(node, exp.ArrayFilter) else None
    if not isinstance(rule, exp.Lambda):
        return None
    value, place = [*(e.name for e in rule.expressions), ""][:2]
    return node.this, value, place, rule.this


def unroll_reduction(node: exp.Expression) -> exp.Expression:
    """Write list_reduce(range(a, b, step), lambda rest, i: ..., first) out, where a, b and step are known."""
    if not (isinstance(node, exp.Anonymous) and node.name == "list_reduce" and node.expressions[2:]):
        return node
    series, rule, first = node.expressions
    rest: exp.Expression = first
    places = [fold(series.args[p].copy()) for p in ("start", "end", "step") if series.args.get(p)]
    if not (isinstance(series, exp.GenerateSeries) and series.args.get("step") and all(map(is_constant, places))):
        return node
    accumulated, value = (parameter.name for parameter in rule.expressions)
    for number in range(*(int(place.to_py()) for place in places)):
        written = substitute_variable(rule.this, value, exp.Literal.number(number))
        rest = exp.Paren(this=substitute_variable(written, accumulated, rest))
    return rest


def replace_count_if(node: exp.Expression) -> exp.Expression:
    """Write count_if(...)::BIGINT, which is faster on DuckDB, as count(*) FILTER (...)."""
    if not (isinstance(node, exp.Cast) and isinstance(node.this, exp.CountIf)):
        return node
    return exp.Filter(this=exp.Count(this=exp.Star(), big_int=True), expression=exp.Where(this=node.this.this))


def substitute_variable(tree: exp.Expression, name: str, by: exp.Expression) -> exp.Expression:
    """Replace the variable of a lambda, which is a bare name."""
    return tree.copy().transform(
        lambda n: by.copy() if isinstance(n, exp.Identifier) and n.name == name and _is_bare(n) else n
    )


def _is_bare(name: exp.Identifier) -> bool:
    return not isinstance(name.parent, exp.Column | exp.TableAlias | exp.Table)


def replace_list_aggregate(node: exp.Expression) -> exp.Expression:
    """Write list(x) FILTER (x IS NOT NULL), which is NULL where nothing is left, not an empty list."""
    if isinstance(node, exp.Filter) and isinstance(node.this, exp.ArrayAgg):
        value = node.this.this
        if node.expression.this == exp.Not(this=exp.Is(this=value.copy(), expression=exp.null())):
            some = exp.GT(this=exp.Count(this=value.copy()), expression=exp.Literal.number(0))
            return exp.Case(ifs=[exp.If(this=some, true=exp.Anonymous(this="ARRAY_AGG", expressions=[value.copy()]))])
    return node


def replace_bit_string(node: exp.Expression) -> exp.Expression:
    """Write a bit string as the list of its numbers, and the text of its bytes as the text itself."""
    while isinstance(node, exp.Anonymous) and node.name in _AS_THEY_ARE:
        node = node.expressions[0]
    return node


def match_series(node: exp.Expression) -> exp.Expression | None:
    """Return the list of unnest(range(len(list)))."""
    series = node.this if isinstance(node, exp.Explode) else None
    if isinstance(series, exp.GenerateSeries) and isinstance(series.args["end"], exp.Length):
        starts = series.args.get("start")
        listed = series.args["end"].this
        return listed if starts in (None, exp.Literal.number(0)) and isinstance(listed, exp.Column) else None
    return None
