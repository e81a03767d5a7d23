"""The exceptions, as one tree.

::

    SdcError                    everything this package raises on purpose
    ├── MissingPackageError     a package that is asked for is not installed (also an ImportError)
    ├── Unsupported             what an engine cannot do (or a plain DuckDB shell, without Python)
    └── InputError              what was given cannot be used (also a ValueError)
        ├── TableError          no such table, an empty one, or one that cannot be read
        ├── ColumnError         a column unknown, named twice, reserved, or in the way of a result
        ├── WeightError         sampling weights that are missing, not positive and finite, or normalised
        ├── ParameterError      a number or a choice outside its range
        ├── SeriesError         a series of releases: its ledger, or what a method may not do in one
        └── ReleaseFileError    a release file: every error in it, each with its place

Beside the tree stand RepeatedReleaseWarning and ManyUniquesWarning, which are warnings. A message says what was given,
what was expected, and what to do. The macros raise the same errors inside the database, with the class in front;
:func:`translate_errors` turns those into this tree.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from collections.abc import Iterator


class SdcError(Exception):
    """Everything this package raises on purpose."""


class RepeatedReleaseWarning(UserWarning):
    """A table is released again, by a method that is for one release only, or by one whose arguments were others."""


class ManyUniquesWarning(UserWarning):
    """At least a fifth of the records are alone with their keys: individual and global risk may be far too low."""


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


class SeriesError(InputError):
    """A series of releases: its ledger does not fit, or a method, a record or an id is refused in it."""


class ReleaseFileError(InputError):
    """A release file with errors: ``problems`` has each of them, with the place where it stands."""

    def __init__(self, file: str, problems: tuple[str, ...]) -> None:
        self.file, self.problems = file, problems
        super().__init__("\n  ".join([f"{file} has {len(problems)} error{'s' * (len(problems) > 1)}:", *problems]))


# A complaint of the macros begins with its class: error('ParameterError: k is 1: ...').
_KINDS: dict[str, type[SdcError]] = {
    kind.__name__: kind for kind in (TableError, ColumnError, WeightError, ParameterError, Unsupported)
}
_OURS = re.compile(rf"(?:^|Error: )(?P<kind>{'|'.join(_KINDS)}): (?P<complaint>.*)", re.DOTALL)
# The complaint that the macros put in the place of a column's name (sql/core/columns.sql), in DuckDB's words for
# a column that is not there.
_COLUMN = re.compile(r'Column "(?P<complaint>.*); so ".*" was selected but was not found in the FROM clause', re.DOTALL)
# DuckDB itself says this where no macro can speak first: a table is looked up before anything runs.
_NO_NAME = "qualified name"

# These kinds of DuckDB's errors quote the wrong value, or the whole line of a file.
_QUOTING = (
    duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.ConstraintException, duckdb.InvalidInputException,
)  # fmt: skip
_TYPE = re.compile(
    r"\b(?:to|type) '?(DOUBLE|FLOAT|U?INT\d+|U?(?:TINY|SMALL|BIG|HUGE)INT|INTEGER|DECIMAL\(\d+,\d+\)|BOOL|BOOLEAN|DATE"
    r"|TIME|TIMESTAMP|INTERVAL|UUID|ENUM)\b"
)
_OF_NO_VALUE = re.compile(
    r"^(?:Invalid Input Error: )?(?:Attempting to|More than one row|Python exception|No open result|Cannot )"
)
_FROM_COLUMN = " when casting from source column "
_UNCHANGED = " Nothing was changed: mask a copy, which has no constraints (into='name'), or bound the masked values."
_GENERATED = re.compile(r'update column "(.*)" because it is a generated column')
_READ_ONLY = re.compile(r'on database "(.*)" which is attached in read-only mode')
_NO_TABLE = re.compile(r"Table with name (.*?) does not exist!", re.DOTALL)
_NO_LIST = "can't be cast to the destination type VARCHAR[]"
_NO_READER = re.compile(r'No extension found that is capable of reading the file "(.*?)"', re.DOTALL)
_NO_PARQUET = re.compile(r"No magic bytes found|too small to be a Parquet file")
_UNFIT = re.compile(
    r"Binder Error: (?:No function matches the given name and argument types '(?P<of>\w+)\(.*?\)'"
    r"|(?P<said>Cannot (?:compare|concatenate|combine|mix|deduce template type)[^\n]*?"
    r"|Could not choose a best candidate function for the function call[^\n]*?)"
    r"(?: - an explicit cast is required|\. In order|\n|$))"
)
_LOCKED = re.compile(r'Could not set lock on file "(?P<file>.*?)"(?:.*?\(PID (?P<process>\d+)\))?', re.DOTALL)
_FORBIDDEN = re.compile(r'Cannot open file "(.*?)": Permission denied')
_FULL = re.compile(
    r'file \\?"(?P<file>[^"]*?)\\?": (?P<why>No space left on device|Disk quota exceeded|File too large)'
)
_SPILLED = re.compile(r"failed to offload data block.*max_temp_directory_size", re.DOTALL)
_EXTENSION = re.compile(r"required extension '(\w+)")


def explain_full_disk(error: duckdb.Error) -> TableError | None:
    """Return that a disk is full, and which, where that is what an error says; None of any other.

    Examples
    --------
    >>> import duckdb
    >>> told = 'IO Error: Could not write file "/tmp/sdc-sql-x1/work.duckdb": No space left on device'
    >>> explain_full_disk(duckdb.IOException(told)).args[0].partition(": ")[0]
    'The disk of the folder /tmp is full (No space left on device)'
    """
    found, spilled = _FULL.search(str(error)), _SPILLED.search(str(error))
    elsewhere = "or name a folder for temporary files on another disk in the environment variable TMPDIR"
    if spilled:
        return TableError(
            "The disk is full to which DuckDB spills what does not fit into memory (its setting "
            f"max_temp_directory_size is reached): nothing was changed. Free space there, {elsewhere}."
        )
    if not found:
        return None
    folder, _, own = os.path.dirname(found["file"]).rpartition("/")  # noqa: PTH120 - any text is no path
    if not own.removeprefix(".").startswith("sdc-sql-"):
        folder = f"{folder}/{own}"
    where = f"The disk of the folder {folder or '/'} is full ({found['why']}): nothing was changed. Free space there"
    return TableError(f"{where}, {elsewhere}." if own.startswith("sdc-sql-") else f"{where}, or write to another disk.")


def explain_unread(what: str, error: duckdb.Error) -> SdcError:
    """Return why something cannot be read, without a value of it: or that the disk is full to which it is copied."""
    reason = hide_values(error) or str(error).split("\n", maxsplit=1)[0]
    return explain_full_disk(error) or TableError(f"{what}: {reason}")


def _explain_unopened(text: str) -> TableError | None:
    """Return why a file cannot be opened here, where it is there and is what its name says."""
    needed, locked, forbidden = _EXTENSION.search(text), _LOCKED.search(text), _FORBIDDEN.search(text)
    if locked:
        by = f" (process {locked['process']})" if locked["process"] else ""
        return TableError(
            f"The database {locked['file']} is open in another program{by}: close it there, or copy the file and take "
            "the copy."
        )
    if forbidden:
        return TableError(
            f"The file {forbidden[1]} cannot be opened: you may not read it, or not write to it, as is asked. Change "
            "who may, or copy the file and take the copy."
        )
    if needed:
        return TableError(
            f"The file cannot be read: DuckDB needs its extension {needed[1]} for it, and cannot load that here. "
            f"INSTALL {needed[1]} where there is a network, or fetch the file first and name it on this machine."
        )
    return None


def _explain_source(error: duckdb.Error, text: str) -> SdcError | None:  # noqa: PLR0911 - one for each kind
    """Return what is wrong with a table or a file as a whole, where DuckDB's words do not say what to do."""
    generated, read_only, missing = _GENERATED.search(text), _READ_ONLY.search(text), _NO_TABLE.search(text)
    unfit = _UNFIT.search(text) if isinstance(error, duckdb.BinderException) else None
    if unfit and unfit["of"] == "query_table":
        return TableError("The name of a table is no text: give its name in quotes, as in 'persons'.")
    if unfit and (unfit["said"] or unfit["of"].startswith("sdc__")):
        said = f" ({unfit['said']})" if unfit["said"] else ""
        return ParameterError(
            f"An argument, or a column, has a type that does not fit{said}: give arguments of the types that help "
            "shows, and columns of one type where tables are compared."
        )
    if generated:
        return ColumnError(
            f"The column {generated[1]} is generated from others and cannot be masked: mask the columns it is made of, "
            "or give into='name' to write a copy."
        )
    if read_only:
        return TableError(f"The database {read_only[1]} is read-only: open it for writing, or mask a copy of the file.")
    unopened = _explain_unopened(text)
    if unopened:
        return unopened
    if isinstance(error, duckdb.InvalidInputException) and _NO_PARQUET.search(text):
        return TableError("The file is no Parquet file, whatever its name says: name it .csv or .json if it is that.")
    if isinstance(error, duckdb.ConversionException) and _NO_LIST in text:
        return ColumnError("A text stands for a list of columns: give a list, as in ['age', 'sex'].")
    if missing and os.path.isdir(missing[1]):  # noqa: PTH112 - pathlib fails for a name that is too long for a path
        return TableError(
            f"{missing[1]} is a directory: name a file in it, or all of a kind, as in 'folder/*.parquet'."
        )
    if missing and os.path.exists(missing[1]):  # noqa: PTH110 - likewise
        return TableError(
            f"{missing[1]} is no file that is read by its name: a table is read from .parquet, .csv or .json (what "
            "comes through a pipe has to be saved to a file first, for it is read several times)."
        )
    return None


def hide_values(error: duckdb.Error) -> SdcError | None:  # noqa: PLR0911 - one for each kind
    """Return what DuckDB says of a value, in words that do not show it; None for errors that show none.

    Examples
    --------
    >>> import duckdb
    >>> hide_values(duckdb.ConversionException("Conversion Error: Could not convert string 'Ann' to INT32"))
    ParameterError('A value cannot be converted to INT32 (DuckDB shows it; it is left out here).')
    """
    text = str(error).split("\n\nLINE ")[0]
    if not isinstance(error, _QUOTING) or _OF_NO_VALUE.search(text):
        return None
    line = re.search(r"CSV Error on Line: (\d+)", text)
    if line:
        return TableError(f"Line {line[1]} of the CSV file cannot be read: {_csv_reason(text)}.")
    json = re.search(r"JSON .*?in file (\".*?\"),? (?:at byte \d+ )?in (?:record/value|line) \d+", text)
    if json:
        return TableError(f"The JSON file cannot be read: {json[0]}.")
    if isinstance(error, duckdb.ConstraintException):
        key = re.search(r"(?i)\b(primary key(?: or unique)?|unique|foreign key)\b", text)
        if key:
            return ColumnError(f"A value violates the {key[0].upper()} of a table (it is left out here).{_UNCHANGED}")
        check = re.search(r'CHECK constraint failed on table "?(.*?)"? with expression (CHECK.*)', text, re.DOTALL)
        if check:
            return ColumnError(f"A value violates a constraint of the table {check[1]}, {check[2]}.{_UNCHANGED}")
        return None  # such a message names the column
    kind = _TYPE.findall(text)
    what = f"cannot be converted to {kind[-1]}" if kind else "cannot be used"
    _head, at, column = text.rpartition(_FROM_COLUMN)
    if at:
        return ColumnError(f'Column "{column}": a value {what}; give a column of the right kind, or clean it.')
    overflow = re.search(r"Overflow in \w+ of \w+", text)
    if overflow:
        what = f"is too large ({overflow[0]})"
    return ParameterError(f"A value {what} (DuckDB shows it; it is left out here).")


def _csv_reason(text: str) -> str:
    """Return why a line of a CSV file cannot be read, without the line."""
    for reason in (
        r"Expected Number of Columns: \d+ Found: \d+",
        "Value with unterminated quote found",
        "Invalid unicode",
        "Maximum line size of \\d+ bytes exceeded",
    ):
        found = re.search(reason, text)
        if found:
            return found[0]
    column = re.search(r"Column (\S+) is being converted as type (\S+)", text)
    return f'a value of the column "{column[1]}" is no {column[2]}' if column else "it does not fit the others"


def translate(error: duckdb.Error) -> SdcError | None:  # noqa: PLR0911 - one for each kind
    """Return the error of this tree that a DuckDB error stands for, or None where it is none of ours.

    Examples
    --------
    >>> import duckdb
    >>> translate(duckdb.InvalidInputException("Invalid Input Error: TableError: The table t has no rows: ..."))
    TableError('The table t has no rows: ...')
    """
    text = str(error).split("\n\nLINE ")[0]
    full = explain_full_disk(error)
    if full:
        return full
    found = _COLUMN.search(text)
    if found:
        return ColumnError(f'Column "{found["complaint"]}.')
    found = _OURS.search(text)
    if found:
        return _KINDS[found["kind"]](found["complaint"])
    known = _explain_source(error, text)
    if known:
        return known
    message = text.partition("Error: ")[2] or text
    if no_reader := _NO_READER.search(text):
        message = f"There is no table {no_reader[1]}, and a file of that name is none that DuckDB reads by its name."
        return TableError(message)
    if _NO_NAME in message:
        return TableError(message)
    if _FROM_COLUMN in message or "CSV Error on Line" in message:
        return hide_values(error)
    no_table = isinstance(error, duckdb.CatalogException) and message.startswith("Table with name")
    # (DuckDB puts a suggestion on a line of its own)
    message = message.replace("!\nDid you mean ", "! Did you mean ")
    return TableError(message) if no_table or isinstance(error, duckdb.IOException) else None


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise a DuckDB error as the error of this tree that it stands for, and none that shows a value."""
    try:
        yield
    except duckdb.Error as error:
        ours = translate(error) or hide_values(error)
        if ours is None:
            raise
        # DuckDB's own words would be printed as the cause
        raise ours from None if isinstance(error, _QUOTING) else error
