"""All or nothing, also inside a transaction of the user's."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb


def is_open(con: duckdb.DuckDBPyConnection) -> bool:
    """Say whether the connection is inside a transaction that the user began.

    Asked without harm: a second BEGIN would abort it. Outside a transaction every statement has a number
    of its own.
    """
    first, second = (con.execute("SELECT txid_current()").fetchall() for _ in range(2))
    return first == second


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Run a block as one transaction; inside the user's own, join it and never commit it for them."""
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
