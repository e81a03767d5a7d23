"""What is known before the query runs: constant expressions are computed by DuckDB, dead branches vanish.

DuckDB itself computes them, so a constant means in the compiled query what it means in the macro; a check of
a constant argument that fails raises the macro's own complaint.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.errors import InputError, ParameterError, translate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# These differ from run to run, between records, or hang on several records: they are never a constant of the query.
NOT_CONSTANT = (
    exp.Column, exp.Star, exp.Columns, exp.Query, exp.AggFunc, exp.Window, exp.Explode, exp.Rand, exp.PropertyEQ,
    exp.Struct, exp.Placeholder, exp.Parameter, exp.CurrentTimestamp, exp.CurrentDate, exp.Collate,
)  # fmt: skip
_STRUCTURE = (exp.Literal, exp.Null, exp.Boolean, exp.Identifier, exp.DataType, exp.Interval, exp.Ordered)


def is_error(node: exp.Expression | None) -> bool:
    """Say whether a node is a call of error('...')."""
    return isinstance(node, exp.Anonymous) and node.name.lower() == "error"


def is_constant(tree: exp.Expression) -> bool:
    """Say whether an expression is the same for every record, and raises nothing of its own making."""
    unknown = (
        node
        for node in tree.find_all(*NOT_CONSTANT, exp.Anonymous)
        if not isinstance(node, exp.Anonymous)
        or node.name.startswith("sdc_")
        or is_error(node)
        or "variable" in node.name
    )
    return next(unknown, None) is None


@cache
def connect_for_constants() -> duckdb.DuckDBPyConnection:
    """Return the DuckDB that computes the constants."""
    return duckdb.connect()


def compute_value(tree: exp.Expression) -> Any:  # noqa: ANN401 - whatever DuckDB computes
    """Compute a constant expression.

    Raises
    ------
    InputError
        The macro's own complaint, where the expression is a check that fails.
    """
    return _ask_duckdb(_write_constants_query(tree))[0]


def _write_constants_query(*trees: exp.Expression) -> str:
    """Return the query of some constants. A field of NULL is NULL: DuckDB 1.5 does not parse it."""
    select = exp.select(*(tree.copy() for tree in trees))
    return query.write_sql(
        select.transform(lambda n: exp.null() if isinstance(n, exp.Dot) and isinstance(n.this, exp.Null) else n)
    )


@lru_cache(maxsize=2048)
def _ask_duckdb(sql: str) -> tuple[Any, ...]:
    """Ask DuckDB once for what the same macros ask again and again."""
    try:
        with connect_for_constants().cursor() as con:
            (row,) = con.execute(sql).fetchall()
    except duckdb.Error as error:
        raise translate(error) or InputError(str(error)) from error
    answer: tuple[Any, ...] = row
    return answer


def make_literal(tree: exp.Expression) -> exp.Expression:
    """Return a constant expression as a literal of the value that DuckDB computes for it."""
    typed = exp.Anonymous(this="typeof", expressions=[tree.copy()])
    value, kind = _ask_duckdb(_write_constants_query(tree, typed))
    if kind.startswith("DECIMAL"):
        value = float(value) if value is not None else None
    if value is None:
        return exp.cast(exp.null(), "double") if kind == "DOUBLE" else exp.null()
    if not isinstance(value, str | bool | int | float | list) or (value == [] and "NULL" in kind):
        return tree
    try:
        return (
            query.make_text_literal(value)
            if value != []
            else exp.cast(exp.Array(expressions=[]), kind, dialect="duckdb")
        )
    except ParameterError:  # infinity and NaN have no literal: the cast stays there
        return tree


_FALSE, _TRUE = exp.false(), exp.true()


def _case(tree: exp.Case) -> exp.Expression:
    operand = fold(tree.this) if tree.this else None
    branches: list[exp.If] = []
    default = tree.args.get("default")
    for branch in tree.args["ifs"]:
        condition = fold(exp.EQ(this=operand.copy(), expression=branch.this) if operand else branch.this)
        if condition in (_FALSE, exp.null()):
            continue
        if condition == _TRUE:
            default = branch.args["true"]
            break
        branches.append(exp.If(this=condition, true=fold(branch.args["true"])))
    default = fold(default) if default else exp.null()
    if not branches:
        return default
    return exp.Case(ifs=branches, default=None if isinstance(default, exp.Null) else default)


def _coalesce(tree: exp.Coalesce) -> exp.Expression:
    kept: list[exp.Expression] = []
    for part in (tree.this, *tree.expressions):
        folded = fold(part)
        if isinstance(folded, exp.Null):
            continue
        kept.append(folded)
        if isinstance(folded, exp.Literal | exp.Boolean | exp.Array):
            break
    if not kept:
        return exp.null()
    return kept[0] if len(kept) == 1 else exp.Coalesce(this=kept[0], expressions=kept[1:])


def _connector(tree: exp.And | exp.Or) -> exp.Expression:
    """Fold AND and OR (with three values: only what holds for NULL too)."""
    left, right = fold(tree.this), fold(tree.expression)
    neutral, absorbing = (_TRUE, _FALSE) if isinstance(tree, exp.And) else (_FALSE, _TRUE)
    if absorbing in (left, right):
        return absorbing.copy()
    if left == neutral:
        return right
    if right == neutral or (left == right and isinstance(left, exp.Null)):
        return left
    return type(tree)(this=left, expression=right)


_RULES: dict[type[exp.Expression], Callable[[Any], exp.Expression]] = {
    exp.Case: _case,
    exp.Coalesce: _coalesce,
    exp.And: _connector,
    exp.Or: _connector,
}


def _map_elements(tree: exp.Transform) -> exp.Expression:
    """Compute list_transform of a list whose elements are known one by one."""
    listed = fold(tree.this)
    if not isinstance(listed, exp.Array):
        return exp.Transform(this=listed, expression=tree.expression)
    names = [e.name for e in tree.expression.expressions]

    def make_element(place: int, value: exp.Expression) -> exp.Expression:
        by = dict(zip(names, (value, exp.Literal.number(place)), strict=False))
        return fold(tree.expression.this.copy().transform(lambda n: _replace_variable(n, by), copy=False))

    return exp.Array(expressions=[make_element(place, e) for place, e in enumerate(listed.expressions, start=1)])


def _replace_variable(node: exp.Expression, by: Mapping[str, exp.Expression]) -> exp.Expression:
    """Replace a variable of a lambda, which is a bare name."""
    of_other = isinstance(node.parent, exp.Column | exp.TableAlias | exp.Table)
    is_bare = not of_other and not (isinstance(node.parent, exp.PropertyEQ) and node.arg_key == "this")
    if not (isinstance(node, exp.Identifier) and node.name in by and is_bare):
        return node
    value = by[node.name].copy()
    return value if holds_together(value) else exp.Paren(this=value)


def _take_element_apart(tree: exp.Expression) -> exp.Expression:
    """Take a literal list or struct apart: return an element, a field, or the names of its fields."""
    if not isinstance(tree, exp.Anonymous | exp.StructExtract):
        return tree
    whole, *others = tree.expressions if isinstance(tree, exp.Anonymous) else (tree.this, tree.expression)
    name = tree.name.lower() if isinstance(tree, exp.Anonymous) else "struct_extract"
    if isinstance(whole, exp.Array) and name == "list_extract" and isinstance(others[0], exp.Literal):
        place = int(others[0].this)
        return whole.expressions[place - 1].copy() if 0 < place <= len(whole.expressions) else exp.null()
    if isinstance(whole, exp.Array) and name == "list_bool_and":
        every: Any = exp.and_(*(e.copy() for e in whole.expressions))
        return fold(every)
    if isinstance(whole, exp.Struct) and name == "struct_keys":
        return exp.Array(expressions=[exp.Literal.string(e.name) for e in whole.expressions])
    if isinstance(whole, exp.Struct) and name == "struct_extract":
        value: exp.Expression = next(e.expression for e in whole.expressions if e.name == others[0].name)
        return value.copy()
    return tree


def fold(tree: exp.Expression) -> exp.Expression:
    """Return an expression with its constant parts computed and the branches that cannot be reached cut off.

    Examples
    --------
    >>> import sqlglot
    >>> fold(sqlglot.parse_one("CASE WHEN 'w' IS NULL THEN NULL ELSE x * (1 + 2) END", read="duckdb")).sql("duckdb")
    'x * 3'
    """
    if isinstance(tree, (*_STRUCTURE, exp.Column, exp.Star, exp.Query, exp.Lambda)):
        return tree
    if type(tree) in _RULES:
        return _RULES[type(tree)](tree)
    if isinstance(tree, exp.Transform) and not is_constant(tree):
        return _map_elements(tree)
    if (whole := _compute_whole_number(tree)) is not None:
        return exp.Literal.number(whole)
    if _computable(tree) and is_constant(tree) and (made := make_literal(tree)) is not tree:
        return made
    for name, part in list(tree.args.items()):
        if isinstance(part, list):
            tree.set(name, [fold(p) if isinstance(p, exp.Expression) else p for p in part])
        elif isinstance(part, exp.Expression):
            tree.set(name, fold(part))
    return _fold_parts(tree)


def _compute_whole_number(tree: exp.Expression) -> int | None:
    """Compute a sum of small whole numbers, such as places in a series, which needs no DuckDB."""
    if isinstance(tree, exp.Paren):
        return _compute_whole_number(tree.this)
    if not isinstance(tree, exp.Add):
        return None
    parts = [side for side in (tree.this, tree.expression) if isinstance(side, exp.Literal) and side.is_int]
    return sum(int(part.this) for part in parts) if len(parts) == 2 and all(len(p.this) < 9 for p in parts) else None  # noqa: PLR2004


def _fold_parts(tree: exp.Expression) -> exp.Expression:
    """Fold an expression whose parts are folded."""
    if isinstance(tree, exp.Dot) and isinstance(tree.this, exp.Null):
        return exp.null()  # DuckDB 1.5 cannot parse a field of what is no struct
    if _is_column_name(tree):
        return exp.Literal.string(tree.expressions[0].name)
    if isinstance(tree, exp.Paren) and holds_together(tree.this):
        inner: exp.Expression = tree.this
        return inner
    if (part := _take_element_apart(tree)) is not tree:
        return part
    return make_literal(tree) if _computable(tree) and is_constant(tree) else tree


def holds_together(tree: exp.Expression) -> bool:
    """Say whether an expression needs no parentheses."""
    whole = exp.Column | exp.Columns | exp.Literal | exp.Func | exp.Paren | exp.Null | exp.Boolean
    return isinstance(tree, whole) and not isinstance(tree, exp.Connector)


def _is_column_name(tree: exp.Expression) -> bool:
    """Say whether a node is alias(column), which is the column's name."""
    return isinstance(tree, exp.Anonymous) and tree.name == "alias" and isinstance(tree.expressions[0], exp.Column)


def _computable(tree: exp.Expression) -> bool:
    if isinstance(tree.parent, exp.Window):  # the call is a window function's, as row_number()
        return False
    return isinstance(tree, exp.Condition) and not isinstance(
        tree, exp.Array | exp.Alias | exp.If | exp.Slice | exp.Tuple | exp.GenerateSeries
    )


def complain(tree: exp.Expression) -> None:
    """Raise the complaint of an expression that is bound to fail: an error('...') that stands in no branch.

    Raises
    ------
    InputError
        The macro's own complaint.
    """
    if isinstance(tree, exp.Case | exp.Coalesce | exp.Query):
        return
    if is_error(tree):
        message = fold(tree.expressions[0])
        if is_constant(message):
            compute_value(exp.Anonymous(this="error", expressions=[message]))
    for part in tree.iter_expressions():
        complain(part)
