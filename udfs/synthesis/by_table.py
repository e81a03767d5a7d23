"""The cells of the table of the columns before, in which donors are drawn: the saturated model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.synthesis.donors import Groups
from sdc_sql.udfs.trees.codes import Codes, find_coding

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.synthesis.columns import Before, Drawn
    from sdc_sql.udfs.synthesis.donors import Uniforms
    from sdc_sql.udfs.synthesis.model import Find

CODES = 256


def fit_table(before: Before, values: Floats, kind: int, leaf: int, may: Truths | None) -> Find:
    """Return what finds donors in the cell of each record that is drawn, which has so many fitted records or more.

    The columns are crossed in the order of their connection with this one (Cramer's V). Where a cell has too few
    records, it is one of fewer columns, without those of the weakest connection.
    """
    coding = find_coding(values, kind)
    codes, widths = coding.encode(values), before.widths
    cell = np.zeros(len(codes), dtype=np.int64)
    everybody = Groups(cell, may)
    strength = [-_compute_connection(before.codes[j], widths[j], codes, coding.codes) for j in range(before.count)]
    crossed: list[tuple[int, Integers, Truths, Groups]] = []
    for j in np.argsort(np.array(strength), kind="stable").tolist():
        cells, cell, counts = np.unique(cell * CODES + before.codes[j], return_inverse=True, return_counts=True)
        crossed.append((j, cells, counts >= leaf, Groups(cell, may)))

    def find(drawn: Drawn, uniforms: Uniforms) -> Integers:
        uniform = uniforms.draw(0)
        own = np.zeros(len(drawn), dtype=np.int64)
        rows = np.arange(len(drawn))
        found = everybody.draw(own, uniform)
        for j, cells, enough, groups in crossed:
            asked = own[rows] * CODES + drawn.codes[j, rows]
            place = np.minimum(np.searchsorted(cells, asked), len(cells) - 1)
            there = (cells[place] == asked) & enough[place]
            rows, place = rows[there], place[there]
            if not len(rows):
                break
            own[rows] = place
            found[rows] = groups.draw(place, uniform[rows])
        return found

    return find


def _compute_connection(codes: Codes, width: int, others: Codes, other_width: int) -> float:
    """Return the square of Cramer's V of two columns of codes, 0 where one has a single code."""
    table = np.bincount(codes.astype(np.int64) * other_width + others, minlength=width * other_width)
    table = table.reshape(width, other_width).astype(np.float64)
    rows, columns = table.sum(1), table.sum(0)
    expected = np.outer(rows, columns) / table.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        chi = np.nansum(np.square(table - expected) / expected)
    least = min((rows > 0).sum(), (columns > 0).sum()) - 1
    return float(chi / (table.sum() * least)) if least else 0.0
