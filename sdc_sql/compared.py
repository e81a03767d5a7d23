"""What a measure of two tables is given: the released one it is a method of, and the original."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from sdc_sql.db.checks import text_for_message
from sdc_sql.db.files.given import name_given_table
from sdc_sql.errors import ColumnError, ParameterError, TableError

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


class Described(Protocol):
    """A table on a connection, as Microdata is."""

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The connection."""

    @property
    def table(self) -> str:
        """The table's name."""


def original_table(data: Roles, original: Described | str) -> str:
    """Return the name of the original table, which is on the same connection; a DataFrame is copied to it.

    Raises
    ------
    TableError, ParameterError
        Where it is on another connection, or no table.
    """
    if isinstance(original, str) or hasattr(original, "__arrow_c_stream__"):
        return data.read_table(name_given_table(data.con, original))
    if not hasattr(original, "table") or not hasattr(original, "con"):
        raise ParameterError(
            f"original is {text_for_message(original)}: it must be a Microdata, or the name of a table."
        )
    if original.con is not data.con:
        raise TableError("The original is on another connection than the released table: describe both on one.")
    return original.table


def resolve_columns_or_keys(data: Roles, columns: str | Iterable[str] | None, role: str = "column") -> list[str]:
    """Return columns, one or several, as the released table spells them; by default the keys.

    Raises
    ------
    ColumnError
        Where there are none, or one is not a column.
    """
    if columns is None and data.keys:
        return list(data.keys)
    names = [columns] if isinstance(columns, str) else list(columns) if isinstance(columns, Iterable) else []
    if not names:
        raise ColumnError(
            f"columns is {text_for_message(columns)}: it must be a list of column names, as in ['age', 'sex']."
        )
    return [data.spell_column(role, name) for name in names]


def list_or_none(names: str | Iterable[str] | None) -> list[str] | None:
    """Return a list of names, or None where it is empty: which columns they are of is the macro's to check."""
    if isinstance(names, str):
        return [names]
    if not (names is None or isinstance(names, Iterable)):
        raise ColumnError(
            f"The columns are {text_for_message(names)}: they must be a list of names, as in ['age', 'sex']."
        )
    return list(names or ()) or None


def resolve_further_columns(data: Roles, columns: str | Iterable[str] | None, role: str) -> list[str] | None:
    """Return columns that may be left out, as the table spells them; None where there are none."""
    named = [*columns] if isinstance(columns, Iterable) and not isinstance(columns, str) else columns
    return None if named is None or named == [] else resolve_columns_or_keys(data, named, role)


def resolve_table(data: Roles, role: str, table: str) -> str:
    """Return the name of another table, where it is one; a CSV or JSON file is read.

    Raises
    ------
    TableError
        Where it is no name.
    """
    if not isinstance(table, str) or not table:
        raise TableError(f"The {role} is {text_for_message(table)}: it must be the name of a table, view or file.")
    return data.read_table(table)


def resolve_tables(data: Roles, role: str, tables: Iterable[str]) -> list[str]:
    """Return the names of several tables, where they are such; CSV and JSON files are read.

    Raises
    ------
    TableError
        Where there is none, or one is no name.
    """
    names = [] if isinstance(tables, str) or not isinstance(tables, Iterable) else list(tables)
    if not names:
        raise TableError(f"The {role} are {text_for_message(tables)}: they must be a list of tables, views or files.")
    return [resolve_table(data, f"{role}: one", name) for name in names]


def name_weight(weight: str | None) -> str | None:
    """Return the name of a column of weights, or None: whether the original has it is the macro's to check."""
    if not (weight is None or isinstance(weight, str)):
        raise ColumnError(
            f"weight is {text_for_message(weight)}: it must be the name of a column of the original table."
        )
    return weight


def find_design_column(data: Roles, role: str, name: str | None) -> str | None:
    """Return a column of the sample's design: the one that is given, or what the table has by its roles.

    The roles of a table are its weight, its stratum (``strata``) and its household (``cluster``).

    Raises
    ------
    ColumnError
        Where it is no column.
    """
    if name is not None:
        return data.spell_column(role, name)
    own = {"weight": data.weight, "strata": data.stratum, "cluster": data.household}[role]
    return own if isinstance(own, str) else None


def name_household(household: str | None) -> str | None:
    """Return the name of a column of household numbers, or None: the macro looks for it in the original."""
    if not (household is None or isinstance(household, str)):
        raise ColumnError(
            f"household is {text_for_message(household)}: it must be the name of a column of the original table."
        )
    return household


def require_matching_keys(data: Roles) -> tuple[str, ...]:
    """Return the keys by which cells of two tables are matched; refuse wildcards, which would match any cell.

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``.
    """
    if data.nulls != "category":
        raise ParameterError(
            "The table is described with nulls='wildcard', which measures of attribution do not support: "
            "describe it with nulls='category' (NULL is then a value of its own)."
        )
    return data.keys
