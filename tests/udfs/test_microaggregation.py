"""The firms of the handbook, the peers' figures, and what every partition keeps to."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from brute_force import sse_sst
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.microaggregation import partitions as m
from sdc_sql.udfs.microaggregation.by_method import aggregate_groups, categorical_groups
from sdc_sql.udfs.microaggregation.centroids import aggregate
from sdc_sql.udfs.microaggregation.mdav import mdav
from sdc_sql.udfs.microaggregation.univariate import optimal_univariate
from sdc_sql.udfs.microaggregation.vmdav import vmdav

PAPERS = Path(__file__).resolve().parents[2] / "fixtures" / "papers"

PARTITIONS = {
    "mdav": mdav,
    "vmdav": vmdav,
    "two blocks": lambda x, k: m.partition_by_blocks(x, k, min(2, len(x) // k)),
    "principal component": m.projection,
    "principal component, optimal": lambda x, k: m.projection(x, k, sizes="optimal"),
    "sum of z": lambda x, k: m.projection(x, k, "sum_of_z"),
    "ranking": m.individual_ranking,
    "ranking, fixed": lambda x, k: m.individual_ranking(x, k, "fixed"),
}


@pytest.fixture(scope="module")
def firms():
    with (PAPERS / "handbook_tables_3_5_3_6.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def pair(firms):
    return np.stack([firms["surface"], firms["employees"]], axis=1)


def test_the_firms_lose_what_the_handbook_says(firms):
    # handbook 3.4.5: SST = 22, SSE_opt / SST = 0.34
    z = m.standardise_columns(pair(firms))
    optimum = sse_sst(z, firms["class"].astype(int))
    assert (z**2).sum() == pytest.approx(22, rel=1e-12)
    assert round(optimum, 2) == 0.34
    # the heuristics cannot be better: MDAV 0.549 (it must form groups of 3, 3 and 5), V-MDAV 0.350
    assert sse_sst(z, vmdav(z, 3)) >= optimum
    assert sse_sst(z, mdav(z, 3)) >= optimum


def test_the_firms_release_table_3_6(firms):
    released = aggregate(pair(firms), firms["class"].astype(int))
    assert released[:, 0] == pytest.approx(firms["surface_masked"], abs=0.005)
    assert released[:, 1] == pytest.approx(firms["employees_masked"], abs=0.5)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("partition", PARTITIONS.values(), ids=PARTITIONS)
@settings(deadline=None)
@given(k=st.integers(2, 5), extra=st.integers(0, 60), p=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
def test_every_group_has_k_to_2k_minus_1_records_and_means_stay(partition, k, extra, p, seed):
    x = m.standardise_columns(np.random.default_rng(seed).normal(size=(k + extra, p)))
    groups = partition(x, k)
    for column in groups.reshape(len(x), -1).T:
        sizes = np.bincount(column)
        assert k <= sizes.min()
        assert sizes.max() <= 2 * k - 1
    assert groups.dtype == np.int64
    assert aggregate(x, groups).mean(axis=0) == pytest.approx(x.mean(axis=0), abs=1e-12)
    assert sse_sst(x, groups) <= 1 + 1e-12


@pytest.mark.parametrize("partition", PARTITIONS.values(), ids=PARTITIONS)
def test_a_permutation_of_rows_permutes_the_groups(partition):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(300, 3))
    order = rng.permutation(300)
    assert partition(x[order], 4).tolist() == partition(x, 4)[order].tolist()


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("name", ["Tarragona", "CASCrefmicrodata"])
def test_projection_and_ranking_lose_what_they_do_in_sdcmicro(shared, sdcmicro, name, k):
    # sdcMicro 5.8.1, method 'pca' and 'onedims', groups of k
    table = pq.read_table(shared / "data" / f"{name.lower()}.parquet")
    x = m.standardise_columns(np.stack([column.to_numpy() for column in table.columns], axis=1))
    pca, ranking = (sdcmicro[f"ma_{name}_{method}_k{k}"]["IL_SSE_SST_std"] for method in ("pca", "onedims"))
    assert sse_sst(x, m.projection(x, k)) == pytest.approx(pca, rel=1e-9)
    assert sse_sst(x, m.individual_ranking(x, k, "fixed")) == pytest.approx(ranking, rel=1e-9)
    assert sse_sst(x, m.individual_ranking(x, k)) <= ranking


def test_one_block_is_mdav_and_more_blocks_stay_apart():
    x = np.random.default_rng(6).normal(size=(100, 2)) * [9, 1]
    assert m.partition_by_blocks(x, 3, 1).tolist() == mdav(x, 3).tolist()
    block = np.argsort(np.argsort(x @ np.linalg.svd(x - x.mean(axis=0))[2][0])) // 25
    groups = m.partition_by_blocks(x, 3, 4)
    assert all(np.unique(block[groups == g]).size == 1 for g in np.unique(groups))


def test_standardised_variables_have_mean_0_and_variance_1():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(50, 4)) * [1, 1e-140, 1e120, 0] + [1e9, 0, 0, 0.1]
    z = m.standardise_columns(x)
    assert z.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert z.var(axis=0) == pytest.approx([1, 1, 1, 0])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: m.partition_by_blocks(x, 3, 4), "blocks = 4: with 10 records and k = 3 expected 1 to 3"),
        (lambda x: m.partition_by_blocks(x, 3, 0), "blocks = 0"),
        (lambda x: m.projection(x, 3, "factor"), "expected 'principal_component' or 'sum_of_z'"),
        (lambda x: m.projection(x, 3, sizes="any"), "expected 'optimal' or 'fixed'"),
        (lambda x: m.individual_ranking(x, 11), "10 records cannot form a group of k = 11"),
        (lambda x: m.individual_ranking(x[:, 0], 3), r"x\[:, None\]"),
        (lambda x: m.standardise_columns(x / [1, np.inf] * [1, np.inf]), "x holds NaN"),
    ],
)
def test_bad_input_is_refused(call, said):
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=said):
        call(np.random.default_rng(0).normal(size=(10, 2)))


def test_one_ordinal_category_has_its_optimum():
    """By brute force: every way to cut the ordered values into groups of k or more (Hansen & Mukherjee 2003)."""
    draw = np.random.default_rng(4)
    for k in (2, 3):
        for _ in range(20):
            codes = draw.choice([0, 1, 2, 3, 7, 8, 12], 9)
            found = categorical_groups(codes[:, np.newaxis], k, "ordinal")
            assert min(np.bincount(found)) >= k
            lost = sum(_lose(codes[found == g]) for g in set(found.tolist()))
            cuts = (chosen for n in range(9 // k) for chosen in combinations(range(1, 9), n))
            parts = (np.split(np.sort(codes), [*chosen]) for chosen in cuts)
            least = min(sum(map(_lose, part)) for part in parts if min(map(len, part)) >= k)
            assert lost == pytest.approx(least, abs=1e-9)


def _lose(values):
    return values.var() * len(values)


def test_each_method_by_its_name_and_records_that_lack_the_same():
    rng = np.random.default_rng(4)
    x = rng.lognormal(1, 1, (23, 2)) * [1, 50]
    z = m.standardise_columns(x)
    for method, groups in (
        ("mdav", mdav(z, 3)), ("vmdav", vmdav(z, 3, 0.2)), ("individual_ranking", m.individual_ranking(z, 3)),
        ("principal_component", m.projection(z, 3)), ("sum_of_z", m.projection(z, 3, "sum_of_z")),
    ):  # fmt: skip
        np.testing.assert_allclose(aggregate_groups(x, 3, method, "mean"), aggregate(x, groups, "mean"))
        np.testing.assert_allclose(aggregate_groups(x, 3, method, "median"), aggregate(x, groups, "median"))
    np.testing.assert_allclose(
        aggregate_groups(x, 3, "vmdav", "mean", gamma=1.5), aggregate(x, vmdav(z, 3, 1.5), "mean")
    )
    np.testing.assert_allclose(
        aggregate_groups(x, 3, "mdav", "mean", blocks=2), aggregate(x, m.partition_by_blocks(z, 3, 2), "mean")
    )
    one = aggregate_groups(x[:, :1], 4, "univariate", "mean")
    np.testing.assert_allclose(one, aggregate(x[:, :1], optimal_univariate(x[:, 0], 4), "mean"))
    with pytest.raises(ValueError, match="takes one column, not 2"):
        aggregate_groups(x, 3, "univariate", "mean")
    # exactly k lack the first, k the second; who lacks both stays, however few; of two who lack one it is an error
    x[:3, 0], x[3:6, 1], x[6] = np.nan, np.nan, np.nan
    found = aggregate_groups(x, 3, "mdav", "mean")
    np.testing.assert_allclose(found[:3, 1], x[:3, 1].mean())
    np.testing.assert_allclose(found[3:6, 0], x[3:6, 0].mean())
    assert np.isnan(found[:3, 0]).all()
    assert np.isnan(found[6]).all()
    np.testing.assert_allclose(found[7:], aggregate_groups(x[7:], 3, "mdav", "mean"))
    with pytest.raises(ValueError, match="3 records have values and NULL in the same columns, fewer than k = 4"):
        aggregate_groups(x, 4, "mdav", "mean")
