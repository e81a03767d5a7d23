"""The FROM clause: tables of the caller's, common table expressions, macros of tables, subqueries, and their joins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler import empty, equal_values
from sdc_sql.compiler.columns import Field, Source, Sources, fold_case, forget_constants
from sdc_sql.compiler.constants import fold
from sdc_sql.compiler.definitions import load_definitions, parse_sql, substitute_parameters
from sdc_sql.compiler.known import compute_known_value, is_known
from sdc_sql.compiler.lists import ELSEWHERE
from sdc_sql.compiler.trees import FROM, make_reference, make_subquery, make_table, refuse_others
from sdc_sql.db import query
from sdc_sql.errors import ParameterError, Unsupported

if TYPE_CHECKING:
    from typing import TypeAlias

    from sdc_sql.compiler.columns import Relation, Scope
    from sdc_sql.compiler.expansion import Expansion

    # it is None where the relation is known to give no rows
    Read: TypeAlias = tuple[exp.Expression, Source] | None
    ReadTable: TypeAlias = tuple[exp.Table, Source] | None


def expand_from(
    expansion: Expansion, tree: exp.Select, result: exp.Select, scope: Scope, outer: Sources | None
) -> Sources | None:
    """Expand FROM and its joins into a SELECT; None where they are known to give no rows."""
    from_ = tree.args.get(FROM)
    if from_ is None:
        return Sources([], outer)
    read = _expand_relation(expansion, from_.this, scope)
    if read is None:
        return None
    first, source = read
    result.set(FROM, exp.From(this=first))
    sources: list[Source] = [source]
    merged: list[str] = []
    joins = []
    for join in [*from_.this.args.get("joins", []), *tree.args.get("joins", [])]:
        refuse_others(join, {"this", "on", "using", "side", "kind"})
        read = _expand_relation(expansion, join.this, scope)
        if read is None and join.side:
            raise Unsupported(f"A join with a subquery that gives no rows: {join.sql('duckdb')[:80]}")
        if read is None:
            return None
        right, source = _rename_repeated(expansion, read, sources)
        sources.append(source)
        using = [identifier.name for identifier in join.args.get("using") or []]
        merged += using
        if join.side:  # where a record has no partner, the columns are NULL
            sources = [Source(known.alias, forget_constants(known.fields)) for known in sources]
        on = join.args.get("on")
        made = exp.Join(this=right, side=join.side or None, kind=join.kind or None)
        if using:
            made.set("using", [exp.to_identifier(name, quoted=True) for name in using])
        if on:
            made.set("on", expansion.expression(on, Sources(sources, outer, merged), scope))
        made.set("this", _mark_each_once(expansion, made, source))
        if not using and not on:
            made.set("kind", "CROSS")
        joins.append(made)
    result.set("joins", joins)
    return Sources(sources, outer, merged)


def _mark_each_once(expansion: Expansion, join: exp.Join, source: Source) -> exp.Expression:
    """Tell PostgreSQL that a LEFT or FULL JOIN on the structs of keys meets each struct at most once: these are cells.

    It knows nothing of a row's values: it would expect every record to meet a two-hundredth of the cells, and compile
    the query for so many records (its JIT), which takes longer than to run it.
    """
    right: exp.Expression = join.this
    on = join.args.get("on") if expansion.companions and join.side else None
    sides = (on.this, on.expression) if isinstance(on, exp.EQ) else ()
    keys = [c for c in sides if isinstance(c, exp.Column) and fold_case(c.table) == fold_case(source.alias)]
    field = source.find(keys[0].name) if keys else None
    if field is None or not field.fields:
        return right
    once = exp.select(*(exp.column(f.name, quoted=True) for f in source.fields)).from_(right)
    by = exp.Paren(this=exp.column(field.name, quoted=True))
    once.set("distinct", exp.Distinct(on=by))
    return make_subquery(once, source.alias)


def _rename_repeated(
    expansion: Expansion, read: tuple[exp.Expression, Source], before: list[Source]
) -> tuple[exp.Expression, Source]:
    """Give a relation that is read twice a name of its own."""
    right, source = read
    if fold_case(source.alias) not in {fold_case(known.alias) for known in before}:
        return read
    alias = expansion.ctes.alias("sdc__again")
    right.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return right, Source(alias, source.fields)


def _expand_relation(expansion: Expansion, node: exp.Expression, scope: Scope) -> Read:
    """Expand one relation."""
    if isinstance(node, exp.Subquery):
        refuse_others(node, {"this", "alias"})
        return _inner(expansion, expansion.query(node.this, scope), node.alias)
    if not isinstance(node, exp.Table):
        raise Unsupported(f"The expansion does not know {type(node).__name__} in FROM: {node.sql('duckdb')[:80]}")
    refuse_others(node, {"this", "alias", "joins"})
    if node.args.get("alias") and node.args["alias"].columns:
        raise Unsupported(f"The expansion does not know names of columns in FROM: {node.sql('duckdb')[:80]}")
    function = node.this
    if isinstance(function, exp.Identifier):
        return _read_common_table(function.name, node.alias or function.name, scope)
    if isinstance(function, exp.Anonymous) and function.name == "query_table":
        return _read_table(expansion, function, node.alias, scope)
    if isinstance(function, exp.Anonymous) and function.name in ("query", empty.REFUSED):
        # (the check for a table without rows stands at the end of the query)
        if function.name == empty.REFUSED:
            _add_equality_checks(expansion, function, scope)
        written = _expand_text(expansion, function, scope) if function.name == "query" else None
        return _inner(expansion, written, node.alias)
    reads = (empty.ROWS, empty.UNASKED, *((empty.EXACT_ROWS,) if expansion.is_foreign else ()))
    if isinstance(function, exp.Anonymous) and function.name in reads:
        return _read_rows(expansion, function, node.alias, scope)
    if isinstance(function, exp.Anonymous):
        return _expand_macro(expansion, function, node.alias, scope)
    raise Unsupported(f"The expansion does not know {type(function).__name__} in FROM: {node.sql('duckdb')[:80]}")


def _expand_macro(expansion: Expansion, function: exp.Anonymous, alias: str, scope: Scope) -> Read:
    """Return the common table expression of a table macro."""
    relation = expansion.macro(ELSEWHERE.get(function.name, function.name), function.expressions, scope)
    if relation is None:
        return None
    name, fields = expansion.ctes.add(function.name, relation)
    return make_reference(name, alias), Source(alias or name, fields)


def _read_rows(expansion: Expansion, function: exp.Anonymous, alias: str, scope: Scope) -> Read:
    """Return a table that must have rows: what the macro refuses is refused now, apart from a table without rows."""
    arguments = [fold(expansion.inline_calls(argument.copy())) for argument in function.expressions]
    definition = load_definitions()[empty.ROWS]
    expansion.query(substitute_parameters(definition.body.this, definition.bind(arguments)), scope)
    read = _read_table(expansion, function, alias, scope)
    if read is not None:
        table = read[0].copy()
        table.set("alias", None)
        check = empty.check_rows(table, empty.find_empty_message(arguments))
        expansion.checks.setdefault(query.write_sql(check), check)
        _add_equality_checks(expansion, function, scope)
    return read


def _add_equality_checks(expansion: Expansion, function: exp.Anonymous, scope: Scope) -> None:
    """Add the checks of those columns of a caller's table that a macro compares."""
    arguments = [fold(expansion.inline_calls(argument.copy())) for argument in function.expressions]
    name = str(compute_known_value(arguments[0]))
    if fold_case(name) in scope:
        return
    for column in equal_values.list_compared_columns(function, arguments, expansion.columns_of(name)):
        others = expansion.joined.setdefault(fold_case(column), []) if name in expansion.together else []
        if (name, column) not in others:
            others.append((name, column))
        for columns in ([(name, column)], others):  # by itself, and with the table that is looked up by it
            check = equal_values.check_equal_values(columns)
            expansion.checks.setdefault(query.write_sql(check), check)


def _read_table(expansion: Expansion, function: exp.Anonymous, alias: str, scope: Scope) -> ReadTable:
    """Return the table that query_table(name) reads: of the macro's own or of the caller's."""
    argument = fold(expansion.inline_calls(function.expressions[0].copy()))
    # (the arguments choose one of several tables of the macro, or the message that says what is wrong with them)
    name = argument.name if argument.is_string else str(compute_known_value(function.expressions[0]))
    return (
        _read_common_table(name, alias, scope)
        if fold_case(name) in scope
        else _read_callers_table(expansion, name, alias)
    )


def _inner(expansion: Expansion, relation: Relation | None, alias: str) -> Read:
    """Return a subquery of FROM."""
    if relation is None:
        return None
    alias = alias or expansion.ctes.alias("sdc__inner")
    return make_subquery(relation[0], alias), Source(alias, relation[1])


def _expand_text(expansion: Expansion, function: exp.Anonymous, scope: Scope) -> Relation | None:
    """Expand query('...'): its text is computed first, from the arguments of the call."""
    (argument,) = function.expressions
    if not is_known(argument):
        raise Unsupported("The macro writes the text of a query that depends on the data.")
    return expansion.query(parse_sql(str(compute_known_value(argument))), scope)


def _read_common_table(name: str, alias: str, scope: Scope) -> ReadTable:
    """Return a common table expression of the macro's."""
    if fold_case(name) not in scope:
        raise Unsupported(f"The macro reads a table of its own: {name}.")
    found = scope[fold_case(name)]
    if isinstance(found, Unsupported):
        raise found
    if found is None:
        return None
    fresh, fields = found
    return make_reference(fresh, alias), Source(alias or fresh, fields)


def _read_callers_table(expansion: Expansion, name: str, alias: str) -> ReadTable:
    """Return a table of the caller's."""
    if fold_case(name).startswith("sdc__"):
        raise ParameterError(f"The table {name} has a name beginning with sdc__, which is reserved.")
    given = make_table(name)
    if alias:
        given.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return given, Source(alias or given.name, tuple(Field(column) for column in expansion.columns_of(name)))
