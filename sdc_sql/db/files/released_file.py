"""What is handed over: a fresh file with the released columns and records, whole or not at all, without old bytes."""

from __future__ import annotations

import os
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.files import storage, work
from sdc_sql.db.names import parse_table_name
from sdc_sql.db.transaction import is_open
from sdc_sql.errors import ParameterError, SeriesError, TableError, translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

IDS = ("keep", "drop", "recode")
MODES = {"owner": 0o600, "group": 0o640, "all": 0o644}  # the modes of files by who may read them
FORMATS = {".parquet": "parquet", ".csv": "csv", ".duckdb": "duckdb"}


def write_table_file(
    data: Any,  # noqa: ANN401 - a described table
    path: str | os.PathLike[str],
    *,
    release: str = "",
    ids: str = "keep",
    readable: str = "owner",
) -> None:
    """Write the table's columns and records to a fresh file: nothing of ``sdc_steps``, and no bytes of old values.

    Masking in place leaves the old values in the bytes of the database file, and a copy of the file hands them over.

    Parameters
    ----------
    path
        The new file, by its ending: ``.parquet``, ``.csv`` or ``.duckdb`` (a database with this one table). It is there
        whole or not at all; a file of that name is never replaced.
    release
        The name of the release. Where it is given, the records stand in an order drawn with the secret key, one order
        for each name, and the id is needed; without it they stand as in the table, which tells of how it was filled.
    ids
        ``"keep"`` the id; ``"drop"`` it; or ``"recode"`` it to 1, 2, ... in the drawn order. Recoding needs the name of
        a release: without one, two files that are written of the same table would link line by line.
    readable
        By whom, besides its owner: ``"owner"``, nobody; ``"group"``; or ``"all"``.

    Raises
    ------
    ParameterError, TableError
        Where the file is there already or ends otherwise, or where the id, the key or the name of the release lacks.

    Examples
    --------
    >>> import sdc_sql, tempfile
    >>> data = sdc_sql.example()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data.write(f"{folder}/released.parquet", release="2024", ids="recode")
    ...     data.con.sql(f"SELECT sum(id), sum(age) FROM '{folder}/released.parquet'").fetchall()
    [(6, 101)]
    """
    target = Path(path)
    check_place(target)
    series = getattr(data, "series", None)
    if series is not None and not series.recorded:
        raise SeriesError("The ledger comes first: record the release, series.record(), and write its file then.")
    kind = FORMATS.get(target.suffix)
    if kind is None:
        raise ParameterError(f"{target} must end in {', '.join(FORMATS)}.")
    rows = select_released_rows(data, release, ids)
    if kind == "duckdb" and is_open(data.con):
        raise TableError("A database cannot be written inside an open transaction: commit it first.")
    with open_fresh_file(target, readable) as part:
        write_rows(data.con, rows, part, parse_table_name(data.table).name)


def write_rows(con: duckdb.DuckDBPyConnection, rows: exp.Select, path: Path, table: str) -> None:
    """Write rows to a file that is not there, by its ending; in a database, to a table of that name."""
    kind = FORMATS[path.suffix.lower()]
    with translate_errors():
        if kind == "duckdb":
            _write_to_database(con, rows, path, table)
        else:
            execute(
                con,
                f"COPY ({query.write_sql(rows)}) TO {query.make_text_literal(str(path)).sql('duckdb')} (FORMAT {kind})",
            )


def select_released_rows(data: Any, release: str, ids: str) -> exp.Select:  # noqa: ANN401 - as above
    """Return the query of what is written: see :func:`write_table_file`."""
    if ids not in IDS:
        raise ParameterError(f"ids is {text_for_message(ids)}: it must be one of {', '.join(IDS)}.")
    if not isinstance(release, str):
        raise ParameterError(f"release is {text_for_message(release)}: it must be the name of the release, a text.")
    if ids == "recode" and not release:
        raise ParameterError("Recoded ids need a release, release='...': else two files would link line by line.")
    if data.id is None and (release or ids != "keep"):
        raise ParameterError("An order by the key, and ids to drop or recode, need the id: name it with the table.")
    rows = query.call_macro("sdc__rows", data.table)
    order = []
    if release:
        stream = exp.Literal.string(f"written:{len(release)}:{release}")
        draw = exp.Anonymous(this="sdc_uniform", expressions=[stream, exp.column(data.id, quoted=True)])
        rows = rows.select(exp.alias_(draw, "sdc__draw"))
        order = [exp.Ordered(this=c, nulls_first=False) for c in (exp.column("sdc__draw"), _quote_column(data.id))]
    chosen: list[Any] = [c for c in _select_columns(data) if c.alias_or_name != data.id or ids == "keep"]
    if ids == "recode":
        number = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=order))
        chosen.insert(data.columns.index(data.id), exp.alias_(number, data.id, quoted=True))
    if not chosen:
        raise ParameterError("The table has no column but the id, and that is to be dropped.")
    released = exp.select(*chosen).from_(rows.subquery("r"))
    return released.order_by(*(o.copy() for o in order)) if order else released


def _select_columns(data: Any) -> list[Any]:  # noqa: ANN401 - as above
    """Return the columns; an ENUM with the values that are left alone: its type also lists suppressed ones."""
    rows = query.call_macro("sdc__rows", data.table)
    kinds = {str(name): kind for name, kind, *_ in execute(data.con, rows.copy().limit(0)).description or ()}
    found: list[Any] = []
    for name in data.columns:
        if str(kinds[name]).startswith("ENUM("):
            left = exp.select(_quote_column(name)).distinct().from_(rows.copy().subquery("r"))
            left = left.where(exp.not_(_quote_column(name).is_(exp.null()))).order_by(_quote_column(name))
            labels = [exp.Literal.string(str(label)) for (label,) in execute(data.con, left).fetchall()]
            kind = exp.DataType(this=exp.DataType.Type.ENUM, expressions=labels) if labels else "VARCHAR"
            found.append(exp.alias_(exp.cast(_quote_column(name), kind), name, quoted=True))
        else:
            found.append(_quote_column(name))
    return found


def _quote_column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def _write_to_database(con: duckdb.DuckDBPyConnection, rows: exp.Select, part: Path, table: str) -> None:
    name = exp.table_(table, db="main", catalog="sdc_released_file", quoted=True)
    con.execute(storage.attach_statement(part, "sdc_released_file", storage.CHOSEN))
    try:
        execute(con, exp.Create(this=name, kind="TABLE", expression=rows))
        con.execute("CHECKPOINT sdc_released_file")
    finally:
        con.execute("DETACH sdc_released_file")


@contextmanager
def open_fresh_file(target: Path, readable: str = "owner", *, replace: bool = False) -> Iterator[Path]:
    """Yield where to write a file that is then put in its place, whole and synced.

    A file that stands there is an error, or is replaced where that is asked for: before, and after an error, it stays.
    """
    mode = choose_file_mode(readable)
    if target.exists() and not replace:
        raise TableError(f"There is a file {target} already: remove it first, or give another name.")
    check_place(target)
    with work.make_work_folder(target.absolute().parent) as folder:
        part = folder / target.name
        yield part
        part.chmod(mode)
        replace_file(part, target)


@contextmanager
def open_replacement(target: Path, readable: str = "owner") -> Iterator[Path]:
    """Yield where to write a file that is then put in the place of one of that name, if there is one, whole.

    Raises
    ------
    TableError
        Where it cannot be written.
    """
    mode = choose_file_mode(readable)
    check_place(target)
    try:
        with work.make_work_folder(target.absolute().parent) as folder:
            part = folder / target.name
            yield part
            part.chmod(mode)
            os.replace(part, target)  # noqa: PTH105 - atomic
    except OSError as error:
        raise TableError(f"{target} cannot be written: {error.strerror}.") from None


def check_place(target: Path) -> None:
    """Refuse a path at which no whole file can be put in its place: an empty path, one without a folder, a device.

    Examples
    --------
    >>> check_place(Path("/dev/stdout.csv"))
    Traceback (most recent call last):
    sdc_sql.errors.TableError: /dev/stdout.csv is among the devices: name a file in a folder, where it is put whole.
    """
    if not target.name.strip():
        raise TableError("No file to write is named: the path is empty, or that of a folder.")
    if not target.parent.is_dir():
        raise TableError(f"There is no folder {target.parent}.")
    folder = target.parent.absolute()
    if folder.parts[:2] == ("/", "dev") and folder.parts[2:3] != ("shm",):
        raise TableError(f"{target} is among the devices: name a file in a folder, where it is put whole.")


def is_file(text: str) -> bool:
    """Return whether a text is the path of a file; one that is too long, or holds a NUL, is none."""
    return os.path.isfile(text)  # noqa: PTH113 - pathlib fails for a long name


def match_files(text: str) -> list[str]:
    """Return the files that a text names as a pattern does, ``part-*.parquet``."""
    return glob(text) if any(sign in text for sign in "*?[") else []  # noqa: PTH207 - it may begin anywhere


def choose_file_mode(readable: str) -> int:
    """Return the mode of a file by who may read it.

    Raises
    ------
    ParameterError
        Where it is nobody that can be named so.
    """
    if not isinstance(readable, str) or readable not in MODES:
        raise ParameterError(f"readable is {text_for_message(readable)}: it must be one of {', '.join(MODES)}.")
    return MODES[readable]


def replace_file(part: Path, target: Path) -> None:
    """Put a file in the place of another: after an interruption it is the old one or the new one."""
    sync_file(part)
    os.replace(part, target)  # noqa: PTH105 - atomic
    sync_file(target.parent)


def sync_file(path: Path) -> None:
    """Have the bytes of a file, or a folder's list of its files, written to the disk."""
    if path.is_dir() and os.name == "nt":  # Windows cannot open a folder
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
