"""The exceptions, as one tree.

::

    SdcError                    everything this package raises on purpose
    ├── MissingPackageError     a package that is asked for is not installed (also an ImportError)
    ├── Unsupported             what an engine cannot do (or a plain DuckDB shell, without Python)
    └── InputError              what was given cannot be used (also a ValueError)
        ├── TableError          no such table, an empty one, or one that cannot be read
        ├── ColumnError         a column unknown, named twice, reserved, or in the way of a result
        ├── WeightError         sampling weights that are missing, not positive and finite, or normalised
        └── ParameterError      a number or a choice outside its range

A message says what was given, what was expected, and what to do. The macros raise the same
errors inside the database, with the class in front; :func:`translated` turns those into this tree.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from collections.abc import Iterator


class SdcError(Exception):
    """Everything this package raises on purpose."""


class MissingPackageError(SdcError, ImportError):
    """A package that is no dependency, and that is asked for, is not installed."""


class Unsupported(SdcError):  # noqa: N818 - it says what the matter is
    """What an engine cannot do, or what is not known to mean the same there."""


class InputError(SdcError, ValueError):
    """What was given cannot be used."""


class TableError(InputError):
    """No such table, an empty one, or one that cannot be read."""


class ColumnError(InputError):
    """A column that is unknown, named twice, reserved, or in the way of a result column."""


class WeightError(InputError):
    """Sampling weights that are missing, not positive and finite, or normalised."""


class ParameterError(InputError):
    """A number or a choice outside its range."""


# A complaint of the macros begins with its class: error('ParameterError: k is 1: ...').
_KINDS: dict[str, type[SdcError]] = {
    kind.__name__: kind for kind in (TableError, ColumnError, WeightError, ParameterError, Unsupported)
}
_OURS = re.compile(rf"(?:^|Error: )(?P<kind>{'|'.join(_KINDS)}): (?P<complaint>.*)", re.DOTALL)
# The complaint that the macros put in the place of a column's name (sql/core/columns.sql), in DuckDB's words for
# a column that is not there.
_COLUMN = re.compile(r'Column "(?P<complaint>.*); so ".*" was selected but was not found in the FROM clause', re.DOTALL)
# What DuckDB itself says where no macro can speak first: a column of text is cast to numbers, a masked value is cast
# back to the type of its column, and a table is looked up before anything runs.
_DUCKDB: tuple[tuple[str, type[InputError]], ...] = (
    ("when casting from source column", ColumnError),
    ("out of range for the destination type", ParameterError),
    ("qualified name", TableError),
)


def translate(error: duckdb.Error) -> SdcError | None:
    """Return the error of this tree that a DuckDB error stands for, or None where it is none of ours.

    Examples
    --------
    >>> import duckdb
    >>> translate(duckdb.InvalidInputException("Invalid Input Error: TableError: The table t has no rows: ..."))
    TableError('The table t has no rows: ...')
    """
    text = str(error).split("\n\nLINE ")[0]
    found = _COLUMN.search(text)
    if found:
        return ColumnError(f'Column "{found["complaint"]}.')
    kernel = text.partition("executing the UDF: ValueError: ")[2]
    if kernel:  # a kernel's complaint about its arguments; DuckDB 1.5 adds where in Python it arose
        return ParameterError(kernel.partition("\n\nAt:")[0])
    found = _OURS.search(text)
    if found:
        return _KINDS[found["kind"]](found["complaint"])
    message = text.partition("Error: ")[2] or text
    for words, kind in _DUCKDB:
        if words in message:
            return kind(message)
    no_table = isinstance(error, duckdb.CatalogException) and message.startswith("Table with name")
    return TableError(message) if no_table or isinstance(error, duckdb.IOException) else None


@contextmanager
def translated() -> Iterator[None]:
    """Raise a DuckDB error as the error of this tree that it stands for."""
    try:
        yield
    except duckdb.Error as error:
        ours = translate(error)
        if ours is None:
            raise
        raise ours from error
