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
from sdc_sql.udfs.generalisation.cells import Ladder
from sdc_sql.udfs.generalisation.losses import LOSSES, Loss, Problem, View
from sdc_sql.udfs.generalisation.rolled import Rolled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc_sql.udfs.arguments import Integers, Truths
    from sdc_sql.udfs.generalisation.conditions import Outside, Sensitive
    from sdc_sql.udfs.generalisation.rolled import State
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
        self,
        table: Table,
        *,
        k: int,
        suppressed: int,
        loss: str,
        progress: Progress | None,
        found: list[Node] | None,
        sensitive: Sensitive | None = None,
        outside: Sequence[Outside] = (),
    ) -> None:
        if loss not in LOSSES:
            raise ValueError(f"the loss is {loss!r}; expected one of {', '.join(LOSSES)}")
        ladders = [Ladder.make(np.asarray(hierarchy)) for hierarchy in table.hierarchies]
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
        others = [(o, [ladders[key].place[o.codes[key]] for key in self.order]) for o in outside]
        in_order = [ladders[key] for key in self.order], [places[key] for key in self.order]
        self.rolled = Rolled(*in_order, counts, k=k, most=suppressed, sensitive=sensitive, outside=others)
        self.packing = self.rolled.packings[0]
        self.loss: Loss = LOSSES[loss](Problem(ladders, leaves, k, suppressed))
        self.levels = [0] * len(ladders)
        self.nodes = math.prod(height + 1 for height in self.heights)
        self.settled = 0
        self.best: Node | None = None

    def run(self) -> None:
        """Search; where every node is to be found none is left out."""
        if self.prune:
            self._climb()
        self._settle(0, self.rolled.start, self.nodes)

    def find_node(self, levels: Sequence[int]) -> tuple[Node, Truths]:
        """Return the node at given levels, and which of the cells as they were given are suppressed there."""
        state = self.rolled.start
        for depth, key in enumerate(self.order):
            for level in range(levels[key]):
                state = self.rolled.raise_level(state, depth, level)
        self.levels = list(levels)
        node = self._node(self._view(len(self.order) - 1, state))
        return node, self.rolled.find_suppressed([levels[key] for key in self.order])

    def _climb(self) -> None:
        """Find a good node to measure others by: raise the key that spares most suppression for what it costs."""
        state = self.rolled.start
        while not self._is_above(floor := self.loss.floor(self.levels)):
            before = self._view(len(self.order) - 1, state).suppressed
            steps = []
            for depth, key in enumerate(self.order):
                if self.levels[key] == self.heights[depth]:
                    continue
                raised = self.rolled.raise_level(state, depth, self.levels[key])
                self.levels[key] += 1
                view = self._view(len(self.order) - 1, raised)
                self._look(view)
                cost = self.loss.floor(self.levels) - floor
                spared = (before - view.suppressed) / cost if cost else math.inf
                steps.append(((spared, -self.loss.measure(view), -key), raised))
                self.levels[key] -= 1
            if not steps:
                break
            (_, _, key), state = max(steps, key=lambda step: step[0])
            self.levels[-key] += 1
        self.levels = [0] * len(self.levels)

    def _settle(self, depth: int, state: State, nodes: int) -> None:
        """Try every level of a key, those before it being settled, in `state` with it and those after it at level 0."""
        key, height = self.order[depth], self.heights[depth]
        nodes //= height + 1  # below each level
        for level in range(height + 1):
            self.levels[key] = level
            if self._is_above(self.loss.floor(self.levels)):
                self._report_progress(nodes * (height + 1 - level))
                break  # higher ones cost no less
            if level:
                state = self.rolled.raise_level(state, depth, level - 1)
            last = depth + 1 == len(self.order)
            view = self._view(depth, state) if last or self.prune else None
            if view and self.prune and (self._too_many(view) or self._is_above(self.loss.measure(view))):
                self._report_progress(nodes)
            elif view and last:
                self._look(view)
                self._report_progress(1)
            else:
                self._settle(depth + 1, state, nodes)
        self.levels[key] = 0

    def _view(self, depth: int, state: State) -> View:
        judged = self.rolled.judge_cells(state, depth)
        cells, failing = judged.cells, judged.failing
        settled = depth + 1 == len(self.order)
        words, counts = cells.words[failing], cells.counts[failing]

        def numbers(key: int) -> Integers:
            return self.packing.field(words, self.depths[key], depth)

        whole = cells.counts if settled else self.rolled.merge_by_keys(state).counts
        released = cells.counts[~failing] if settled else None
        return View(self.levels, whole, numbers, counts, int(counts.sum()), released, judged.alike)

    def _too_many(self, view: View) -> bool:
        """Return whether more are suppressed than may be; of less than k none may be, who would stand out."""
        return view.suppressed > (self.most if self.most >= self.k else 0)

    def _is_above(self, bound: float) -> bool:
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
        loss = float(f"{self.loss.measure(view):.{DIGITS - 1}e}")
        cells = len(view.counts) - len(view.small_counts)
        holds = not self._too_many(view) and (view.suppressed == 0 or view.suppressed >= self.k) and view.alike
        return Node(loss, sum(self.levels), tuple(self.levels), view.suppressed, cells, holds)

    def _report_progress(self, nodes: int) -> None:
        self.settled += nodes
        if self.progress is not None:
            self.progress(self.settled, self.nodes)


def _sizes(view: View) -> Integers:
    """Return the released cells by size, (sizes, 3): the size, how many, and 0; with 1 the suppressed records."""
    released = np.empty(0, dtype=np.int64) if view.released is None else view.released
    sizes = np.stack([*np.unique(released, return_counts=True), np.zeros(len(np.unique(released)), dtype=np.int64)])
    return np.concatenate([sizes.T, [[view.suppressed, 1, 1]] * (view.suppressed > 0)]) if view.suppressed else sizes.T
