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
from sdc_sql.series.kept_values import fetch_arrow, register_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sdc_sql.series.kept_values import Known, Place

GIVEN = "sdc_series_batch"
HALF = 0.5  # with xi below it a group needs three cells (Nayak)


class BatchCells:
    """Guaranteed PRAM: who waits, and what is drawn for the values that are new."""

    def __init__(self, place: Place, arguments: Mapping[str, Any], _: Mapping[str, pa.Table]) -> None:
        self._place, self._xi = place, arguments["xi"]
        self._within = [str(c) for c in arguments.get("within") or ()]
        self._drawn = [arguments.get("stream") or "", arguments.get("release") or ""]
        self._least = 3 if float(arguments["xi"]) < HALF else 2

    def freeze(self, _: pa.Table) -> dict[str, pa.Table]:
        """Return what the first release fixes: nothing but what was released of each value."""
        return {}

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
        return [pa.array(column, pa.string()) for column in texts], {}

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
