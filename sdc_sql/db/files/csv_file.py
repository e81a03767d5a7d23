"""Read a CSV or JSON file into a table without making two codes one."""

from __future__ import annotations

import csv
import re

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import ColumnError, TableError

ROWS = "sdc_csv_texts"
_SIGNS = {",": "a comma", ";": "a semicolon", "\t": "a tabulator", "|": "a bar"}


def read_csv_file(
    con: duckdb.DuckDBPyConnection,
    path: exp.Expression,
    name: exp.Identifier,
    numbers: tuple[str, ...],
    *,
    temporary: bool = False,
    reader: str = "read_csv",
) -> None:
    """Make a table of a file's rows.

    A column gets the type that DuckDB detects from all of its values, where every value is written as that type
    writes it. Else (codes 1.1 and 1.10, 017, 01/02/2024) it is text: equal as text, and written back as it was.
    ``numbers`` are the columns that must be numbers (weights, what is masked); how they are written does not count.
    (A number of a JSON file is one, however it is written: codes are texts there, in quotes.)
    """
    wanted = {n.lower() for n in numbers}
    detected = detect_types(con, path, reader)
    nested = {column for column, kind in detected.items() if kind.endswith("]") or "(" in kind.replace("DECIMAL(", "")}
    as_texts = {column: kind if column in nested else "VARCHAR" for column, kind in detected.items()}
    rows = select_file_rows(reader, path, as_texts)
    execute(con, create_from_rows(ROWS, "TABLE", rows, temporary=True, replace=True))
    try:
        _refuse_header_alone(con, path, [*detected])
        typed = {column: kind for column, kind in detected.items() if as_texts[column] != kind}
        kept = _find_typed_columns(con, typed, wanted)
        chosen = [
            exp.alias_(exp.cast(exp.column(c, quoted=True), typed[c], dialect="duckdb"), c, quoted=True)
            if c in kept
            else exp.column(c, quoted=True)
            for c in detected
        ]
        for column in detected:
            if column.lower() in wanted and column not in typed:
                _refuse_few(con, column)
        rows = exp.select(*chosen).from_(exp.to_table(ROWS))
        execute(con, create_from_rows(name, "TABLE", rows, temporary=temporary, replace=temporary))
    finally:
        con.execute(f"DROP TABLE {ROWS}")


def detect_types(con: duckdb.DuckDBPyConnection, path: exp.Expression, reader: str = "read_csv") -> dict[str, str]:
    """Return the columns of a file with the types that DuckDB detects from all of it.

    Raises
    ------
    TableError
        Where a line has another number of fields than the first, so that DuckDB takes the whole file for another.
    """
    try:
        types = execute(con, select_file_rows(reader, path).limit(0)).description or ()
    except duckdb.Error as error:
        if reader == "read_csv" and "CSV Error on Line" not in str(error):
            _refuse_ragged(path)
        raise
    if reader == "read_csv" and _describe_misreading([str(column) for column, *_ in types]):
        _refuse_ragged(path)
    return {str(column): str(kind) for column, kind, *_ in types}


def _describe_misreading(columns: list[str]) -> bool:
    """Say whether the names of the columns look as if the file's lines had not been told apart into fields."""
    return (len(columns) == 1 and any(sign in columns[0] for sign in _SIGNS)) or all(
        re.fullmatch(r"column\d+", name) for name in columns
    )


def _refuse_ragged(path: exp.Expression) -> None:
    """Name the first line with another number of fields than the header: DuckDB guesses other columns for such a file.

    This is done for a file that stands here as text only; for any other, DuckDB's own answer is all there is.
    """
    try:
        with open(path.name, newline="", encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - any text is no path
            head = file.readline()
            sign = max(_SIGNS, key=head.count)
            file.seek(0)
            records = csv.reader(file, delimiter=sign)
            expected = len(next(records, []))
            line = 1
            for record in records:
                line, begun = records.line_num, line + 1
                if record and len(record) != expected and expected > 1:
                    raise TableError(
                        f"Line {begun:,} of the CSV file cannot be read: it has {len(record):,} fields, and the first "
                        f"line has {expected:,}, with {_SIGNS[sign]} between them; correct it, or put a value that "
                        "contains the separator in double quotes."
                    ) from None
    except (OSError, UnicodeError, csv.Error):
        return


def select_file_rows(reader: str, path: exp.Expression, texts: dict[str, str] | None = None) -> exp.Select:
    """Return the query of a file's rows, read with types found from all of it, or as texts."""
    options: dict[str, exp.Expression] = {"sample_size": exp.Neg(this=exp.Literal.number(1))}
    if texts is not None and reader == "read_csv":
        options["all_varchar"] = exp.true()
    elif texts is not None:
        options["columns"] = query.make_text_literal(texts)
    named = [exp.PropertyEQ(this=exp.to_identifier(n), expression=v) for n, v in options.items()]
    return exp.select("*").from_(exp.Table(this=exp.Anonymous(this=reader, expressions=[path.copy(), *named])))


def create_from_rows(
    name: str | exp.Identifier, kind: str, rows: exp.Select, *, temporary: bool = False, replace: bool = False
) -> exp.Create:
    """Return the statement that makes a table or a view of rows."""
    kept = exp.Properties(expressions=[exp.TemporaryProperty()] if temporary else [])
    table = exp.Table(this=exp.to_identifier(name))
    return exp.Create(this=table, kind=kind, expression=rows, properties=kept, replace=replace)


def _find_typed_columns(con: duckdb.DuckDBPyConnection, typed: dict[str, str], wanted: set[str]) -> set[str]:
    """Return the columns that get their type: each value is written alike, or is a number where one is wanted."""
    if not typed:
        return set()
    conditions = []
    for column, kind in typed.items():
        text = exp.column(column, quoted=True)
        value = exp.TryCast(this=text.copy(), to=exp.DataType.build(kind, dialect="duckdb"))
        there = exp.not_(value.is_(exp.null()))
        same = there if column.lower() in wanted else text.eq(exp.cast(value, "VARCHAR"))
        conditions.append(
            exp.func("bool_and", exp.or_(text.is_(exp.null()), exp.and_(there.copy(), same)), dialect="duckdb")
        )
    (found,) = execute(con, exp.select(*conditions).from_(exp.to_table(ROWS))).fetchall()
    return {column for column, alike in zip(typed, found, strict=True) if alike is not False}


def _refuse_header_alone(con: duckdb.DuckDBPyConnection, path: exp.Expression, columns: list[str]) -> None:
    """Refuse a file of one line: DuckDB takes the names of the columns, if they are names, for a record."""
    if columns != [f"column{i}" for i in range(len(columns))]:
        return
    ((lines,),) = execute(con, exp.select(exp.Count(this=exp.Star())).from_(exp.to_table(ROWS))).fetchall()
    if lines == 1:
        raise TableError(f"{path.name} has no records: it is one line, which should be the names of the columns.")


def _refuse_few(con: duckdb.DuckDBPyConnection, column: str) -> None:
    """Say it where a few values make text of a column that is to hold numbers."""
    value = exp.column(column, quoted=True)
    number = exp.TryCast(this=value.copy(), to=exp.DataType.build("DOUBLE"))
    counts = exp.select(exp.Count(this=number), exp.Count(this=value)).from_(exp.to_table(ROWS))
    ((found, present),) = execute(con, counts).fetchall()
    if found:
        raise ColumnError(
            f'Column "{column}": {present - found:,} of {present:,} values are no numbers, which makes it text; '
            "correct them, or leave them empty."
        )
