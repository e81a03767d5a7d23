"""For each record of a file the nearest and the second nearest record of another, exactly.

A block of the other file is looked at for those records alone to which it can hold a nearer one than they have: each
begins with the blocks that are nearest to it. Memory is bounded, and between two blocks Python can be interrupted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.linkage.blocks import Blocks, Bounds, choose_block_size, list_blocks
from sdc_sql.udfs.linkage.products import Block
from sdc_sql.udfs.linkage.records import (
    Records,
    Variables,
    compute_squared_distances,
    group_records,
    mask_foreign_categories,
    mask_single_categories,
)

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Singles

BOUNDS = 4_000_000  # so many bounds of records and blocks are held at a time
PAIRS = 3_000_000  # so many pairs of records and blocks are compared at a time
ELEMENTS = 500_000  # so many elements has a product at the most


@dataclass
class Neighbours:
    """The nearest records of each record.

    Attributes
    ----------
    first, second
        The distances of the nearest and the second nearest record, infinite where there is none; equal if these tie.
    place
        The row of the nearest one, the first of those tied; -1 where there is none.
    tied
        How many records are at the nearest distance.
    """

    first: Floats
    second: Floats
    place: Integers
    tied: Integers

    @classmethod
    def make_empty(cls, n: int) -> Neighbours:
        """Return that nothing was found yet."""
        return cls(np.full(n, np.inf), np.full(n, np.inf), np.full(n, -1), np.zeros(n, dtype=np.int64))

    def merge(self, rows: Integers, distances: Floats, places: Integers, counts: Integers) -> None:
        """Take in squared distances, some of a row."""
        if not len(rows):
            return
        order = np.lexsort((places, distances, rows))
        rows, distances, places, counts = rows[order], distances[order], places[order], counts[order]
        start = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
        of, length = rows[start], np.diff(np.r_[start, len(rows)])
        least = distances[start]
        another = np.where(length > 1, distances[np.minimum(start + 1, len(rows) - 1)], np.inf)
        another = np.where(counts[start] > 1, least, another)
        mine, theirs = self.first[of], least
        best = np.minimum(mine, theirs)
        same = distances == np.repeat(best, length)
        new = np.add.reduceat(np.where(same, counts, 0), start)
        self.tied[of] = np.where(mine == best, self.tied[of], 0) + new
        self.second[of] = np.minimum(np.maximum(mine, theirs), np.minimum(self.second[of], another))
        nearer = (theirs < mine) | ((theirs == mine) & (places[start] < self.place[of]))
        self.place[of] = np.where(nearer, places[start], self.place[of])
        self.first[of] = best


def find_nearest(x: Records, y: Records, variables: Variables) -> Neighbours:
    """Return the nearest records of y for each record of x."""
    mine, other = mask_foreign_categories(x, y)
    (queries, of), (targets, whose) = group_records(mine), group_records(other)
    return _expand_to_rows(_Search(queries, targets, variables, itself=False).run(), of, whose)


def find_nearest_within(x: Records, variables: Variables) -> Neighbours:
    """Return the nearest other records of the same file for each of its records."""
    targets, of = group_records(mask_single_categories(x))
    return _expand_to_rows(_Search(targets, targets, variables, itself=True).run(), of, of)


def _expand_to_rows(found: Neighbours, of: Integers, whose: Integers) -> Neighbours:
    """Return what was found for kinds of records as of rows; the place of a kind is its first row, or its last."""
    first, last = np.full((2, int(whose.max(initial=-1)) + 2), -1)
    first[whose[::-1]] = np.arange(len(whose))[::-1]
    last[whose] = np.arange(len(whose))
    kind = found.place[of]
    place = first[kind]
    if of is whose:  # a record is not its own neighbour, where there is another of its kind
        place = np.where(place == np.arange(len(of)), last[kind], place)
    return Neighbours(_distances(found.first)[of], _distances(found.second)[of], place, found.tied[of])


def _distances(squares: Floats) -> Floats:
    """Return the roots of squared distances, to nine decimal digits as these are."""
    roots = np.sqrt(squares)
    some = (roots > 0) & np.isfinite(roots)
    roots[some] = [float(f"{root:.8e}") for root in roots[some]]
    return roots


class _Search:
    def __init__(self, queries: Records, targets: Records, variables: Variables, *, itself: bool) -> None:
        self.x, self.y, self.variables, self.itself = queries, targets, variables, itself
        self.found = Neighbours.make_empty(len(queries))

    def run(self) -> Neighbours:
        if not len(self.x) or not len(self.y):
            return self.found
        size = choose_block_size(self.y)
        targets = Blocks(self.y, self.variables, size)
        categories = np.maximum(self.x.codes.max(axis=0), self.y.codes.max(axis=0)) + 1
        made = [Block(self.y, rows, self.variables, categories) for rows in targets.rows]
        bounds = Bounds(self.x, targets, self.variables)
        # near records together: what they need of the tables is at hand
        order = np.concatenate(Blocks(self.x, self.variables, size).rows)
        pieces = np.array_split(order, max(1, len(order) * len(made) // BOUNDS))
        first = np.concatenate([_find_least_places(bounds.compute_bounds(rows)) for rows in pieces])
        for blocks in first.T:
            for block, some in list_blocks(blocks):
                self._look(made[block], order[some])
        seen = np.empty_like(first)
        seen[order] = first
        pairs = []
        for rows in pieces:
            least = bounds.compute_bounds(rows)
            least[np.arange(len(rows))[:, None], seen[rows]] = np.nan  # not again, even where all is near enough
            mine, near = np.nonzero(least <= self._bound_distance(rows)[:, None])
            pairs.append((rows[mine].astype(np.int32), near.astype(np.int32), least[mine, near]))
            if sum(len(found) for found, _, _ in pairs) > PAIRS or rows is pieces[-1]:
                self._visit(made, *(np.concatenate(parts) for parts in zip(*pairs, strict=True)))
                pairs = []
        return self.found

    def _visit(self, made: list[Block], rows: Integers, blocks: Integers, least: Singles) -> None:
        for block, some in list_blocks(blocks):
            own = rows[some]
            self._look(made[block], own[least[some] <= self._bound_distance(own)])

    def _bound_distance(self, rows: Integers) -> Singles:
        """Return above which squared distance a record is of no use."""
        return (self.found.second[rows] * (1 + 1e-6)).astype(np.float32)

    def _look(self, block: Block, rows: Integers) -> None:
        step = max(1, ELEMENTS // block.width)
        for start in range(0, len(rows), step):
            self._compare(block, rows[start : start + step])

    def _compare(self, block: Block, rows: Integers) -> None:
        lower, off = block.bound_from_below(self.x, rows)
        most = self._bound_distance(rows)
        if np.isinf(most).any():
            rank = 2 if self.itself else 1
            if rank < len(block.rows):
                certain = np.partition(lower, rank, axis=1)[:, rank] + 2 * (off + block.off) * (1 + 1e-6)
                most = np.fmin(most, np.where(certain < 1e37, certain * (1 + 1e-6), np.inf)).astype(np.float32)  # noqa: PLR2004
        mine, other = block.find_unsettled(lower > most[:, None])
        i, k = rows[mine], block.rows[other]
        counts = self.y.counts[k] - (i == k) if self.itself else self.y.counts[k]
        if self.itself:
            i, k, counts = i[counts > 0], k[counts > 0], counts[counts > 0]
        distances = compute_squared_distances(self.x, i, self.y, k, self.variables)
        use = distances <= self.found.second[i]
        self.found.merge(i[use], distances[use], k[use], counts[use])


def _find_least_places(bounds: Singles) -> Integers:
    """Return of each row the places of the least and the second least, where there are two."""
    best = bounds.argmin(axis=1)
    if bounds.shape[1] == 1:
        return np.column_stack([best])
    bounds[np.arange(len(bounds)), best] = np.inf
    return np.column_stack([best, bounds.argmin(axis=1)])
