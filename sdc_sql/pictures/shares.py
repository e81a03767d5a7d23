"""A variable before and after masking: how the records are spread over its values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import text_for_message
from sdc_sql.document.blocks import Bars, Distribution, make_label
from sdc_sql.errors import ParameterError
from sdc_sql.pictures.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sdc_sql.db.showing.results import Result

MOST = 25  # bars of categories; a longer picture is not read


def draw_shares(found: Iterable[Result]) -> Picture:
    """Draw a variable: of a number columns over its intervals, of categories bars; of many the most frequent.

    Raises
    ------
    ParameterError
        Where there are none, or several variables: each has a picture of its own.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.loss.value_shares(data, "sex").plot().block.before.labels
    ('f', 'm')
    """
    rows = [row.to_dict() for row in found]
    names = list(dict.fromkeys(row["variable"] for row in rows))
    if len(names) != 1:
        raise ParameterError(
            f"A picture is of one variable, and there are {len(names)}: name one column, as in value_shares(original, "
            f"{text_for_message(names[0] if names else 'age')})."
        )
    if any(row["low"] is not None for row in rows):
        there = [row for row in rows if row["low"] is not None]
        gone = [row for row in rows if row["low"] is None]
        before, after = (_make_columns(there, gone, side) for side in ("before", "after"))
        return Picture(Distribution(names[0], before, after))
    shown, left = _leave_rare(rows)
    labels = tuple(make_label(row["value"]) for row in shown)
    note = ""
    if left:
        labels = (*labels, "all others")
        note = f"{len(left):,} rarer values are drawn together."
    sides = [
        Bars(labels, (*(float(row[side]) for row in shown), *([sum(row[side] for row in left)] if left else [])))
        for side in ("before", "after")
    ]
    return Picture(Distribution(names[0], sides[0], sides[1]), note)


def _make_columns(there: Sequence[Mapping[str, Any]], gone: Sequence[Mapping[str, Any]], side: str) -> Bars:
    return Bars(
        tuple(row["value"] for row in there),
        tuple(float(row[side]) for row in there),
        tuple((row["low"], row["high"]) for row in there),
        missing=float(sum(row[side] for row in gone)),
    )


def _leave_rare(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the values that are drawn, in their order, and those that are drawn together."""
    if len(rows) <= MOST:
        return rows, []
    often = sorted(rows, key=lambda row: -max(row["before"], row["after"]))[: MOST - 1]
    kept = {id(row) for row in often}
    return [row for row in rows if id(row) in kept], [row for row in rows if id(row) not in kept]
