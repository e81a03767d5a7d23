r"""Trees that grow level by level, by histograms of codes (Breiman, Friedman, Olshen & Stone 1984).

A node is cut where :math:`\sum_s L_s^2 / n_L + R_s^2 / n_R - S_s^2 / n` is greatest: the fall of the sum of squares of
a number, and of indicators that of Gini's index times n. Sums are of whole numbers, exact in any order. Names are put
in the order of their means first, which for two classes and for numbers finds the best of all cuts (theorem 4.5 there).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.trees.codes import Codes

    Weights = npt.NDArray[np.number[Any]]
    # of cells, and how many there are: the records of each, their sums of each score, and their weights
    Sums = Callable[[npt.NDArray[np.signedinteger[Any]], int], tuple[Integers, Floats, Weights]]

Nodes = npt.NDArray[np.signedinteger[Any]]
NODES = 4_096  # of a level; beyond it no node is cut
EXACT = 2.0**53
GAIN = 1e-10  # beside the size of what is summed: less is rounding


@dataclass
class Level:
    """The nodes of a level: what cuts each (-1: nothing), which codes go to the right, and who comes next."""

    cut_by: Integers
    right: Truths  # (nodes, codes)
    next_: Integers  # the left node of the next level, or -1 - the number of the leaf


@dataclass
class Tree:
    """A tree, level by level."""

    levels: list[Level] = field(default_factory=list)
    leaves: int = 0
    grown_on: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # the leaves of these records

    def find_leaves(self, codes: Codes) -> Integers:
        """Return the leaf of each record of codes, (columns, n)."""
        found = np.zeros(codes.shape[1], dtype=np.int64)
        active, node = np.arange(codes.shape[1]), _make_nodes(codes.shape[1])
        for level in self.levels:
            active, node = _descend(level, codes, active, node, found)
        return found


def _make_nodes(n: int) -> Nodes:
    return np.zeros(n, dtype=np.int32)


def _descend(level: Level, codes: Codes, active: Integers, node: Nodes, leaf: Integers) -> tuple[Integers, Nodes]:
    """Return who goes on to the next level, and where; write the leaves of the others."""
    onward = level.next_[node]
    ends = onward < 0
    if ends.any():
        leaf[active[ends]] = -1 - onward[ends]
        active, node, onward = active[~ends], node[~ends], onward[~ends]
    code = codes.ravel()[level.cut_by[node] * codes.shape[1] + active]
    right = level.right.ravel()[node * level.right.shape[1] + code]
    return active, onward + right


def grow_tree(  # noqa: PLR0917 - what explains, what is explained, and how finely
    codes: Codes,
    widths: list[int],
    nominal: list[bool],
    classes: Integers,
    scores: Floats,
    k: int,
    *,
    gain: float = 0.0,
) -> Tree:
    """Return a tree with at least k records in each leaf.

    Parameters
    ----------
    codes
        Of the columns that explain, (columns, n); codes of column j are below widths[j].
    widths, nominal
        Of each column how many codes it has, and whether these are names.
    classes
        What is explained: the class of each record, (n,).
    scores
        Whole numbers for each class, (classes, s): one for a number, indicators for names.
    k
        The fewest records of a leaf.
    gain
        How many times what a cut by chance gains, in expectation, the best cut of a node must gain: 1 is the variance
        within the node, summed over the scores; 0: any gain.

    Examples
    --------
    >>> x = np.array([[1, 1, 2, 2, 3, 3]], dtype=np.uint8)
    >>> tree = grow_tree(x, [4], [False], np.array([0, 0, 0, 0, 9, 9]), np.arange(10.0)[:, np.newaxis], 2)
    >>> tree.find_leaves(x).tolist(), tree.grown_on.tolist()
    ([0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1])
    """
    n = codes.shape[1]

    def take(active: Integers) -> Sums:
        explained = classes if len(active) == n else classes[active]
        return lambda cells, size: _histogram(cells, size, explained, scores)

    squares = np.square(scores).sum(1)[:, np.newaxis]

    def require(active: Integers, node: Nodes, nodes: int) -> Floats:
        explained = classes if len(active) == n else classes[active]
        counts, sums, _ = _histogram(node, nodes, explained, scores)
        _, whole, _ = _histogram(node, nodes, explained, squares)
        least: Floats = gain * (whole[:, 0] - np.square(sums).sum(1) / counts) / counts
        return least

    return grow_by_sums(codes, widths, nominal, take, k, require=require if gain else None)


def grow_by_sums(
    codes: Codes,
    widths: list[int],
    nominal: list[bool],
    take: Callable[[Integers], Sums],
    k: int,
    *,
    depth: float = np.inf,
    even: bool = False,
    require: Callable[[Integers, Nodes, int], Floats] | None = None,
) -> Tree:
    """Return a tree of rows of which `take` tells what to sum: each may stand for several records, with weights.

    A leaf is below `depth` cuts at most. `even`: indicators are explained, and a node of both classes where no cut
    gains anything is cut into the most even parts, since a connection of two columns need not show in either.
    `require` tells what a cut of each node must gain.
    """
    n = codes.shape[1]
    tree = Tree(grown_on=np.zeros(n, dtype=np.int64))
    active, node, nodes = np.arange(n), _make_nodes(n), 1
    while nodes:
        best, cut_by = np.zeros(nodes), np.full(nodes, -1)
        right = np.zeros((nodes, max(widths, default=1)), dtype=bool)
        if nodes <= NODES and len(tree.levels) < depth:
            sum_cells = take(active)
            if require is not None:  # a better one than this is the best
                best = require(active, node, nodes)
            for j, width in enumerate(widths):
                cells = node * np.int32(width) + (codes[j] if len(active) == n else codes[j, active])
                counts, sums, weights = sum_cells(cells, nodes * width)
                shape = (nodes, width)
                found = counts.reshape(shape), sums.reshape(*shape, -1), weights.reshape(shape)
                _cut(j, *found, nominal[j], k, best, cut_by, right, even=even)
        splits = cut_by >= 0
        onward = np.where(splits, 2 * (np.cumsum(splits) - 1), -1 - tree.leaves - (np.cumsum(~splits) - 1))
        onward = onward.astype(np.int32)
        level = Level(cut_by, right, onward)
        tree.levels.append(level)
        tree.leaves += int((~splits).sum())
        nodes = 2 * int(splits.sum())
        active, node = _descend(level, codes, active, node, tree.grown_on)
    return tree


def _histogram(cells: Nodes, size: int, explained: Integers, scores: Floats) -> tuple[Integers, Floats, Integers]:
    """Return the records of each cell, their sums of each score, and their weights, all 1."""
    if scores.shape[1] > 1:
        by_class = np.bincount(cells * np.int64(len(scores)) + explained, minlength=size * len(scores))
        by_class = by_class.reshape(size, -1)
        sums: Floats = by_class @ scores
        records = by_class.sum(1).astype(np.int64)
        return records, sums, records
    unit = 2.0 ** np.ceil(np.log2((scores.max() + 1) * len(cells) + 1))
    if unit * len(cells) < EXACT:  # both in one sum, of whole numbers
        both = np.bincount(cells, weights=(unit + scores[:, 0])[explained], minlength=size)
        counts = np.floor(both / unit)
        records = counts.astype(np.int64)
        return records, (both - counts * unit)[:, np.newaxis], records
    found: Integers = np.bincount(cells, minlength=size).astype(np.int64)
    alone: Floats = np.bincount(cells, weights=scores[explained, 0], minlength=size).astype(np.float64)
    return found, alone[:, np.newaxis], found


def _cut(  # noqa: PLR0917 - what was found so far comes last
    j: int,
    counts: Integers,
    sums: Floats,
    weights: Weights,
    nominal: bool,
    k: int,
    best: Floats,
    cut_by: Integers,
    right: Truths,
    *,
    even: bool,
) -> None:
    """Cut each node by column j where that is better than what was found."""
    order = None
    if nominal:
        order = _order_names(sums, weights)
        counts = np.take_along_axis(counts, order, 1)
        weights = np.take_along_axis(weights, order, 1)
        sums = np.take_along_axis(sums, order[:, :, np.newaxis], 1)
    left_n, left_w, left = np.cumsum(counts, 1), np.cumsum(weights, 1), np.cumsum(sums, 1)
    n, w, whole = left_n[:, -1:], left_w[:, -1:], left[:, -1:]
    allowed = (left_n >= k) & (n - left_n >= k)
    if not allowed.any():
        return
    held = np.square(whole).sum(2) / w
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.square(left).sum(2) / left_w + np.square(whole - left).sum(2) / (w - left_w) - held
    if even:  # what is rounding, and more: it decides where nothing else does
        mixed = ((whole > 0) & (whole < w[:, :, np.newaxis])).any(2)
        gain += np.where(mixed, GAIN * (held + 1) * (1 + left_n * (n - left_n) / n**2), 0)
    gain = np.where(allowed, gain, 0)
    place = gain.argmax(1)
    most = gain[np.arange(len(gain)), place]
    better = np.flatnonzero((most > best) & (most > GAIN * (held[:, 0] + 1)))
    best[better], cut_by[better] = most[better], j
    after = np.arange(counts.shape[1]) > place[better, np.newaxis]
    # codes that no record of the node has go where most records go
    after = np.where(counts[better] > 0, after, (2 * left_n[better, place[better]] < n[better, 0])[:, np.newaxis])
    right[better] = False
    if order is None:
        right[better, : counts.shape[1]] = after
    else:
        right[better[:, np.newaxis], order[better]] = after


def _order_names(sums: Floats, weights: Weights) -> npt.NDArray[np.intp]:
    """Return names by the mean of the score that varies most in the node, (nodes, codes)."""
    w, whole = weights.sum(1)[:, np.newaxis], sums.sum(1)
    chosen = (whole * (w - whole)).argmax(1) if sums.shape[2] > 1 else np.zeros(len(sums), dtype=np.int64)
    means = sums[np.arange(len(sums)), :, chosen] / np.where(weights > 0, weights, 1)
    return np.argsort(means, axis=1, kind="stable")
