"""What became of records in a release of a series, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNTS = {
    "waiting": "records that wait for a later release, since too few came, or changed, with them",
    "left_out": "records left out, since the id under which they were released has ended",
    "new_ids": "records given another id, since the one under which they were released has ended",
    "merged_boxes": "boxes merged with others, since too few are left in them",
    "moved": "persons who moved to another household, and are in the sample where that one is",
    "waiting_for_others": "records that wait until others stand beside them",
    "rows_changed": "of the ids ended because a key that was shown has changed",
    "weakened": "of the ids ended because too few others are left",
    "suppressed_later": "values suppressed that were shown under the former id: of no use against who kept that file",
    "apart_by_presence": "records that fewer than k are like for who knows, too, in which releases a person is missing",
}


def list_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """Return what a release of a series counted of records that do not simply go on, where it is not 0.

    Examples
    --------
    >>> list_counts({"waiting": 1, "left_out": 2, "weakened": 0, "records": 9})
    {'waiting': 1, 'left_out': 2}
    """
    return {name: counts[name] for name in COUNTS if counts.get(name)}


def describe_counts(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return in words what a release of a series counted, where it is not 0.

    Examples
    --------
    >>> describe_counts({"left_out": 2, "weakened": 0, "records": 9})
    [('records left out, since the id under which they were released has ended', 2)]
    """
    return [(COUNTS[name], number) for name, number in list_counts(counts).items()]
