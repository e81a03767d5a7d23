"""The place of the raw data while a run works: a folder of the owner's, and a database under a key that nobody knows.

The folder is removed at the end, also after an error, and on a command line after a signal that ends the program. What
a process that is killed leaves there can be read by nobody, and is found by the next run: while a process lives it
holds a lock in its folder.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files import storage
from sdc_sql.db.interruption import hold_signals
from sdc_sql.errors import TableError, translate_errors

try:
    import fcntl
except ImportError:  # Windows has no such module
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator

# the prefix of folders of work, and that of folders in which a file waits for its place
PREFIX, WAITING = "sdc-sql-", ".sdc-sql-"
LOCK, BASE, NAME = "in_use", "sdc_base", "work"
OWNER = 0o600
# Records of a row group of the database: a little more than those that a row group of a Parquet file written by DuckDB
# has (122,880 and some). What is left of each would be a row group of its own, and an ALTER write the table anew.
ROW_GROUP = 131_072
FOUND: set[Path] = set()  # the folders that killed runs have left where this one works


@contextmanager
def make_work_folder(beside: Path | None = None) -> Iterator[Path]:
    """Yield a folder for its owner alone, gone afterwards: among the temporary ones, or ``beside`` a file to come.

    Raises
    ------
    TableError
        Where it cannot be made.
    """
    place: Path | None = None
    lock = -1
    try:
        with hold_signals():
            try:
                place = Path(tempfile.mkdtemp(dir=beside, prefix=WAITING if beside else PREFIX))
                lock = os.open(place / LOCK, os.O_CREAT | os.O_RDWR, OWNER)
            except OSError as error:
                where = beside or "for temporary files"
                raise TableError(f"No file can be written to the folder {where}: {error.strerror}.") from None
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            FOUND.update(find_leftovers(place.parent))
        yield place
    finally:
        with hold_signals():
            if lock >= 0:
                os.close(lock)
            if place is not None:
                shutil.rmtree(place, ignore_errors=True)


def find_leftovers(parent: Path | None = None) -> list[Path]:
    """Return the folders of runs that were killed; none where a system cannot tell whether a process still works."""
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    with suppress(OSError):
        return sorted(p for p in parent.iterdir() if p.name.startswith((PREFIX, WAITING)) and is_leftover(p))
    return []


def is_leftover(place: Path) -> bool:
    """Return whether a folder is one of a run that was killed: it is of this user, and nobody holds its lock."""
    if fcntl is None or place.is_symlink() or not place.name.startswith((PREFIX, WAITING)):
        return False
    try:
        lock = os.open(place / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return place.stat().st_uid == os.getuid()


@contextmanager
def open_work_database(
    *, threads: int | None = None, memory_limit: str | None = None, name: str = NAME
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to an empty database that only this process can read, gone afterwards.

    ``name`` is that of the database for SQL; the connection has another one beside it, which stays empty.
    """
    with make_work_folder() as place, duckdb.connect(place / f"{BASE}.duckdb") as con:
        limit_resources(con, threads, memory_limit, place)
        key = f", ENCRYPTION_KEY {_quote_literal(secrets.token_urlsafe(32))}" if _is_private(con) else ""
        options = f"(ROW_GROUP_SIZE {ROW_GROUP}{key})"
        with translate_errors():
            con.execute(
                f"ATTACH {_quote_literal(str(place / 'work.duckdb'))} AS {storage.quote_database(name)} {options}"
            )
        con.execute(f"USE {storage.quote_database(name)}")
        for file in place.iterdir():
            file.chmod(OWNER if file.is_file() else 0o700)
        yield con


def limit_resources(
    con: duckdb.DuckDBPyConnection, threads: int | None, memory_limit: str | None, spill: Path | None
) -> None:
    """Limit what a connection uses, if limits are given; it draws no progress bar, and spills encrypted to a folder."""
    con.execute("SET enable_progress_bar = false")  # DuckDB 2.0 draws it on standard output, which may be a file
    given: dict[str, str | int | Path | None] = {
        "temp_directory": spill, "memory_limit": memory_limit, "threads": threads,
    }  # fmt: skip
    for name, value in given.items():
        if value is not None:
            literal = query.make_text_literal(str(value) if isinstance(value, Path) else value)
            item = exp.SetItem(this=exp.EQ(this=exp.column(name), expression=literal))
            with translate_errors():
                execute(con, exp.Set(expressions=[item]))
    if spill is not None:
        # Without its extension httpfs DuckDB draws nonces by a generator that it calls unsafe: they can be foreseen,
        # and are not the same twice, which is what they are for. The key of a database is ours, of 256 random bits.
        with suppress(duckdb.Error):  # a build of DuckDB lacks it: the next run still names what is left
            con.execute("SET force_mbedtls_unsafe = 'true'")
            con.execute("SET temp_file_encryption = true")


def _is_private(con: duckdb.DuckDBPyConnection) -> bool:
    return con.execute("SELECT current_setting('temp_file_encryption')").fetchall() == [(True,)]


def _quote_literal(value: str) -> str:
    return query.make_text_literal(value).sql("duckdb")
