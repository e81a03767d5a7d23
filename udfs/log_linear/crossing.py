"""Hierarchical log-linear models fitted by iterative proportional fitting (SDC handbook, section 3.3.6).

Cells where a margin of the model is 0 have the expected count 0: they are left out from the beginning, so that the work
follows what a sparse table can hold and not its crossing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.log_linear.margins import Margin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.udfs.arguments import Floats, Integers

Generator = tuple[int, ...]

CELLS = 20_000_000  # a crossing has no more: each takes a byte, and eight where a model allows it
ROUNDS = 5_000
NEAR = 0.01  # records by which a margin may be off (R's loglin: 0.1)


@dataclass(frozen=True)
class Crossing:
    """The cells of a sample in the crossing of its keys: their places, records, and the persons they stand for."""

    sizes: tuple[int, ...]
    places: Integers
    counts: Floats
    weights: Floats

    @property
    def fraction(self) -> float:
        """The sampling fraction: records by persons."""
        return float(self.counts.sum() / self.weights.sum())

    def codes(self, places: Integers, generator: Generator) -> Integers:
        """Return the cell of a margin for each place."""
        strides = [math.prod(self.sizes[axis + 1 :]) for axis in range(len(self.sizes))]
        found = np.zeros(len(places), dtype=np.int64)
        for axis in generator:
            found *= self.sizes[axis]
            found += (places // strides[axis]) % self.sizes[axis]
        return found

    def margin(self, generator: Generator) -> Floats:
        """Return the persons in each cell of a margin."""
        size = math.prod(self.sizes[axis] for axis in generator)
        found = np.bincount(self.codes(self.places, generator), weights=self.weights, minlength=size)
        return found.astype(np.float64)

    def records(self, key: int) -> Floats:
        """Return the records of each category of a key."""
        found = np.bincount(self.codes(self.places, (key,)), weights=self.counts, minlength=self.sizes[key])
        return found.astype(np.float64)

    def sparse_margin(self, key: int) -> Margin:
        """Return the margin of a key of many values."""
        sizes, values = np.unique(self.records(key), return_counts=True)
        return Margin(sizes[sizes > 0], values[sizes > 0].astype(np.float64), self.fraction)


@dataclass(frozen=True)
class Fit:
    """A model, the places where it expects any person, and how many."""

    generators: tuple[Generator, ...]
    places: Integers
    expected: Floats


def cross_cells(codes: Integers, counts: Floats, weights: Floats) -> tuple[Crossing, Integers]:
    """Return the crossing of cells by the numbers of their categories (from 1; keys, cells), and their order in it.

    Raises
    ------
    ValueError
        Where it has too many cells.
    """
    sizes = tuple(int(k) for k in codes.max(axis=1))
    total = math.prod(sizes)
    if total > CELLS:
        raise ValueError(
            f"the crossing of these keys has {total:,} cells, and a fit over all of them takes at most {CELLS:,}: name "
            "fewer keys, recode them, or take model := 'tree', which needs the margins of pairs only"
        )
    places = np.ravel_multi_index(tuple(codes - 1), sizes).astype(np.int64)
    order = np.argsort(places)  # so that the sums do not depend on the order of the rows
    return Crossing(sizes, places[order], counts[order], weights[order]), order


def find_greatest_interactions(keys: int, interactions: Sequence[Generator]) -> tuple[Generator, ...]:
    """Return the greatest interactions, and the keys that are in none."""
    sets = {tuple(sorted({*g})) for g in interactions} | {(i,) for i in range(keys)}
    return tuple(sorted(g for g in sets if not any({*g} < {*other} for other in sets)))


def list_effects(generators: Sequence[Generator]) -> set[Generator]:
    """Return every effect of a hierarchical model but the mean."""
    return {part for g in generators for size in range(1, len(g) + 1) for part in combinations(g, size)}


def parameters(table: Crossing, generators: Sequence[Generator]) -> int:
    """Return how many parameters a model has, the mean among them."""
    return 1 + sum(math.prod(table.sizes[axis] - 1 for axis in part) for part in list_effects(generators))


def fit_table(table: Crossing, generators: tuple[Generator, ...], start: Fit | None = None, near: float = NEAR) -> Fit:
    """Return the persons that a model expects.

    Parameters
    ----------
    table
        The cells of the sample.
    generators
        The greatest interactions, which have every key between them.
    start
        The fit of a model within this one, from which to go on: the margins are reached sooner.
    near
        How many records a margin may be off.

    Raises
    ------
    ValueError
        Where the margins are not reached.
    """
    wanted = [table.margin(g) for g in generators]
    if start is None:
        places = np.arange(math.prod(table.sizes), dtype=np.int64)
        expected = np.full(len(places), table.weights.sum() / len(places))
    else:
        places, expected = start.places, start.expected
    for g, total in zip(generators, wanted, strict=True):
        if start is None or g not in start.generators:
            allowed = total[table.codes(places, g)] > 0
            places, expected = places[allowed], expected[allowed]
    codes = [table.codes(places, g).astype(np.int32) for g in generators]
    expected = expected.copy()
    for _ in range(ROUNDS):
        far = 0.0
        for code, total in zip(codes, wanted, strict=True):
            has = np.bincount(code, weights=expected, minlength=len(total))
            far = max(far, float(np.max(np.abs(has - total))))
            expected *= np.divide(total, has, out=np.zeros_like(total), where=has > 0)[code]
        if far * table.fraction <= near:
            return Fit(generators, places, expected)
    raise ValueError(
        f"the fit has not come within {near} records of the margins in {ROUNDS:,} rounds: take fewer interactions"
    )
