"""Serves the page to this machine, until nobody has looked at it for a while and nothing works any more."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from sqlglot import exp

from sdc_sql.errors import MissingPackageError, ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.app.guard import Guard
    from sdc_sql.app.jobs import Jobs
    from sdc_sql.microdata import Microdata

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
    path: str | Path, table: str | None = None, *, port: int = 0, fresh: bool = False, minutes: float = MINUTES,
    begun: Mapping[str, Any] | None = None, out: TextIO | None = None,
) -> None:  # fmt: skip
    """Serve the page of one table until it ends by itself, or by a signal.

    Parameters
    ----------
    path, table
        As of :class:`sdc_sql.app.state.State`.
    port
        Where to listen, on this machine only; 0: any port that is free.
    fresh
        Whether to begin anew, though there is a release file of an earlier page.
    minutes
        It ends so long after the last connection, never while anything works.
    begun
        Fields of the release file that it begins with, where nothing was done before.
    out
        Where the address is printed, by default standard output. Whoever presses Enter there gets another one.
    """
    require_packages()
    # what needs Shiny is imported where it is there
    from sdc_sql.app.frame import make_application  # noqa: PLC0415
    from sdc_sql.app.guard import Guard  # noqa: PLC0415
    from sdc_sql.app.jobs import Jobs  # noqa: PLC0415
    from sdc_sql.app.kept import find_folder, hold_folder  # noqa: PLC0415
    from sdc_sql.app.policy import list_inline_scripts, make_policy  # noqa: PLC0415
    from sdc_sql.app.release_documents import Documents  # noqa: PLC0415
    from sdc_sql.app.state import State  # noqa: PLC0415

    folder = find_folder(Path(path).expanduser().absolute(), table)
    with (
        open_socket(port) as listening,
        hold_folder(folder),
        State(path, table, keep=folder, fresh=fresh, begun=begun) as state,
    ):
        jobs = Jobs(state)
        application, page = make_application(state, jobs)
        number = listening.getsockname()[1]
        guard = Guard(Documents(application, state), number, make_policy(list_inline_scripts(page)))
        say = out or sys.stdout
        print(f"sdc-sql: {state.name}, {state.records:,} records. Open this address, which works once:", file=say)
        print(f"  {guard.make_address()}", file=say)
        if state.taken_up:
            print("What was done before is taken up; --fresh begins anew.", file=say)
        print(f"Enter: another address. Ctrl-C: end. The release file: {state.file}", file=say, flush=True)
        if out is None and sys.stdin is not None:
            threading.Thread(target=_give_addresses, args=(guard, sys.stdin), daemon=True).start()
        try:
            _run_until_end(guard, jobs, listening, minutes)
        finally:
            jobs.close()


def serve_described(data: Microdata, port: int) -> None:
    """Serve the page of a described table, with its roles.

    Raises
    ------
    TableError
        Where the table is no file, and in no file of a database that can be read beside this connection.
    """
    path, table = _find_file(data)
    roles = {
        "id": data.id, "weight": data.weight, "household": data.household, "sampling_fraction": data.sampling_fraction,
        "strata": [data.stratum] if data.stratum else None,
    }  # fmt: skip
    begun: dict[str, Any] = {"roles": {role: value for role, value in roles.items() if value is not None}}
    if data.keys:
        begun["scenarios"] = [{"name": "intruder", "keys": [*data.keys], "nulls": data.nulls}]
    serve_table(path, table, port=port, begun=begun)


def _find_file(data: Microdata) -> tuple[str, str | None]:
    """Return the file of a table, and its name there where that is a database."""
    name = (data._roles.file or data.table).strip('"')  # noqa: SLF001 - as its methods take them
    if Path(name).is_file():
        return name, None
    table = exp.to_table(data.table, dialect="duckdb")
    found = data.con.execute(
        "SELECT path FROM duckdb_databases() WHERE database_name = coalesce(?, current_database())",
        [table.catalog or None],
    ).fetchall()
    if not found or not found[0][0] or data.table.startswith("temp."):
        raise TableError(
            f"{data.table} is in no file: write it to one, as by data.con.table(...).write_parquet('survey.parquet'), "
            "and describe that; the release file says which file it was made of."
        )
    return str(found[0][0]), f"{table.db}.{table.name}" if table.db else table.name


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


def _run_until_end(guard: Guard, jobs: Jobs, listening: socket.socket, minutes: float) -> None:
    """Serve until it ends; in a notebook, which runs a loop of its own, on a thread, until the cell is interrupted."""
    ended = threading.Event()

    def serve() -> None:
        asyncio.run(_run(guard, jobs, listening, minutes, ended))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        serve()
        return
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        thread.join()
    finally:
        ended.set()
        thread.join()


async def _run(
    guard: Guard, jobs: Jobs, listening: socket.socket, minutes: float, ended: threading.Event
) -> None:  # fmt: skip
    uvicorn = import_module("uvicorn")
    # no line of its log has an address: that of the token would stand there
    config = uvicorn.Config(
        guard, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=2, lifespan="on",
        ws_max_size=2**20,
    )  # fmt: skip
    server = uvicorn.Server(config)
    watching = asyncio.create_task(_watch(guard, jobs, server, minutes, ended))
    try:
        await server.serve(sockets=[listening])
    finally:
        watching.cancel()


async def _watch(guard: Guard, jobs: Jobs, server: object, minutes: float, ended: threading.Event) -> None:
    """End the server when it is to end, or when nobody has been there for so long and nothing works."""
    seen = time.monotonic()
    while True:
        await asyncio.sleep(LOOK)
        if not ended.is_set() and (guard.connections or jobs.busy):
            seen = time.monotonic()
        elif ended.is_set() or time.monotonic() - seen > 60 * minutes:
            server.should_exit = True  # type: ignore[attr-defined] # of uvicorn
            return


def _give_addresses(guard: Guard, typed: TextIO) -> None:
    """Print another address whenever somebody presses Enter."""
    for _ in typed:
        sys.stdout.write(f"  {guard.make_address()}\n")
        sys.stdout.flush()
