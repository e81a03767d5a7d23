"""A step in a series of releases: it is admitted by the series, or refused with its reason."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.errors import SeriesError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.db.masking.masking import Masking
    from sdc_sql.db.table import Table


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
