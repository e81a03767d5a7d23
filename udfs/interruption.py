"""Ctrl-C for kernels: Python tells its own thread alone, and DuckDB may run a kernel on another.

A kernel on such a thread is sent a KeyboardInterrupt, which reaches it between two steps of Python's, so between its
blocks at the latest.
"""

from __future__ import annotations

import ctypes
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Kernels:
    def __init__(self) -> None:
        self.threads: set[int] = set()  # that run one
        self.forbidden = False  # one that DuckDB is about to call would not be seen yet


_KERNELS = _Kernels()


@contextmanager
def running() -> Iterator[None]:
    """Run a kernel so that it can be stopped."""
    thread = threading.get_ident()
    _KERNELS.threads.add(thread)
    try:
        if _KERNELS.forbidden:
            raise KeyboardInterrupt
        yield
    finally:
        _KERNELS.threads.discard(thread)


def stop_kernels(*, forbid: bool = False) -> None:
    """Stop the kernels of other threads (whoever is told of Ctrl-C stops its own), and let none begin till allowed."""
    _KERNELS.forbidden = forbid
    for thread in _KERNELS.threads - {threading.get_ident()}:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))


def allow_kernels() -> None:
    """Let kernels begin again."""
    _KERNELS.forbidden = False
