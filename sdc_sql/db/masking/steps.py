"""The log of what was done to a table, ``sdc_steps``, beside the table."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db.catalogue.macros import find_mask
from sdc_sql.db.masking import step_table
from sdc_sql.db.masking.identity import digest_columns, read_mark
from sdc_sql.db.masking.targets import find_known_table
from sdc_sql.db.showing.results import Result
from sdc_sql.db.table import Table
from sdc_sql.errors import ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    import duckdb


@dataclass(frozen=True)
class MaskingStep(Result):
    """What was done to a table: part of the row in its table of steps, ``sdc_steps``.

    ``release`` and ``stream`` (which pass over the columns) name the draws, None where nothing was drawn. ``changed``
    counts the records in which a value differs from before. ``sse_sst`` is the share of the sum of
    squares of the standardised columns that masking took away (numeric columns), None where it was not measured.
    ``remains`` says what is to be done before a release, where a table of a database file was masked in place.
    """

    table: str
    method: str
    columns: tuple[str, ...]
    parameters: dict[str, Any]
    records: int
    changed: int
    sse_sst: float | None = None
    release: str | None = None
    stream: str | None = None
    remains: str = ""

    def __str__(self) -> str:
        """Return the step by its lines, without one of what remains where nothing does."""
        lines = super().__str__().splitlines()
        return "\n".join(lines if self.remains else lines[:-1])


@dataclass(frozen=True)
class LoggedStep:
    """A row of ``sdc_steps``: what reproduces the step. It never contains the key.

    ``source`` is the table that was read, ``source_id`` and ``target_id`` the marks in the tables' comments,
    ``source_step`` the last step that the source had gone through. ``parameters``, ``matrix``, ``counts`` (of PRAM: of
    the original categories) and ``digests`` (of the columns afterwards) are JSON. ``confidential`` names the parameters
    and columns that must not be published. ``log`` is the table of steps in which the row stands.
    """

    step: int
    masked_at: datetime
    version: str
    source: str | None
    source_id: str | None
    source_step: int | None
    target: str
    target_id: str | None
    id: str | None
    method: str
    columns: Sequence[str]
    parameters: str
    release: str | None
    stream: str | None
    # the matrix and the counts are confidential: they must not be printed by chance
    matrix: str | None = field(repr=False)
    counts: str | None = field(repr=False)
    digests: str | None = field(repr=False)
    confidential: Sequence[str] | None
    records: int
    changed: int
    sse_sst: float | None
    log: str = ""

    @property
    def drew(self) -> bool:
        """Return whether the step made random draws."""
        return self.stream is not None

    def masked(self, columns: Iterable[str]) -> bool:
        """Return whether the step masked any of the columns."""
        return bool({c.lower() for c in self.columns} & {c.lower() for c in columns})


def list_steps(con: duckdb.DuckDBPyConnection, table: str) -> list[LoggedStep]:
    """Return the steps that a table went through, the oldest first, those of the tables it was copied from included.

    Parameters
    ----------
    con
        A connection with the macros.
    table
        The table's name. What is no table of a database (a view, a file) has no steps.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> for into in ("once", "twice"):
    ...     _ = data.mask.noise("w", 0.1, into=into)
    ...     data = sdc_sql.Microdata(data.con, into, id="id")
    >>> [(s.method, s.source, s.stream) for s in list_steps(data.con, "twice")]
    [('noise', '"memory"."main"."persons"', ''), ('noise', '"memory"."main"."once"', '2')]
    """
    place = Table()
    place.con = con
    found = find_known_table(place, table)
    return name_chain(con, found) if found is not None else []


def name_chain(con: duckdb.DuckDBPyConnection, table: exp.Table, *, unknown: bool = False) -> list[LoggedStep]:
    """Return the same of a table, fully qualified; `unknown`: steps that are elsewhere may be left out."""
    return _chain(con, table, read_mark(con, table), None, unknown=unknown)


def _chain(
    con: duckdb.DuckDBPyConnection, table: exp.Table, mark: str | None, upto: int | None, *, unknown: bool
) -> list[LoggedStep]:
    # version 0.1 knew a table by its name only
    named = exp.column("version").eq(step_table.FIRST).and_(
        exp.func("lower", exp.column("target")).eq(table.name.lower())
    )  # fmt: skip
    its = exp.column("target_id").eq(mark) if mark is not None else exp.false()
    until = exp.column("step") <= upto if upto is not None else exp.true()
    found = step_table.read_step_rows(con, step_table.name_step_table(table), exp.and_(exp.or_(named, its), until))
    if mark is not None and not any(
        row["target_id"] == mark for row in found
    ):  # the table was renamed into another schema, or copied
        others = (
            step_table.read_step_rows(con, steps, exp.and_(its, until)) for steps in step_table.list_step_tables(con)
        )
        found += next((rows for rows in others if rows), [])
    own = [LoggedStep(**row) for row in found]
    first = next((step for step in own if step.source_step is not None and step.source_id != mark), None)
    if first is None or first.source is None:
        return own
    source = exp.to_table(first.source, dialect="duckdb")
    before = _chain(con, source, first.source_id, first.source_step, unknown=unknown)
    if not before and not unknown:
        raise TableError(
            f"{table.sql('duckdb')} was copied from {first.source}, whose steps are not here: attach its database, "
            "so that the passes of draws can be counted, or name the pass yourself (stream=...)."
        )
    return before + own


def is_changed_since(
    con: duckdb.DuckDBPyConnection, table: exp.Table, step: LoggedStep, column: str, columns: Iterable[str]
) -> bool:
    """Return whether a column differs from what a step left, or whether the id that would tell so is not there."""
    left = json.loads(step.digests or "{}").get(column.lower())
    if left is None:  # version 0.1 wrote no digests
        return False
    now = (
        digest_columns(con, table, step.id, [column])[column.lower()]
        if step.id is not None and step.id in columns
        else None
    )
    return now is None or (left != now and left.partition(":")[0] == now.partition(":")[0])


def find_last_step(steps: Sequence[LoggedStep], column: str) -> LoggedStep | None:
    """Return the last step that wrote down how it left a column: it masked it, or took records away."""
    return next(
        (s for s in reversed(steps) if s.masked([column]) or column.lower() in json.loads(s.digests or "{}")), None
    )


def find_next_pass(steps: Iterable[LoggedStep], columns: Sequence[str]) -> str:
    """Return the name of the next pass of draws over any of the columns: '', then '2', '3', ..."""
    return _find_next_pass([step for step in steps if step.drew and step.masked(columns)])


def name_next_pass(steps: Iterable[LoggedStep], method: str) -> str:
    """Return the name of the next pass of a method that draws records, whatever columns it changed."""
    return _find_next_pass([step for step in steps if step.drew and find_mask(step.method) == find_mask(method)])


def _find_next_pass(drawn: Sequence[LoggedStep]) -> str:
    taken = {step.stream for step in drawn}
    number = 1 + len(drawn)
    while number > 1 and str(number) in taken:
        number += 1
    return str(number) if number > 1 else ""


def refuse_second_draw(
    con: duckdb.DuckDBPyConnection, steps: exp.Table, names: set[str], every: set[str], columns: Sequence[str]
) -> None:
    """Refuse to draw silently what version 0.1 drew already: it names the same records another time.

    Parameters
    ----------
    steps
        The table of steps.
    names
        The names of source and target, in lower case.
    every
        Likewise those of all columns: another table that has just these may be a copy that version 0.1 made.
    columns
        What is to be masked.
    """
    old = step_table.read_step_rows(con, steps, exp.column("version").eq(step_table.FIRST))
    for step in (LoggedStep(**row) for row in old):
        alike = step.target.lower() in names or _list_columns(con, steps, step.target) == every
        if step.drew and step.masked(columns) and alike:
            raise ParameterError(
                f"Version 0.1 has masked {', '.join(step.columns)} of {step.target} by {step.method} (step {step.step} "
                "of sdc_steps). This version draws otherwise, and two releases of the same records tell more than one. "
                "If a second draw is meant, name the release, as in release='second'."
            )


def _list_columns(con: duckdb.DuckDBPyConnection, beside: exp.Table, name: str) -> set[str]:
    rows = con.execute(
        "SELECT lower(column_name) FROM duckdb_columns() "
        "WHERE database_name = ? AND schema_name = ? AND table_name = ?",
        [beside.catalog, beside.db, name],
    )
    return {str(column) for (column,) in rows.fetchall()}
