"""Lists, rows made of lists, and bit strings, as an engine understands them."""

from __future__ import annotations

from sqlglot import exp

from sdc_sql.compiler.constants import fold, is_constant
from sdc_sql.compiler.definitions import pasted
from sdc_sql.errors import Unsupported

# Macros of bit strings (sql/core/wildcard_cells.sql), for which the engines have lists of numbers.
BITS = ("sdc__bits", "sdc__common_bits")


def _rows(node: exp.Expression) -> exp.Expression:
    """Say unnest(range(a, b)), where a and b are known."""
    if not (isinstance(node, exp.Explode) and isinstance(node.this, exp.GenerateSeries)):
        return node
    series = node.this
    if series.args.get("step"):
        raise Unsupported(f"A range with steps is not known on this engine: {series.sql('duckdb')}")
    last = series.args["end"]
    if series.args.get("is_end_exclusive"):
        last = fold(exp.Sub(this=last.copy(), expression=exp.Literal.number(1)))
    if not (is_constant(series.args["start"]) and is_constant(last)):
        raise Unsupported(f"A range that hangs on the data is not known on this engine: {series.sql('duckdb')}")
    return exp.Anonymous(this="sdc_rows", expressions=[series.args["start"], last])


def listed(node: exp.Expression) -> exp.Expression:
    """Say list_contains([...], x) and list_extract([...], i) of constant lists without lists."""
    if isinstance(node, exp.ArrayContains) and isinstance(node.this, exp.Array):
        known = [e.copy() for e in node.this.expressions if not isinstance(e, exp.Null)]
        return exp.In(this=node.expression.copy(), expressions=known) if known else node
    if isinstance(node, exp.Anonymous) and node.name == "list_extract" and isinstance(node.expressions[0], exp.Array):
        listed, place = node.expressions
        ifs = [
            exp.If(this=exp.EQ(this=pasted(place), expression=exp.Literal.number(i)), true=value.copy())
            for i, value in enumerate(listed.expressions, start=1)
        ]
        return exp.Case(ifs=ifs) if ifs else node
    return node


def _selection(node: exp.Expression) -> tuple[exp.Expression, str, str, exp.Expression] | None:
    """Return the parts of list_filter(list, lambda value, place: condition)."""
    rule = node.expression if isinstance(node, exp.ArrayFilter) else None
    if not isinstance(rule, exp.Lambda):
        return None
    value, place = [*(e.name for e in rule.expressions), ""][:2]
    return node.this, value, place, rule.this


def _replaced(tree: exp.Expression, name: str, by: exp.Expression) -> exp.Expression:
    """Replace the variable of a lambda, which is a bare name."""
    return tree.copy().transform(
        lambda n: by.copy() if isinstance(n, exp.Identifier) and n.name == name and _is_bare(n) else n
    )


def _is_bare(name: exp.Identifier) -> bool:
    return not isinstance(name.parent, exp.Column | exp.TableAlias | exp.Table)


def spark_selection(node: exp.Expression) -> exp.Expression:
    """Say list_filter and its length (Spark counts places from 0)."""
    if isinstance(node, exp.Length) and isinstance(node.this, exp.ArrayFilter):
        return exp.Anonymous(this="SIZE", expressions=[node.this.copy()])
    parts = _selection(node)
    if parts is None or not parts[2]:
        return node
    listed, value, place, condition = parts
    one_more = exp.Paren(this=exp.Add(this=exp.to_identifier(place), expression=exp.Literal.number(1)))
    rule = exp.Lambda(
        this=_replaced(condition, place, one_more), expressions=[exp.to_identifier(value), exp.to_identifier(place)]
    )
    return exp.ArrayFilter(this=listed.copy(), expression=rule)


def postgres_selection(node: exp.Expression) -> exp.Expression:
    """Say list_filter as an array of a subquery, and its length."""
    is_list = isinstance(node, exp.Length) and isinstance(node.this, exp.Array)
    if is_list and isinstance(node.this.expressions[0], exp.Select):
        return exp.Anonymous(this="CARDINALITY", expressions=[node.this.copy()])
    parts = _selection(node)
    if parts is None:
        return node
    listed, value, place, condition = parts
    place = place or "sdc__place"
    whole = exp.cast(exp.column(place, quoted=True), "int")
    where = _replaced(_replaced(condition, place, whole), value, exp.column(value, quoted=True))
    unnested = exp.Unnest(
        expressions=[listed.copy()],
        alias=exp.TableAlias(
            this=exp.to_identifier("sdc__list", quoted=True), columns=[exp.to_identifier(value, quoted=True)]
        ),
        offset=exp.to_identifier(place, quoted=True),
    )
    chosen = exp.select(exp.column(value, quoted=True)).from_(unnested).where(where)
    return exp.Array(expressions=[chosen.order_by(exp.column(place, quoted=True))])


def collected(node: exp.Expression) -> exp.Expression:
    """Say list(x) FILTER (x IS NOT NULL), which is NULL of nothing, not an empty list."""
    if isinstance(node, exp.Filter) and isinstance(node.this, exp.ArrayAgg):
        value = node.this.this
        if node.expression.this == exp.Not(this=exp.Is(this=value.copy(), expression=exp.null())):
            some = exp.GT(this=exp.Count(this=value.copy()), expression=exp.Literal.number(0))
            return exp.Case(ifs=[exp.If(this=some, true=exp.Anonymous(this="ARRAY_AGG", expressions=[value.copy()]))])
    return node


def postgres_bits(node: exp.Expression) -> exp.Expression:
    """Say bit_count of a number, which PostgreSQL counts in bit strings."""
    if isinstance(node, exp.Anonymous) and node.name == "bit_count":
        return exp.Anonymous(this="BIT_COUNT", expressions=[exp.cast(node.expressions[0].copy(), "bit(64)")])
    return node


def bits(node: exp.Expression) -> exp.Expression:
    """Say a bit string as the list of its numbers."""
    return node.expressions[0] if isinstance(node, exp.Anonymous) and node.name == "sdc__bits" else node


def spark_common(node: exp.Expression) -> exp.Expression:
    """Say the bits that two have in common."""
    if not (isinstance(node, exp.Anonymous) and node.name == "sdc__common_bits"):
        return node
    pair = [exp.to_identifier("x"), exp.to_identifier("y")]
    rule = exp.Lambda(this=exp.BitwiseAnd(this=pair[0].copy(), expression=pair[1].copy()), expressions=pair)
    return exp.Anonymous(this="ZIP_WITH", expressions=[*node.expressions, rule])


def postgres_common(node: exp.Expression) -> exp.Expression:
    """Say the bits that two have in common."""
    if not (isinstance(node, exp.Anonymous) and node.name == "sdc__common_bits"):
        return node
    names = [exp.to_identifier(n, quoted=True) for n in ("x", "y")]
    place = exp.to_identifier("sdc__place", quoted=True)
    unnested = exp.Unnest(
        expressions=node.expressions,
        alias=exp.TableAlias(this=exp.to_identifier("sdc__lists", quoted=True), columns=names),
        offset=place,
    )
    x, y = (exp.column(n.copy()) for n in names)
    common = exp.select(exp.BitwiseAnd(this=x, expression=y)).from_(unnested)
    return exp.Array(expressions=[common.order_by(exp.column(place.copy()))])


def spark_bits(node: exp.Expression) -> exp.Expression:
    """Say bit_count."""
    if isinstance(node, exp.Anonymous) and node.name == "bit_count":
        return exp.Anonymous(this="BIT_COUNT", expressions=node.expressions)
    return node


def _is_series_of(node: exp.Expression) -> exp.Expression | None:
    """Return the list of unnest(range(len(list)))."""
    series = node.this if isinstance(node, exp.Explode) else None
    if isinstance(series, exp.GenerateSeries) and isinstance(series.args["end"], exp.Length):
        starts = series.args.get("start")
        listed = series.args["end"].this
        return listed if starts in (None, exp.Literal.number(0)) and isinstance(listed, exp.Column) else None
    return None


def spark_lists(node: exp.Expression) -> exp.Expression:
    """Say several unnest(list) side by side, which Spark does not take: inline(arrays_zip(...))."""
    if not isinstance(node, exp.Select):
        return node
    lists = [e for e in node.expressions if isinstance(e, exp.Alias) and isinstance(e.this, exp.Explode)]
    if len(lists) < 2:  # noqa: PLR2004 - two stand side by side
        return node
    parts = []
    for item in lists:
        listed = _is_series_of(item.this)
        if listed is None:
            parts.append(item.this.this.copy())
        else:
            size = exp.Anonymous(this="SIZE", expressions=[listed.copy()])
            last = exp.Sub(this=size, expression=exp.Literal.number(1))
            parts.append(exp.Anonymous(this="SEQUENCE", expressions=[exp.Literal.number(0), last]))
    zipped = exp.Anonymous(this="INLINE", expressions=[exp.Anonymous(this="ARRAYS_ZIP", expressions=parts)])
    names = [item.args["alias"].copy() for item in lists]
    others = [e for e in node.expressions if not any(e is item for item in lists)]
    made = node.copy()
    made.set("expressions", [*(e.copy() for e in others), exp.Aliases(this=zipped, expressions=names)])
    return made


def postgres_lists(node: exp.Expression) -> exp.Expression:
    """Say unnest(list) and unnest(range(len(list)))."""
    listed = _is_series_of(node)
    if listed is not None:
        size = exp.Anonymous(this="CARDINALITY", expressions=[listed.copy()])
        last = exp.Sub(this=size, expression=exp.Literal.number(1))
        return exp.Anonymous(this="GENERATE_SERIES", expressions=[exp.Literal.number(0), last])
    if isinstance(node, exp.Explode) and isinstance(node.this, exp.Column | exp.Array):
        return exp.Anonymous(this="UNNEST", expressions=[node.this.copy()])
    return node


def spark_rows(node: exp.Expression) -> exp.Expression:
    """Say unnest(range(a, b))."""
    made = _rows(node)
    if made is node:
        return node
    return exp.Explode(this=exp.Anonymous(this="SEQUENCE", expressions=made.expressions))


def postgres_rows(node: exp.Expression) -> exp.Expression:
    """Say unnest(range(a, b))."""
    made = _rows(node)
    return node if made is node else exp.Anonymous(this="GENERATE_SERIES", expressions=made.expressions)
