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
from sdc_sql.db.catalogue.load import execute
from sdc_sql.series.temporary import fetch_arrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.series.kept_values import Place


@dataclass(frozen=True)
class DrawnBatches:
    """The batches of a column that guaranteed PRAM released in a series.

    ``records`` has the ``id`` and the ``batch`` of each record of the release. ``counts`` has, of the batch that was
    drawn in this release, each ``category`` with its ``count`` of records and the probability to stay, ``stays``.
    """

    column: str
    records: pa.Table
    counts: pa.Table

    def make_matrices(self) -> pa.Table:
        """Return the matrices of this release's batch: ``batch``, ``from``, ``to``, ``probability``.

        Those of earlier batches are given by their own releases; together they are the table of matrices that
        ``sdc_pram_estimate_by_batch`` takes.

        Examples
        --------
        >>> counts = pa.table({"batch": ["may"] * 2, "category": ["f", "m"], "count": [2, 1], "stays": [0.75, 0.5]})
        >>> DrawnBatches("sex", pa.table({}), counts).make_matrices()["probability"].to_pylist()
        [0.75, 0.25, 0.5, 0.5]
        """
        parts = [self._make_matrix(batch) for batch in self.counts["batch"].unique().to_pylist()]
        return pa.concat_tables(parts) if parts else self._make_matrix("")

    def _make_matrix(self, batch: str) -> pa.Table:
        own = self.counts.filter(pc.equal(self.counts["batch"], batch))
        k, names = len(own), own["category"].combine_chunks()
        stays = own["stays"].to_numpy()
        matrix = np.repeat((1 - stays)[:, None] / max(k - 1, 1), k, axis=1)
        np.fill_diagonal(matrix, stays)
        rows, columns = (pa.array(places) for places in np.divmod(np.arange(k * k), max(k, 1)))
        return pa.table({
            "batch": pa.array([batch] * (k * k), pa.string()), "from": names.take(rows), "to": names.take(columns),
            "probability": matrix.ravel(),
        })  # fmt: skip

    def list_sizes(self) -> list[tuple[str, int]]:
        """Return of each batch how many of its records are in this release."""
        counted = self.records["batch"].combine_chunks().value_counts()
        return sorted((str(found["values"]), int(found["counts"].as_py())) for found in counted)


def find_batches(place: Place, own: pa.Table, drawn: pa.Table, names: Sequence[str], xi: float) -> DrawnBatches:
    """Return the batches of a step of one column.

    Parameters
    ----------
    own
        The records of which something is released, with their ids.
    drawn
        Of each of them the release in which its value was drawn, ``since``.
    names
        Those of the batches: of the releases, this one as the last.
    xi
        The bound that guaranteed PRAM was asked for.
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
    asked = "SELECT sdc__pram_stay($1, unnest($2::BIGINT[]))"
    stays = [stay for (stay,) in execute(place.con, asked, [xi, ordered["count"].to_pylist()]).fetchall()]
    ordered = ordered.append_column("stays", pa.array(stays, pa.float64()))
    return DrawnBatches(place.columns[0], pa.table({"id": ids, "batch": batch}), ordered)
