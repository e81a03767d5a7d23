"""Serves the page to this machine, until nobody has looked at it for a while and nothing works any more."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

from sdc_sql.errors import MissingPackageError, ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from sdc_sql.app.guard import Guard
    from sdc_sql.app.jobs import Jobs

MINUTES = 10.0
LOOK = 0.5  # seconds between two looks whether anybody is there
HOST = "127.0.0.1"


def require_packages() -> None:
    """Refuse where Shiny is not installed.

    Raises
    ------
    MissingPackageError
        It says how to install it.
    """
    try:
        import_module("shiny")
        import_module("uvicorn")
    except ModuleNotFoundError as error:
        raise MissingPackageError("The page needs the package shiny: pip install 'sdc-sql[app]'.") from error


def serve_table(
    path: str | Path, table: str | None = None, *, port: int = 0, keep: Path | None = None, minutes: float = MINUTES,
    out: TextIO | None = None,
) -> None:  # fmt: skip
    """Serve the page of one table until it ends by itself, or by a signal.

    Parameters
    ----------
    path, table, keep
        As of :class:`sdc_sql.app.state.State`.
    port
        Where to listen, on this machine only; 0: any port that is free.
    minutes
        It ends so long after the last connection, never while anything works.
    out
        Where the address is printed, by default standard output. Whoever presses Enter there gets another one.
    """
    require_packages()
    # what needs Shiny is imported where it is there
    from sdc_sql.app.frame import make_application  # noqa: PLC0415
    from sdc_sql.app.guard import Guard  # noqa: PLC0415
    from sdc_sql.app.jobs import Jobs  # noqa: PLC0415
    from sdc_sql.app.policy import list_inline_scripts, make_policy  # noqa: PLC0415
    from sdc_sql.app.state import State  # noqa: PLC0415

    with open_socket(port) as listening, State(path, table, keep=keep) as state:
        jobs = Jobs(state)
        application, page = make_application(state, jobs)
        number = listening.getsockname()[1]
        guard = Guard(application, number, make_policy(list_inline_scripts(page)))
        say = out or sys.stdout
        print(f"sdc-sql: {state.name}, {state.records:,} records. Open this address, which works once:", file=say)
        print(f"  {guard.make_address()}", file=say)
        print(f"Enter: another address. Ctrl-C: end. The release file: {state.file}", file=say, flush=True)
        if out is None:
            threading.Thread(target=_give_addresses, args=(guard, sys.stdin), daemon=True).start()
        try:
            asyncio.run(_run(guard, jobs, listening, minutes))
        finally:
            jobs.close()


def open_socket(port: int) -> socket.socket:
    """Return a socket that listens on this machine alone.

    Raises
    ------
    ParameterError
        Where the port is no port, or is in use.

    Examples
    --------
    >>> with open_socket(0) as listening:
    ...     listening.getsockname()[0]
    '127.0.0.1'
    """
    if not 0 <= port < 2**16:
        raise ParameterError(f"--port is {port}: it must be a port, 1 to 65535, or 0 for any that is free.")
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would let another program listen beside
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()
    except OSError:
        listening.close()
        raise ParameterError(f"Port {port} is in use already: name another with --port.") from None
    return listening


async def _run(guard: Guard, jobs: Jobs, listening: socket.socket, minutes: float) -> None:
    uvicorn = import_module("uvicorn")
    # no line of its log has an address: that of the token would stand there
    config = uvicorn.Config(
        guard, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=2, lifespan="on",
        ws_max_size=2**20,
    )  # fmt: skip
    server = uvicorn.Server(config)
    watching = asyncio.create_task(_watch(guard, jobs, server, minutes))
    try:
        await server.serve(sockets=[listening])
    finally:
        watching.cancel()


async def _watch(guard: Guard, jobs: Jobs, server: object, minutes: float) -> None:
    """End the server when nobody has been there for so long, and nothing works."""
    seen = time.monotonic()
    while True:
        await asyncio.sleep(LOOK)
        if guard.connections or jobs.busy:
            seen = time.monotonic()
        elif time.monotonic() - seen > 60 * minutes:
            server.should_exit = True  # type: ignore[attr-defined] # of uvicorn
            return


def _give_addresses(guard: Guard, typed: TextIO) -> None:
    """Print another address whenever somebody presses Enter."""
    for _ in typed:
        sys.stdout.write(f"  {guard.make_address()}\n")
        sys.stdout.flush()
