"""Stata and SPSS files, by pyreadstat (the extra ``formats``): read, and written with the labels that still hold."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files import released_file
from sdc_sql.errors import MissingPackageError, TableError

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

FORMATS = {".dta": "Stata", ".sav": "SPSS"}
_NAMES = {"parquet": "Parquet", "csv": "CSV", "duckdb": "DuckDB"}
# how a released file may end, and the format that it has then
ENDINGS = {ending: _NAMES[kind] for ending, kind in released_file.FORMATS.items()} | FORMATS
_FRAME = "sdc_frame"


def packages() -> tuple[Any, Any]:
    """Return pyreadstat and polars.

    Raises
    ------
    MissingPackageError
        Where one is not installed.
    """
    try:
        return import_module("pyreadstat"), import_module("polars")
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            "Stata and SPSS files need the packages pyreadstat and polars: pip install 'sdc-sql[formats]'."
        ) from error


def _read_package(path: Path, **how: object) -> tuple[Any, Any]:
    pyreadstat, _ = packages()
    if not path.is_file():
        raise TableError(f"There is no file {path}.")
    reader = pyreadstat.read_dta if path.suffix.lower() == ".dta" else pyreadstat.read_sav
    try:
        frame, meta = reader(str(path), output_format="polars", **how)
    except Exception:  # noqa: BLE001 - of several kinds, and one may show a value
        raise TableError(f"{path} cannot be read as a {FORMATS[path.suffix.lower()]} file.") from None
    return frame, meta


def list_file_columns(path: Path) -> dict[str, str]:
    """Return the columns of a file with their types, without reading its records."""
    _, meta = _read_package(path, metadataonly=True)
    kinds = {"string": "VARCHAR"}
    return {name: kinds.get(meta.readstat_variable_types[name], "DOUBLE") for name in meta.column_names}


def read_statistical_file(con: duckdb.DuckDBPyConnection, path: Path, name: str, wanted: list[str]) -> None:
    """Make a table of a file's records. These files have one kind of number: whole ones become whole numbers."""
    frame, _ = _read_package(path, usecols=wanted)
    con.register(_FRAME, frame.to_arrow())
    try:
        kinds = {str(n): str(t) for n, t, *_ in con.execute(f"FROM {_FRAME} LIMIT 0").description or ()}
        numbers = [n for n in wanted if kinds[n] in {"DOUBLE", "FLOAT"}]
        whole = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n"), *map(_is_whole, numbers)).from_(_FRAME)
        ((_, *found),) = execute(con, whole).fetchall()
        as_whole = {n for n, is_whole in zip(numbers, found, strict=True) if is_whole}
        chosen = [
            exp.alias_(exp.cast(exp.column(n, quoted=True), "BIGINT" if n in as_whole else kinds[n]), n, quoted=True)
            for n in wanted
        ]
        table = exp.Table(this=exp.to_identifier(name, quoted=True))
        execute(con, exp.Create(this=table, kind="TABLE", expression=exp.select(*chosen).from_(_FRAME)))
    finally:
        con.unregister(_FRAME)


def _is_whole(name: str) -> exp.Expr:
    value = exp.column(name, quoted=True)
    same = exp.cast(exp.TryCast(this=value, to=exp.DataType.build("BIGINT")), "DOUBLE").eq(value.copy())
    return exp.func("bool_and", exp.func("coalesce", same, value.copy().is_(exp.null())), dialect="duckdb")


def labels(source: Path, columns: set[str], unchanged: set[str]) -> tuple[dict[str, str], dict[str, dict[Any, str]]]:
    """Return the labels of columns, and those of their values, of a source that is such a file.

    The labels of values are kept for columns whose type is ``unchanged``: the values of others are no codes any more.
    """
    if source.suffix.lower() not in FORMATS:
        return {}, {}
    _, meta = _read_package(source, metadataonly=True)
    values = {n: of for n, of in meta.variable_value_labels.items() if n in columns and n in unchanged}
    return {n: text for n, text in meta.column_names_to_labels.items() if n in columns and text}, values


def write_statistical_file(
    con: duckdb.DuckDBPyConnection, rows: exp.Select, path: Path, source: Path, unchanged: set[str]
) -> None:
    """Write rows to a file, with the labels that still hold.

    Raises
    ------
    TableError
        Where the format cannot hold them (a name of a column, a type).
    """
    pyreadstat, polars = packages()
    described = execute(con, rows.copy().limit(0)).description or ()
    typed = [
        exp.alias_(exp.cast(exp.column(n, quoted=True), "DOUBLE"), n, quoted=True)
        if str(kind).startswith(("DECIMAL", "HUGEINT", "UHUGEINT", "UBIGINT"))
        else exp.column(n, quoted=True)
        for n, kind, *_ in described
    ]
    frame = polars.from_arrow(con.sql(query.write_sql(exp.select(*typed).from_(rows.subquery("r")))).to_arrow_table())
    of_columns, of_values = labels(source, set(frame.columns), unchanged)
    writer = pyreadstat.write_dta if path.suffix.lower() == ".dta" else pyreadstat.write_sav
    try:
        writer(frame, str(path), column_labels=of_columns, variable_value_labels=of_values)
    except Exception as error:  # noqa: BLE001 - as above
        raise TableError(
            f"The released table cannot be written as a {FORMATS[path.suffix.lower()]} file "
            f"({type(error).__name__}): its names and types must be those of that format."
        ) from None
