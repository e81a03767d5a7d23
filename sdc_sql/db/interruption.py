"""Ctrl-C ends what runs, and arrives as what it is.

DuckDB makes an error of its own of it, and would wait for a kernel on one of its threads to end.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sdc_sql.udfs.interruption import allow_kernels, stop_kernels

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

AGAIN = 0.1  # seconds


@contextmanager
def interruptible() -> Iterator[None]:
    """Run a block; what the handler of Ctrl-C raises (KeyboardInterrupt) ends its kernels too, and is what is raised.

    The handler is the caller's own, whatever it does. In a thread that is told of no signals nothing is changed.
    """
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    raised: list[BaseException] = []
    ended = threading.Event()
    # again and again: what is raised in a kernel while it calls back from C may be lost
    stopping = threading.Thread(target=_stop, args=(ended,), daemon=True)

    def stop(number: int, frame: FrameType | None) -> None:
        try:
            handler(number, frame)
        except BaseException as error:
            raised.append(error)
            if len(raised) == 1:
                stopping.start()
            raise

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    except BaseException as error:
        if raised and error is not raised[-1]:
            raise raised[-1] from None
        raise
    else:
        if raised:  # somebody took DuckDB's error for another
            raise raised[-1]
    finally:
        signal.signal(signal.SIGINT, handler)
        if raised:
            ended.set()
            stopping.join()
            allow_kernels()


def _stop(ended: threading.Event) -> None:
    while not ended.is_set():
        stop_kernels(forbid=True)
        ended.wait(AGAIN)
