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

from sdc_sql.compiler.constants import fold, is_constant, is_error
from sdc_sql.compiler.definitions import pasted
from sdc_sql.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable


# Macros of bit strings (sql/core/wildcard_cells.sql), for which the engines have lists of numbers.
BITS = ("sdc__bits", "sdc__common_bits")


def rewritten(tree: exp.Query, dialect: str) -> exp.Query:
    """Return a query in the words of an engine (the tree itself is changed)."""
    for step in _STEPS[dialect]:
        nodes: list[Any] = list(tree.walk())
        for node in reversed(nodes):  # what is inside comes first
            made = step(node)
            if made is not node:
                node.replace(made)
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
        return exp.Div(
            this=_double(_whole(node.this.copy())), expression=_double(_whole(node.expression.copy())), typed=True
        )
    return node


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


def _listed(node: exp.Expression) -> exp.Expression:
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


def _spark_selection(node: exp.Expression) -> exp.Expression:
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
    node.replace(exp.ArrayFilter(this=listed.copy(), expression=rule))
    return node


def _postgres_selection(node: exp.Expression) -> exp.Expression:
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


def _collected(node: exp.Expression) -> exp.Expression:
    """Say list(x) FILTER (x IS NOT NULL), which is NULL of nothing, not an empty list."""
    if isinstance(node, exp.Filter) and isinstance(node.this, exp.ArrayAgg):
        value = node.this.this
        if node.expression.this == exp.Not(this=exp.Is(this=value.copy(), expression=exp.null())):
            some = exp.GT(this=exp.Count(this=value.copy()), expression=exp.Literal.number(0))
            return exp.Case(ifs=[exp.If(this=some, true=exp.Anonymous(this="ARRAY_AGG", expressions=[value.copy()]))])
    return node


def _postgres_bits(node: exp.Expression) -> exp.Expression:
    """Say bit_count of a number, which PostgreSQL counts in bit strings."""
    if isinstance(node, exp.Anonymous) and node.name == "bit_count":
        return exp.Anonymous(this="BIT_COUNT", expressions=[exp.cast(node.expressions[0].copy(), "bit(64)")])
    return node


def _bits(node: exp.Expression) -> exp.Expression:
    return node.expressions[0] if isinstance(node, exp.Anonymous) and node.name == "sdc__bits" else node


def _spark_common(node: exp.Expression) -> exp.Expression:
    if not (isinstance(node, exp.Anonymous) and node.name == "sdc__common_bits"):
        return node
    pair = [exp.to_identifier("x"), exp.to_identifier("y")]
    rule = exp.Lambda(this=exp.BitwiseAnd(this=pair[0].copy(), expression=pair[1].copy()), expressions=pair)
    return exp.Anonymous(this="ZIP_WITH", expressions=[*node.expressions, rule])


def _postgres_common(node: exp.Expression) -> exp.Expression:
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


def _spark_bits(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.Anonymous) and node.name == "bit_count":
        return exp.Anonymous(this="BIT_COUNT", expressions=node.expressions)
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
    node.set("on", exp.and_(*parts, wrap=False))
    return node


def _is_series_of(node: exp.Expression) -> exp.Expression | None:
    """Return the list of unnest(range(len(list)))."""
    series = node.this if isinstance(node, exp.Explode) else None
    if isinstance(series, exp.GenerateSeries) and isinstance(series.args["end"], exp.Length):
        starts = series.args.get("start")
        listed = series.args["end"].this
        return listed if starts in (None, exp.Literal.number(0)) and isinstance(listed, exp.Column) else None
    return None


def _spark_lists(node: exp.Expression) -> exp.Expression:
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
    node.set("expressions", [*others, exp.Aliases(this=zipped, expressions=names)])
    return node


def _postgres_lists(node: exp.Expression) -> exp.Expression:
    """Say unnest(list) and unnest(range(len(list)))."""
    listed = _is_series_of(node)
    if listed is not None:
        size = exp.Anonymous(this="CARDINALITY", expressions=[listed.copy()])
        last = exp.Sub(this=size, expression=exp.Literal.number(1))
        return exp.Anonymous(this="GENERATE_SERIES", expressions=[exp.Literal.number(0), last])
    if isinstance(node, exp.Explode) and isinstance(node.this, exp.Column | exp.Array):
        return exp.Anonymous(this="UNNEST", expressions=[node.this.copy()])
    return node


def _spark_rows(node: exp.Expression) -> exp.Expression:
    made = _rows(node)
    if made is node:
        return node
    return exp.Explode(this=exp.Anonymous(this="SEQUENCE", expressions=made.expressions))


def _postgres_rows(node: exp.Expression) -> exp.Expression:
    made = _rows(node)
    return node if made is node else exp.Anonymous(this="GENERATE_SERIES", expressions=made.expressions)


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


def _postgres_error(node: exp.Expression) -> exp.Expression:
    """Say CASE ... ELSE error(m) END and coalesce(x, error(m))."""
    if isinstance(node, exp.Coalesce) and is_error(node.expressions[-1]):
        kept = [part.copy() for part in (node.this, *node.expressions[:-1])]
        value = kept[0] if len(kept) == 1 else exp.Coalesce(this=kept[0], expressions=kept[1:])
        found = exp.Not(this=exp.Is(this=exp.Paren(this=value.copy()), expression=exp.null()))
        fails = exp.If(this=_fails(node.expressions[-1], value), true=exp.null())
        return exp.Case(ifs=[exp.If(this=found, true=value), fails])
    if isinstance(node, exp.Case):
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
        _listed,
        _bits,
        _collected,
        _quotient,
        _spark_number,
        _spark_types,
        _spark_lists,
        _spark_rows,
        _spark_selection,
        _spark_bits,
        _spark_common,
        _spark_join,
        _spark_error,
    ),
    "postgres": (
        _any_value,
        _null,
        _listed,
        _bits,
        _collected,
        _quotient,
        _postgres_number,
        _postgres_types,
        _postgres_lists,
        _postgres_rows,
        _postgres_selection,
        _postgres_bits,
        _postgres_common,
        _postgres_struct,
        _postgres_same,
        _postgres_order,
        _postgres_exp,
        _postgres_error,
    ),
}
