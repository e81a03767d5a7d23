"""Distances of many records to a block at once: a product of matrices in single precision, from below.

|x - y|^2 = |x|^2 + |y|^2 - 2 x y, from the middle of the block; categories that agree are a product of indicators. What
single precision can be wrong by is taken off, so that none is too large; what is near enough is then looked at exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.linkage.blocks import TINY
from sdc_sql.udfs.linkage.records import NONE

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Singles, Truths
    from sdc_sql.udfs.linkage.records import Records, Variables

INDICATORS = 64  # so many categories in all; variables of more are compared one by one
WORD = 8  # truth values looked at together
FAR = np.float32(3e38)
ALONE = 250_000  # products of two numbers: up to so many OpenBLAS takes one thread
UNIT = 6e-8  # half the distance of 1 to the next number of single precision


class Block:
    """Some records of a file, made ready for products with those of another."""

    def __init__(self, file: Records, rows: Integers, variables: Variables, categories: Integers) -> None:
        self.rows, self._variables = rows, variables
        numbers = file.numbers[rows]
        self._middle = numbers.mean(axis=0)
        y = (numbers - self._middle) * variables.factors
        self._indicated, self._others = _choose_indicators(categories)
        self._identities = [np.eye(categories[j] + 1, categories[j], dtype=np.float32) for j in self._indicated]
        codes = file.codes[rows]
        self._codes = codes[:, self._others].T.astype(np.int32)
        parts = [-2 * y]
        parts += [
            -variables.costs[j] * eye[codes[:, j]] for j, eye in zip(self._indicated, self._identities, strict=True)
        ]
        self._bound = float(variables.costs[self._indicated].sum())
        depth = sum(part.shape[1] for part in parts) + 2
        self._error = UNIT * 1.5 * (depth + 8)
        sizes = np.square(y).sum(axis=1)
        self.off = float(2 * self._error * sizes.max())
        self.width = -(-len(rows) // WORD) * WORD
        right = np.zeros((depth, self.width), dtype=np.float32)
        right[:-2, : len(rows)] = np.hstack(parts).T
        right[-2] = 1
        right[-1] = FAR
        right[-1, : len(rows)] = sizes * (1 - 2 * self._error)
        self._right = right

    def bound_from_below(self, x: Records, rows: Integers) -> tuple[Singles, Floats]:
        """Return below which the squared distances are, shape (records, width), and by how much at most.

        Columns past the block's own records are far.
        """
        z = (x.numbers[rows] - self._middle) * self._variables.factors
        sizes = np.square(z).sum(axis=1)
        off = self._error * (2 * sizes + 3 * self._bound) + TINY
        codes = x.codes[rows]
        left = np.empty((len(rows), len(self._right)), dtype=np.float32)
        left[:, : z.shape[1]] = z
        at = z.shape[1]
        for j, eye in zip(self._indicated, self._identities, strict=True):
            left[:, at : at + eye.shape[1]] = eye[codes[:, j]]
            at += eye.shape[1]
        left[:, -2] = sizes + self._bound - off
        left[:, -1] = 1
        found = _product(left, self._right)
        for j, mine in zip(self._others, self._codes, strict=True):
            theirs = codes[:, j].astype(np.int32)[:, None]
            differ = (theirs != mine) | (theirs == NONE)
            found[:, : len(mine)] += np.float32(self._variables.costs[j] * (1 - 8 * UNIT)) * differ
        return found, off

    def find_unsettled(self, settled: Truths) -> tuple[Integers, Integers]:
        """Return what is to be looked at exactly: the places of the records, and those in the block."""
        words = np.flatnonzero(settled.ravel().view(np.uint64) != np.uint64(0x0101010101010101))
        places = (words[:, None] * WORD + np.arange(WORD)).ravel()
        places = places[~settled.ravel()[places]]
        mine, other = np.divmod(places, self.width)
        real = other < len(self.rows)
        return mine[real], other[real]


def _product(left: Singles, right: Singles) -> Singles:
    """Return a product, in parts too small to be shared among threads, which would wait for one another longer."""
    most = max(16, ALONE // right.size)
    whole = len(left) // most * most
    found = np.empty((len(left), right.shape[1]), dtype=np.float32)
    np.matmul(left[:whole].reshape(-1, most, left.shape[1]), right, out=found[:whole].reshape(-1, most, right.shape[1]))
    np.matmul(left[whole:], right, out=found[whole:])
    return found


def _choose_indicators(categories: Integers) -> tuple[list[int], list[int]]:
    """Return the variables with the fewest categories, INDICATORS together at most, and the others."""
    order = np.argsort(categories, kind="stable")
    few = int(np.searchsorted(np.cumsum(categories[order]), INDICATORS, "right"))
    return sorted(order[:few].tolist()), sorted(order[few:].tolist())
