"""A step in a series of releases: it is admitted by the series, or refused with its reason; who waits is left out."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import SeriesError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.db.masking.masked_values import MaskedValues
    from sdc_sql.db.masking.masking import Masking
    from sdc_sql.db.table import Table


WAITING = "sdc_series_waiting"


@contextmanager
def admit_step(data: Table, masking: Masking, *, subset: bool = False) -> Iterator[Masking]:
    """Ask the series of a table, where it has one, whether a step may be masked, and tell it that it was.

    The step is yielded as it is masked: by what was fixed on the first release of the series.

    Raises
    ------
    SeriesError
        Where the method is refused in a series, or the step is another one than in the releases before.
    """
    series = data.series
    if series is None:
        yield masking
        return
    admitted = series.begin_step(data, masking, subset=subset)
    done = False
    try:
        yield admitted
        done = True
    finally:
        series.end_step(done=done)


def refuse_unadmitted(data: Table) -> None:
    """Refuse to log a step of a series that the series was not asked for."""
    if data.series is not None and not data.series.has_turn:
        raise SeriesError("This method is refused in a series of releases: what it does in one is not declared.")


def select_kept(data: Table, selected: exp.Select) -> exp.Select:
    """Return the query of the masked values; in a series what was released of a value stays."""
    kept: exp.Select = selected if data.series is None else data.series.select_kept(selected)
    return kept


def collect_kept(data: Table, masked: str) -> None:
    """Give the masked values, a temporary table, to the series of a table, where it has one."""
    if data.series is not None:
        data.series.collect_kept(exp.table_(masked, db="main", catalog="temp", quoted=True))


def leave_out_waiting(data: Table, target: exp.Table, identifier: str) -> int:
    """Delete from what was masked the records that wait for a later release of the series, and return their number.

    All steps of a release leave out the same ones; who was left out by an earlier step is not there any more.
    """
    waits = _find_waiting(data, exp.column(identifier, quoted=True))
    if waits is None:
        return 0
    ((deleted,),) = execute(data.con, exp.Delete(this=target.copy()).where(waits)).fetchall()
    data.con.execute(f"DROP TABLE temp.{WAITING}")
    return int(deleted)


def count_waiting_changed(data: Table, new: MaskedValues) -> int:
    """Return how many of the records that wait, and are left out, count as changed."""
    waits = _find_waiting(data, exp.column(new.identifier, table="t", quoted=True))
    return 0 if waits is None else new.count_changed(waits)


def _find_waiting(data: Table, identifier: exp.Column) -> exp.Expression | None:
    """Return the condition that a record waits, by the digest of its id; None where none waits."""
    ids = None if data.series is None else data.series.waiting
    if ids is None or not len(ids):
        return None
    import pyarrow as pa  # noqa: PLC0415 - an import takes longer than most measures

    data.con.register(f"{WAITING}_given", pa.table({"id": ids}))
    try:
        data.con.execute(f"CREATE OR REPLACE TEMP TABLE {WAITING} AS FROM {WAITING}_given").fetchall()
    finally:
        data.con.unregister(f"{WAITING}_given")
    checked = exp.Anonymous(this="sdc__checked_id", expressions=[identifier])
    digest = exp.Anonymous(this="sdc__series_id", expressions=[checked, query.make_text_literal(data.series.name)])
    those = exp.select(exp.column("id", table="w")).from_(
        exp.alias_(exp.table_(WAITING, db="main", catalog="temp", quoted=True), "w", table=True)
    )
    return exp.In(this=digest, query=those.subquery())


def choose_proof(data: Table, asked: dict[str, exp.Select]) -> dict[str, exp.Select]:
    """Return the queries for the log: of a series those about what is released."""
    found: dict[str, exp.Select] = asked if data.series is None else data.series.choose_proof(asked)
    return found


def finish_records(data: Table, target: exp.Table) -> int:
    """Let a series take from what was written who is left out of the release; return how many these are."""
    return 0 if data.series is None else int(data.series.finish_records(target))


def note_records(data: Table, target: exp.Table) -> None:
    """Tell a series, where a table has one, which records a step that leaves some out has left in what was written."""
    if data.series is not None:
        data.series.note_records(data, target)
