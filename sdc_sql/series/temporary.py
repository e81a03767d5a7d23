"""What a step in a series reads and stores by queries of the house's macros: Arrow tables, and temporary ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, load_macros
from sdc_sql.errors import translate_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb
    import pyarrow as pa


def fetch_arrow(con: duckdb.DuckDBPyConnection, select: exp.Select) -> pa.Table:
    """Return the rows of a query as an Arrow table."""
    written = query.write_sql(select)
    load_macros(con, written)
    return con.sql(written).to_arrow_table()


def store_rows(con: duckdb.DuckDBPyConnection, name: str, select: exp.Expression) -> None:
    """Keep the rows of a query under a name, in the place of those that it has; they may be read for it."""
    made = name_table(f"{name}_made")
    properties = exp.Properties(expressions=[exp.TemporaryProperty()])
    create = exp.Create(this=made, kind="TABLE", expression=select, properties=properties)
    with translate_errors():
        con.execute(f"DROP TABLE IF EXISTS {made.sql('duckdb')}")
        execute(con, create).fetchall()
        con.execute(f"DROP TABLE IF EXISTS {name_table(name).sql('duckdb')}")
        con.execute(f"ALTER TABLE {made.sql('duckdb')} RENAME TO {name}")


def load_rows(con: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    """Keep the rows of an Arrow table under a name."""
    con.register(f"{name}_given", rows)
    try:
        store_rows(con, name, exp.select("*").from_(exp.to_table(f"{name}_given")))
    finally:
        con.unregister(f"{name}_given")


def drop_tables(con: duckdb.DuckDBPyConnection, *names: str) -> None:
    """Drop temporary tables, where they are there."""
    for name in names:
        con.execute(f"DROP TABLE IF EXISTS {name_table(name).sql('duckdb')}")


def name_table(name: str) -> exp.Table:
    """Return a temporary table.

    Examples
    --------
    >>> name_table("rows").sql("duckdb")
    '"temp"."main"."rows"'
    """
    return exp.table_(name, db="main", catalog="temp", quoted=True)


def call(name: str, *arguments: Any) -> exp.Anonymous:  # noqa: ANN401 - trees, or values that become literals
    """Return a call of a macro of values.

    Examples
    --------
    >>> call("sdc__part", exp.column("age"), 2).sql("duckdb")
    'SDC__PART(age, 2)'
    """
    given = [a if isinstance(a, exp.Expression) else query.make_text_literal(a) for a in arguments]
    return exp.Anonymous(this=name, expressions=given)


def match_bytes(left: exp.Expression, right: exp.Expression) -> exp.Condition:
    """Return whether two ids are the same, whatever their collation."""
    return call("sdc__by_bytes", left).eq(call("sdc__by_bytes", right))


def sum_lost_keys(keys: Any, table: str) -> exp.Expression:  # noqa: ANN401 - names
    """Return a bit for each key that is NULL in a table.

    Examples
    --------
    >>> sum_lost_keys(["age"], "v").sql("duckdb")
    'CAST(0 + CASE WHEN "v"."age" IS NULL THEN 1 ELSE 0 END AS INT)'
    """
    lost: exp.Expression = exp.Literal.number(0)
    for j, key in enumerate(keys):
        gone = exp.Case().when(exp.column(key, table=table, quoted=True).is_(exp.null()), exp.Literal.number(1 << j))
        lost = exp.Add(this=lost, expression=gone.else_(exp.Literal.number(0)))
    return exp.cast(lost, "INTEGER")


def read_in_place_of(select: exp.Select, tables: Mapping[str, str]) -> exp.Select:
    """Return a query of macros that read temporary tables by their names, as one of others.

    Examples
    --------
    >>> asked = exp.select("*").from_(exp.Table(this=call("sdc__proof", "temp.masked", 3)))
    >>> read_in_place_of(asked, {"masked": "released"}).sql("duckdb")
    "SELECT * FROM SDC__PROOF('temp.released', 3)"
    """

    def change(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Anonymous):
            for given in node.expressions:
                if isinstance(given, exp.Literal) and given.is_string and given.name in named:
                    given.replace(exp.Literal.string(named[given.name]))
        return node

    named = {f"temp.{name}": f"temp.{other}" for name, other in tables.items()}
    changed = select.copy().transform(change)
    assert isinstance(changed, exp.Select)  # noqa: S101 - for the type checker: its root is no call
    return changed
