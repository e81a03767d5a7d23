"""How far the table of each pair of variables is from the original one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Grid
from sdc_sql.pictures.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.showing.results import Result

NOTE = "0: the shares of the pair's cells are those of the original; 1: they have no cell in common."


def draw_pairs(found: Iterable[Result]) -> Picture:
    """Draw the total variation of each pair of variables as a triangle of shaded cells.

    It shows figures of loss alone, which users of a released file may be told where the house tells them.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> print(data.loss.pair_distance(data, ["age", "sex"]).plot().block.rows)
    ((), (0.0,))
    """
    rows = [row.to_dict() for row in found]
    names = tuple(dict.fromkeys(name for row in rows for name in row["columns"]))
    known = {frozenset(row["columns"]): float(row["total_variation"]) for row in rows}
    values = tuple(tuple(known.get(frozenset((names[j], names[i]))) for j in range(i)) for i in range(len(names)))
    grid = Grid("Pairs of variables: total variation from the original", names, values)
    return Picture(grid, NOTE, confidential=False)
