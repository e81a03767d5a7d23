"""How far the distribution of each variable is from the original one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Chart
from sdc_sql.pictures.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.showing.results import Result

NOTE = "Of numbers the Kolmogorov-Smirnov distance, of categories the total variation: both from 0 to 1."


def draw_margins(found: Iterable[Result]) -> Picture:
    """Draw the distance of each variable, from the one that is farthest.

    It shows figures of loss alone, which users of a released file may be told where the house tells them.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.loss.margin_distance(data, ["age", "sex"]).plot().block.labels
    ('age', 'sex')
    """
    rows = sorted((row.to_dict() for row in found), key=lambda row: -row["distance"])
    names = tuple(row["variable"] for row in rows)
    series = (("distance", tuple(float(row["distance"]) for row in rows)),)
    return Picture(
        Chart("Distance of each variable from the original", names, series, digits=3), NOTE, confidential=False
    )
