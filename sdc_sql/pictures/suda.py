"""Where special uniques come from: what each key, or each of its values, adds to the SUDA score."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Chart, make_label
from sdc_sql.pictures.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.showing.results import Result

MOST = 30  # bars; a longer picture is not read
OVERLAP = "A minimal sample unique counts for each of its keys: the bars sum to more than 100 per cent."


def draw_contributions(found: Iterable[Result]) -> Picture:
    """Draw the keys, from the one that adds most.

    Examples
    --------
    >>> import sdc_sql
    >>> print(draw_contributions(sdc_sql.example().risk.suda_contributions()).block.series)
    (('contribution', (50.0, 50.0)),)
    """
    rows = sorted((row.to_dict() for row in found), key=lambda row: -row["contribution"])
    chart = Chart(
        "SUDA: due to each key, per cent of the total score",
        tuple(row["variable"] for row in rows),
        (("contribution", tuple(float(row["contribution"]) for row in rows)),),
        most=100.0,
        digits=3,
    )
    return Picture(chart, OVERLAP)


def draw_value_contributions(found: Iterable[Result]) -> Picture:
    """Draw the values of each key, from the one that adds most; of many values those that add most.

    Examples
    --------
    >>> import sdc_sql
    >>> draw_value_contributions(sdc_sql.example().risk.suda_value_contributions()).block.labels
    ('age = 41', 'age = 30', 'sex = m', 'sex = f')
    """
    given = [row.to_dict() for row in found]
    every = sorted(given, key=lambda row: -row["contribution"])
    kept = {id(row) for row in every[:MOST]}
    # the keys in the order in which they were given
    rows = [
        row
        for _, its in groupby(given, key=lambda row: row["variable"])
        for row in sorted(its, key=lambda row: -row["contribution"])
        if id(row) in kept
    ]
    left = len(every) - len(rows)
    chart = Chart(
        "SUDA: due to each value, per cent of what its key adds",
        tuple(f"{row['variable']} = {make_label(row['value'])}" for row in rows),
        (("contribution", tuple(float(row["contribution"]) for row in rows)),),
        most=100.0,
        digits=3,
    )
    return Picture(chart, f"{left:,} further values, none of which adds more, are not drawn." if left else "")
