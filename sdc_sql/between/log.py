"""A party's own log of what it has answered: a DuckDB file that never leaves its house.

It is written before anything is sent, so that what was begun and broken off counts as answered. It holds the values
that went into the sums: only so can be told what the next sums add to them. Whoever begins a new log has no memory of
the old one, and is not protected from the difference.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa

from sdc_sql.db.files.source import detect_kind
from sdc_sql.db.files.waiting import open_patiently
from sdc_sql.errors import TableError, translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from sdc_sql.between.agreement import Agreement
    from sdc_sql.between.own import Own

_ALONE = threading.Lock()
CREATE = (
    """CREATE TABLE IF NOT EXISTS runs (
        run INTEGER PRIMARY KEY, begun TIMESTAMP, agreement VARCHAR, terms VARCHAR, records BIGINT)""",
    "CREATE TABLE IF NOT EXISTS answered (run INTEGER, place INTEGER, name VARCHAR, record VARCHAR, unit BIGINT)",
)


@contextmanager
def open_log(file: str | Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a log, which is made where there is none, readable by its owner alone."""
    file = Path(file)
    if not file.absolute().parent.is_dir():
        raise TableError(f"There is no folder {file.absolute().parent}: name a place for the log.")
    if file.exists() and detect_kind(str(file)) != "duckdb":
        raise TableError(f"{file} is no log: it is no DuckDB database.")
    with translate_errors(), _make_privately():
        con = open_patiently(lambda: duckdb.connect(str(file)))
    with translate_errors(), con:
        tables = {
            name for (name,) in con.execute("SELECT table_name FROM duckdb_tables() WHERE NOT temporary").fetchall()
        }
        if tables - {"runs", "answered"}:
            raise TableError(f"{file} is no log, but a database with other tables: name a file for the log alone.")
        file.chmod(0o600)
        with _make_privately():
            for statement in CREATE:
                con.execute(statement)
        yield con


@contextmanager
def _make_privately() -> Iterator[None]:
    """Let files that are made be readable by their owner alone: DuckDB makes one beside a database while it writes.

    One thread at a time, since the mask of modes is the process's: two at once would leave each other's behind.
    """
    with _ALONE:
        before = os.umask(0o077)
        try:
            yield
        finally:
            os.umask(before)


@dataclass(frozen=True)
class Answers:
    """What the log and a new model tell together: different columns over all records, the earlier ones first."""

    columns: list[npt.NDArray[np.int64]]
    names: list[str]
    earlier: int


def gather_answers(con: duckdb.DuckDBPyConnection, own: Own) -> Answers:
    """Return the columns of all that was answered, and those of the new model that are none of these."""
    con.register(
        "sdc__own", pa.table({"record": pa.array(own.records, pa.string()), "nth": np.arange(len(own.records))})
    )
    con.execute(
        "CREATE OR REPLACE TEMP TABLE sdc__places AS SELECT record, row_number() OVER () - 1 AS place FROM (SELECT "
        "record FROM answered UNION SELECT record FROM sdc__own)"
    )
    ((number,),) = con.execute("SELECT count(*) FROM sdc__places").fetchall()
    there = con.execute("SELECT p.place FROM sdc__own o JOIN sdc__places p USING (record) ORDER BY o.nth").fetchnumpy()
    con.unregister("sdc__own")
    columns: list[npt.NDArray[np.int64]] = []
    names: list[str] = []
    for run, place, name in con.execute(
        "SELECT DISTINCT run, place, name FROM answered ORDER BY run, place"
    ).fetchall():
        found = con.execute(
            "SELECT p.place, a.unit FROM answered a JOIN sdc__places p USING (record) WHERE a.run = ? AND a.place = ?",
            [run, place],
        ).fetchnumpy()
        columns.append(_spread(number, found["place"], found["unit"]))
        names.append(name)
    earlier = len(columns)
    known = {column.tobytes() for column in columns}
    for name, units in own.columns:
        column = _spread(number, there["place"], units)
        if (content := column.tobytes()) not in known and column.any():
            known.add(content)
            columns.append(column)
            names.append(name)
    return Answers(columns, names, earlier)


def find_other_parties(con: duckdb.DuckDBPyConnection, agreement: Agreement, own: Own) -> list[str]:
    """Return the agreements with other parties by which some of these records were answered for."""
    con.register("sdc__own", pa.table({"record": pa.array(own.records, pa.string())}))
    rows = con.execute(
        "SELECT DISTINCT agreement, terms FROM runs WHERE run IN (SELECT run FROM answered SEMI JOIN sdc__own "
        "USING (record))"
    ).fetchall()
    con.unregister("sdc__own")
    keys = {party["signs"] for party in agreement.terms["parties"]}
    return [digest for digest, terms in rows if {party["signs"] for party in json.loads(terms)["parties"]} != keys]


def write_answer(con: duckdb.DuckDBPyConnection, agreement: Agreement, own: Own, answers: Answers) -> None:
    """Write what is about to be answered, for good; a column that was answered before stands there once."""
    with _make_privately():
        _write(con, agreement, own, answers)


def _write(con: duckdb.DuckDBPyConnection, agreement: Agreement, own: Own, answers: Answers) -> None:
    con.execute("BEGIN")
    ((run,),) = con.execute("SELECT coalesce(max(run), 0) + 1 FROM runs").fetchall()
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    terms = json.dumps(agreement.terms, sort_keys=True)
    con.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", [run, now, agreement.digest, terms, len(own.records)])
    for place in range(answers.earlier, len(answers.columns)):
        column = answers.columns[place]
        there = np.flatnonzero(column)
        con.register("sdc__new", pa.table({"place": there, "unit": column[there]}))
        con.execute(
            "INSERT INTO answered SELECT ?, ?, ?, p.record, n.unit FROM sdc__new n JOIN sdc__places p USING (place)",
            [run, place, answers.names[place]],
        )
        con.unregister("sdc__new")
    con.execute("COMMIT")
    con.execute("CHECKPOINT")


def _spread(number: int, places: npt.NDArray[np.int64], units: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    column = np.zeros(number, dtype=np.int64)
    column[places] = units
    return column


def list_runs(con: duckdb.DuckDBPyConnection) -> list[tuple[int, dt.datetime, str, dict[str, Any], int]]:
    """Return what was answered, the first first."""
    rows = con.execute("SELECT run, begun, agreement, terms, records FROM runs ORDER BY run").fetchall()
    return [(run, at, digest, json.loads(terms), records) for run, at, digest, terms, records in rows]
