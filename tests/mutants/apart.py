"""Work in a process of its own, forked from one that has imported nothing of the project."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 150  # seconds; what takes longer than this has been caught: it does not end


def apart(work: Callable[[], object], seconds: float = LONGEST) -> tuple[str, Any]:
    """Run work in a forked process: how it ended ("done", "failed", "too long"), and what it answered."""
    answer = Path(tempfile.mkstemp(suffix=".json")[1])
    child = os.fork()
    if not child:
        os.setsid()
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        code = 1
        try:
            answer.write_text(json.dumps(work()))
            code = 0
        finally:
            os._exit(code)
    try:
        deadline = time.monotonic() + seconds
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            if time.monotonic() > deadline:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return "too long", None
            time.sleep(0.01)
        if status:
            return "failed", None
        return "done", json.loads(answer.read_text())
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)  # what it left running
        answer.unlink(missing_ok=True)
