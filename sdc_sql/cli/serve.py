"""``sdc-sql serve``: a database for other DuckDB shells to connect to, with the functions that need Python."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import list_stored_functions, load_shared, use_shared
from sdc_sql.db.files.source import detect_kind
from sdc_sql.db.interruption import ENDING
from sdc_sql.errors import ParameterError, SdcError, TableError

if TYPE_CHECKING:
    import argparse

PORT = 9494


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add ``serve`` to the command line."""
    serve = commands.add_parser(
        "serve",
        help="serve a database to other DuckDB shells of this machine",
        description=(
            "Serve a database by DuckDB's remote protocol (its extension quack), with every macro and the functions "
            "that need Python, to DuckDB shells of this machine. Whoever has the token can read and write all of it, "
            "and no other file. The token is that of the environment, SDC_TOKEN; without one, a random one is made and "
            "shown."
        ),
    )
    serve.add_argument("database", metavar="FILE.duckdb")
    serve.add_argument("--port", type=int, default=PORT, help="where to listen, on this machine only (%(default)s)")
    serve.add_argument("--read-only", action="store_true", help="nobody can write to the database")
    serve.add_argument(
        "--extension",
        metavar="FILE",
        action="append",
        default=[],
        help="the file of quack, or of httpfs, which it needs, where they cannot be installed; can be repeated",
    )
    serve.set_defaults(handle=run)


def _quote_literal(text: str) -> str:
    return query.make_text_literal(text).sql("duckdb")


def _load_protocol(con: duckdb.DuckDBPyConnection, files: list[str]) -> None:
    """Load DuckDB's remote protocol: from files, or from where DuckDB keeps or finds its extensions."""
    for file in files:
        if not Path(file).is_file():
            raise ParameterError(f"There is no file {file}: --extension must name the file of a DuckDB extension.")
        con.execute(f"LOAD {_quote_literal(file)}")
    try:
        loaded = con.execute("SELECT extension_name FROM duckdb_extensions() WHERE loaded").fetchall()
        for name in ("httpfs", "quack"):  # without httpfs the server starts, and answers no request
            if (name,) not in loaded:
                con.execute(f"INSTALL {name}")  # it does nothing where the extension is installed
                con.execute(f"LOAD {name}")
    except duckdb.Error as error:
        raise SdcError(
            f"DuckDB {duckdb.__version__} cannot load its remote protocol, the extensions httpfs and quack "
            f"({str(error).splitlines()[0]}): run INSTALL httpfs; INSTALL quack; once where extensions.duckdb.org can "
            "be reached, or name their files for this version of DuckDB, each with --extension."
        ) from error


def _check_free(port: int) -> None:
    """Refuse a port that is in use: the extension would share it, and clients reach either."""
    with contextlib.suppress(OSError), socket.create_connection(("localhost", port), timeout=5):
        raise ParameterError(f"Port {port} is in use already: name another with --port.")


def _lock_database(con: duckdb.DuckDBPyConnection) -> None:
    """Let the database be all that clients can reach: no other file, no address, and no setting that allows them.

    What a session sets for itself alone, its secret key and where names are looked up, stays its own.
    """
    con.execute("SET allow_persistent_secrets = false")  # persistent secrets are files of the server's user
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")


def _instructions(con: duckdb.DuckDBPyConnection, uri: str, token: str | None) -> str:
    """Return what a client has to type."""
    name = str(con.execute("SELECT current_database()").fetchall()[0][0])
    path = str(con.execute("SELECT current_setting('search_path')").fetchall()[0][0])
    quoted = exp.to_identifier(name, quoted=True).sql("duckdb")
    macros = _quote_literal(f"SET search_path = {_quote_literal(path)}")
    return "\n".join(
        [
            f"sdc-sql serves {name} to this machine (duckdb {duckdb.__version__}), Ctrl-C ends it. In another shell:",
            f"  CREATE SECRET (TYPE quack, TOKEN {_quote_literal(token or '...')});",
            f"  ATTACH {_quote_literal(uri)} AS {quoted};",
            f"  FROM {quoted}.query({macros});",
            f"  FROM {quoted}.query('FROM sdc_help()');",
        ]
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal ends it; return the exit code."""
    database = arguments.database
    if not Path(database).is_file():
        raise TableError(f"There is no file {database}: only an existing database can be served.")
    if (kind := detect_kind(database)) != "duckdb":
        raise TableError(
            f"{database} is a {kind} file, not a database: store it as a table of a DuckDB database first."
        )
    if not 0 < arguments.port < 2**16:
        raise ParameterError(f"--port is {arguments.port}: it must be a port, 1 to 65535.")
    _check_free(arguments.port)
    token = os.environ.get("SDC_TOKEN")
    ended = threading.Event()
    uri = f"quack:localhost:{arguments.port}"
    with duckdb.connect(database, read_only=arguments.read_only) as con:
        # stored functions would take precedence, may be older, and lack the functions that need Python
        if list_stored_functions(con):
            raise TableError(
                f"{database} contains the macros itself: remove them with sdc-sql install --remove {database}."
            )
        _load_protocol(con, arguments.extension)
        load_shared(con)
        # the values are bound as parameters: the token is in no SQL text
        started = "CALL quack_serve(?, token = ?)" if token else "CALL quack_serve(?)"
        ((*_, made),) = con.execute(started, [uri, token] if token else [uri]).fetchall()
        for number in ENDING:
            if signal.getsignal(number) != signal.SIG_IGN:  # below nohup the signal is ignored
                signal.signal(number, lambda *_: ended.set())
        use_shared(con)
        _lock_database(con)
        print(_instructions(con, uri, None if token else made), flush=True)
        while not ended.wait(1):  # on Windows nothing interrupts a wait without an end
            pass
        con.execute("CALL quack_stop(?)", [uri])
    print(f"{database}: no longer served")
    return 0
