"""All or nothing, also inside a transaction of the caller's."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb


def is_open(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the connection is inside a transaction that the caller began.

    A second BEGIN would abort it, so the transaction numbers of two statements are compared: outside a transaction
    each has its own.
    """
    first, second = (con.execute("SELECT txid_current()").fetchall() for _ in range(2))
    return first == second


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Run a block as one transaction; inside one of the caller's, join it and leave the commit to the caller."""
    if is_open(con):
        yield
        return
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()
