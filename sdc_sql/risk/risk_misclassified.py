"""Risk after PRAM, as the steps of the table know it: beside the naive figures, those of the true cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.table import fetch_rows
from sdc_sql.errors import SdcError
from sdc_sql.risk.pram_steps import Pram, find_pram

if TYPE_CHECKING:
    from sdc_sql.db.query import Value
    from sdc_sql.roles import Roles

TRUTH = "sdc__log_truth"
_NAIVE = "The figures take every record's keys as they stand"


@dataclass(frozen=True)
class AfterPram:
    """What stands beside the naive figures: ``note`` in words; whether there are such figures (``told``)."""

    data: Roles
    pram: Pram

    @property
    def told(self) -> bool:
        """Whether there are figures of the true cells."""
        return bool(self.pram.groups)

    @property
    def note(self) -> str:
        """What went through PRAM, and what the figures are."""
        naive = f"{self.pram.said}. {_NAIVE}"
        if not self.told:
            return f"{naive}; there are none with the true ones, since {self.pram.why}."
        of_all = [set(group.keys) for group in self.pram.groups] == [set(self.data.keys)]
        exact = "" if of_all else ", exact where what changed is independent of the other keys in the original file"
        return (
            f"{naive}; those called misclassified count the probability that the released cell is the true one, by "
            f"Bayes' theorem from matrix and counts of the step{exact}."
        )

    def theta(self, sampling_fraction: float) -> float | None:
        """Return theta under misclassification; None where it cannot be told, or of too many cells changed apart."""
        groups, arguments = self.pram.groups, (self.data.table, self.data.keys, sampling_fraction)
        if len(groups) == 1 and groups[0].by_cells:
            (group,) = groups
            select = query.call_macro("sdc__logged_theta_of_cells", *arguments, group.name("cells_0"), group.keys)
        elif groups and all(group.few for group in groups):
            keys, matrices = [list(g.keys) for g in groups], [g.name("reversed") for g in groups]
            select = query.call_macro("sdc__theta_of_groups", *arguments, keys, matrices)
        else:
            return None
        return float(self.data.select(self.ask(select))[0]["theta"])

    def ask(self, select: exp.Select) -> exp.Select:
        """Return a query with the relations that the steps lead to before it."""
        groups = self.pram.groups
        diagonals = [group.name("diagonal") for group in groups]
        truth = query.call_macro(
            "sdc__logged_truth", self.data.table, self.data.keys, [list(group.keys) for group in groups], diagonals
        )
        relations = [pair for group in groups for pair in group.relations(self.data.table)]
        for name, relation in [*relations, (TRUTH, truth)]:
            select = select.with_(exp.to_identifier(name), as_=relation, materialized=True, copy=False)
        return select


def find_after_pram(data: Roles) -> AfterPram | None:
    """Return what is to stand beside the naive figures, None where no key went through PRAM by the table's steps."""
    pram = find_pram(data)
    if pram is None or not pram.groups:
        return None if pram is None else AfterPram(data, pram)
    found = AfterPram(data, pram)
    unknown = exp.column("true_probability").is_(exp.null())
    try:
        missing = fetch_rows(data.con, found.ask(exp.select("1").from_(TRUTH).where(unknown).limit(1)))
    except (SdcError, duckdb.Error):  # its words may hold a category
        missing = [{}]
    return AfterPram(data, Pram(pram.said, why="its log does not fit the table")) if missing else found


def measure_after_pram(data: Roles, macro: str, *arguments: Value, **named: Value) -> tuple[dict[str, Any], str | None]:
    """Return the one row of a measure, with the figures of the true cells where there are, and what is to be said."""
    found = find_after_pram(data)
    if found is None or not found.told:
        return data.row(macro, *arguments, **named), None if found is None else found.note
    (row,) = data.select(found.ask(query.call_macro(f"{macro}_misclassified", *arguments, TRUTH, **named)))
    return row, found.note


def note_unmeasured(data: Roles) -> str | None:
    """Return what is to be said of a measure that has no figures of the true cells."""
    pram = find_pram(data)
    return None if pram is None else f"{pram.said}. {_NAIVE}."


def note_pram(data: Roles) -> str | None:
    """Return what the table's steps say of PRAM of its keys, and what the risks then are; None where they say nothing.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.pram_retention("sex", 0.8)
    >>> data.after_pram()[:31], sdc_sql.example().after_pram()
    ('sex went through PRAM (step 1).', None)
    """
    found = find_after_pram(data)
    return None if found is None else found.note


def select_after_pram(
    data: Roles, macro: str, unknown: tuple[str, ...], *arguments: Value, **named: Value
) -> exp.Select:
    """Return the query of a measure of records or cells; where PRAM's cells cannot be told, the columns are NULL."""
    found = find_after_pram(data)
    if found is None:
        return query.call_macro(macro, *arguments, **named)
    if found.told:
        return found.ask(query.call_macro(f"{macro}_misclassified", *arguments, TRUTH, **named))
    nulls = (exp.alias_(exp.cast(exp.null(), "DOUBLE"), name) for name in unknown)
    return query.call_macro(macro, *arguments, **named).select(*nulls)
