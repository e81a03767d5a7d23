"""A table on a connection, and how it is queried."""

from __future__ import annotations

import difflib
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, load_macros
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.files.source import text_file
from sdc_sql.db.names import parse_table_name
from sdc_sql.errors import ColumnError, TableError, translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.query import Value

# names are folded as DuckDB folds them: ASCII letters only
_FOLD = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def spell_column(table: str, columns: tuple[str, ...], role: str, name: str) -> str:
    """Return a column's name as the table spells it.

    Raises
    ------
    ColumnError
        Where the table has no such column: the message lists those it has, and suggests a similar one.

    Examples
    --------
    >>> spell_column("persons", ("Age", "sex"), "key variable", "age")
    'Age'
    """
    if not isinstance(name, str):
        raise ColumnError(f"The {role} is {text_for_message(name)}: it must be the name of a column.")
    for column in columns:
        if column.translate(_FOLD) == name.translate(_FOLD):
            return column
    lower = {c.lower(): c for c in columns}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    hint = f" Did you mean {lower[near[0]]!r}?" if near else ""
    raise ColumnError(f"The {role} {name!r} is not a column of {table}; it has {', '.join(columns)}.{hint}")


def fetch_rows(con: duckdb.DuckDBPyConnection, select: exp.Select | exp.Union) -> list[dict[str, Any]]:
    """Return the rows of a query, by column name."""
    with translate_errors():
        result = execute(con, select)
        names = [d[0] for d in result.description or ()]
        return [dict(zip(names, values, strict=True)) for values in result.fetchall()]


@dataclass(frozen=True)
class Part:
    """The records of a table of which a condition holds, which are masked as if they were all there are.

    ``whole`` is the table, ``name`` the one by which the records are read, the same for the same condition; ``said`` is
    what the caller gave, ``condition`` never NULL.
    """

    whole: Table
    name: str
    said: str
    condition: exp.Condition


@dataclass(frozen=True)
class Homes:
    """The records of households, which are masked in the place of those of their members.

    ``of`` is the table whose records these are; ``columns`` are masked, ``others`` what the mask asks for besides: they
    must be the same for all members. How they are made says ``homes.py``.
    """

    of: Table
    identifier: str
    household: str
    columns: tuple[str, ...]
    others: tuple[str, ...] = ()


class Table:
    """A table, view or file by its name, on a connection that has the macros."""

    con: duckdb.DuckDBPyConnection
    table: str
    columns: tuple[str, ...]
    file: str | None = None  # the file whose rows the table holds
    part: Part | None = None  # the table holds some records of that one
    homes: Homes | None = None  # the records are those of households of that table
    series: Any = None  # the release of a series that masks it, where it is one (sdc_sql.series)
    engine: Any = None  # what computes the masked values in the place of DuckDB, where it is another one

    def spell_column(self, role: str, name: str) -> str:
        """Return a column's name as the table spells it."""
        return spell_column(self.table, self.columns, role, name)

    def read_columns(self) -> tuple[str, ...]:
        """Return the names of the columns; an error where there is no such table, or where it has no rows."""
        if not isinstance(self.table, str) or not self.table:
            raise TableError(f"table is {text_for_message(self.table)}: it must be the name of a table, view or file.")
        rows = query.call_macro("sdc__rows", self.table).limit(1)
        with translate_errors():
            try:
                result = execute(self.con, rows)
            except duckdb.ParserException:
                parse_table_name(self.table)  # it refuses what is no name, in our words
                raise
            except duckdb.CatalogException as error:
                if "Function with name sdc_" not in str(error):
                    raise
                load_macros(self.con)  # a view of the user's may call any macro
                result = execute(self.con, rows)
            result.fetchall()
        return tuple(str(d[0]) for d in result.description or ())

    def read_table(self, table: str, numbers: Iterable[str] = ()) -> str:
        """Return the name of another table; a CSV or JSON file is read into one, its codes as texts."""
        with translate_errors():
            return text_file(self.con, table, numbers) if isinstance(table, str) else table

    def count(self, condition: exp.Expr) -> int:
        """Return the number of records for which a condition holds."""
        rows = exp.select(exp.Count(this=exp.Star())).from_(query.call_macro("sdc__rows", self.table).subquery("r"))
        return self.number(rows.where(condition))

    def number(self, select: exp.Select) -> int:
        """Return the one number of a query."""
        with translate_errors():
            # the result is fetched to its end: an unfinished one would block the connection
            ((number,),) = execute(self.con, select).fetchall()
        return int(number)

    def row(self, macro: str, *arguments: Value, **named: Value) -> dict[str, Any]:
        """Return the one row of a measure, by column name."""
        (found,) = self.rows(macro, *arguments, **named)
        return found

    def rows(self, macro: str, *arguments: Value, **named: Value) -> list[dict[str, Any]]:
        """Return the few rows of a measure, by column name."""
        return self.select(query.call_macro(macro, *arguments, **named))

    def select(self, select: exp.Select) -> list[dict[str, Any]]:
        """Return the rows of a query, by column name."""
        return fetch_rows(self.con, select)

    def relation(self, macro: str, *arguments: Value, **named: Value) -> duckdb.DuckDBPyRelation:
        """Return the records of a measure as a DuckDB relation, computed when it is read."""
        return self.reading(query.call_macro(macro, *arguments, **named))

    def reading(self, select: exp.Select) -> duckdb.DuckDBPyRelation:
        """Return the records of a query as a DuckDB relation, computed when it is read."""
        text = query.write_sql(select)
        load_macros(self.con, text)
        with translate_errors():
            return self.con.sql(text)
