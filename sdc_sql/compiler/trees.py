"""Small parts of a query's tree, made and taken apart alike wherever a macro is expanded."""

from __future__ import annotations

from sqlglot import exp

from sdc_sql.db.names import parse_table_name
from sdc_sql.errors import Unsupported

# sqlglot 28 renamed these arguments
FROM = "from_" if "from_" in exp.Select.arg_types else "from"
WITH = "with_" if "with_" in exp.Select.arg_types else "with"


def refuse_others(tree: exp.Expression, known: set[str]) -> None:
    """Refuse a tree with an argument that the expansion does not know, rather than lose it.

    Raises
    ------
    Unsupported
        It names the argument.
    """
    for name, value in tree.args.items():
        if value and name not in known:
            raise Unsupported(f"The expansion does not know {name} of {type(tree).__name__}: {tree.sql('duckdb')[:80]}")


def make_table(name: str) -> exp.Table:
    """Return a table by the name that the caller writes, qualified or not: it is read as DuckDB reads it.

    Examples
    --------
    >>> make_table('my."ta ble"').sql("duckdb"), make_table("x; DROP TABLE y").sql("duckdb")
    ('"my"."ta ble"', '"x; DROP TABLE y"')
    """
    return parse_table_name(name)


def quote_column(name: str) -> exp.Column:
    """Return a column by its name."""
    return exp.column(name, quoted=True)


def alias_column(tree: exp.Expression, name: str) -> exp.Alias:
    """Return an expression as a column with a name."""
    return exp.Alias(this=tree, alias=exp.to_identifier(name, quoted=True))


def make_reference(name: str, alias: str) -> exp.Table:
    """Return a common table expression of the result as FROM has it."""
    made = exp.Table(this=exp.to_identifier(name, quoted=True))
    if alias and alias != name:
        made.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return made


def make_subquery(tree: exp.Query, alias: str) -> exp.Subquery:
    """Return a query as FROM has it."""
    name = exp.TableAlias(this=exp.to_identifier(alias, quoted=True))
    return exp.Subquery(this=unwrap_query(tree), alias=name)


def unwrap_query(tree: exp.Query) -> exp.Query:
    """Return a query without the parentheses around it."""
    while isinstance(tree, exp.Subquery):
        inner: exp.Query = tree.this
        tree = inner
    return tree


def find_aggregates(tree: exp.Expression) -> bool:
    """Say whether an expression is one of a group of records."""
    return any(not isinstance(node.parent, exp.Window) for node in tree.find_all(exp.AggFunc))
