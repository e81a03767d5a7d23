"""Which batch the value of each record was drawn in by guaranteed PRAM, and the matrices of the batch of a release.

Users of the released file correct frequencies by them (``sdc_pram_estimate_by_batch``). They are the house's own: a
batch tells when a record came or changed, also where the released value did not, and a matrix how many share a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.series.kept_values import fetch_arrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.series.kept_values import Place


@dataclass(frozen=True)
class DrawnBatches:
    """The batches of a column that guaranteed PRAM released in a series.

    ``records`` has the ``id`` and the ``batch`` of each record of the release. ``counts`` has, of the batch that was
    drawn in this release, each ``category`` with its ``count`` of records; ``theta`` is the parameter of the design.
    """

    column: str
    records: pa.Table
    counts: pa.Table
    theta: float

    def make_matrices(self) -> pa.Table:
        """Return the matrices of this release's batch: ``batch``, ``from``, ``to``, ``probability``.

        Those of earlier batches are given by their own releases; together they are the table of matrices that
        ``sdc_pram_estimate_by_batch`` takes.

        Examples
        --------
        >>> counts = pa.table({"batch": ["may"] * 2, "category": ["f", "m"], "count": [2, 1]})
        >>> DrawnBatches("sex", pa.table({}), counts, 0.4).make_matrices()["probability"].to_pylist()
        [0.8, 0.2, 0.4, 0.6]
        """
        parts = [self._make_matrix(batch) for batch in self.counts["batch"].unique().to_pylist()]
        return pa.concat_tables(parts) if parts else self._make_matrix("")

    def _make_matrix(self, batch: str) -> pa.Table:
        own = self.counts.filter(pc.equal(self.counts["batch"], batch))
        k, names = len(own), own["category"].combine_chunks()
        moves = self.theta / own["count"].to_numpy()  # Nayak: theta / T
        matrix = np.repeat(moves[:, None] / max(k - 1, 1), k, axis=1)
        np.fill_diagonal(matrix, 1 - moves)
        rows, columns = (pa.array(places) for places in np.divmod(np.arange(k * k), max(k, 1)))
        return pa.table({
            "batch": pa.array([batch] * (k * k), pa.string()), "from": names.take(rows), "to": names.take(columns),
            "probability": matrix.ravel(),
        })  # fmt: skip

    def list_sizes(self) -> list[tuple[str, int]]:
        """Return of each batch how many of its records are in this release."""
        counted = self.records["batch"].combine_chunks().value_counts()
        return sorted((str(found["values"]), int(found["counts"].as_py())) for found in counted)


def find_batches(place: Place, own: pa.Table, drawn: pa.Table, names: Sequence[str], theta: float) -> DrawnBatches:
    """Return the batches of a step of one column.

    Parameters
    ----------
    own
        The records of which something is released, with their ids.
    drawn
        Of each of them the release in which its value was drawn, ``since``.
    names
        Those of the batches: of the releases, this one as the last.
    """
    batch = pa.array(names, pa.string()).take(pc.subtract(drawn["since"].combine_chunks(), 1))
    ids = own["sdc__id"].combine_chunks()
    new = pc.equal(drawn["since"].combine_chunks(), len(names))
    shown = exp.alias_(exp.cast(exp.column(place.columns[0], table="t", quoted=True), "VARCHAR"), "category")
    source = exp.Table(this=exp.Anonymous(this="query_table", expressions=[query.make_text_literal(place.table)]))
    select = exp.select(exp.alias_(exp.column(place.identifier, table="t", quoted=True), "id"), shown)
    values = fetch_arrow(place.con, select.from_(exp.alias_(source, "t", table=True)))
    rows = pc.index_in(ids.filter(new), value_set=values["id"].combine_chunks())
    tally = pa.table({"batch": batch.filter(new), "category": values["category"].combine_chunks().take(rows)})
    counts = tally.group_by(["batch", "category"]).aggregate([([], "count_all")])
    counts = counts.rename_columns(["batch", "category", "count"])
    ordered = counts.sort_by([("batch", "ascending"), ("category", "ascending")])
    return DrawnBatches(place.columns[0], pa.table({"id": ids, "batch": batch}), ordered, theta)
