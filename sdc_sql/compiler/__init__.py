"""The macros beyond DuckDB: one standalone query, written for another engine.

``definitions`` reads the macros from the SQL files, ``expand`` makes one query of a call, ``constants`` computes
what is known beforehand, ``engines`` says it as Spark or PostgreSQL wants it (``spark`` and ``postgres`` hold all
that is of one engine alone), ``allowed`` refuses whatever is not
known to mean the same there; ``cannot_compile`` says which macros stay in DuckDB.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from sdc_sql.compiler import cannot_compile, draws
from sdc_sql.compiler.allowed import refuse_unknown_constructs
from sdc_sql.compiler.definitions import load_definitions as known_macros
from sdc_sql.compiler.doubles import SUMS
from sdc_sql.compiler.engines import ENGINES, rewrite_for_engine
from sdc_sql.compiler.expand import CallExpansion
from sdc_sql.compiler.lists import OWN_WORDS
from sdc_sql.compiler.written import format_query as text_of
from sdc_sql.db import query
from sdc_sql.db.catalogue.functions import explain_new_name
from sdc_sql.db.catalogue.macros import index_catalogue, index_former_names
from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError, TableError, translate_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb

    from sdc_sql.db.query import Value

DIALECTS = ("duckdb", "spark", "postgres")


def compile(  # noqa: A001 - what it does
    macro: str,
    *arguments: Value,
    dialect: Literal["duckdb", "spark", "postgres"] = "duckdb",
    columns: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    **named: Value,
) -> str:
    """Return one standalone query that gives on another engine what a macro gives on DuckDB.

    Parameters
    ----------
    macro
        Its name, with or without ``sdc_``.
    arguments, named
        The macro's own. Tables are names on that engine, written with the letters' case that it stores
        (PostgreSQL: small letters, where the table was created without quotes).
    dialect
        The engine.
    columns
        The columns of the table, in order, as the engine stores them; several tables with different columns: a
        mapping of names to columns.
    con
        A DuckDB connection that has a table of that name, instead of `columns`.

    Returns
    -------
    str
        A SELECT, without the closing semicolon, after a comment that says what it is. What can be checked now is
        checked now; what depends on the data raises an error, with the macro's words, when the query runs.

    Raises
    ------
    InputError
        Where the macro would refuse the arguments.
    Unsupported
        Where the macro cannot be compiled (the message says why), or where a construct is not known to mean the same
        there.

    Examples
    --------
    >>> import sdc_sql
    >>> print(sdc_sql.compile("frequency_counts", "persons", ["age", "sex"], dialect="spark", columns=["age", "sex"]))
    ... # doctest: +ELLIPSIS
    /* sdc_frequency_counts('persons', ['age', 'sex'])
       Compiled by sdc-sql ... for spark.
       Source: ... */
    WITH `sdc__category_cells` AS (
    ...
    """
    if dialect not in DIALECTS:
        raise ParameterError(f"The dialect is {text_for_message(dialect)}: it must be one of {', '.join(DIALECTS)}.")
    name = macro if macro.startswith("sdc_") else f"sdc_{macro}"
    known = known_macros()
    if name in index_former_names():
        raise ParameterError(explain_new_name(name, index_former_names()[name]))
    if name not in known or not known[name].is_table or name.startswith("sdc__"):
        public = sorted(n for n, d in known.items() if d.is_table and not n.startswith("sdc__"))
        raise ParameterError(f"There is no macro {macro}; there are {', '.join(public)}.")
    call = query.call_macro(name, *arguments, **named).find(exp.Anonymous)
    assert call is not None  # noqa: S101 - for the type checker: it was just made
    return compile_call(call, dialect, _lookup(columns, con))


def compile_call(
    call: exp.Anonymous, dialect: Literal["duckdb", "spark", "postgres"], columns_of: Callable[[str], Sequence[str]]
) -> str:
    """Return the query for a call of a macro that there is, with what tells the columns of a table."""
    name = str(call.this)
    cannot_compile.refuse(name, call.expressions, dialect)
    declared = index_catalogue().get(name)
    expansion = CallExpansion(
        columns_of,
        companions=dialect in ENGINES and ENGINES[dialect].plans_once,
        kept=(*OWN_WORDS, *SUMS, *draws.OWN_WORDS) if dialect != "duckdb" else (),
        is_apart=declared is not None and declared.masks,
    )
    tree = expansion.call(name, call.expressions)
    if dialect != "duckdb":
        tree = rewrite_for_engine(tree, dialect)
        refuse_unknown_constructs(tree, dialect)
    return text_of(tree, call, dialect)


def _lookup(
    columns: Sequence[str] | Mapping[str, Sequence[str]] | None, con: duckdb.DuckDBPyConnection | None
) -> Callable[[str], Sequence[str]]:
    def look_up(table: str) -> Sequence[str]:
        if isinstance(columns, Mapping):
            if table not in columns:
                raise TableError(f"The columns of the table {table} are not given, only those of {', '.join(columns)}.")
            return list(columns[table])
        if columns is not None:
            return list(columns)
        if con is None:
            raise TableError(
                f"The columns of the table {table} are not known: say columns=[...],"
                " or con= a DuckDB connection that has it."
            )
        with translate_errors():
            call = exp.Anonymous(this="query_table", expressions=[query.make_text_literal(table)])
            described = con.execute(query.write_sql(exp.select("*").from_(exp.Table(this=call)).limit(0))).description
        return [name for name, *_ in described or []]

    return look_up
