"""A step of which the ledger keeps what was released of each value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import SeriesError, translate_errors
from sdc_sql.series.batch_cells import BatchCells
from sdc_sql.series.boxed_step import ask_who_waits, cuts_boxes
from sdc_sql.series.drawn_values import DrawnValues, GivenNoise
from sdc_sql.series.joined_groups import JoinedGroups
from sdc_sql.series.kept_values import OWN, Place, collect_new, look_up, select_texts
from sdc_sql.series.ledger import IDS, VALUES
from sdc_sql.series.step_form import find_rule
from sdc_sql.series.suppressed_step import suppresses_values
from sdc_sql.series.swapped_batch import SwappedBatch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray
    from sqlglot import exp

    from sdc_sql.db.masking.masking import Masking
    from sdc_sql.series.drawn_batches import DrawnBatches
    from sdc_sql.series.kept_values import Known
    from sdc_sql.series.ledger import Ledger
    from sdc_sql.series.persons import Persons
    from sdc_sql.series.release_step import ReleaseStep


class Rule(Protocol):
    """What a method does with the values that are new in a release, and with whom it cannot release yet."""

    def freeze(self, own: pa.Table) -> dict[str, pa.Table]:
        """Return what the first release fixes, of the records with their digests and masked values."""
        ...

    def find_waiting(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the records that are present wait: nothing sound can be released of them yet."""
        ...

    def mask(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> tuple[list[pa.Array], dict[str, Any]]:
        """Return by column what is released of each record, as texts, and what is fixed besides."""
        ...


# of each method that keeps values, what it does with new ones
RULES: dict[str, Callable[[Place, Mapping[str, Any], Mapping[str, pa.Table]], Rule]] = {
    "microaggregate": JoinedGroups,
    "pram_guaranteed": BatchCells,
    "rank_swap": partial(SwappedBatch, "rank_swap"),
    "data_swap": partial(SwappedBatch, "data_swap"),
    "noise": partial(GivenNoise, "noise"),
}


def find_new(method: str) -> Callable[[Place, Mapping[str, Any], Mapping[str, pa.Table]], Rule]:
    """Return what a method does with new values: one that draws for each by itself draws for them."""
    return RULES.get(method) or partial(DrawnValues, method)


def find_household(arguments: Mapping[str, Any]) -> str | None:
    """Return the column of households whose members share a draw."""
    return str(arguments["household"]) if arguments.get("unit") == "household" else None


@dataclass(frozen=True)
class Seen:
    """The records of a table, and what the ledger knows of them, as they were looked at before a step."""

    table: str
    own: pa.Table
    known: Known


class KeptStep:
    """One step in one release: what the ledger knows of its values, and what is new for it."""

    def __init__(self, step: ReleaseStep, seen: Seen | None = None) -> None:
        self._ledger, self._step, self._number, self._waiting = step.ledger, step.place, step.number, step.waiting
        data, arguments = step.data, step.masking.arguments
        self._seen = seen if seen is not None and seen.table == data.table else None
        stratum = arguments.get("stratum")
        self._place = Place(
            data.con, data.table, step.identifier, step.columns, stratum if isinstance(stratum, str) else None,
            step.series, step.place, find_household(arguments), step.persons,
        )  # fmt: skip
        self._rule = find_new(step.masking.macro)(self._place, arguments, step.ledger.fixed)
        if isinstance(self._rule, BatchCells):
            before = step.ledger.releases[: step.number - 1]
            self._rule.names = [*(str(release["name"]) for release in before), step.release]
        self._is_known = False
        self.new: pa.Table = VALUES.empty_table()
        self.fixed: dict[str, pa.Table] = {}
        self.told: dict[str, float] = {}

    @property
    def batches(self) -> DrawnBatches | None:
        """The batches that guaranteed PRAM drew the records of one column in."""
        return self._rule.batches if isinstance(self._rule, BatchCells) else None

    @property
    def has_bound(self) -> bool:
        """Whether a bound is counted of the step, which who is left out later weakens."""
        return isinstance(self._rule, BatchCells)

    def count_bound(self, absent: pa.Array) -> dict[str, float]:
        """Return what is told of the step without those whom a later one leaves out, by the digests of their ids."""
        return self._rule.count_bound(absent) if isinstance(self._rule, BatchCells) else {}

    def leave_out(self, masking: Masking) -> Masking:
        """Return a step without what the log tells of the whole table, where only new values are swapped or drawn."""
        swapped = isinstance(self._rule, SwappedBatch) and f"types {self._step}" in self._ledger.fixed
        drawn = isinstance(self._rule, BatchCells) and self._number > 1
        return replace(masking, kept={}) if swapped or drawn else masking

    def select(self, selected: exp.Select) -> exp.Select:
        """Return the query of the masked values: the method's own in the first release, what is kept in a later one.

        Of who waits it gives NULL: he is left out of what is released.
        """
        types = self._ledger.fixed.get(f"types {self._step}")
        if types is None:
            return selected
        columns = self._place.columns
        if self._seen is None:
            own = self._place.read_digests()
            known = look_up(self._ledger, own, self._step, columns)
        else:
            own, known = self._seen.own, self._seen.known
        present = ~_to_numpy(pc.is_in(_to_ids(own), value_set=self._waiting))
        if self._rule.find_waiting(own, known, present).any():
            raise SeriesError(  # how many is not said: an error is read by others, in a log
                "Some records have to wait for a later release, and it is seen only when a step of this one was "
                f"done: begin a series in which the steps on {', '.join(columns)} come first, or leave them out."
            )
        texts, self.fixed = self._rule.mask(own, known, present)
        self.told = getattr(self._rule, "told", {})
        texts = [pc.if_else(pa.array(present), column, pa.scalar(None, pa.string())) for column in texts]
        for j, column in enumerate(texts):
            own = own.append_column(f"sdc__r{j}", column)
        self.new = collect_new(own, known, columns, self._step, self._number, present=present)
        self._is_known = True
        return select_texts(self._place, own, texts, types["type"].to_pylist())

    def collect(self, masked: exp.Expression) -> None:
        """Take at first what was released of each value, and what is fixed; later this is known before."""
        if not self._is_known:
            columns = self._place.columns
            own = self._place.read_digests(masked)
            self.new = collect_new(own, None, columns, self._step, self._number)
            described = execute(self._place.con, f"DESCRIBE {masked.sql('duckdb')}").fetchall()
            types = {str(row[0]): str(row[1]) for row in described}
            self.fixed = self._rule.freeze(own)
            self.fixed[f"types {self._step}"] = pa.table({"type": [types[c] for c in columns]})
        with translate_errors():
            self._place.con.execute(f"DROP TABLE IF EXISTS temp.{OWN}")


def find_waiting_ids(  # noqa: PLR0917 - what a release is
    ledger: Ledger,
    data: Any,  # noqa: ANN401 - a described table
    table: str,
    identifier: str,
    series: str,
    seen: dict[int, Seen],
    persons: Persons | None = None,
) -> pa.Array:
    """Return the digests of the ids that wait in this release, of all its steps together.

    It is known before anything is masked, so that all steps agree: of a record that one of them cannot release yet none
    does. Who waits by one step may leave too few for another, and so on until none is added. Steps on columns that an
    earlier one masks are not foreseen: there a record that has to wait is an error. Suppression finds by itself whom it
    leaves out.
    What was seen of the first step is kept in ``seen``, since it is masked at once.
    """
    asked: list[tuple[pa.Array, Callable[[NDArray[np.bool_]], NDArray[np.bool_]]]] = []
    masked: set[str] = set()
    for step, form in enumerate(ledger.steps):
        arguments = form["arguments"]
        others = [c for name in ("within", "equal", "different") for c in arguments.get(name) or []]
        read = {*form["columns"], *map(str.lower, others)} | {arguments.get("stratum")}
        read |= {arguments.get("household")}
        kept = find_rule(form["method"], arguments) == "values" and not suppresses_values(form["method"])
        if kept and not read & masked and cuts_boxes(form["method"]):
            asked.append(ask_who_waits(ledger, data, table, identifier, series, step, form["arguments"]["k"]))
        elif kept and not read & masked:
            order = tuple(form["order"])
            home = find_household(arguments)
            place = Place(data.con, table, identifier, order, arguments.get("stratum"), series, step, home, persons)
            own = place.read_digests()
            rule = find_new(form["method"])(place, arguments, ledger.fixed)
            known = look_up(ledger, own, step, order)
            asked.append((_to_ids(own), partial(rule.find_waiting, own, known)))
            if step == 0:  # it is masked at once
                seen[step] = Seen(table, own, known)
        masked |= {*form["columns"]}
    found = pa.array([], IDS.field("id").type)
    before = -1
    while len(found) > before:
        before = len(found)
        for ids, find_waiting in asked:
            waits = find_waiting(~_to_numpy(pc.is_in(ids, value_set=found)))
            found = pa.concat_arrays([found, ids.filter(pa.array(waits))])
    return found


def _to_ids(own: pa.Table) -> pa.Array:
    return own["sdc__person"].combine_chunks().cast(IDS.field("id").type)


def _to_numpy(truths: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(truths.to_numpy(zero_copy_only=False), dtype=bool)
