"""Ctrl-C for kernels: Python tells its own thread alone, and DuckDB may run a kernel on another.

A kernel on such a thread is sent a KeyboardInterrupt, which reaches it between two steps of Python's, so between its
blocks at the latest. Who is told of Ctrl-C sends it (``sdc_sql.db.interruption``); in a query of the user's own nobody
is, as DuckDB waits for the kernel: there a kernel listens for itself while it runs. Python's handlers stay as they are.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Kernels:
    def __init__(self) -> None:
        self.threads: set[int] = set()  # the threads that run a kernel
        self.forbidden = False  # one that DuckDB is about to call would not be seen yet
        self.lock = threading.Lock()
        self.signals = {int(signal.SIGINT)}  # the signals that stop kernels
        self.heard: set[int] = set()  # while one listens
        self.listening = 0  # kernels that do
        self.ear = -1


_KERNELS = _Kernels()


@contextmanager
def run_stoppable() -> Iterator[None]:
    """Run a kernel so that it can be stopped."""
    thread = threading.get_ident()
    _KERNELS.threads.add(thread)
    try:
        if _KERNELS.forbidden:
            raise KeyboardInterrupt
        if threading.current_thread() is threading.main_thread():
            yield
        else:
            with _listen_to_interrupts():
                yield
    finally:
        _KERNELS.threads.discard(thread)


def stop_kernels(*, forbid: bool = False) -> None:
    """Stop the kernels of other threads (who hears of Ctrl-C stops its own); ``forbid``: none begins till allowed."""
    _KERNELS.forbidden = _KERNELS.forbidden or forbid
    for thread in _KERNELS.threads - {threading.get_ident()}:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))


def allow_kernels() -> None:
    """Let kernels begin again."""
    _KERNELS.forbidden = False


@contextmanager
def hear_signals(numbers: set[int]) -> Iterator[None]:
    """Let these signals stop kernels, too, while a block runs: those of a program that ends at them."""
    before, _KERNELS.signals = _KERNELS.signals, _KERNELS.signals | numbers
    try:
        yield
    finally:
        _KERNELS.signals = before


@contextmanager
def _listen_to_interrupts() -> Iterator[None]:
    """Stop the kernels of all threads at Ctrl-C (and what :func:`hear_signals` adds), as long as one runs.

    Only the main thread may set a handler, or be woken by one; faulthandler may be asked by any to write to a file when
    the signal comes, and then to go on to the handler that there is. What it writes is not read.
    """
    if not hasattr(faulthandler, "register"):  # Windows
        yield
        return
    with _KERNELS.lock:
        _KERNELS.listening += 1
        if _KERNELS.listening == 1:
            ear, _KERNELS.ear = os.pipe()
            os.set_blocking(_KERNELS.ear, False)
            threading.Thread(target=_stop_on_signal, args=(ear,), daemon=True).start()
            _KERNELS.heard = {*_KERNELS.signals}
            for number in _KERNELS.heard:
                faulthandler.register(number, _KERNELS.ear, all_threads=False, chain=True)
    try:
        yield
    finally:
        with _KERNELS.lock:
            _KERNELS.listening -= 1
            if not _KERNELS.listening:
                for number in _KERNELS.heard:
                    faulthandler.unregister(number)
                os.close(_KERNELS.ear)


def _stop_on_signal(ear: int) -> None:
    while os.read(ear, 65_536):
        stop_kernels()
    os.close(ear)
