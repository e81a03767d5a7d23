"""How far a model that is a forest is from the counts, over all cells of the crossing and without writing them down.

The persons that a forest expects in a cell are a product over its trees. Cells of a tree that the margins of its pairs
allow are gone through branch by branch; those that expect alike are one row with their number, and the trees' rows are
crossed. A crossing that remains too large is rounded: cells whose expected persons differ by less than `NEARLY`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.log_linear.criteria import Cells, biases
from sdc_sql.udfs.log_linear.margins import Margin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.udfs.arguments import Floats, Integers

MOST = 3_000_000  # rows
SAME, NEARLY = 1e-9, 0.005  # two figures of log p are the same, or nearly, within these

Pairs = list[tuple[int, int]]


class TooManyCells(Exception):  # noqa: N818 - it is caught here
    """A forest with more cells than are gone through."""


class Rows:
    """Kinds of cells of some keys: their share of the persons, how many there are, and their records by sparse key."""

    def __init__(self, share: Floats, number: Floats, records: Floats) -> None:
        self.share, self.number, self.records = share, number, records

    def merge(self, near: float) -> Rows:
        """Return the rows with those that are nearly the same as one, of the mean share."""
        columns = [np.round(np.log(self.share) / near), *self.records]
        _, which = np.unique(np.array(columns), axis=1, return_inverse=True)
        which = which.ravel()
        number = np.bincount(which, weights=self.number).astype(np.float64)
        _, first = np.unique(which, return_index=True)
        return Rows(
            np.bincount(which, weights=self.number * self.share) / number, number, self.records[:, first]
        )  # fmt: skip

    def cross(self, other: Rows) -> Rows:
        """Return the crossing with the rows of other keys."""
        if len(self.share) * len(other.share) > MOST:
            raise TooManyCells
        return Rows(
            np.multiply.outer(self.share, other.share).ravel(),
            np.multiply.outer(self.number, other.number).ravel(),
            np.concatenate(
                [np.repeat(self.records, len(other.share), axis=1), np.tile(other.records, (1, len(self.share)))]
            ),
        )


def _trees(keys: int, pairs: Pairs) -> list[tuple[int, Pairs]]:
    """Return for each tree a key of it, and its pairs from there on, the known key first."""
    found, free = [], set(range(keys))
    for root in range(keys):
        if root not in free:
            continue
        reached, steps, grown = {root}, [], True
        while grown:
            grown = False
            for i, j in pairs:
                if (i in reached) != (j in reached):
                    steps.append((i, j) if i in reached else (j, i))
                    reached |= {i, j}
                    grown = True
        free -= reached
        found.append((root, steps))
    return found


class Forest:
    """The cells of a sample and a forest over its keys."""

    def __init__(self, codes: Integers, counts: Floats, weights: Floats, pairs: Pairs) -> None:
        self.codes, self.counts, self.weights = codes - 1, counts, weights
        self.sizes = [int(code.max()) + 1 for code in self.codes]
        self.trees = _trees(len(codes), pairs)
        self.shares = [np.bincount(code, weights=weights) / weights.sum() for code in self.codes]

    def records(self, key: int) -> Floats:
        """Return the records of each category of a key."""
        return np.bincount(self.codes[key], weights=self.counts).astype(np.float64)

    def margin(self, i: int, j: int) -> tuple[Integers, Integers, Floats]:
        """Return the pairs of categories there are, ascending, and their shares of the persons."""
        at = self.codes[i] * self.sizes[j] + self.codes[j]
        if self.sizes[i] * self.sizes[j] <= MOST:  # so few cells need no sorting
            places = np.flatnonzero(np.bincount(at))
            persons = np.bincount(at, weights=self.weights)[places]
        else:
            places = np.unique(at)
            persons = np.bincount(np.searchsorted(places, at), weights=self.weights)
        share: Floats = persons / self.weights.sum()
        return places // self.sizes[j], places % self.sizes[j], share

    def expect_persons(self) -> Floats:
        """Return the persons that are expected in each cell of the sample."""
        share = np.ones(len(self.counts))
        for root, steps in self.trees:
            share *= self.shares[root][self.codes[root]]
            for i, j in steps:
                first, second, both = self.margin(i, j)
                place = np.searchsorted(first * self.sizes[j] + second, self.codes[i] * self.sizes[j] + self.codes[j])
                share *= both[place] / self.shares[i][self.codes[i]]
        return np.asarray(share * self.weights.sum())

    def rows(self, root: int, steps: Pairs, sparse: Sequence[int]) -> Rows:
        """Return the kinds of cells of a tree."""
        at = {root: np.arange(self.sizes[root])}
        share = self.shares[root].copy()
        for i, j in steps:
            first, second, both = self.margin(i, j)
            begin = np.searchsorted(first, np.arange(self.sizes[i] + 1))
            many = np.diff(begin)[at[i]]
            if many.sum() > MOST:
                raise TooManyCells
            back = np.repeat(np.arange(len(share)), many)
            place = begin[at[i]][back] + np.arange(len(back)) - np.repeat(np.cumsum(many) - many, many)
            share = share[back] * both[place] / self.shares[i][at[i][back]]
            at = {key: code[back] for key, code in at.items()} | {j: second[place]}
        held = [self.records(key)[at[key]] for key in sparse if key in at]
        records = np.array(held).reshape(len(held), len(share))
        return Rows(share, np.ones(len(share)), records).merge(SAME)


def forest_criteria(cells: Floats, generators: str, sparse: Floats) -> Floats | None:
    """Return B1, z1, B2 and z2 of a forest, or nothing where it has too many cells.

    Parameters
    ----------
    cells
        A row for each cell of the sample: the number of its category by key, from 1; its records; the persons they
        stand for.
    generators
        The pairs, as in '1,2;1,3'.
    sparse
        The keys of many values, from 1.
    """
    codes, (counts, weights) = cells[:, :-2].T.astype(np.int64), cells[:, -2:].T.copy()
    pairs = [(int(i) - 1, int(j) - 1) for i, j in (part.split(",") for part in generators.split(";") if part)]
    forest = Forest(codes, counts, weights, pairs)
    every = [int(key) - 1 for key in sparse]
    order = [key for root, steps in forest.trees for key in every if key in {root, *(j for _, j in steps)}]
    persons = weights.sum()
    fraction = float(counts.sum() / persons)
    try:
        trees = [forest.rows(root, steps, every) for root, steps in forest.trees]
        rows = trees[0]
        for tree in trees[1:]:
            if len(rows.share) * len(tree.share) > MOST:
                rows = rows.merge(NEARLY)
                tree = tree.merge(NEARLY)  # noqa: PLW2901 - the same cells
            rows = rows.cross(tree)
            if len(rows.share) > MOST // 10:
                rows = rows.merge(SAME)
    except TooManyCells:
        return None
    expected = forest.expect_persons()
    records = np.array([forest.records(key)[forest.codes[key]] for key in order]).reshape(len(order), len(expected))
    sort = np.lexsort((*records, counts, expected))  # so that the sums do not depend on the order of the rows
    expected, f, records = expected[sort], counts[sort], records[:, sort]
    one, none = np.ones(len(f)), np.zeros(len(rows.share))
    every_cell = Cells(  # all of them as if nobody were there, and the sample's in the place of such
        np.concatenate([rows.share * persons, expected, expected]), np.concatenate([none, f, 0 * f]),
        np.concatenate([rows.number, one, -one]), np.concatenate([rows.records, records, records], axis=1),
    )  # fmt: skip
    margins = []
    for key in order:
        sizes, values = np.unique(forest.records(key), return_counts=True)
        margins.append(Margin(sizes, values.astype(np.float64), fraction))
    bias, z, _ = biases(every_cell, fraction, margins)
    return np.array([bias[0], z[0], bias[1], z[1]])
