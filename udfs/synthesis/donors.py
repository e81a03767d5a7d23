"""Donors: the records whose values others get, by the groups in which both lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.synthesis.draws import Draws

DRAWS = 4  # of a column: the donor, its place among its neighbours, the class, whether it is missing
COLUMNS = 10_000  # more than a file has: so far apart are the draws of candidates


@dataclass(frozen=True)
class Uniforms:
    """The draws of a column of the records that are drawn, and of one of their candidates, from 0."""

    draws: Draws
    column: int
    candidate: int = 0

    def draw(self, j: int) -> Floats:
        """Return draw j: 0 the donor, 1 its place among its neighbours, 2 and 3 what a method asks."""
        return self.draws.draw(DRAWS * (self.column + COLUMNS * self.candidate) + j)


class Groups:
    """Records in groups, numbers from 0, of which those that may give their values; None: all.

    Examples
    --------
    >>> groups = Groups(np.array([0, 1, 1]))
    >>> groups.draw(np.array([1, 0, 1]), np.array([0.0, 0.9, 0.9])).tolist()
    [1, 0, 2]
    >>> one = Groups(np.array([0, 1, 1]), np.array([False, True, False]))
    >>> one.draw(np.array([0, 1]), np.array([0.1, 0.9])).tolist()
    [1, 1]
    """

    def __init__(self, group: Integers, may: Truths | None = None) -> None:
        groups = int(group.max(initial=0)) + 1
        places = None if may is None or may.all() else np.flatnonzero(may)
        own = group if places is None else group[places]
        order = np.argsort(own.astype(np.int32), kind="stable")
        self.order = (order if places is None else places[order]).astype(np.int32)
        self.counts = np.bincount(own, minlength=groups)
        self.first = np.cumsum(self.counts) - self.counts
        self.whole = bool(self.counts.all())

    def draw(self, drawn_in: Integers, uniforms: Floats) -> Integers:
        """Return a donor of its group for each record; of all that may where none of the group may."""
        counts, first = self.counts[drawn_in], self.first[drawn_in]
        if not self.whole:
            none = counts == 0
            counts[none], first[none] = len(self.order), 0
        found: Integers = self.order[first + (uniforms * counts).astype(np.int64)].astype(np.int64)
        return found
