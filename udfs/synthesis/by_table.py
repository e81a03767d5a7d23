"""The cells of the table of the columns before, in which donors are drawn: the saturated model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.trees.codes import Codes, find_coding

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.synthesis.columns import Before
    from sdc_sql.udfs.synthesis.donors import Donors


def draw_by_table(before: Before, values: Floats, kind: int, k: int, donors: Donors) -> Integers:
    """Return donors of the cell of each record that is drawn, which has k fitted records or more.

    The columns are crossed in the order of their connection with this one (Cramer's V). Where a cell has too few
    records, it is one of fewer columns, without those of the weakest connection.
    """
    coding = find_coding(values, kind)
    codes = coding.encode(values)
    n = len(codes)
    cell, drawn_in = np.zeros(n, dtype=np.int64), np.zeros(before.new.shape[1], dtype=np.int64)
    found = donors.draw(cell, drawn_in)
    strength = [-_compute_connection(before.old[j], before.widths[j], codes, coding.codes) for j in range(before.count)]
    for j in np.argsort(np.array(strength), kind="stable"):
        both = np.concatenate([cell * 256 + before.old[j], drawn_in * 256 + before.new[j]])
        _, number = np.unique(both, return_inverse=True)
        cell, drawn_in = number[:n], number[n:]
        enough = np.bincount(cell, minlength=int(number.max()) + 1) >= k
        rows = np.flatnonzero(enough[drawn_in])
        if not len(rows):
            break
        found[rows] = donors.draw(cell, drawn_in[rows], rows)
    return found


def _compute_connection(codes: Codes, width: int, others: Codes, other_width: int) -> float:
    """Return Cramer's V of two columns of codes."""
    table = np.bincount(codes.astype(np.int64) * other_width + others, minlength=width * other_width)
    table = table.reshape(width, other_width).astype(np.float64)
    rows, columns = table.sum(1), table.sum(0)
    expected = np.outer(rows, columns) / table.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        chi = np.nansum(np.square(table - expected) / expected)
    least = min((rows > 0).sum(), (columns > 0).sum()) - 1
    return float(chi / (table.sum() * least)) if least else 0.0
