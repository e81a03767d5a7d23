"""Wait for a database that another program holds: a nightly run begins while another one ends."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

import duckdb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Made = TypeVar("Made")
FIRST, LONGEST = 0.05, 1.0  # seconds between two tries
_SECONDS: ContextVar[float] = ContextVar("seconds to wait for a lock", default=0.0)


@contextmanager
def wait_for_lock(seconds: float) -> Iterator[None]:
    """Have whatever opens a database within the block wait so long for another program to close it.

    Examples
    --------
    >>> with wait_for_lock(30):
    ...     open_patiently(lambda: "opened")
    'opened'
    """
    before = _SECONDS.set(seconds)
    try:
        yield
    finally:
        _SECONDS.reset(before)


def open_patiently(opened: Callable[[], Made]) -> Made:
    """Open a database; while another program holds it, try again for as long as is waited, by default once."""
    deadline, pause = time.monotonic() + _SECONDS.get(), FIRST
    while True:
        try:
            return opened()
        except duckdb.Error as error:
            left = deadline - time.monotonic()
            if left <= 0 or "Could not set lock on file" not in str(error):
                raise
        time.sleep(min(pause, left))
        pause = min(2 * pause, LONGEST)
