"""The boxes of a local recoding in a series: regions of the whole space, which are merged and never cut again.

Each point lies in one box by the questions of the first release. A box in which fewer than k are left of those who
stood in it in the release before is merged with the one that costs least, for all, and stays so. Newcomers do not count
for that, and a box in which nobody stood opens when k come at once: else it would tell of a newcomer where he is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sdc_sql.udfs.generalisation.boxes import Questions
    from sdc_sql.udfs.generalisation.splits import Nodes

    Places = NDArray[np.int64]

IN_RANGES, IN_TREE, BY_VALUE = "ranges", "tree", "values"


@dataclass(frozen=True)
class BoxKey:
    """A key of the boxes: its name, type, and how its values are ordered.

    ``texts`` are of ranges the values at which they are cut, ascending, of other keys the values by their place;
    ``nodes`` are those of a hierarchy, and ``labels`` their labels, by the run of each.
    """

    name: str
    type: str
    kind: str
    texts: tuple[str | None, ...]
    nodes: Nodes | None = None
    labels: dict[tuple[int, int], str | None] = field(default_factory=dict)

    @property
    def whole(self) -> tuple[int, int]:
        """The run of all places. Of a key without order any other value has the place -1."""
        if self.kind == IN_RANGES:
            return 0, len(self.texts)
        return (0 if self.kind == IN_TREE else -1), len(self.texts) - 1

    def name_run(self, low: int, high: int) -> str | None:
        """Return the label of a run: it holds all values that there may be in it, and says nothing of who is there.

        Examples
        --------
        >>> age = BoxKey("age", "INTEGER", IN_RANGES, ("24", "60"))
        >>> [age.name_run(0, 0), age.name_run(1, 1), age.name_run(2, 2), age.name_run(0, 2)]
        ['up to 24 or NULL', 'over 24 to 60', 'over 60', '*']
        """
        if self.kind == IN_TREE:
            return self.labels[low, high]
        if self.kind == BY_VALUE:
            return self.texts[low] if low == high and low >= 0 else "*"
        top = None if high == len(self.texts) else self.texts[high]
        below = None if low == 0 else self.texts[low - 1]
        if low == high == 0 and top is None and self.texts:
            return None  # NULL by itself
        if low == 0:
            return "*" if top is None else f"up to {top} or NULL"
        if below is None:  # all but NULL
            return "*" if top is None else f"up to {top}"
        return f"over {below}" if top is None else f"over {below} to {top}"

    def join_runs(self, low: int, high: int, lows: Places, highs: Places) -> tuple[Places, Places]:
        """Return the least runs that hold one run and each of others."""
        least, most = np.minimum(lows, low), np.maximum(highs, high)
        if self.kind == BY_VALUE:
            same = least == most
            return np.where(same, least, self.whole[0]), np.where(same, most, self.whole[1])
        if self.nodes is None:
            return least, most
        found_low, found_high = np.full_like(least, self.whole[0]), np.full_like(most, self.whole[1])
        for level in reversed(range(len(self.nodes.low))):
            holds = (self.nodes.low[level, least] <= least) & (most <= self.nodes.high[level, least])
            found_low[holds] = self.nodes.low[level, least[holds]]
            found_high[holds] = self.nodes.high[level, least[holds]]
        return found_low, found_high


class Boxes:
    """The boxes of a step as they are merged so far.

    ``merges`` are those of earlier releases, and ``new`` those of this one: of each the box that ended, the one with
    which it was merged, and the number of the release.
    """

    def __init__(self, keys: Sequence[BoxKey], questions: Questions, merges: Sequence[tuple[int, int, int]]) -> None:
        self.keys, self.questions = tuple(keys), questions
        ordered = [key.kind == IN_RANGES for key in self.keys]
        self.low, self.high = questions.find_runs([key.whole for key in self.keys], ordered)
        self._group = np.arange(len(questions.key))
        self.new: list[tuple[int, int, int]] = []
        for ended, into, _ in merges:
            self._merge(ended, into)

    def find_boxes(self, places: Places) -> Places:
        """Return the box of each record, as boxes are merged now."""
        return self._group[self.questions.find_boxes(places)]

    def find_waiting(self, places: Places, before: Places, k: int) -> NDArray[np.bool_]:
        """Return who waits: where nobody stood before, fewer than k are too few.

        Parameters
        ----------
        before
            The box of each record in the release before, -1 where it was in none.
        """
        box, stayed = self._count_stayed(places, before)
        there = np.bincount(box, minlength=len(stayed))
        released = np.where(stayed > 0, stayed.sum() >= k, there >= k)
        return np.asarray(~released[box], dtype=bool)

    def settle(self, places: Places, before: Places, k: int, number: int) -> None:
        """Merge the boxes in which fewer than k are left of those who stood there in the release before."""
        stayed = self._count_stayed(places, before)[1]
        while len(below := np.flatnonzero((stayed > 0) & (stayed < k))):
            ended = int(below[0])
            others = np.flatnonzero(stayed > 0)
            others = others[others != ended]
            if not len(others):
                return  # they wait
            into = int(others[np.argmin(self._compare_costs(ended, others, stayed))])
            stayed[into] += stayed[ended]
            stayed[ended] = 0
            self._merge(ended, into)
            self.new.append((ended, into, number))

    def name_boxes(self, boxes: Places) -> list[list[str | None]]:
        """Return for each key the labels of boxes."""
        runs = zip(self.keys, self.low[boxes].T.tolist(), self.high[boxes].T.tolist(), strict=True)
        return [[key.name_run(a, b) for a, b in zip(low, high, strict=True)] for key, low, high in runs]

    def _count_stayed(self, places: Places, before: Places) -> tuple[Places, Places]:
        box = self.find_boxes(places)
        stays = (before >= 0) & (self._group[before] == box)
        return box, np.bincount(box[stays], minlength=len(self._group))

    def _compare_costs(self, ended: int, others: Places, stayed: Places) -> NDArray[np.float64]:
        """Return what merging a box with each of others takes from the generalised loss."""
        cost = np.zeros(len(others))
        for j, key in enumerate(self.keys):
            own = int(self.low[ended, j]), int(self.high[ended, j])
            lows, highs = self.low[others, j], self.high[others, j]
            low, high = key.join_runs(*own, lows, highs)
            size = high - low
            more = stayed[ended] * (size - (own[1] - own[0])) + stayed[others] * (size - (highs - lows))
            cost += more / max(key.whole[1] - key.whole[0], 1)
        return cost

    def _merge(self, ended: int, into: int) -> None:
        for j, key in enumerate(self.keys):
            low, high = key.join_runs(
                int(self.low[ended, j]), int(self.high[ended, j]), self.low[[into], j], self.high[[into], j]
            )
            self.low[into, j], self.high[into, j] = low[0], high[0]
        self._group[self._group == ended] = into
