"""MDAV equals the plain algorithm, which is written out below, record for record."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest
from brute_force import sse_sst
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.microaggregation.mdav import mdav
from sdc_sql.udfs.microaggregation.partitions import standardise_columns


def plain_mdav(x, k):
    """Handbook 3.4.5.4, every distance to every record; of records at equal distance the lowest row."""
    groups = np.full(len(x), -1)
    left = np.arange(len(x))
    formed = 0

    def squares(point):
        return sum((x[left, j] - point[j]) ** 2 for j in range(x.shape[1]))

    def form_around(point):
        nonlocal left, formed
        nearest = np.argsort(squares(point), kind="stable")[:k]
        groups[left[nearest]] = formed
        formed += 1
        left = np.delete(left, nearest)

    while len(left) >= 3 * k:
        r = left[squares(x[left].mean(axis=0)).argmax()]
        form_around(x[r])
        form_around(x[left[squares(x[r]).argmax()]])
    if len(left) >= 2 * k:
        form_around(x[left[squares(x[left].mean(axis=0)).argmax()]])
    groups[left] = formed
    return groups


def normal(rng, n, p):
    return rng.normal(size=(n, p))


def skewed(rng, n, p):
    return np.exp(1.5 * rng.normal(size=(n, p)))


def clustered(rng, n, p):
    return 0.05 * rng.normal(size=(n, p)) + rng.normal(size=(8, p))[rng.integers(0, 8, n)]


# Sums of integers are exact, so that ties at the mean are the same ties in any order of summing.
def grid(rng, n, p):
    return rng.integers(0, 5, (n, p)).astype(float)


def half_zero(rng, n, p):
    return rng.integers(0, 1000, (n, p)) * (rng.random((n, 1)) < 0.5)


def alike(rng, n, p):
    return np.zeros((n, p)) + rng.integers(0, 9, p)


SHAPES = [normal, skewed, clustered, grid, half_zero, alike]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("shape", SHAPES)
@settings(deadline=None)
@given(k=st.integers(2, 7), extra=st.integers(0, 300), p=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_the_partition_is_that_of_plain_mdav(shape, k, extra, p, seed):
    x = shape(np.random.default_rng(seed), k + extra, p)
    assert mdav(x, k).tolist() == plain_mdav(x, k).tolist()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("p", "k"), [(2, 3), (4, 3), (9, 40)])
def test_it_is_so_where_boxes_lie_in_boxes_and_are_divided_anew(shape, p, k):
    x = shape(np.random.default_rng(p), 3000, p)
    assert mdav(x, k).tolist() == plain_mdav(x, k).tolist()


@settings(deadline=None)
@given(k=st.integers(2, 7), extra=st.integers(0, 60), seed=st.integers(0, 2**32 - 1))
def test_only_the_last_group_has_more_than_k_records_and_at_most_2k_minus_1(k, extra, seed):
    # while 3k or more remain 2k go, so k to 3k - 1 are left; of 2k to 3k - 1 k go, so k to 2k - 1 are left
    sizes = np.bincount(mdav(normal(np.random.default_rng(seed), k + extra, 2), k))
    assert set(sizes[:-1].tolist()) <= {k}
    assert k <= sizes[-1] <= 2 * k - 1


@settings(deadline=None)
@given(k=st.integers(2, 5), extra=st.integers(0, 60), seed=st.integers(0, 2**32 - 1))
def test_a_permutation_of_rows_permutes_the_groups(k, extra, seed):
    rng = np.random.default_rng(seed)
    x = normal(rng, k + extra, 3)
    order = rng.permutation(len(x))
    assert mdav(x[order], k).tolist() == mdav(x, k)[order].tolist()


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_an_offset_does_not_matter(offset):
    x = normal(np.random.default_rng(3), 2000, 3)
    assert mdav(x + offset, 3).tolist() == plain_mdav(x + offset, 3).tolist()


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("name", ["tarragona", "cascrefmicrodata", "tarragona_4", "testdata3"])
def test_the_loss_is_that_of_sdcmicro(shared, sdcmicro, name, k):
    # sdcMicro 5.8.1, an independent implementation in C++: 16.9326 % and 5.6922 % for k = 3
    file, columns = {
        "tarragona_4": ("tarragona", 4),
        "testdata3": ("testdata", ["expend", "income", "savings"]),
    }.get(name, (name, None))
    table = pq.read_table(shared / "data" / f"{file}.parquet")
    chosen = table.column_names[:columns] if isinstance(columns, int) else columns or table.column_names
    x = standardise_columns(np.stack([table[column].to_numpy() for column in chosen], axis=1))
    called = {"tarragona": "Tarragona", "tarragona_4": "Tarragona_4", "cascrefmicrodata": "CASCrefmicrodata"}
    theirs = sdcmicro[f"ma_{called.get(name, name)}_mdav_k{k}"]["IL_SSE_SST_std"]
    assert sse_sst(x, mdav(x, k)) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize(
    ("x", "k", "said"),
    [
        ([[1.0], [2.0]], 3, "2 records cannot form a group of k = 3"),
        ([[1.0], [2.0]], 1, "k must be 2 or more"),
        ([[1.0], [2.0]], 2.0, "k = 2.0 is not a whole number"),
        ([[1.0], [2.0]], True, "k = True is not a whole number"),
        ([[1.0], [np.nan]], 2, r"x holds NaN \(row 1, column 0, and 0 more\)"),
        ([[np.inf], [1.0]], 2, "x holds inf"),
        ([[1e200], [1.0]], 2, r"values beyond 1e\+150, whose squares are infinite"),
        ([1.0, 2.0], 2, r"x has 1 dimensions, expected 2: .* x\[:, None\]"),
        (np.zeros((2, 0)), 2, r"shape \(2, 0\)"),
        (np.zeros((0, 2)), 2, r"shape \(0, 2\)"),
        ([["a"], ["b"]], 2, "x has type <U1; expected integers or floats"),
        (np.ma.masked_equal([[1.0], [2.0]], 2.0), 2, "masked array with missing values"),
    ],
)
def test_bad_input_is_refused(x, k, said):
    with pytest.raises(ValueError, match=said):
        mdav(x, k)
