"""A file cut into blocks of near records, and how near to a record those of a block can be at most.

A block is cut at the median of the variable by which two of its records differ most (in expectation), until it is
small. Its box has the least and the greatest value of each variable, of categories too: by the order of their numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.linkage.records import NONE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.udfs.arguments import Floats, Integers, Singles
    from sdc_sql.udfs.linkage.records import Records, Variables

INTERVALS = 256
LEAST, MOST = 128, 512  # records of a block
TINY = 1e-37  # single precision may lose so much
EPS = np.finfo(np.float64).eps


def choose_block_size(file: Records) -> int:
    """Return how many records a block of a file has at most: few enough that most of them are too far."""
    return int(np.clip(2 ** np.round(np.log2(np.sqrt(max(len(file), 1)) / 2.5)), LEAST, MOST))


class Blocks:
    """The blocks of a file.

    Attributes
    ----------
    rows
        For each block the rows of the file in it.
    origin
        What is taken from numbers before they are multiplied by their factors: the box and ``place`` are so.
    least, greatest
        The corners of the boxes, shape (variables, blocks).
    """

    def __init__(self, file: Records, variables: Variables, most: int) -> None:
        self._file, self._variables = file, variables
        self._p = len(variables.factors)
        self.origin: Floats = np.median(file.numbers, axis=0) if len(file) else np.zeros(self._p)
        self._cuts: list[tuple[int, float]] = []  # the coordinate that is cut, and the most of the lower half
        self._next: list[list[int]] = []
        everything = self.place(file)
        self.rows = self._cut_blocks(everything, most)
        order = np.concatenate(self.rows)
        starts = np.cumsum([0, *(len(rows) for rows in self.rows[:-1])])
        self.least = np.minimum.reduceat(everything[order], starts, axis=0).T
        self.greatest = np.maximum.reduceat(everything[order], starts, axis=0).T

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.rows)

    def coordinate(self, numbers: Floats, j: int) -> Floats:
        """Return one coordinate of numbers."""
        return np.asarray((numbers - self.origin[j]) * self._variables.factors[j])

    def place(self, file: Records) -> Floats:
        """Return the coordinates of records: numbers from the origin in units of distance, then codes."""
        return np.hstack([(file.numbers - self.origin) * self._variables.factors, file.codes.astype(np.float64)])

    def _cut_blocks(self, everything: Floats, most: int) -> list[Integers]:
        done: list[Integers] = []
        left = [(np.arange(len(everything)), -1, 0)]
        while left:
            rows, of_cut, side = left.pop()
            if of_cut >= 0:  # where it hangs on the tree of cuts: a further cut, or a block
                self._next[of_cut][side] = -1 - len(done) if len(rows) <= most else len(self._next)
            if len(rows) <= most:
                done.append(rows)
                continue
            gains = [2 * everything[rows, j].var() for j in range(self._p)]
            for j, cost in enumerate(self._variables.costs):
                shares = np.bincount(self._file.codes[rows, j] + 1) / len(rows)
                gains.append(cost * (1 - shares @ shares))
            of = int(np.argmax(gains)) if gains else 0
            values = everything[rows, of] if gains else np.zeros(len(rows))
            lower, upper = _halves(rows, values, between=of >= self._p and gains[of] > 0)
            self._cuts.append((of, float(everything[lower, of].max()) if gains else 0.0))
            self._next.append([0, 0])
            left += [(part, len(self._next) - 1, side) for side, part in enumerate((lower, upper))]
        return done

    def leaf(self, places: Floats) -> Integers:
        """Return the block into which coordinates fall: one that is near, not always the nearest."""
        found = np.zeros(len(places), dtype=np.int64)
        left = [(0, np.arange(len(places)))] if self._cuts else []
        while left:
            cut, rows = left.pop()
            of, value = self._cuts[cut]
            above = places[rows, of] > value if places.shape[1] else np.zeros(len(rows), dtype=bool)
            for to, part in zip(self._next[cut], (rows[~above], rows[above]), strict=True):
                if to < 0:
                    found[part] = -1 - to
                elif len(part):
                    left.append((to, part))
        return found


def _halves(rows: Integers, values: Floats, *, between: bool) -> list[Integers]:
    """Return rows in two parts at the median of values, or nearest to it between two different ones."""
    half = len(rows) // 2
    order = np.argpartition(values, half)
    if between:
        order = np.argsort(values, kind="stable")
        ranked = values[order]
        lower, upper = np.searchsorted(ranked, ranked[half], "left"), np.searchsorted(ranked, ranked[half], "right")
        half = int(lower if lower > 0 and (upper == len(rows) or half - lower <= upper - half) else upper)
    return [rows[order[:half]], rows[order[half:]]]


class Bounds:
    """How near to records the records of a block can be at most, from a table for each variable.

    The numbers of the records are put into INTERVALS, so that what a variable adds is looked up. With ``most``: how far
    they can be at most.
    """

    def __init__(self, records: Records, blocks: Blocks, variables: Variables, *, most: bool = False) -> None:
        self._rows: list[Integers] = []
        self._tables: list[Singles] = []
        least, greatest = blocks.least[:, None], blocks.greatest[:, None]
        for j, places in enumerate(blocks.place(records).T):
            if j < len(variables.factors):
                inner = np.unique(np.quantile(places, np.linspace(0, 1, INTERVALS + 1)[1:-1]))
                edges = np.concatenate([[places.min()], inner, [places.max()]])
                sizes = np.abs(edges).max() + np.abs(least[j]) + np.abs(greatest[j])
                nearest = np.maximum(least[j] - edges[1:, None], edges[:-1, None] - greatest[j]) - 8 * EPS * sizes
                farthest = np.maximum(greatest[j] - edges[:-1, None], edges[1:, None] - least[j]) + 8 * EPS * sizes
                table = np.square(farthest if most else np.maximum(nearest, 0))
                self._rows.append(np.searchsorted(inner, places, "right"))
            else:
                codes = np.arange(NONE, places.max() + 1)[:, None]
                differ = (codes < least[j]) | (codes > greatest[j]) | (codes == NONE)
                agree = (codes == least[j]) & (codes == greatest[j]) & (codes != NONE)
                table = variables.costs[j - len(variables.factors)] * (~agree if most else differ)
                self._rows.append(places.astype(np.int64) - NONE)
            with np.errstate(over="ignore"):  # what single precision cannot hold becomes infinite
                self._tables.append((table * (1 + 1e-5) + TINY if most else table * (1 - 1e-5)).astype(np.float32))

    def compute_bounds(self, rows: Integers, blocks: Integers | slice = slice(None)) -> Singles:
        """Return below which squared distance to a record no record of a block is, shape (records, blocks)."""
        total = self._tables[0].take(self._rows[0][rows], axis=0)[:, blocks]
        for of, table in zip(self._rows[1:], self._tables[1:], strict=True):
            total += table.take(of[rows], axis=0)[:, blocks]
        return total


def list_blocks(chosen: Integers) -> Iterator[tuple[int, Integers]]:
    """Return each block that is chosen, and where."""
    order = np.argsort(chosen, kind="stable")
    blocks, starts = np.unique(chosen[order], return_index=True)
    for block, start, end in zip(blocks, starts, np.r_[starts[1:], [len(order)] * bool(len(order))], strict=True):
        yield int(block), order[start:end]
