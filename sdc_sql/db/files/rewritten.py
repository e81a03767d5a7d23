"""A database masked in a copy that nobody else can read, and written anew: none of its bytes is an old value."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from sdc_sql.db.files import storage, work
from sdc_sql.db.files.released_file import replace_file
from sdc_sql.db.files.waiting import open_patiently
from sdc_sql.errors import TableError, hide_values, translate, translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OLD, NEW = "sdc_old", "sdc_new"


@contextmanager
def rewrite_database(
    source: Path, *, threads: int | None = None, memory_limit: str | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a copy of a database; then put a fresh file of all that it holds in its place.

    DuckDB does not erase what is changed: the copy has the old values in its bytes, the fresh file has not. Other
    programs can read the database meanwhile, and not change it. The fresh file has its storage version.

    Raises
    ------
    TableError
        Where it is open for writing elsewhere, or DuckDB cannot copy it.
    """
    with translate_errors(), open_patiently(lambda: duckdb.connect(source)) as con:
        con.execute("CHECKPOINT")  # after it, the one file holds the whole database
        ((name,),) = con.execute("SELECT current_database()").fetchall()
    with work.open_work_database(threads=threads, memory_limit=memory_limit, name=str(name)) as con:
        with translate_errors():
            con.execute(storage.attach_statement(source, OLD, read_only=True))
        version = storage.read_storage_version(con, OLD)
        _copy_database(con, OLD, str(name), source.name)
        yield con
        with work.make_work_folder(source.absolute().parent) as folder:
            anew = folder / source.name
            _write_database(con, str(name), anew, version)
            con.execute(f"DETACH {OLD}")
            if source.with_name(f"{source.name}.wal").exists():
                raise TableError(f"{source} was changed by another program meanwhile: nothing was masked. Repeat it.")
            shutil.copymode(source, anew)
            replace_file(anew, source)


def _write_database(con: duckdb.DuckDBPyConnection, name: str, path: Path, version: str) -> None:
    """Write a database to a file that is not there."""
    with translate_errors():
        con.execute(storage.attach_statement(path, NEW, version))
    try:
        _copy_database(con, name, NEW, path.name)
        with translate_errors():
            con.execute(f"CHECKPOINT {NEW}")
    finally:
        con.execute(f"DETACH {NEW}")


def _copy_database(con: duckdb.DuckDBPyConnection, old: str, new: str, file: str) -> None:
    try:
        con.execute(f"COPY FROM DATABASE {storage.quote_database(old)} TO {storage.quote_database(new)}")
    except duckdb.Error as error:
        if (known := translate(error)) is not None:
            raise known from None
        reason = hide_values(error) or str(error).split("\n", maxsplit=1)[0]
        raise TableError(
            f"{file} cannot be written anew, so nothing was changed ({reason}). DuckDB {duckdb.__version__} "
            "cannot copy this database: write the masked copy to a file instead, --output FILE."
        ) from None
