"""Swapping in a series: values that are new are exchanged among themselves, and keep what was released of them.

A record that comes, or changes, takes the value of another one that is new in the same release. What was exchanged
before stays, so that no release is a second draw of it. The values of a batch are released, all of them, and are seen
to be those of the batch: of one record, or of few whose ranks lie beside one another, nothing is hidden. So a batch
waits until each of its values may have gone to ten others.

Of a record that changes in some of the columns that are exchanged together only those are exchanged, among the records
that changed in the same ones: what stands in the others went to a partner before, and would be shown a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from sdc_sql.db import query
from sdc_sql.errors import SeriesError, translate_errors
from sdc_sql.series.masked_part import ROW, ask_part, hold_part, mask_part, put_texts
from sdc_sql.series.temporary import fetch_arrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from sdc_sql.series.kept_values import Known, Place


# what the macros of a method take after the table
TAKEN = {
    "rank_swap": ("columns", "id", "p", "correlation", "stratum", "stream", "release"),
    "data_swap": ("columns", "rate", "id", "equal", "different", "shortfall", "stream", "release"),
}


class SwappedBatch:
    """A method that swaps: who waits, and what is released of the values that are new.

    ``sdc__<method>_batch`` gives, for a batch, who waits in it.
    """

    def __init__(self, method: str, place: Place, arguments: Mapping[str, Any], _: Mapping[str, pa.Table]) -> None:
        self._method, self._place = method, place
        self._arguments = {name: arguments.get(name) for name in TAKEN[method]}  # of a ledger they are in no order

    def freeze(self, _: pa.Table) -> dict[str, pa.Table]:
        """Refuse a first release that is too small a batch; it fixes nothing but what was released of each value."""
        given = {**self._arguments, "columns": self._place.columns}
        asked = query.call_macro(f"sdc__{self._method}_batch", self._place.table, *given.values())
        with translate_errors():
            late = pc.any(fetch_arrow(self._place.con, asked)["waits"]).as_py()
        if late:
            raise SeriesError(
                f"{self._method} would exchange the values of some records with fewer than ten others, and so it "
                "would those of each later release: they would be found. Let partners be farther apart, give wider "
                "strata, or begin the series with more records."
            )
        return {}

    def find_waiting(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the records wait: those that may have exchanged with fewer than ten."""
        waits = np.zeros(len(own), dtype=bool)
        for columns, rows in self._part(known, present):
            with translate_errors(), hold_part(self._place, own, rows) as table:
                names = [self._place.columns[j] for j in columns]
                found = ask_part(self._place, f"sdc__{self._method}_batch", table, names, self._arguments)
            told = found["waits"].to_numpy().astype(bool)
            waits[found[ROW].to_numpy()[told]] = True
        return waits

    def mask(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> tuple[list[pa.Array], dict[str, Any]]:
        """Return by column what is released of each record, as texts; nothing further is fixed."""
        texts = [*known.released]
        for columns, rows in self._part(known, present):
            with translate_errors(), hold_part(self._place, own, rows) as table:
                names = [self._place.columns[j] for j in columns]
                # of a batch that does not wait somebody may be left over in a cell of an odd number
                given = {n: "report" if n == "shortfall" else v for n, v in self._arguments.items()}
                found = mask_part(self._place, f"sdc__{self._method}", table, names, given)
            for at, j in enumerate(columns):
                texts[j] = put_texts(texts[j], found[ROW], found[f"sdc__r{at}"])
        return texts, {}

    @staticmethod
    def _part(known: Known, present: NDArray[np.bool_]) -> Iterator[tuple[Sequence[int], NDArray[np.int64]]]:
        """Give the parts of a batch: the columns that are new, and the places of the records in which they are."""
        missing = np.column_stack([np.asarray(a.to_numpy(zero_copy_only=False), dtype=bool) for a in known.missing])
        asked = missing & present[:, None]
        for pattern in sorted({tuple(row) for row in np.unique(asked, axis=0).tolist()}):
            columns = [j for j, new in enumerate(pattern) if new]
            if columns:
                yield columns, np.flatnonzero((asked == np.array(pattern)).all(axis=1))
