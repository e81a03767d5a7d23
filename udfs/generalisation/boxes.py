"""The cuts of Mondrian as questions with two answers, so that each point of the whole space lies in one box.

A group of records says where its own values are; the box of a group says which points come to it by the cuts alone. A
node that is cut into several children asks for one after another, the largest first; what none of them holds is the
rest, which may be empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.generalisation.mondrian import cut_parts
from sdc_sql.udfs.generalisation.splits import Nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.udfs.arguments import Integers

ENDED = -1  # in the place of a key: a box, and no question


@dataclass(frozen=True)
class Questions:
    """Of each the key, the run of places that is asked for, and the question or the box that follows on yes and on no.

    Question 0 is the first one; where ``key`` is `ENDED` it is a box, which has no others.
    """

    key: Integers
    low: Integers
    high: Integers
    yes: Integers
    no: Integers

    def find_boxes(self, places: Integers) -> Integers:
        """Return the box of each point, (n,), by its places, (n, d).

        Examples
        --------
        >>> asked = Questions(*(np.array(row) for row in ([0, -1, -1], [0, 0, 0], [4, 0, 0], [1, 0, 0], [2, 0, 0])))
        >>> asked.find_boxes(np.array([[3], [4], [5], [-1]])).tolist()
        [1, 1, 2, 2]
        """
        found = np.zeros(len(places), dtype=np.int64)
        asked = np.flatnonzero(self.key[found] != ENDED)
        while len(asked):
            at = found[asked]
            here = places[asked, self.key[at]]
            found[asked] = np.where((self.low[at] <= here) & (here <= self.high[at]), self.yes[at], self.no[at])
            asked = asked[self.key[found[asked]] != ENDED]
        return found

    def find_runs(self, whole: Sequence[tuple[int, int]], ordered: Sequence[bool]) -> tuple[Integers, Integers]:
        """Return the runs of each question and box on each key, low and high ends, (questions, d).

        Parameters
        ----------
        whole
            The run of all places, by key.
        ordered
            Whether a key is cut in two at a place: what is left is a run then too. Of others the rest is named by the
            run of all.
        """
        low = np.tile(np.array([w[0] for w in whole]), (len(self.key), 1))
        high = np.tile(np.array([w[1] for w in whole]), (len(self.key), 1))
        cut_in_two = np.array(ordered, dtype=bool)
        level = np.array([0])
        while len(level := level[self.key[level] != ENDED]):
            yes, no, key = self.yes[level], self.no[level], self.key[level]
            for answer in (yes, no):
                low[answer], high[answer] = low[level], high[level]
            low[yes, key] = np.where(cut_in_two[key], low[level, key], self.low[level])
            high[yes, key] = self.high[level]
            some = cut_in_two[key]
            low[no[some], key[some]] = self.high[level][some] + 1
            level = np.concatenate([yes, no])
        return low, high


def make_questions(places: Integers, counts: Integers, k: int, keys: Sequence[Nodes | int]) -> Questions:
    """Return the questions by which all points come to the groups of `mondrian`, and to boxes that are empty.

    Parameters
    ----------
    places, counts, k, keys
        As of `mondrian`.

    Examples
    --------
    >>> make_questions(np.array([[0], [1], [3], [5]]), np.array([1, 1, 1, 1]), 2, [6]).high.tolist()
    [2, 0, 0]
    """
    rows: list[list[int]] = [[ENDED, 0, 0, 0, 0]]
    of_part = {0: 0}
    in_nodes = np.array([isinstance(key, Nodes) for key in keys], dtype=bool)
    for made in cut_parts(places, counts, k, keys):
        rest = (made.side == 0) == in_nodes[made.key]  # of a node's children, or what lies above a cut
        order = np.lexsort((made.low, -made.records, rest, made.parent))
        columns = (made.parent, made.number, made.key, rest, made.low, made.high)
        for parent, number, key, is_rest, low, high in zip(*(c[order].tolist() for c in columns), strict=True):
            at = of_part[parent]  # the question that is not asked yet of what is left of the part
            if is_rest:
                of_part[number] = at
                continue
            rows[at] = [key, low, high, len(rows), len(rows) + 1]
            rows += [[ENDED, 0, 0, 0, 0], [ENDED, 0, 0, 0, 0]]
            of_part[number], of_part[parent] = len(rows) - 2, len(rows) - 1
    found = np.array(rows, dtype=np.int64)
    return Questions(*(found[:, j] for j in range(5)))
