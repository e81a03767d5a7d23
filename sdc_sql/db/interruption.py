"""Ctrl-C, and on a command line each signal that ends a program, ends what runs, and arrives unchanged.

DuckDB makes its own error of a signal, would wait for a kernel on one of its threads to end, and looks for signals only
when the thread of Python's is done with its share of a query, which may take as long as the query.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import duckdb

from sdc_sql.udfs.interruption import allow_kernels, hear_signals, stop_kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    Handler: TypeAlias = Callable[[int, FrameType | None], Any] | int | None

AGAIN = 0.1  # seconds
_ENDS = "ends"  # of a handler: the signals that it raises for
# Windows lacks some of them: those are left out there
ENDING = tuple(getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, n))


class _Heard:
    """Whether a handler has run, or the block has ended: nothing but handlers interrupts then what cleans up."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.RLock()  # a handler may come upon a handler

    def set(self) -> None:
        """Say that a handler runs, or that the block has ended."""
        with self._lock:
            self._event.set()

    def wait(self, seconds: float) -> None:
        """Wait until it is set, or so long."""
        self._event.wait(seconds)

    def interrupt_before(self, con: duckdb.DuckDBPyConnection) -> bool:
        """Interrupt a query unless it is set, and return whether that was done."""
        with self._lock:
            if self._event.is_set():
                return False
            _interrupt(con)
            return True


class Ended(KeyboardInterrupt):
    """A signal that ends the program, as Ctrl-C does: what was begun is cleaned up on its way out."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)


def is_ending(error: KeyboardInterrupt) -> bool:
    """Return whether a prompt ends too: at every signal but Ctrl-C, which ends what runs there and no more."""
    return isinstance(error, Ended) and error.number != signal.SIGINT


@contextmanager
def raise_on_end() -> Iterator[None]:
    """Raise a signal that ends the program as :class:`Ended` while a block runs; a signal ignored before stays ignored.

    The handlers from before come back afterwards. In a thread that is told of no signals nothing is changed.
    """
    before = _handlers(ENDING)
    with _replace_handlers(dict.fromkeys(before, _end), before):
        yield


def _end(number: int, _: FrameType | None) -> None:
    raise Ended(number)


@contextmanager
def hold_signals() -> Iterator[None]:
    """Let a signal wait until a short block has ended: a half removed folder would stay for good."""
    came: list[int] = []
    before = _handlers(ENDING)
    try:
        with _replace_handlers(dict.fromkeys(before, lambda number, _: came.append(number)), before):
            yield
    finally:
        for number in came[:1]:
            signal.raise_signal(number)


@contextmanager
def allow_interruption(
    numbers: tuple[int, ...] = (signal.SIGINT,), con: duckdb.DuckDBPyConnection | None = None
) -> Iterator[None]:
    """Run a block; what the handler of a signal raises (KeyboardInterrupt) ends its kernels too, and is what is raised.

    A query of the connection is ended at once by a signal whose handler is known to raise. The handlers are the
    caller's own, whatever they do. In a thread that is told of no signals nothing is changed.
    """
    handlers = _find_callable(numbers)
    if not handlers:
        yield
        return
    raised: list[BaseException] = []
    before = sys.exception()
    heard, ended = _Heard(), threading.Event()
    # it is raised again and again: a kernel that calls back from C may lose it
    stopping = threading.Thread(target=_stop, args=(ended,), daemon=True)

    def stop(number: int, frame: FrameType | None) -> None:
        heard.set()
        cleaning_up = _is_of_duckdb(sys.exception(), before)
        try:
            handlers[number](number, frame)
        except BaseException as error:
            raised.append(error)
            _interrupt(con)
            with suppress(RuntimeError):  # it has begun at the first one
                stopping.start()
            # a query or its kernel has been ended for it: what cleans up after that goes first, and then this is raised
            if not cleaning_up:
                raise

    ends = _list_raising()
    setattr(stop, _ENDS, ends)
    try:
        with (
            _replace_handlers(dict.fromkeys(handlers, stop), handlers),
            hear_signals({*handlers}),
            _end_queries(con, ends, heard),
        ):
            yield
    except BaseException as error:
        if raised and error is not raised[-1]:
            raise raised[-1] from None
        raise
    else:
        if raised:  # a caller took DuckDB's error for another one
            raise raised[-1]
    finally:
        if raised:
            ended.set()
            stopping.join()
            allow_kernels()


def _is_of_duckdb(error: BaseException | None, before: BaseException | None) -> bool:
    """Return whether what is handled now is an error of DuckDB's, or was raised while such a one was handled.

    Not looked at is what was handled before.
    """
    seen = []  # Python lets a program make a circle of them
    while error is not None and error is not before and error not in seen:
        if isinstance(error, duckdb.Error):
            return True
        seen.append(error)
        error = error.__context__
    return False


def _interrupt(con: duckdb.DuckDBPyConnection | None) -> None:
    """End a query, also one that has called a handler: DuckDB waits for its threads then, and tells them nothing."""
    if con is not None:
        with suppress(duckdb.Error):  # it is closed
            con.interrupt()


@contextmanager
def _end_queries(con: duckdb.DuckDBPyConnection | None, ends: set[int], heard: _Heard) -> Iterator[None]:
    """End a query of a connection when one of some signals comes, before Python's own handlers can run.

    ``heard`` is set when the first of them runs.
    """
    if con is None or not ends or not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    before = signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    listening = threading.Thread(target=_listen, args=(ear, before, con, ends, heard), daemon=True)
    listening.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(mouth)
        heard.set()
        listening.join()
        os.close(ear)


def _listen(ear: int, before: int, con: duckdb.DuckDBPyConnection, ends: set[int], heard: _Heard) -> None:
    while came := os.read(ear, 64):
        if before != -1:  # of an event loop, or of a block around this one
            with suppress(OSError):
                os.write(before, came)
        while ends & {*came} and heard.interrupt_before(con):  # DuckDB forgets what comes as it begins a query
            heard.wait(AGAIN)


def _list_raising() -> set[int]:
    """Return the signals whose handlers raise: Python's own of Ctrl-C, of a program that ends, and ours of such."""
    known = (signal.default_int_handler, _end)
    return {n for n, handler in _handlers(ENDING).items() if handler in known or n in getattr(handler, _ENDS, ())}


def _find_callable(numbers: tuple[int, ...]) -> dict[int, Callable[[int, FrameType | None], Any]]:
    return {number: handler for number, handler in _handlers(numbers).items() if callable(handler)}


def _handlers(numbers: tuple[int, ...]) -> dict[int, Handler]:
    """Return what signals do now, but for those that are ignored; none in a thread that is told of no signals."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    now = {number: signal.getsignal(number) for number in numbers}
    return {number: handler for number, handler in now.items() if handler not in {None, signal.SIG_IGN}}


@contextmanager
def _replace_handlers(handlers: Mapping[int, Handler], before: Mapping[int, Handler]) -> Iterator[None]:
    """Let signals do something else while a block runs."""
    try:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(ended: threading.Event) -> None:
    while not ended.is_set():
        stop_kernels(forbid=True)
        ended.wait(AGAIN)
