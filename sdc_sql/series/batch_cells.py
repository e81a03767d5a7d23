"""Guaranteed PRAM in a series: each batch of new values by a design that holds within it.

A record that comes is drawn with those that come with it, by the design of their cells (Nayak, Results 1 and 2); the
bound xi holds within the batch. Records of other batches are independent of it, and there being more of them in a cell
lowers the probability that a match is right: the numbers of others in a cell are sums of independent indicators, whose
distribution is log-concave, and so the ratio of its neighbours that the bound falls with can only rise.

Of a record that changes in some columns the others keep what was released, so that two releases tell no more of them.
It is drawn with those that changed in the same columns and have the same released values in the others: within such a
group the released cell differs in the drawn columns alone, and the bound is that of the group. A group with too few
cells waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.registered import register_rows
from sdc_sql.series.drawn_batches import find_batches
from sdc_sql.series.kept_values import Known
from sdc_sql.series.remaining_bound import find_largest_matches
from sdc_sql.series.temporary import fetch_arrow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sdc_sql.series.drawn_batches import DrawnBatches
    from sdc_sql.series.kept_values import Place

GIVEN = "sdc_series_batch"
ROUNDING = 1e-9
# of each combination of values that was drawn: in which release, its group and cell, and how many records and cells
# these had
CELLS = pa.schema(
    {
        "id": pa.binary(16), "combination": pa.binary(), "since": pa.int32(), "group": pa.int32(), "cell": pa.int32(),
        "count": pa.int32(), "cells": pa.int32(),
    }
)  # fmt: skip
NOBODY = pa.array([], CELLS.field("id").type)
HALF = 0.5  # with xi below it a group needs three cells (Nayak)


class BatchCells:
    """Guaranteed PRAM: who waits, and what is drawn for the values that are new."""

    def __init__(self, place: Place, arguments: Mapping[str, Any], fixed: Mapping[str, pa.Table]) -> None:
        self._place, self._xi, self._fixed = place, arguments["xi"], fixed
        self.told: dict[str, float] = {}
        self.names: list[str] = [""]  # of the releases, up to this one
        self.batches: DrawnBatches | None = None
        self._within = [str(c) for c in arguments.get("within") or ()]
        self._drawn = [arguments.get("stream") or "", arguments.get("release") or ""]
        self._least = 3 if float(arguments["xi"]) < HALF else 2

    def freeze(self, own: pa.Table) -> dict[str, pa.Table]:
        """Return what the first release fixes: of each record the cell in which it was drawn."""
        m, n = len(self._place.columns), len(own)
        every, none = pa.array(np.ones(n, dtype=bool)), pa.nulls(n, pa.string())
        present = np.ones(n, dtype=bool)
        fixed = self._list_cells(own, self._find_batch(own, Known(every, (none,) * m, (every,) * m), present))
        self._find_drawn(own, fixed, present)
        return fixed

    def find_waiting(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the records wait: those of a group with too few cells."""
        batch = self._find_batch(own, known, present)
        cells = batch.group_by("sdc_group").aggregate([("sdc_cell", "count_distinct")])
        few = cells.filter(pc.less(cells["sdc_cell_count_distinct"], self._least))["sdc_group"].combine_chunks()
        waits = np.zeros(len(own), dtype=bool)
        waits[batch.filter(pc.is_in(batch["sdc_group"], value_set=few))["sdc_place"].to_numpy()] = True
        return waits

    def mask(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> tuple[list[pa.Array], dict[str, Any]]:
        """Return by column what is released of each record, as texts; nothing further is fixed."""
        texts = [column.to_pylist() for column in known.released]
        batch = self._find_batch(own, known, present)
        for changed in sorted(batch["sdc_changed"].unique().to_pylist()):
            drawn = self._draw_part(batch.filter(pc.equal(batch["sdc_changed"], changed)), changed)
            places = drawn["sdc_place"].to_pylist()
            for j in (j for j, new in enumerate(changed) if new == "1"):
                for place, text in zip(places, drawn[f"sdc_r{j}"].to_pylist(), strict=True):
                    texts[j][place] = text
        fixed = self._list_cells(own, batch)
        self._find_drawn(own, fixed, present)
        self.told = self.count_bound(NOBODY)
        return [pa.array(column, pa.string()) for column in texts], fixed

    def _list_cells(self, own: pa.Table, batch: pa.Table) -> dict[str, pa.Table]:
        """Return of each combination of values, those of the ledger too, the group and cell that it was drawn in."""
        known = self._fixed.get(f"cells {self._place.step}", CELLS.empty_table())
        if not len(batch):
            return {f"cells {self._place.step}": known}
        groups = pc.dictionary_encode(batch["sdc_group"].combine_chunks())
        group = groups.indices.to_numpy().astype(np.int64)
        cell = pc.dictionary_encode(batch["sdc_cell"].combine_chunks()).indices.to_numpy().astype(np.int64)
        pairs, place, count = np.unique(
            np.stack([group, cell], axis=1), axis=0, return_inverse=True, return_counts=True
        )
        cells = np.bincount(pairs[:, 0], minlength=len(groups.dictionary))
        rows = batch["sdc_place"].combine_chunks()
        first = 1 + (pc.max(known["group"]).as_py() if len(known) else -1)
        new = [
            own["sdc__person"].combine_chunks().take(rows).cast(CELLS.field("id").type),
            self._join_digests(own).take(rows), pa.array(np.full(len(rows), len(self.names))),
            first + group, cell, count[place.reshape(-1)], cells[group],
        ]  # fmt: skip
        arrays = [pa.array(a).cast(f.type) for a, f in zip(new, CELLS, strict=True)]
        return {f"cells {self._place.step}": pa.concat_tables([known, pa.table(arrays, schema=CELLS)])}

    def _join_digests(self, own: pa.Table) -> pa.Array:
        """Return of each record the digests of its values, joined: each holds its id too."""
        digests = [own[f"sdc__d{j}"].combine_chunks().cast(pa.binary()) for j in range(len(self._place.columns))]
        return pc.binary_join_element_wise(*digests, b"")

    def count_bound(self, absent: pa.Array) -> dict[str, float]:
        """Count the bound of who is there, of those of its batch who are: others have left, or changed.

        Parameters
        ----------
        absent
            The ids, as digests, of those whom a later step of the release leaves out: they cover nobody.
        """
        drawn, lacking = self._counted
        drawn = drawn.filter(pc.invert(pc.is_in(drawn["id"], value_set=absent)))
        group, cell, count, in_group = (
            drawn[name].to_numpy().astype(np.int64) for name in ("group", "cell", "count", "cells")
        )
        largest = find_largest_matches(group, cell, count, in_group, self._theta) if len(drawn) else np.zeros(0)
        return {
            "largest_match": float(largest.max(initial=0)),
            "above_xi": int((largest > float(self._xi) + ROUNDING).sum()),
            "of_several_batches": int(pc.sum(pc.invert(pc.is_in(lacking, value_set=absent))).as_py() or 0),
        }

    def _find_drawn(self, own: pa.Table, fixed: dict[str, pa.Table], present: NDArray[np.bool_]) -> None:
        """Find how the combinations of those who are there were drawn, and whose were not drawn as one.

        Of one column the batches of the records are kept: of several a record has none, since what is drawn again in
        one of them hangs on what was released of the others.
        """
        cells, there = fixed[f"cells {self._place.step}"], pa.array(present)
        shown = own.filter(there)
        at = pc.index_in(self._join_digests(shown), value_set=cells["combination"].combine_chunks())
        drawn, persons = cells.take(at.drop_null()), shown["sdc__person"].combine_chunks().cast(CELLS.field("id").type)
        self._counted = drawn, persons.filter(pc.is_null(at))
        ((self._theta,),) = execute(self._place.con, "SELECT sdc_pram_theta($1)", [self._xi]).fetchall()
        if len(self._place.columns) == 1 and not self._within:
            self.batches = find_batches(self._place, shown.filter(pc.is_valid(at)), drawn, self.names, self._xi)

    def _find_batch(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> pa.Table:
        """Return the records with a new value, which columns are new in each ('101'), its group and its cell there."""
        missing = known.stack_missing()
        rows = np.flatnonzero(missing.any(axis=1) & present)
        kept = [released.take(pa.array(rows)).to_pylist() for released in known.released]
        given = {
            "sdc_id": own["sdc__id"].take(pa.array(rows)), "sdc_place": pa.array(rows),
            "sdc_changed": pa.array(["".join("1" if new else "0" for new in row) for row in missing[rows].tolist()],
                                    pa.string()),
            "sdc_kept": pa.array([list(row) for row in zip(*kept, strict=True)], pa.list_(pa.string())),
        }  # fmt: skip
        place = self._place
        with register_rows(place.con, GIVEN, pa.table(given)):
            batch = query.call_macro(
                "sdc__pram_batch", place.table, place.identifier, GIVEN, list(place.columns), self._within or None
            )
            return fetch_arrow(place.con, batch)

    def _draw_part(self, batch: pa.Table, changed: str) -> pa.Table:
        """Return what is drawn for the records in which these columns are new, as texts, by their places."""
        place = self._place
        columns = [(j, c) for j, c in enumerate(place.columns) if changed[j] == "1"]
        drawn = query.call_macro(
            "sdc__pram_batch_drawn", place.table, place.identifier, GIVEN, [c for _, c in columns], self._xi,
            *self._drawn,
        )  # fmt: skip
        texts = [
            exp.alias_(exp.cast(exp.column(c, table="d", quoted=True), "VARCHAR"), f"sdc_r{j}") for j, c in columns
        ]
        ids = (exp.column("sdc__id", table="d"), exp.column("sdc_id", table="p"))
        own, theirs = (exp.Anonymous(this="sdc__by_bytes", expressions=[one]) for one in ids)
        part = exp.alias_(exp.table_(GIVEN, quoted=True), "p", table=True)
        select = exp.select(exp.column("sdc_place", table="p"), *texts).from_(drawn.subquery("d"))
        with register_rows(place.con, GIVEN, batch):
            return fetch_arrow(place.con, select.join(part, on=own.eq(theirs)))
