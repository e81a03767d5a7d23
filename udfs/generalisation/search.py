"""The lattice of generalisations, searched depth first and rolled up from node to node.

The keys are settled one after another. What is known of a node of which some keys are settled, the rest being at
level 0, holds for all nodes that can be reached from it by settling the others:

    a cell of the settled keys that is below k is suppressed at all of them, for each further key only divides it
    the loss is bounded from below, as values and cells are only put together, and never divided again

so they are left out together where these are more records than may be suppressed, or the bound is above the best loss
found. The cells of a node are rolled up from those of the node one level lower, never from the records.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.generalisation.cells import Ladder, Packing
from sdc_sql.udfs.generalisation.losses import LOSSES, Loss, Problem, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc_sql.udfs.arguments import Integers, Truths
    from sdc_sql.udfs.generalisation.cells import Cells
    from sdc_sql.udfs.generalisation.table import Table

    Progress = Callable[[int, int], object]

DIGITS = 12  # losses that agree to these are the same
_SLACK = 1 + 10.0 ** (2 - DIGITS)


@dataclass(frozen=True)
class Node:
    """A generalisation.

    Parameters
    ----------
    loss
        What it costs, to twelve digits.
    height
        The sum of the levels.
    levels
        The level of each key.
    suppressed
        The records in cells below k.
    cells
        The cells of at least k records.
    holds
        Whether no more are suppressed than may be, and not fewer than k but for none: they look alike when they are
        released, and k of them must.
    """

    loss: float
    height: int
    levels: tuple[int, ...]
    suppressed: int
    cells: int
    holds: bool

    @property
    def rank(self) -> tuple[float, int, tuple[int, ...]]:
        """What nodes are chosen by: the least loss, of equal ones the least sum of levels, then the first levels."""
        return self.loss, self.height, self.levels


class Search:
    """The lattice, searched depth first; `found` is given every node that is looked at."""

    def __init__(
        self, table: Table, *, k: int, suppressed: int, loss: str, progress: Progress | None, found: list[Node] | None
    ) -> None:
        if loss not in LOSSES:
            raise ValueError(f"the loss is {loss!r}; expected one of {', '.join(LOSSES)}")
        self.ladders = ladders = [Ladder.of(np.asarray(hierarchy)) for hierarchy in table.hierarchies]
        counts = np.asarray(table.counts, dtype=np.int64)
        self.records = int(counts.sum())
        if not 1 <= k <= self.records:
            raise ValueError(f"k is {k} and there are {self.records:,} records: k must be from 1 to their number")
        if not 0 <= suppressed <= self.records:
            raise ValueError(
                f"{suppressed:,} records may be suppressed of {self.records:,}: expected from 0 to their number"
            )
        self.k, self.most, self.progress, self.found, self.prune = k, suppressed, progress, found, found is None
        self.sizes: list[Integers] | None = None
        places = [ladder.place[code] for ladder, code in zip(ladders, table.codes, strict=True)]
        leaves = [
            np.bincount(numbers, weights=counts, minlength=len(ladder.place)).astype(np.int64)
            for numbers, ladder in zip(places, ladders, strict=True)
        ]
        # Looking at every node, the key of most levels is settled last, where no level needs sorting. Otherwise it is
        # settled first, as it decides most: what it rules out is ruled out together.
        sign = -1 if self.prune else 1
        self.order = sorted(range(len(ladders)), key=lambda key: (sign * ladders[key].height, key))
        self.depths = {key: depth for depth, key in enumerate(self.order)}
        self.heights = [ladders[key].height for key in self.order]
        self.packing = Packing([ladders[key] for key in self.order], self.records)
        self.places = [places[key] for key in self.order]
        self.start = self.packing.cells(self.places, counts)
        self.loss: Loss = LOSSES[loss](Problem(ladders, leaves, k, suppressed))
        self.levels = [0] * len(ladders)
        self.nodes = math.prod(height + 1 for height in self.heights)
        self.settled = 0
        self.best: Node | None = None

    def run(self) -> None:
        """Search; where every node is to be found none is left out."""
        if self.prune:
            self._climb()
        self._settle(0, self.start, self.nodes)

    def least(self) -> int:
        """Return how many records are in cells below k where every key is on its highest level."""
        cells = self.start
        for key, height in enumerate(self.heights):
            for level in range(height):
                cells = self.packing.raised(cells, key, level)
        return int(cells.counts[cells.counts < self.k].sum())

    def at(self, levels: Sequence[int]) -> tuple[Node, Truths]:
        """Return the node at given levels, and which of the cells as they were given are suppressed there."""
        cells, places = self.start, list(self.places)
        for depth, key in enumerate(self.order):
            for level in range(levels[key]):
                cells = self.packing.raised(cells, depth, level)
                places[depth] = self.ladders[key].up[level][places[depth]]
        self.levels = list(levels)
        below = self._below(cells)
        suppressed = np.isin(self.packing.words(places), cells.words[below])
        return self._node(self._view(len(self.order) - 1, cells)), suppressed

    def _climb(self) -> None:
        """Find a good node to measure others by: raise the key that spares most suppression for what it costs."""
        cells = self.start
        while cells is not None and not self._above(floor := self.loss.floor(self.levels)):
            before = int(cells.counts[cells.counts < self.k].sum())
            steps = []
            for depth, key in enumerate(self.order):
                if self.levels[key] == self.heights[depth]:
                    continue
                raised = self.packing.raised(cells, depth, self.levels[key])
                self.levels[key] += 1
                view = self._view(len(self.order) - 1, raised)
                self._look(view)
                cost = self.loss.floor(self.levels) - floor
                spared = (before - view.suppressed) / cost if cost else math.inf
                steps.append(((spared, -self.loss.of(view), -key), raised))
                self.levels[key] -= 1
            if not steps:
                break
            (_, _, key), cells = max(steps, key=lambda step: step[0])
            self.levels[-key] += 1
        self.levels = [0] * len(self.levels)

    def _settle(self, depth: int, cells: Cells, nodes: int) -> None:
        """Try every level of a key, those before it being settled, in `cells` with it and those after it at level 0."""
        key, height = self.order[depth], self.heights[depth]
        nodes //= height + 1  # below each level
        for level in range(height + 1):
            self.levels[key] = level
            if self._above(self.loss.floor(self.levels)):
                self._done(nodes * (height + 1 - level))
                break  # higher ones cost no less
            if level:
                cells = self.packing.raised(cells, depth, level - 1)
            last = depth + 1 == len(self.order)
            view = self._view(depth, cells) if last or self.prune else None
            if view and self.prune and (view.suppressed > self.most or self._above(self.loss.of(view))):
                self._done(nodes)
            elif view and last:
                self._look(view)
                self._done(1)
            else:
                self._settle(depth + 1, cells, nodes)
        self.levels[key] = 0

    def _view(self, depth: int, cells: Cells) -> View:
        first = self.packing.first(cells, depth)
        below = self._below(first)
        released = first.counts[~below] if depth + 1 == len(self.order) else None
        words, counts = first.words[below], first.counts[below]

        def numbers(key: int) -> Integers:
            return self.packing.field(words, self.depths[key], depth)

        return View(self.levels, cells.counts, numbers, counts, int(counts.sum()), released)

    def _below(self, cells: Cells) -> Truths:
        return cells.counts < self.k

    def _above(self, bound: float) -> bool:
        return self.prune and self.best is not None and bound > self.best.loss * _SLACK

    def _look(self, view: View) -> None:
        node = self._node(view)
        if self.found is not None:
            self.found.append(node)
        if self.sizes is not None:
            self.sizes.append(_sizes(view))
        if node.holds and (self.best is None or node.rank < self.best.rank):
            self.best = node

    def _node(self, view: View) -> Node:
        loss = float(f"{self.loss.of(view):.{DIGITS - 1}e}")
        cells = len(view.counts) - len(view.small_counts)
        holds = view.suppressed <= self.most and (view.suppressed == 0 or view.suppressed >= self.k)
        return Node(loss, sum(self.levels), tuple(self.levels), view.suppressed, cells, holds)

    def _done(self, nodes: int) -> None:
        self.settled += nodes
        if self.progress is not None:
            self.progress(self.settled, self.nodes)


def _sizes(view: View) -> Integers:
    """Return the released cells by size, (sizes, 3): the size, how many, and 0; with 1 the suppressed records."""
    released = np.empty(0, dtype=np.int64) if view.released is None else view.released
    sizes = np.stack([*np.unique(released, return_counts=True), np.zeros(len(np.unique(released)), dtype=np.int64)])
    return np.concatenate([sizes.T, [[view.suppressed, 1, 1]] * (view.suppressed > 0)]) if view.suppressed else sizes.T
