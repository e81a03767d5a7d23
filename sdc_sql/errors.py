"""What can go wrong, as one tree.

::

    SdcError                    everything this package raises on purpose
    ├── MissingPackageError     a package that is asked for is not installed (also an ImportError)
    ├── Unsupported             an engine other than DuckDB cannot do it: no query is written
    └── InputError              what was given cannot be used (also a ValueError)
        ├── TableError          no such table, an empty one, or one that cannot be read
        ├── ColumnError         a column unknown, named twice, reserved, or in the way of a result
        ├── WeightError         sampling weights that are missing, not positive and finite, or normalised
        └── ParameterError      a number or a choice outside its range

A message says what was given, what was expected, and what to do. The macros raise the same
complaints inside the database; :func:`translated` turns those into this tree.
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


# DuckDB's own ending of the complaint that the macros put in the place of a column's name.
_COLUMN = re.compile(r'Column "(?P<complaint>.*); so ".*" was selected but was not found in the FROM clause', re.DOTALL)
_KINDS: tuple[tuple[str, type[InputError]], ...] = (
    ("sampling weight is", WeightError),
    ("The weights of cell", WeightError),
    ("Individual risk needs a weight", WeightError),
    ("when casting from source column", ColumnError),
    ("has no rows", TableError),
    ("does not give the same rows", TableError),
    ("must lie strictly between 0 and 1", ParameterError),
    ("must be a whole number of at least", ParameterError),
    ("nulls is", ParameterError),
    ("scoring is", ParameterError),
    ("max_msu", ParameterError),
    ("it must be constant in each stratum", ParameterError),
    ("the sample must be a part of the population", TableError),
    ("A household number is NULL", ColumnError),
    ("Individual risk needs a sample frequency", ParameterError),
    ("records: it must be unique", ColumnError),
    ("records: every record needs one of its own", ColumnError),
    ("The id of a record is NULL", ColumnError),
    ("this method masks numbers", ColumnError),
    ("NULL cannot be a category", ParameterError),
    ("No secret key is set", ParameterError),
    ("PRAM", ParameterError),
    ("The probabilities from", ParameterError),
    ("The retention is", ParameterError),
    ("Groups of one cell", ParameterError),
    ("lies in several groups", ParameterError),
    ("The weights of", WeightError),
    ("The threshold is", ParameterError),
    ("The dimension is", ParameterError),
    ("inclusive is", ParameterError),
    ("a list of thresholds", ParameterError),
    ("level of identification", ParameterError),
    ("levels of identification", ParameterError),
    ("Levels of identification", ParameterError),
    ("holds a NULL where a name should be", ParameterError),
    ("it must be positive and finite", ParameterError),
    ("distance is", ParameterError),
    ("the ordered distance has no place for NULL", ColumnError),
    ("chosen values", ParameterError),
    ("stream is", ParameterError),
    ("misclassification matrix", ParameterError),
    ("name a matrix for each", ParameterError),
    ("The inhabitants of a region", ColumnError),
    ("xi is", ParameterError),
    ("With xi =", ParameterError),
    ("The base is", ParameterError),
    ("samples is", ParameterError),
    ("or one for each of the columns", ParameterError),
    ("out of range for the destination type", ParameterError),
)


def translate(error: duckdb.Error) -> SdcError | None:
    """Return the error of this tree that a DuckDB error stands for, or None where it is none of ours.

    Examples
    --------
    >>> import duckdb
    >>> type(translate(duckdb.InvalidInputException("Invalid Input Error: The table t has no rows: ..."))).__name__
    'TableError'
    """
    text = str(error).split("\n\nLINE ")[0]
    found = _COLUMN.search(text)
    if found:
        return ColumnError(f'Column "{found["complaint"]}.')
    message = text.partition("Error: ")[2] or text
    kernel = message.partition("executing the UDF: ValueError: ")[2]
    if kernel:  # a kernel's complaint about its arguments; DuckDB 1.5 adds where in Python it arose
        return ParameterError(kernel.partition("\n\nAt:")[0])
    for words, kind in _KINDS:
        if words in message:
            return kind(message)
    no_table = isinstance(error, duckdb.CatalogException) and message.startswith("Table with name")
    if no_table or isinstance(error, duckdb.IOException) or "qualified name" in message:
        return TableError(message)
    return None


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
