"""Ctrl-C, and what ends the program: it must reach Python's own thread, and stop the query that runs."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from sdc_sql.db.interruption import ENDING
from sdc_sql.udfs.interruption import stop_kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import duckdb

Result = TypeVar("Result")
POLL = 0.1  # Ctrl-C is looked for so often, in seconds


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block Ctrl-C in the threads started within: one of DuckDB's would swallow what is meant for the prompt."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows has no such function
        yield
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def run_interruptibly(con: duckdb.DuckDBPyConnection, work: Callable[[], Result]) -> Result:
    """Run work on a connection in a separate thread; Ctrl-C interrupts the query and is raised once it has ended."""
    results: list[Result] = []
    errors: list[BaseException] = []
    done = threading.Event()  # (Ctrl-C while a thread is joined can make Python treat it as ended)

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it was called from
            errors.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=run, name="query", daemon=True)
    with block_interrupts():
        thread.start()
    stopped: KeyboardInterrupt | None = None
    while not done.is_set():
        try:
            done.wait(POLL)
        except KeyboardInterrupt as error:
            stopped = error
        if stopped is not None:  # the interrupt is repeated: between two statements there is nothing to interrupt
            con.interrupt()
            stop_kernels()
    if stopped is not None:
        raise stopped
    if errors:
        raise errors[0]
    return results[0]
