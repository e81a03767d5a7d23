"""Linkage where numbers and ranks are missing in either file: as by every pair, whatever the order of the records."""

from __future__ import annotations

import numpy as np
import pytest
from sdc_sql.udfs.linkage.distances import distance_linkage


def columns_of(draw, categories, ordinal, numbers, n):
    parts = [draw.integers(1, 4, (categories, n)), draw.integers(1, 6, (ordinal, n)), draw.normal(size=(numbers, n))]
    return np.vstack([np.round(part, 1) for part in parts])


def every_pair(released, other, spans, weights, *, categories, tells_nothing):
    """The squared distances; what one of two lacks adds the mean squared difference of two of the other file.

    Where both lack it they are equal, unless what the released record lacks tells nothing.
    """
    total = np.zeros((released.shape[1], other.shape[1]))
    for j, weight in enumerate(weights):
        a, b = released[j][:, None], other[j][None, :]
        known = other[j][~np.isnan(other[j])]
        spread = known.std(ddof=1) if len(known) > 1 else 0
        if j < categories:
            total += weight * (a != b)
            continue
        span = spans[j] if spans[j] is not None else spread
        lacks, missing = np.isnan(a), np.isnan(b)
        apart = np.where(lacks | missing, 2 * spread**2, (a - b) ** 2)
        total += weight * np.where(lacks & missing & (not tells_nothing[j]), 0, apart) / (span or 1) ** 2
    return total


def counted(total):
    """The squared distance to each record's own, how many are nearer, how many as near; and the expected links."""
    true = np.diag(total)[:, None]
    same = np.isclose(total, true, rtol=2e-9, atol=1e-13)
    nearer, near = ((total < true) & ~same).sum(axis=1), same.sum(axis=1)
    return (true[:, 0], nearer, near), sum(1 / near[nearer == 0])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(24))
def test_as_by_every_pair(seed):
    draw = np.random.default_rng(seed)
    n, q, o, p = int(draw.integers(1, 150)), *(int(k) for k in draw.integers(0, 3, 3))
    m, p = n + int(draw.integers(0, 50)), p or int(q + o == 0)
    other = columns_of(draw, q, o, p, m)
    released = np.where(draw.random((q + o + p, n)) < 0.3, columns_of(draw, q, o, p, n), other[:, :n])
    for file in (other, released):
        file[q:][draw.random(file[q:].shape) < 0.15] = np.nan
    weights = np.r_[1, draw.choice([0, 0.5, 2], q + o + p - 1)]
    external = seed % 2
    both, first = np.hstack([other, released]), np.r_[np.ones(m), np.zeros(n)]
    person, order = np.r_[np.arange(m), np.arange(n)] + 1.0, draw.permutation(m + n)
    found = np.empty((3, m + n))
    found[:, order] = distance_linkage(
        both[:, order], q, o, person[order], first[order], weights, "standardised", external
    )
    spans = [np.nanmax(v, initial=1) - 1 if j < q + o else None for j, v in enumerate(both)]
    among = other if external else other[:, :n]
    # what was suppressed where the other file lacks values too is read in both ways: the one with more links counts
    suppressed = (np.isnan(released) & ~np.isnan(other[:, :n])).any(axis=1) & np.isnan(among).any(axis=1)
    readings = [
        every_pair(released, among, spans, weights, categories=q, tells_nothing=flags)
        for flags in (suppressed & False, suppressed)
    ]
    (true, nearer, tied), _ = max((counted(total) for total in readings), key=lambda read: read[1])
    distance, before, near = found[:, m:]
    assert distance == pytest.approx(np.sqrt(true), abs=1e-9)
    assert (before == np.minimum(nearer, 2)).all()
    assert (near == tied)[nearer < 2].all()
    assert np.isnan(found[:, :m]).all()
