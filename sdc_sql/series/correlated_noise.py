"""Correlated noise in a series: a value that did not change keeps what was released, whatever changed beside it.

Were both columns drawn anew where one changes, many releases would average out the noise of the other. The noise of
what is new is drawn given that of what stays (the conditional normal distribution), so that all of it goes on having
the covariances of the first release. Whoever knows the originals of a column that changes learns, by each release, more
of the noise of those that stay: the correlation that is kept says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.series.kept_values import fetch_arrow, register_rows
from sdc_sql.udfs.noise.root import noise_root

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sdc_sql.series.kept_values import Known, Place

GIVEN, DESIGN = "sdc_series_beside", "sdc_series_conditional"
SINGULAR = 1e-10  # a share of a variance below it is left by rounding


class CorrelatedNoise:
    """Correlated noise: nobody waits, and what is new is drawn given what was released beside it."""

    def __init__(self, place: Place, arguments: Mapping[str, Any], fixed: Mapping[str, pa.Table]) -> None:
        self._place, self._arguments = place, arguments
        self._design = fixed.get(f"design {place.step}")

    def freeze(self, _: pa.Table) -> dict[str, pa.Table]:
        """Return what the first release fixes besides its design: nothing."""
        return {}

    def find_waiting(self, own: pa.Table, _: Known, __: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the records wait: none."""
        return np.zeros(len(own), dtype=bool)

    def mask(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> tuple[list[pa.Array], dict[str, Any]]:
        """Return by column what is released of each record, as texts; nothing further is fixed."""
        m = len(self._place.columns)
        missing = known.stack_missing()
        x = np.column_stack([own[f"sdc__x{j}"].to_numpy().astype(float) for j in range(m)])
        kept = [column.to_pylist() for column in known.released]
        shown = np.array([[np.nan if t is None else float(t) for t in column] for column in kept]).reshape(m, -1).T
        noise = shown - x  # of what was released before; bounds and whole numbers are in it
        # of each column: 1 its value is new, 0 its noise is known, 2 it has none
        state = np.where(missing, 1, np.where(np.isfinite(noise), 0, 2))
        asked = missing.any(axis=1) & present
        for pattern in np.unique(state[asked], axis=0):
            rows = np.flatnonzero(asked & (state == pattern).all(axis=1))
            new, beside = np.flatnonzero(pattern == 1), np.flatnonzero(pattern == 0)
            drawn = self._draw_given(own["sdc__id"].take(pa.array(rows)), noise[rows][:, beside], new, beside)
            places = {identifier: i for i, identifier in enumerate(drawn["sdc__id"].to_pylist())}
            order = [places[i] for i in own["sdc__id"].take(pa.array(rows)).to_pylist()]
            for j in new:
                texts = drawn[f"sdc__r{j}"].take(pa.array(order)).to_pylist()
                for row, text in zip(rows.tolist(), texts, strict=True):
                    kept[j][row] = text
        return [pa.array(column, pa.string()) for column in kept], {}

    def _draw_given(
        self, ids: pa.ChunkedArray, noise: NDArray[np.float64], new: NDArray[np.int64], beside: NDArray[np.int64]
    ) -> pa.Table:
        """Return the masked values of the new columns, as texts by id, given the noise of the columns beside them."""
        place, arguments = self._place, self._arguments
        columns = [place.columns[j] for j in new]
        weights, design = self._find_conditional(columns, [place.columns[j] for j in beside])
        terms = noise @ weights.T
        given = pa.table({"sdc_id": ids, "sdc_beside": pa.array(terms.tolist(), pa.list_(pa.float64()))})
        fitted = [self._pick(arguments.get(name), columns) for name in ("lower", "upper", "rounded")]
        masked = query.call_macro(
            "sdc__noise_beside", place.table, columns, place.identifier, GIVEN, DESIGN, *fitted,
            arguments.get("stream") or "", arguments.get("release") or "",
        )  # fmt: skip
        texts = [
            exp.alias_(exp.cast(exp.column(c, quoted=True), "VARCHAR"), f"sdc__r{j}")
            for j, c in zip(new, columns, strict=True)
        ]
        select = exp.select("sdc__id", *texts).from_(masked.subquery("m"))
        with register_rows(place.con, GIVEN, given), register_rows(place.con, DESIGN, design):
            return fetch_arrow(place.con, select)

    def _find_conditional(self, new: list[str], beside: list[str]) -> tuple[NDArray[np.float64], pa.Table]:
        """Return the weights of the noise beside, and the design of what is drawn, in the order of its names."""
        assert self._design is not None  # noqa: S101 - the first release had it
        ((row),) = self._design.to_pylist()
        at = {name.lower(): i for i, name in enumerate(row["sdc__names"])}
        by_name = sorted(new, key=lambda c: at[c.lower()])
        places, others = ([at[c.lower()] for c in names] for names in (by_name, beside))
        root = np.array(row["sdc__root"])
        covariance = root @ root.T
        across = covariance[np.ix_(places, others)]
        weights = across @ np.linalg.pinv(covariance[np.ix_(others, others)], hermitian=True)
        left = covariance[np.ix_(places, places)] - weights @ across.T
        if others:
            left = np.where(np.abs(left) > SINGULAR * np.abs(covariance[np.ix_(places, places)]), left, 0.0)
            conditional = noise_root(left.tolist(), np.sqrt(np.diag(left)).tolist()) if left.any() else left.tolist()
        else:
            conditional = root[np.ix_(places, places)].tolist()
        design = {
            **{name: [[row[name][i] for i in places]] for name in ("sdc__means", "sdc__steps")},
            "sdc__stratum": pa.nulls(1, pa.string()), "sdc__names": [by_name],
            "sdc__order": [[1 + new.index(c) for c in by_name]], "sdc__root": [conditional],
        }  # fmt: skip
        return weights, pa.table(design)

    def _pick(self, given: Any, columns: list[str]) -> Any:  # noqa: ANN401 - one for all, or a list of one for each
        """Return what is given of the columns, where there is one for each of all."""
        if not isinstance(given, list | tuple):
            return given
        every = [str(c).lower() for c in self._arguments["columns"]]
        return [given[every.index(c.lower())] for c in columns]
