"""Expand a call of a table macro to one query without macros, COLUMNS, GROUP BY ALL, stars or query_table.

Every nested table macro becomes a common table expression with a name of its own; scalar macros are pasted in
place, as DuckDB pastes them; columns are listed; constants are computed and dead branches dropped.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp
from sqlglot.errors import ParseError

from sdc_sql.compiler.columns import Field, Item, Source, Sources, companion, folded, with_columns
from sdc_sql.compiler.constants import complain, fold
from sdc_sql.compiler.definitions import definitions, parsed, pasted, substituted
from sdc_sql.compiler.texts import computed, is_known, known_value
from sdc_sql.errors import ParameterError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

# a CTE's name: its name in the result and its columns; None where it is known to give no rows
Scope: TypeAlias = "Mapping[str, tuple[str, tuple[Field, ...]] | None]"
Relation: TypeAlias = "tuple[exp.Query, tuple[Field, ...]]"

# sqlglot 28 renamed these arguments
FROM = "from_" if "from_" in exp.Select.arg_types else "from"
WITH = "with_" if "with_" in exp.Select.arg_types else "with"

_SELECT = {
    WITH, FROM, "expressions", "joins", "where", "group", "having", "windows", "order", "limit", "distinct",
}  # fmt: skip


def _table(name: str) -> exp.Table:
    try:
        table = exp.to_table(name, dialect="duckdb")
    except ParseError:
        table = exp.to_table(exp.to_identifier(name, quoted=True).sql("duckdb"), dialect="duckdb")
    for identifier in table.find_all(exp.Identifier):
        identifier.args["quoted"] = True
    return table


class Expansion:
    """One query in the making.

    Parameters
    ----------
    columns_of
        Gives the columns of a table of the caller's by its name.
    companions
        Whether the values of a struct also travel in columns of their own, for an engine that cannot take it apart.
    kept
        Scalar macros that are not pasted: the engine has words of its own for them.
    """

    def __init__(
        self, columns_of: Callable[[str], Sequence[str]], *, companions: bool, kept: Collection[str] = ()
    ) -> None:
        self._columns_of = columns_of
        self._companions = companions
        self._kept = kept
        self._ctes: list[exp.CTE] = []
        self._used: set[str] = set()

    def call(self, macro: str, arguments: Sequence[exp.Expression]) -> exp.Query:
        """Return the query that a call of a macro stands for."""
        tree, fields = self._macro(macro, arguments, {})
        if any(f.fields for f in fields):
            raise Unsupported(
                f"{macro} returns a struct; write it with dialect='duckdb' or name the columns one by one."
            )
        needed = _reachable(tree, self._ctes)
        if needed:
            tree.set(WITH, exp.With(expressions=needed))
        return tree

    # relations

    def _fresh(self, name: str) -> str:
        number, fresh = 1, name
        while folded(fresh) in self._used:
            number += 1
            fresh = f"{name}_{number}"
        self._used.add(folded(fresh))
        return fresh

    def _hoisted(self, name: str, relation: Relation) -> tuple[str, tuple[Field, ...]]:
        """Make a relation a common table expression of the result, under a name of its own."""
        fresh = self._fresh(name)
        tree = _whole(relation[0])
        alias = exp.TableAlias(this=exp.to_identifier(fresh, quoted=True))
        self._ctes.append(exp.CTE(this=tree, alias=alias))
        return fresh, relation[1]

    def _macro(self, name: str, arguments: Sequence[exp.Expression], scope: Scope) -> Relation:
        definition = definitions().get(name)
        if definition is None or not definition.is_table:
            raise Unsupported(f"The table function {name} is not a macro of this package.")
        bound = definition.bind([fold(self._pasted(_computed(a.copy()))) for a in arguments])
        relation = self._query(substituted(definition.body, bound), scope)
        if relation is None:
            raise Unsupported(f"{name} has no branch left with these arguments.")
        return relation

    def _query(self, tree: exp.Expression, scope: Scope, outer: Sources | None = None) -> Relation | None:
        """Expand a query; None where it is known to give no rows."""
        if isinstance(tree, exp.Subquery):
            self._only(tree, {"this", "alias"})
            relation = self._query(tree.this, scope, outer)
            return (exp.Subquery(this=relation[0]), relation[1]) if relation else None
        scope = self._with(tree, scope)
        if isinstance(tree, exp.Union):
            return self._union(tree, scope, outer)
        if isinstance(tree, exp.Select):
            return self._select(tree, scope, outer)
        raise Unsupported(f"The expansion does not know {type(tree).__name__}: {tree.sql('duckdb')[:80]}")

    def _only(self, tree: exp.Expression, known: set[str]) -> None:
        for name, value in tree.args.items():
            if value and name not in known:
                raise Unsupported(
                    f"The expansion does not know {name} of {type(tree).__name__}: {tree.sql('duckdb')[:80]}"
                )

    def _with(self, tree: exp.Expression, scope: Scope) -> Scope:
        with_ = tree.args.get(WITH)
        if with_ is None:
            return scope
        self._only(with_, {"expressions"})
        inner = dict(scope)
        for cte in with_.expressions:
            relation = self._query(cte.this, inner)
            if cte.args["alias"].columns:
                raise Unsupported(f"The expansion does not know this WITH: {cte.sql('duckdb')[:80]}")
            inner[folded(cte.alias)] = self._hoisted(cte.alias, relation) if relation else None
        return inner

    def _union(self, tree: exp.Union, scope: Scope, outer: Sources | None) -> Relation | None:
        self._only(tree, {"this", "expression", "by_name", "distinct", WITH})
        left = self._query(tree.this, scope, outer)
        right = self._query(tree.expression, scope, outer)
        if left is None or right is None:
            only = left or right
            if (
                right
                and not tree.args.get("by_name")
                and tree.this.named_selects != [f.name for f in right[1] if not f.parent]
            ):
                raise Unsupported("The sides of a UNION name their columns differently, and the first gives no rows.")
            return (_whole(only[0]), only[1]) if only else None
        if tree.args.get("by_name"):
            right = self._ordered(right, left[1])
        if [(f.fields, f.parent) for f in left[1]] != [(f.fields, f.parent) for f in right[1]]:
            raise Unsupported("The sides of a UNION do not have the same columns.")
        distinct = bool(tree.args.get("distinct"))
        return exp.Union(this=left[0], expression=right[0], distinct=distinct), _varying(left[1])

    def _ordered(self, relation: Relation, like: Sequence[Field]) -> Relation:
        """Put the columns of a relation in the order of another's, by name."""
        alias = self._fresh("sdc__named")
        sources = Sources([Source(alias, relation[1])])
        there = [sources.inner[0].find(f.name) for f in like]
        if len(relation[1]) != len(like) or None in there:
            raise Unsupported("The sides of a UNION BY NAME do not have the same columns.")
        found = [f for f in there if f]
        query = exp.select(*(sources.column(sources.inner[0], f.name) for f in found)).from_(
            _subquery(relation[0], alias)
        )
        return query, tuple(found)

    def _source(self, node: exp.Expression, scope: Scope) -> tuple[exp.Expression, Source] | None:
        """Expand one relation of a FROM clause; None where it is known to give no rows."""
        if isinstance(node, exp.Subquery):
            self._only(node, {"this", "alias"})
            relation = self._query(node.this, scope)
            if relation is None:
                return None
            alias = node.alias or self._fresh("sdc__inner")
            return _subquery(relation[0], alias), Source(alias, relation[1])
        if not isinstance(node, exp.Table):
            raise Unsupported(f"The expansion does not know {type(node).__name__} in FROM: {node.sql('duckdb')[:80]}")
        self._only(node, {"this", "alias", "joins"})
        if node.args.get("alias") and node.args["alias"].columns:
            raise Unsupported(f"The expansion does not know names of columns in FROM: {node.sql('duckdb')[:80]}")
        function = node.this
        if isinstance(function, exp.Identifier):
            return self._named(function.name, node.alias or function.name, scope)
        if isinstance(function, exp.Anonymous) and function.name == "query_table":
            name = fold(self._pasted(function.expressions[0].copy())).name
            return self._named(name, node.alias, scope) if folded(name) in scope else self._given(name, node.alias)
        if isinstance(function, exp.Anonymous) and function.name == "query":
            relation = self._text(function, scope)
            alias = node.alias or self._fresh("sdc__inner")
            return (_subquery(relation[0], alias), Source(alias, relation[1])) if relation else None
        if isinstance(function, exp.Anonymous):
            name, fields = self._hoisted(function.name, self._macro(function.name, function.expressions, scope))
            return _reference(name, node.alias), Source(node.alias or name, fields)
        raise Unsupported(f"The expansion does not know {type(function).__name__} in FROM: {node.sql('duckdb')[:80]}")

    def _text(self, function: exp.Anonymous, scope: Scope) -> Relation | None:
        """Expand query('...'): its text is computed first, of the arguments of the call."""
        (argument,) = function.expressions
        if not is_known(argument):
            raise Unsupported("The macro writes the text of a query that hangs on the data.")
        return self._query(parsed(str(known_value(argument))), scope)

    def _named(self, name: str, alias: str, scope: Scope) -> tuple[exp.Expression, Source] | None:
        if folded(name) not in scope:
            raise Unsupported(f"The macro reads a table of its own: {name}.")
        found = scope[folded(name)]
        if found is None:
            return None
        fresh, fields = found
        return _reference(fresh, alias), Source(alias or fresh, fields)

    def _given(self, name: str, alias: str) -> tuple[exp.Expression, Source]:
        """Return a table of the caller's."""
        if folded(name).startswith("sdc__"):
            raise ParameterError(f"The table {name} has a name beginning with sdc__, which is reserved.")
        table = _table(name)
        if alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        return table, Source(alias or table.name, tuple(Field(column) for column in self._columns_of(name)))

    # one SELECT

    def _select(self, tree: exp.Select, scope: Scope, outer: Sources | None) -> Relation | None:
        self._only(tree, _SELECT)
        where = tree.args.get("where")
        if where and fold(self._pasted(where.this.copy())) == exp.false():
            return None  # known before its relations are read
        result = exp.Select()
        sources = self._from(tree, result, scope, outer)
        if sources is None:
            if not self._is_empty_of_nothing(tree):
                raise Unsupported(f"An aggregate of a subquery that gives no rows: {tree.sql('duckdb')[:80]}")
            return None
        items: list[Item] = []
        for node in tree.expressions:
            items += self._items(node, sources, scope, items)
        for item in items:
            complain(item.tree)
        result.set("expressions", [item.sql() for item in items])
        if tree.args.get("distinct"):
            self._only(tree.args["distinct"], set())
            result.set("distinct", exp.Distinct())
        self._conditions(tree, result, sources, scope)
        self._group(tree, result, items, sources, scope)
        if tree.args.get("windows"):
            result.set("windows", [self._expression(w, sources, scope) for w in tree.args["windows"]])
        if tree.args.get("order"):
            known = Sources([*sources.inner, Source("", tuple(i.field for i in items))], sources.outer)
            ordered = [self._expression(o, sources, scope, check=known) for o in tree.args["order"].expressions]
            result.set("order", exp.Order(expressions=ordered))
        if tree.args.get("limit"):
            result.set("limit", exp.Limit(expression=fold(self._pasted(tree.args["limit"].expression.copy()))))
        return result, tuple(item.field for item in items)

    def _is_empty_of_nothing(self, tree: exp.Select) -> bool:
        """Say whether a SELECT gives no rows where its relations do: it groups by columns, or aggregates nothing."""
        group = tree.args.get("group")
        if group and any(isinstance(key, exp.Column) for key in group.expressions):
            return True
        aggregates = any(_aggregates(self._pasted(e.copy())) for e in tree.expressions)
        return group is None and tree.args.get("having") is None and not aggregates

    def _from(self, tree: exp.Select, result: exp.Select, scope: Scope, outer: Sources | None) -> Sources | None:
        from_ = tree.args.get(FROM)
        if from_ is None:
            return Sources([], outer)
        read = self._source(from_.this, scope)
        if read is None:
            return None
        first, source = read
        result.set(FROM, exp.From(this=first))
        sources: list[Source] = [source]
        merged: list[str] = []
        joins = []
        for join in [*from_.this.args.get("joins", []), *tree.args.get("joins", [])]:
            self._only(join, {"this", "on", "using", "side", "kind"})
            read = self._source(join.this, scope)
            if read is None and join.side:
                raise Unsupported(f"A join with a subquery that gives no rows: {join.sql('duckdb')[:80]}")
            if read is None:
                return None
            right, source = read
            sources.append(source)
            using = [identifier.name for identifier in join.args.get("using") or []]
            merged += using
            if join.side:  # the columns of a record without a partner are NULL
                sources = [Source(known.alias, _varying(known.fields)) for known in sources]
            on = join.args.get("on")
            made = exp.Join(this=right, side=join.side or None, kind=join.kind or None)
            if using:
                made.set("using", [exp.to_identifier(name, quoted=True) for name in using])
            if on:
                made.set("on", self._expression(on, Sources(sources, outer, merged), scope))
            if not using and not on:
                made.set("kind", "CROSS")
            joins.append(made)
        result.set("joins", joins)
        return Sources(sources, outer, merged)

    def _conditions(self, tree: exp.Select, result: exp.Select, sources: Sources, scope: Scope) -> None:
        for name, kind in (("where", exp.Where), ("having", exp.Having)):
            clause = tree.args.get(name)
            if clause:
                condition = self._expression(clause.this, sources, scope)
                complain(condition)
                if condition != exp.true():
                    result.set(name, kind(this=condition))

    def _group(
        self, tree: exp.Select, result: exp.Select, items: Sequence[Item], sources: Sources, scope: Scope
    ) -> None:
        group = tree.args.get("group")
        if group is None:
            return
        self._only(group, {"all", "expressions"})
        if group.args.get("all"):
            keys = [item.tree for item in items if not _aggregates(item.tree)]
        else:
            keys = []
            for node in group.expressions:
                key = self._expression(_laterals(node.copy(), sources, items), sources, scope)
                keys += [key, *(i.tree for i in self._parts(Item(key, Field("")), sources))]
        keys = [key.copy() for key in keys if next(key.find_all(exp.Column), None)]
        if keys:
            result.set("group", exp.Group(expressions=keys))

    # expressions

    def _pasted(self, tree: exp.Expression) -> exp.Expression:
        """Paste the scalar macros of an expression in their places."""
        if isinstance(tree, exp.Query):
            return tree
        if isinstance(tree, exp.Anonymous) and tree.name in self._kept:
            definition = None
        else:
            definition = definitions().get(tree.name) if isinstance(tree, exp.Anonymous) else None
        if definition and not definition.is_table:
            return self._pasted(pasted(substituted(definition.body, definition.bind(tree.expressions))))
        for name, part in list(tree.args.items()):
            if isinstance(part, list):
                tree.set(name, [self._pasted(p) if isinstance(p, exp.Expression) else p for p in part])
            elif isinstance(part, exp.Expression):
                tree.set(name, self._pasted(part))
        return tree

    def _expression(
        self, tree: exp.Expression, sources: Sources, scope: Scope, check: Sources | None = None
    ) -> exp.Expression:
        """Expand an expression that is one column at most."""
        return self._finished(self._unpacked(self._pasted(tree.copy()), sources), sources, scope, check or sources)

    def _finished(self, tree: exp.Expression, sources: Sources, scope: Scope, check: Sources) -> exp.Expression:
        tree = sources.spelled(fold(sources.known(tree)))
        if not isinstance(tree, exp.Query):
            check.check(tree)
        for inner in list(tree.find_all(exp.Subquery)):
            if inner.find_ancestor(exp.Query) is None or inner is tree:
                relation = self._query(inner.this, scope, sources)
                if relation is None or len(relation[1]) != 1:
                    raise Unsupported(f"A scalar subquery must give one column: {inner.sql('duckdb')[:80]}")
                done = exp.Subquery(this=relation[0])
                if inner is tree:
                    return done
                inner.replace(done)
        return tree

    def _unpacked(self, tree: exp.Expression, sources: Sources) -> exp.Expression:
        """Replace f(*COLUMNS(...)) by f of these columns."""
        for columns in list(tree.find_all(exp.Columns)):
            if columns.args.get("unpack") and columns.parent is not None:
                chosen = sources.chosen(columns)
                named = isinstance(columns.parent, exp.Struct)
                parts = [
                    exp.PropertyEQ(this=exp.to_identifier(i.field.name, quoted=True), expression=i.tree)
                    if named
                    else i.tree
                    for i in chosen
                ]
                before = columns.parent.expressions
                position = next(n for n, e in enumerate(before) if e is columns)
                columns.parent.set("expressions", [*before[:position], *parts, *before[position + 1 :]])
        return tree

    def _items(self, node: exp.Expression, sources: Sources, scope: Scope, before: Sequence[Item]) -> list[Item]:
        """Return the columns that one element of a SELECT list stands for."""
        star = node.this if isinstance(node, exp.Column) else node
        if isinstance(star, exp.Star):
            return self._star(star, node.table if isinstance(node, exp.Column) else "", sources, scope)
        alias = node.alias if isinstance(node, exp.Alias) else ""
        tree = node.this if isinstance(node, exp.Alias) else node
        tree = self._unpacked(self._pasted(tree.copy()), sources)
        items: list[Item] = []
        for name, copy in _for_each_column(tree, sources):
            label = alias.replace("\\0", name) if name else alias
            made = _in_order(self._finished(_laterals(fold(copy), sources, before), sources, scope, sources), sources)
            if isinstance(made, exp.Explode) and isinstance(made.this, exp.Column) and not label:
                items += self._unnested(made.this, sources)
                continue
            bare = name if isinstance(tree, exp.Columns) else made.name if isinstance(made, exp.Column) else ""
            item = Item(made, self._field(made, sources)).renamed(label or bare)
            items += [_as_row(item) if self._companions else item, *self._parts(item, sources)]
        return items

    def _field(self, tree: exp.Expression, sources: Sources) -> Field:
        if isinstance(tree, exp.Struct):
            return Field("", tuple(e.name for e in tree.expressions))
        if isinstance(tree, exp.Literal | exp.Boolean):
            return Field("", constant=tree)
        found = sources.find(tree) if isinstance(tree, exp.Column) else None
        return Field("", found.fields) if found else Field("")

    def _parts(self, item: Item, sources: Sources) -> Iterator[Item]:
        """Return the columns that carry the values of a struct, where they are wanted."""
        if not self._companions:
            return
        name = item.field.name
        if isinstance(item.tree, exp.Struct):
            parts = [e.expression.copy() for e in item.tree.expressions]
        elif isinstance(item.tree, exp.Column):
            field = sources.find(item.tree)
            table = item.tree.table or None
            names = [companion(item.tree.name, n) for n in range(len(field.fields if field else ()))]
            parts = [exp.column(n, table=table, quoted=True) for n in names]
        else:
            parts = []
        for position, part in enumerate(parts):
            yield Item(part, Field(companion(name, position), parent=name))

    def _unnested(self, struct: exp.Column, sources: Sources) -> Iterator[Item]:
        field = sources.find(struct)
        if field is None or not field.fields:
            raise Unsupported(f"unnest({struct.sql('duckdb')}) of what is not known to be a struct.")
        for position, name in enumerate(field.fields):
            if self._companions:
                part: exp.Expression = exp.column(
                    companion(struct.name, position), table=struct.table or None, quoted=True
                )
            else:
                part = exp.Dot(this=struct.copy(), expression=exp.to_identifier(name, quoted=True))
            yield Item(part, Field(name))

    def _star(self, star: exp.Star, table: str, sources: Sources, scope: Scope) -> list[Item]:
        without = {folded(e.name) for e in star.args.get("except_") or star.args.get("except") or []}
        replaced = {folded(e.alias): e.this for e in star.args.get("replace") or []}
        items = []
        for item in sources.all(table):
            if folded(item.field.name) in without or folded(item.field.parent) in without:
                continue
            if folded(item.field.name) in replaced:
                tree = self._expression(replaced[folded(item.field.name)], sources, scope)
                items.append(Item(tree, replace(self._field(tree, sources), name=item.field.name)))
            else:
                items.append(item)
        return items


def _computed(tree: exp.Expression) -> exp.Expression:
    """Return an argument, by position or by name, computed where it is known."""
    if isinstance(tree, exp.PropertyEQ):
        tree.set("expression", computed(tree.expression))
        return tree
    return computed(tree)


def _in_order(tree: exp.Expression, sources: Sources) -> exp.Expression:
    """Give row_number() OVER () an order, of all columns: rows that are alike in all may change places.

    An engine may compute a common table expression each time that it is read, and must then number its rows alike.
    """
    for window in list(tree.find_all(exp.Window)):
        if isinstance(window.this, exp.RowNumber) and not window.args.get("order") and not window.args.get("alias"):
            by = [exp.Ordered(this=item.tree.copy(), nulls_first=False) for item in sources.all()]
            window.set("order", exp.Order(expressions=by))
    return tree


def _varying(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Forget that columns are constants."""
    return tuple(replace(field, constant=None) for field in fields)


def _as_row(item: Item) -> Item:
    """Write a struct as a row of its values."""
    if isinstance(item.tree, exp.Struct):
        values = [e.expression.copy() for e in item.tree.expressions]
        return Item(exp.Anonymous(this="ROW", expressions=values), item.field)
    return item


def _for_each_column(tree: exp.Expression, sources: Sources) -> Iterator[tuple[str, exp.Expression]]:
    """Give a copy of an expression for each column that its COLUMNS(...) chooses; the expression itself without one."""
    chooses = list(tree.find_all(exp.Columns))
    if not chooses:
        yield "", tree
        return
    chosen = [sources.chosen(columns) for columns in chooses]
    if any([i.field.name for i in c] != [i.field.name for i in chosen[0]] for c in chosen):
        raise Unsupported(f"Several COLUMNS that differ in one expression: {tree.sql('duckdb')[:80]}")
    for item in chosen[0]:
        copy = tree.copy()
        yield (
            item.field.name,
            copy.transform(lambda n, tree=item.tree: tree.copy() if isinstance(n, exp.Columns) else n, copy=False),
        )


def _laterals(tree: exp.Expression, sources: Sources, before: Sequence[Item]) -> exp.Expression:
    """Replace the name of an earlier column of the same SELECT by what it stands for."""
    names = {folded(i.field.name): i.tree for i in before if i.field.name}

    def replaced(column: exp.Column) -> exp.Expression:
        earlier = None if column.table or sources.find(column) else names.get(folded(column.name))
        return column if earlier is None else pasted(earlier)

    return with_columns(tree, replaced)


def _aggregates(tree: exp.Expression) -> bool:
    return any(not isinstance(node.parent, exp.Window) for node in tree.find_all(exp.AggFunc))


def _whole(tree: exp.Query) -> exp.Query:
    """Return a query without the parentheses around it."""
    while isinstance(tree, exp.Subquery):
        inner: exp.Query = tree.this
        tree = inner
    return tree


def _subquery(tree: exp.Query, alias: str) -> exp.Subquery:
    return exp.Subquery(this=_whole(tree), alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def _reference(name: str, alias: str) -> exp.Table:
    table = exp.Table(this=exp.to_identifier(name, quoted=True))
    if alias and alias != name:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return table


def _reachable(tree: exp.Query, ctes: Sequence[exp.CTE]) -> list[exp.CTE]:
    """Return the common table expressions that a query reads, directly or through another."""
    by_name = {cte.alias: cte for cte in ctes}
    wanted: set[str] = set()
    open_ = [tree]
    while open_:
        for table in open_.pop().find_all(exp.Table):
            if table.name in by_name and not table.db and table.name not in wanted:
                wanted.add(table.name)
                open_.append(by_name[table.name].this)
    return [cte for cte in ctes if cte.alias in wanted]
