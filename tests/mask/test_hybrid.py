"""Hybrid data by Muralidhar & Sarathy: what is kept exactly, what is refused, and what releases tell together."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from sdc_sql.udfs.hybrid import hybrid

import sdc_sql
from sdc_sql import Microdata

RECORDS = 400
COLUMNS, GIVEN = ["turnover", "Select"], ["a", "f"]


@pytest.fixture
def k(con):
    """A table `k`: two given columns, and two that depend on them and on one another."""
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    draw = np.random.default_rng(1)
    a, f, e, g = draw.gamma(2, 1, RECORDS), *draw.normal(size=(3, RECORDS))
    columns = {"id": np.arange(RECORDS), "a": a, "f": f, "turnover": 4e4 + 3 * a - 2 * f + 5 * e, "Select": f - e + g}
    con.execute('CREATE TABLE k (id INTEGER, a DOUBLE, f DOUBLE, turnover DOUBLE, "Select" DOUBLE, part INTEGER)')
    rows = zip(*(columns[name].tolist() for name in columns), (np.arange(RECORDS) % 2).tolist(), strict=True)
    con.executemany("INSERT INTO k VALUES (?, ?, ?, ?, ?, ?)", [*rows])
    return Microdata(con, "k", id="id")


def values(con, table, where="true"):
    return np.array(con.execute(f'SELECT turnover, "Select", a, f FROM {table} WHERE {where} ORDER BY id').fetchall())


def without_given(matrix):
    """Return what is left of the first two columns by an independent least squares on the others."""
    design = np.column_stack([np.ones(len(matrix)), matrix[:, 2:]])
    return matrix[:, :2] - design @ np.linalg.lstsq(design, matrix[:, :2], rcond=None)[0]


@pytest.mark.parametrize("alpha", [0.0, 0.6, [0.7, 0.5]])
def test_means_and_covariances_are_kept_exactly_and_alpha_of_the_residuals(con, k, alpha):
    """Section 3.4.7.7: also with the given columns; and cov(x', x) given these is alpha S, which defines the method."""
    k.mask.hybrid(COLUMNS, alpha, given=GIVEN, into="mixed")
    old, new = values(con, "k"), values(con, "mixed")
    assert np.abs(new.mean(axis=0) / old.mean(axis=0) - 1).max() < 1e-9
    scale = np.sqrt(np.outer(old.var(axis=0), old.var(axis=0)))
    assert (np.abs(np.cov(new.T) - np.cov(old.T)) / scale).max() < 1e-9
    left, kept = without_given(old), without_given(new)
    products = left.T @ left
    assert np.abs(left.T @ kept - products * np.broadcast_to(alpha, 2)).max() < 1e-8 * np.abs(products).max()
    assert (old[:, 2:] == new[:, 2:]).all()


@pytest.mark.slow
def test_within_strata_in_each_and_whole_numbers_stay_whole(con, k):
    k.mask.hybrid(COLUMNS, 0.5, stratum="part", into="parted")
    for part in (0, 1):
        old, new = values(con, "k", f"part = {part}"), values(con, "parted", f"part = {part}")
        assert np.cov(new[:, :2].T) == pytest.approx(np.cov(old[:, :2].T), rel=1e-9)
    con.execute("ALTER TABLE k ALTER turnover TYPE INTEGER")
    by_macro = "FROM sdc_hybrid('k', ['select', 'TURNOVER'], [0.2, 0.3], 'id', given := ['a']) ORDER BY id"
    Microdata(con, "k", id="id").mask.hybrid(COLUMNS, [0.3, 0.2], given="a", into="whole")
    assert con.table("whole").types == con.table("k").types
    assert con.execute(by_macro).fetchall() == con.execute("FROM whole ORDER BY id").fetchall()


def test_alphas_without_a_noise_are_refused_with_the_largest_that_have_one(k):
    """Two columns with correlation r: S - A S A is positive semidefinite up to a factor that bisection finds."""
    draw = np.random.default_rng(2)
    common = draw.normal(size=(60, 1))
    y, names = common + 0.2 * draw.normal(size=(60, 2)), ["b", "c"]
    products, ratios = np.cov(y.T), np.array([0.9, 0.1])

    def least(t):
        return np.linalg.eigvalsh(products - t * t * np.diag(ratios) @ products @ np.diag(ratios)).min()

    low, high = 0.0, 1.0
    for _ in range(60):
        low, high = ((low + high) / 2, high) if least((low + high) / 2) >= 0 else (low, (low + high) / 2)
    assert 0.1 < low < 0.9
    normals = draw.normal(size=(60, 2))
    with pytest.raises(ValueError, match="negative variance") as raised:
        hybrid(y, np.empty((60, 0)), ratios, normals, names)
    named = re.search(r"largest in these ratios are (\S+) for b, (\S+) for c", str(raised.value))
    largest = np.array([float(share) for share in named.groups()])
    assert (0.998 * low * ratios < largest).all()
    assert (largest <= low * ratios).all()
    new = hybrid(y, np.empty((60, 0)), largest, normals, names)
    assert np.cov(new.T) == pytest.approx(products, rel=1e-9)
    with pytest.raises(sdc_sql.InputError, match="expected less of all"):
        k.mask.hybrid(COLUMNS, [0.99, 0.0])


@pytest.mark.slow
def test_two_releases_tell_more_than_one_and_no_more_than_the_header_says(con, k):
    """Regression on m releases leaves (1 - a^2) / (1 + (m - 1) a^2) of the variance that given columns leave."""
    alpha, own = 0.4, without_given(values(con, "k"))[:, 0]
    released = []
    for m in (1, 2, 3, 4):
        k.mask.hybrid("turnover", alpha, given=GIVEN, release=str(m), into=f"r{m}")
        released.append(without_given(values(con, f"r{m}"))[:, 0])
        share = 1 - np.corrcoef(np.mean(released, axis=0), own)[0, 1] ** 2
        expected = (1 - alpha**2) / (1 + (m - 1) * alpha**2)
        assert abs(share - expected) < 4 * 2 * math.sqrt(expected * (1 - expected) / RECORDS) + 1e-9 * m
    noise = [r - alpha * own for r in released]
    assert max(abs(np.corrcoef(a, b)[0, 1]) for a, b in pairwise(noise)) < 4 / math.sqrt(RECORDS)


@pytest.mark.slow
def test_releases_at_two_alphas_and_of_a_changed_source_have_noise_of_their_own(con, k):
    k.mask.hybrid("turnover", 0.4, given=GIVEN, into="first")
    k.mask.hybrid("turnover", 0.5, given=GIVEN, into="second")
    own = without_given(values(con, "k"))[:, 0]
    con.execute("UPDATE k SET f = f + 1e-9 WHERE id = 3")
    k.mask.hybrid("turnover", 0.4, given=GIVEN, into="third")
    noise = [
        without_given(values(con, table))[:, 0] - a * own
        for table, a in (("first", 0.4), ("second", 0.5), ("third", 0.4))
    ]
    for other in noise[1:]:
        assert abs(np.corrcoef(noise[0], other)[0, 1]) < 4 / math.sqrt(RECORDS)


def test_released_numbers_lie_on_a_grid_by_their_deviation(con, k):
    """So the last bits show neither the exponent of the own value nor that of the noise."""
    k.mask.hybrid(COLUMNS, 0.4, given=GIVEN, into="mixed")
    new = values(con, "mixed")[:, :2]
    steps = 2.0 ** (np.rint(np.log2(values(con, "k")[:, :2].std(axis=0))) - 34)
    assert (new / steps == np.rint(new / steps)).all()


@pytest.mark.usefixtures("k")
@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("change", "call", "message"),
    [
        ("UPDATE k SET turnover = NULL WHERE id = 3", {}, "1 records have NULL or NaN"),
        ("DELETE FROM k WHERE id >= 6", {"given": None}, None),
        ("DELETE FROM k WHERE id >= 4", {"given": None}, r"expected at least 5 records"),
        ("UPDATE k SET f = 2 * a", {}, "the given variables are collinear"),
        ('UPDATE k SET turnover = 2 * "Select"', {}, "is constant, or the other columns determine it"),
        ("UPDATE k SET a = 1e6 WHERE id = 7", {}, "1 records lie so far out"),
        ("SELECT 1", {"given": ["turnover"]}, "which is drawn anew"),
        ("SELECT 1", {"alpha": 1}, "alpha"),
        ("SELECT 1", {"alpha": [0.1, 0.2, 0.3]}, "one for each of the columns"),
        ("SELECT 1", {"alpha": None}, "alpha"),
        ("SELECT 1", {"alpha": [0.1, -0.1]}, "alpha"),
        ("SELECT 1", {"alpha": float("nan")}, "alpha"),
    ],
)
def test_refused(con, change, call, message):
    con.execute(change)
    before = con.execute("FROM k ORDER BY id").fetchall()
    arguments = {"columns": COLUMNS, "given": GIVEN, "alpha": 0.3, **call}
    if message is None:
        Microdata(con, "k", id="id").mask.hybrid(**arguments)
        return
    with pytest.raises(sdc_sql.InputError, match=message):
        Microdata(con, "k", id="id").mask.hybrid(**arguments)
    assert str(con.execute("FROM k ORDER BY id").fetchall()) == str(before)
