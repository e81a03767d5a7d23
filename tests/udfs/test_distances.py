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
        both[:, order], q, o, person[order], first[order], np.ones(m + n), weights, "standardised", external
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


@pytest.mark.parametrize("seed", range(3))
def test_a_row_that_stands_for_several_is_as_these(seed):
    """Persons who are not in the released file need no rows of their own: nearest are as many, and as near."""
    draw = np.random.default_rng(seed)
    released, strangers = columns_of(draw, 2, 2, 0, 20), columns_of(draw, 2, 2, 0, 15)
    own = np.where(draw.random(released.shape) < 0.5, columns_of(draw, 2, 2, 0, 20), released)
    own[0, draw.random(20) < 0.2] = np.nan
    times = draw.integers(1, 6, 15)
    several = np.repeat(strangers, times, axis=1)
    found = []
    for others, of in ((strangers, times), (several, np.ones(times.sum()))):
        rows = np.hstack([released, own, others])
        person = np.r_[np.arange(20), np.arange(20), np.full(others.shape[1], 20)] + 1.0
        first, alike = np.r_[np.zeros(20), np.ones(20 + others.shape[1])], np.r_[np.ones(40), of]
        result = distance_linkage(rows, 2, 2, person, first, alike, np.ones(4), "none", 1)
        found.append(np.array(result)[:, :20].tolist())
    assert found[0] == found[1]
    assert max(found[0][2]) > 1


def link(other, released, scaling, weights=(1.0, 1.0), *, external=False):
    """Return what is found for the released records of numbers: the n-th is the n-th of the other file, 99 nobody."""
    m, n = other.shape[1], released.shape[1]
    person = np.r_[np.arange(m), [*range(min(n, m)), *[99] * (n - m)]] + 1.0
    first = np.r_[np.ones(m), np.zeros(n)]
    found = distance_linkage(
        np.hstack([other, released]), 0, 0, person, first, np.ones(m + n), np.array(weights), scaling, float(external)
    )
    return np.array(found)


def test_every_scaling_of_two_numbers_by_hand():
    """Off by (3, 1) from the first, by none from the second: by the ranges 10 and 4, deviations, covariances, or as is.

    Each is weighed, the second number four times, but with covariances.
    """
    other = np.array([[0.0, 10, 4, 6], [1, 2, 5, 1]])
    released = np.array([[3.0, 10, 4, 6], [2, 2, 5, 1]])
    covariances = np.linalg.inv(np.cov(other))
    expected = {
        "none": (9 + 4 * 1) ** 0.5,
        "range": (0.09 + 4 / 16) ** 0.5,
        "standardised": (9 / other[0].var(ddof=1) + 4 / other[1].var(ddof=1)) ** 0.5,
        "mahalanobis": (np.array([3, 1]) @ covariances @ [3, 1]) ** 0.5,
    }
    for scaling, distance in expected.items():
        weights = np.array((1, 1) if scaling == "mahalanobis" else (1, 4))
        d, nearer, near = (row[4:] for row in link(other, released, scaling, weights))
        assert d.tolist() == pytest.approx([distance, 0, 0, 0], abs=1e-9)
        apart = [released[:, 0] - o for o in other.T]
        units = {"none": (1, 1), "range": (10, 4), "standardised": other.std(axis=1, ddof=1)}.get(scaling)
        total = np.array([
            a @ covariances @ a if units is None else weights @ (a / np.array(units)) ** 2 for a in apart
        ])  # fmt: skip
        assert nearer.tolist() == [sum(total < total[0] - 1e-9), 0, 0, 0]
        assert near.tolist() == [np.isclose(total, total[0]).sum(), 1, 1, 1]  # (6, 1) is as far as it is


def test_who_is_a_candidate():
    """Of 0, 1, 2, 3 the first two are released, as 0.9 and 2.9: 0 is next to 0.9, unless 1 may be he as well."""
    other, released = np.array([[0.0, 1, 2, 3]]), np.array([[0.9, 2.9]])
    inside, outside = (link(other, released, "none", (1.0,), external=of)[:, 4:] for of in (False, True))
    assert inside.tolist() == pytest.approx(np.array([[0.9, 1.9], [1, 0], [1, 1]]))
    assert outside.tolist() == pytest.approx(np.array([[0.9, 1.9], [1, 2], [1, 1]]))
    more = link(other, np.array([[0.9, 2.9, 2, 3, 5]]), "none", (1.0,), external=True)[:, 4:]
    assert np.isnan(more[:, 4]).all()  # nobody of the other file
    assert not np.isnan(more[:, :4]).any()


def test_numbers_without_a_mahalanobis_distance():
    good = np.array([[0.0, 10, 4, 6], [1, 2, 5, 1]])
    for other, released, weights, words in (
        (good, np.where(good == 5, np.nan, good), (1, 1), "a number is missing"),
        (np.array([good[0], np.ones(4)]), good, (1, 1), "no Mahalanobis distance"),
        (np.array([good[0], 2 * good[0]]), good, (1, 1), "no Mahalanobis distance"),
        (good, good, (1, 2), "weights of numbers differ"),
        (good, good, (0, 0), "weights must be numbers of at least 0"),
        (good, good, (-1, 2), "weights must be numbers of at least 0"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            link(other, released, "mahalanobis", weights)
    with pytest.raises(ValueError, match="scaling is 'sd': it must be one of standardised, range, none, mahalanobis"):
        link(good, good, "sd")
