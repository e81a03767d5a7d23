"""The nearest records of another file: as by comparing every pair, with ties, constants, categories of one alone."""

from __future__ import annotations

import numpy as np
import pytest
from sdc_sql.udfs.linkage.nearer import Limits, count_nearer
from sdc_sql.udfs.linkage.nearest import find_nearest, find_nearest_within
from sdc_sql.udfs.linkage.records import Records, Variables, compute_squared_distances
from sdc_sql.udfs.linkage.within import count_within_limits

KINDS = {
    "continuous": lambda draw, shape: draw.normal(size=shape),
    "whole": lambda draw, shape: draw.integers(0, 4, shape).astype(float),
    "decimal": lambda draw, shape: draw.integers(0, 5, shape) / 10,  # 0.3 - 0.2 and 0.2 - 0.1 are as near
    "constant": lambda _, shape: np.full(shape, 7.0),
    "skewed": lambda draw, shape: np.exp(8 * draw.normal(size=shape)),
    "tiny": lambda draw, shape: draw.normal(size=shape) * 1e-30,
    "far": lambda draw, shape: draw.normal(size=shape) + 1e9,
    "none": lambda _, shape: np.empty(shape),
}


def files(seed, kind, n, m, codes=(3, 2, 40)):
    draw = np.random.default_rng(seed)
    columns = 0 if kind == "none" else int(draw.integers(1, 5))
    used = codes[: draw.integers(0 if columns else 1, len(codes) + 1)]
    made = [
        Records(
            KINDS[kind](draw, (size, columns)),
            np.column_stack([np.empty((size, 0), dtype=int), *(draw.integers(first, k + first, size) for k in used)]),
            draw.integers(1, 3, size),
        )
        for size, first in ((n, 0), (m, 1))
    ]
    factors = draw.choice([0.0, 0.7, 1.0, 3.0], columns)
    return *made, Variables(factors, draw.choice([0.0, 0.5, 1.0, 2.0], len(used)))


def every_pair(x, y, variables):
    """The squared distances, shape (n, m)."""
    total = np.zeros((len(x), len(y)))
    for j, factor in enumerate(variables.factors):
        total += ((x.numbers[:, None, j] - y.numbers[None, :, j]) * factor) ** 2
    for j, cost in enumerate(variables.costs):
        total += cost * (x.codes[:, None, j] != y.codes[None, :, j])
    mantissa, exponent = np.frexp(total)
    return np.ldexp(np.floor(mantissa * 2**31 + 0.5), exponent - 31)  # nine digits


def expected(distances, counts):
    """First, second, places and ties of each row, for counts of each pair."""
    found = []
    for row, of in zip(distances, counts, strict=True):
        every = np.sort(np.repeat(row, of))
        least = every[0] if len(every) else np.inf
        same = (row == least) & (of > 0)
        found.append((least, every[1] if len(every) > 1 else np.inf, set(np.flatnonzero(same)), of[same].sum()))
    return found


def agree(found, wanted):
    for i, (first, second, places, tied) in enumerate(wanted):
        assert found.first[i] == pytest.approx(np.sqrt(first), rel=1e-8, abs=0)
        assert found.second[i] == pytest.approx(np.sqrt(second), rel=1e-8, abs=0)
        assert found.place[i] in (places or {-1})
        assert found.tied[i] == tied


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_as_by_comparing_every_pair(kind, seed):
    n, m = ((150, 400), (90, 70), (300, 1), (1, 200))[seed]
    x, y, variables = files(10 * seed, kind, n, m)
    distances = every_pair(x, y, variables)
    agree(find_nearest(x, y, variables), expected(distances, np.tile(y.counts, (n, 1))))
    within = every_pair(x, x, variables)
    agree(find_nearest_within(x, variables), expected(within, np.tile(x.counts, (n, 1)) - np.eye(n, dtype=int)))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_whether_fewer_than_two_are_nearer_than_the_true_record(kind, seed):
    x, y, variables = files(10 * seed + 1, kind, 120, (300, 40, 1)[seed])
    pairs = np.random.default_rng(seed).integers(0, len(y), len(x))
    distances = every_pair(x, y, variables)
    true = distances[np.arange(len(x)), pairs][:, None]
    most = compute_squared_distances(x, np.arange(len(x)), y, pairs, variables)
    for limits in (None, some_limits(seed, x, y)):
        counted = np.ones(distances.shape, dtype=bool)
        for j in range(x.numbers.shape[1] if limits else 0):
            column = y.numbers[None, :, j]
            counted &= (limits.least[:, [j]] <= column) & (column <= limits.greatest[:, [j]])
        before, same = count_nearer(x, y, most, variables, limits)
        wanted = ((distances < true) & counted) @ y.counts
        assert (before == np.minimum(wanted, 2)).all()
        few = before < 2
        assert (same[few] == ((distances == true) & counted)[few] @ y.counts).all()
        assert few.any()


def some_limits(seed, x, y):
    """Around each record of x, some numbers of y exactly at the limits; alike for records that are alike."""
    of = np.random.default_rng(seed)
    low, high = np.quantile(y.numbers, of.uniform(0, 0.5), axis=0), np.quantile(y.numbers, 0.9, axis=0)
    at = y.numbers[:1] * np.ones_like(x.numbers)
    return Limits(np.where(x.numbers > low, low, at), np.where(x.numbers < high, high, x.numbers))


@pytest.mark.parametrize("kind", ["whole", "skewed", "constant"])
def test_how_many_records_are_within_limits(kind):
    x, y, _ = files(1, kind, 90, 700)
    for limits in (some_limits(2, x, y), Limits(x.numbers - 0.1, x.numbers + 2), Limits(x.numbers + 1, x.numbers)):
        inside = (limits.least[:, None] <= y.numbers) & (y.numbers <= limits.greatest[:, None])
        assert (count_within_limits(y, limits) == inside.all(axis=2) @ y.counts).all()
