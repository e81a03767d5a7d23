"""Donors: the records whose values others get, by the groups in which both lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.synthesis.draws import Draws

DRAWS = 4  # of a column: the donor, its place among its neighbours, the class, whether it is missing


def draw_donors(group: Integers, drawn_in: Integers, uniforms: Floats) -> Integers:
    """Return for each record to draw one of those of its group; groups are numbers from 0, none is empty.

    Examples
    --------
    >>> draw_donors(np.array([0, 1, 1]), np.array([1, 0, 1]), np.array([0.0, 0.9, 0.9])).tolist()
    [1, 0, 2]
    """
    order = np.argsort(group.astype(np.int32), kind="stable")
    counts = np.bincount(group, minlength=int(drawn_in.max(initial=0)) + 1)
    first = np.cumsum(counts) - counts
    found: Integers = order[first[drawn_in] + (uniforms * counts[drawn_in]).astype(np.int64)]
    return found


@dataclass(frozen=True)
class Donors:
    """The records of which some may give their values, and the draws of those that get them.

    ``may``: which records may; None: all.
    """

    draws: Draws
    column: int
    may: Truths | None = None

    def uniforms(self, j: int) -> Floats:
        """Return draw j of the column: 0 the donor, 1 its place among its neighbours, 2 and 3 what a method asks."""
        return self.draws.draw(DRAWS * self.column + j)

    def draw(self, group: Integers, drawn_in: Integers, rows: Integers | slice = slice(None)) -> Integers:
        """Return a donor of its group for each record; of all that may where none of the group may.

        ``rows`` are the records to draw, if not all.
        """
        uniforms = self.uniforms(0)[rows]
        if self.may is None or self.may.all():
            return draw_donors(group, drawn_in, uniforms)
        places = np.flatnonzero(self.may)
        has = np.bincount(group[places], minlength=int(max(group.max(initial=0), drawn_in.max(initial=0))) + 1) > 0
        number = np.cumsum(has) - 1
        found = np.empty(len(drawn_in), dtype=np.int64)
        inside = has[drawn_in]
        found[inside] = places[draw_donors(number[group[places]], number[drawn_in[inside]], uniforms[inside])]
        found[~inside] = places[(uniforms[~inside] * len(places)).astype(np.int64)]
        return found
