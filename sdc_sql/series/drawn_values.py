"""Draws that hang on another column, in a series: what was drawn for a value stays, and a new value is drawn for once.

By strata a value is drawn for by what was fixed for its stratum in the first release; who moves to another one keeps
what was released. By household members that share a value share its draw; who moves keeps what was released, and one
who joins takes what was released of the same value of a member: drawn for anew, the number of a household being
another one now, the same value would be shown with two draws.

Of noise that is drawn for several columns together a value that is new beside others that are not is drawn given what
was released of those: a draw for the whole record would show the others a second time, and again at each change.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.errors import translate_errors
from sdc_sql.series.masked_part import ROW, find_rows, hold_part, mask_part, put_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from sdc_sql.series.kept_values import Known, Place

DESIGN, GIVEN = "sdc_series_drawn_by", "sdc_series_noise_of_others"


class DrawnValues:
    """A method that draws for each value by itself: by a stratum, or for a household."""

    def __init__(self, method: str, place: Place, arguments: Mapping[str, Any], fixed: Mapping[str, pa.Table]) -> None:
        self._method, self._place, self._arguments = method, place, dict(arguments)
        self._design = fixed.get(f"design {place.step}")

    def freeze(self, _: pa.Table) -> dict[str, pa.Table]:
        """Return what the first release fixes besides its design: nothing but what was released of each value."""
        return {}

    def find_waiting(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the records wait: those for whose stratum nothing was fixed in the first release."""
        waits = np.zeros(len(own), dtype=bool)
        known, told = self._take_from_members(own, known)
        waits |= told & present
        if self._design is None:
            return waits
        for new, kept, rows in self._part(own, known, present & ~waits):
            with translate_errors(), self._hold_design(), hold_part(self._place, own, rows) as table:
                stratum, identifier = self._arguments.get("stratum"), self._place.identifier
                asked = query.call_macro(
                    "sdc__noise_batch", table, self._name(new), self._name(kept), identifier, stratum, f"temp.{DESIGN}"
                )
                found = find_rows(self._place, asked, [exp.column("waits", table="d")])
            waits[found[ROW].to_numpy()[found["waits"].to_numpy().astype(bool)]] = True
        return waits

    def mask(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> tuple[list[pa.Array], dict[str, Any]]:
        """Return by column what is released of each record, as texts; nothing further is fixed."""
        known, _ = self._take_from_members(own, known)
        texts = [*known.released]
        for new, kept, rows in self._part(own, known, present):
            with translate_errors(), self._hold_design(), hold_part(self._place, own, rows) as table:
                found = self._draw(own, known, table, (new, kept, rows))
            for at, j in enumerate(new):
                texts[j] = put_texts(texts[j], found[ROW], found[f"sdc__r{at}"])
        return texts, {}

    def _draw(
        self, own: pa.Table, known: Known, table: str, part: tuple[Sequence[int], Sequence[int], NDArray[np.int64]]
    ) -> pa.Table:
        """Return what is drawn for the new values of a part of the records."""
        del own, known
        return self._draw_alone(table, part[0])

    def _draw_alone(self, table: str, new: Sequence[int]) -> pa.Table:
        """Return what the method gives for some columns of a part, which it masks each by itself, or all together."""
        given = {**self._arguments, **self._pick_listed(new)}
        if self._design is None:
            return mask_part(self._place, f"sdc__{self._method}", table, self._name(new), given)
        return mask_part(self._place, f"sdc__{self._method}_designed", table, self._name(new), given, f"temp.{DESIGN}")

    def _part(
        self, own: pa.Table, known: Known, present: NDArray[np.bool_]
    ) -> Iterator[tuple[Sequence[int], Sequence[int], NDArray[np.int64]]]:
        """Give the parts of a batch: the columns that are new, those that are kept and not NULL, and the records."""
        missing = known.stack_missing()
        there = np.column_stack([~np.isnan(_to_numbers(own[f"sdc__x{j}"])) for j in range(missing.shape[1])])
        state = np.where(missing, 1, np.where(there, 0, -1)) if self._hangs_together() else missing.astype(int)
        asked = missing.any(axis=1) & present
        for pattern in np.unique(state[asked], axis=0).tolist():
            rows = np.flatnonzero(asked & (state == np.array(pattern)).all(axis=1))
            kept = [j for j, s in enumerate(pattern) if s == 0] if self._hangs_together() else []
            yield [j for j, s in enumerate(pattern) if s == 1], kept, rows

    def _hangs_together(self) -> bool:
        """Return whether the draws of a record's columns hang on one another."""
        return False

    def _name(self, columns: Sequence[int]) -> list[str]:
        return [self._place.columns[j] for j in columns]

    def _pick_listed(self, new: Sequence[int]) -> dict[str, Any]:
        """Return of arguments that are one for each column those of some columns."""
        given = [c.lower() for c in self._arguments["columns"]]
        at = [given.index(c.lower()) for c in self._name(new)]
        return {
            name: [value[i] for i in at]
            for name, value in self._arguments.items()
            if isinstance(value, list | tuple) and name in PER_COLUMN
        }

    def _take_from_members(self, own: pa.Table, known: Known) -> tuple[Known, NDArray[np.bool_]]:
        """Return what is known, of members' values too, and whose household has several releases of one value."""
        if self._place.household is None:
            return known, np.zeros(len(own), dtype=bool)
        return known.take_from_members(own)

    @contextmanager
    def _hold_design(self) -> Iterator[None]:
        """Have the rows of the first release's design in a table as long as they are needed."""
        con = self._place.con
        if self._design is None:
            yield
            return
        _store(con, DESIGN, self._design)
        yield
        con.execute(f"DROP TABLE IF EXISTS temp.{DESIGN}")


PER_COLUMN = {"lower", "upper", "rounded", "discrete", "standard_deviation", "base"}


class GivenNoise(DrawnValues):
    """Noise: of several columns together where it is correlated."""

    def _hangs_together(self) -> bool:
        return bool(self._arguments["method"] == "correlated")

    def _draw(
        self, own: pa.Table, known: Known, table: str, part: tuple[Sequence[int], Sequence[int], NDArray[np.int64]]
    ) -> pa.Table:
        new, kept, rows = part
        if not self._hangs_together() or len(new) == len(self._place.columns):
            return self._draw_alone(table, new)
        assert self._design is not None  # noqa: S101 - correlated noise has one
        order = [n.lower() for n in self._design["sdc__names"][0].as_py()]
        kept = sorted(kept, key=lambda j: order.index(self._place.columns[j].lower()))
        noise = np.column_stack(
            [np.zeros((len(rows), 0))]
            + [_to_numbers(known.released[j].take(pa.array(rows))) - _to_numbers(own[f"sdc__x{j}"])[rows] for j in kept]
        )
        listed = pa.array(noise.tolist(), pa.list_(pa.float64()))
        _store(
            self._place.con,
            GIVEN,
            pa.table({"sdc__id": own["sdc__id"].take(pa.array(rows)), "sdc__known_noise": listed}),
        )
        fitted = {n: self._arguments.get(n) for n in ("lower", "upper", "rounded")} | self._pick_listed(new)
        fitted = {n: fitted[n] for n in ("lower", "upper", "rounded")}
        drawn = {n: self._arguments.get(n) for n in ("stratum", "stream", "release")}
        found = mask_part(
            self._place, "sdc__noise_given", table, self._name(new),
            {"columns": (), "kept": self._name(kept), "id": self._place.identifier, **fitted, **drawn},
            f"temp.{DESIGN}", f"temp.{GIVEN}",
        )  # fmt: skip
        self._place.con.execute(f"DROP TABLE IF EXISTS temp.{GIVEN}")
        return found


def _store(con: Any, name: str, rows: pa.Table) -> None:  # noqa: ANN401 - a connection
    con.register(f"{name}_given", rows)
    try:
        con.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM {name}_given").fetchall()
    finally:
        con.unregister(f"{name}_given")


def _to_numbers(column: Any) -> NDArray[np.float64]:  # noqa: ANN401 - of Arrow, numbers or texts of them
    found = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.asarray(found.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=float)
