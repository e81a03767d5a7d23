"""All or nothing, also inside a transaction of the caller's."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from weakref import WeakKeyDictionary, WeakSet

import duckdb

from sdc_sql.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Made = TypeVar("Made")
TRIES = 6
Number: TypeAlias = tuple[int, str]  # the number of a transaction in its database, and that database
_COMMITTED: WeakKeyDictionary[duckdb.DuckDBPyConnection, Number] = WeakKeyDictionary()
_OURS: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()  # the connections inside a transaction that was begun here


def is_open(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the connection is inside a transaction that the caller began."""
    return read_transaction_number(con) is not None


def read_transaction_number(con: duckdb.DuckDBPyConnection) -> Number | None:
    """Return what tells the open transaction from any other, or None where the caller began none.

    A second BEGIN would abort it, so the transaction numbers of two statements are compared: outside a transaction
    each has its own.
    """
    first, second = _fetch_number(con), _fetch_number(con)
    return first if first == second else None


def _fetch_number(con: duckdb.DuckDBPyConnection) -> Number:
    try:
        (found,) = con.execute("SELECT txid_current(), current_database()").fetchall()
    except duckdb.InternalException:  # a database of another kind (DuckLake, PostgreSQL) has no such numbers
        raise TableError(
            "The database in use is none of DuckDB's own: USE one that is (USE memory, or that of your file) first, "
            "and name the tables of the other in full, as database.schema.table."
        ) from None
    return found[0], found[1]


def is_callers(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the connection is inside a transaction that the caller can lose: one that was not begun here."""
    return con not in _OURS and is_open(con)


def is_committed(con: duckdb.DuckDBPyConnection, transaction: Number | None) -> bool:
    """Return whether a transaction is the last one that was begun here, and was committed."""
    return transaction is not None and _COMMITTED.get(con) == transaction


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Run a block as one transaction; join a transaction of the caller's, and leave the commit to the caller."""
    if is_open(con):
        yield
        return
    con.begin()
    try:
        _OURS.add(con)
        ours = _fetch_number(con)
        yield
    except BaseException:
        con.rollback()
        raise
    finally:
        _OURS.discard(con)
    con.commit()
    _COMMITTED[con] = ours


def repeat_transaction(con: duckdb.DuckDBPyConnection, work: Callable[[], Made]) -> Made:
    """Do some work as one transaction; repeat it where another connection was faster to change the same records.

    A transaction of the caller's cannot be repeated here: the error says that the caller can.
    """
    within = is_open(con)
    for attempt in range(TRIES):
        try:
            with transaction(con):
                return work()
        except duckdb.TransactionException as error:
            if within or attempt == TRIES - 1:
                what = "Roll your transaction back, and repeat it" if within else "Repeat it"
                raise TableError(
                    "Another connection is changing the same table, or sdc_steps, at the same time: nothing was "
                    f"masked. {what} when the other has committed."
                ) from error
            time.sleep(0.05 * 2**attempt)
    raise AssertionError  # the type checker wants an end here
