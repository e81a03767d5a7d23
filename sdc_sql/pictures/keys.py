"""What each key adds to the risk: the records that it makes unique."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Chart
from sdc_sql.pictures.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.showing.results import Result

NOTE = "Records that are unique by all keys, and would not be without this one; a record may be among several."


def draw_keys(found: Iterable[Result]) -> Picture:
    """Draw the records that each key makes unique, from the one that makes most.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.key_uniques().plot().block.series
    (('records', (0, 0)),)
    """
    rows = sorted((row.to_dict() for row in found), key=lambda row: -row["made_unique"])
    names = tuple(row["variable"] for row in rows)
    series = (("records", tuple(row["made_unique"] for row in rows)),)
    return Picture(Chart("Records that each key makes unique", names, series), NOTE)
