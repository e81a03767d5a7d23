"""How far estimates of risk are from the truth where many records are sample uniques: populations that are known whole.

A population is drawn with a seed, each person's keys from categories of uneven shares, and of it a sample by a
fraction. The truth is the sum of 1/F over the records of the sample, F counted in the population by DuckDB; the
estimate is sdc_global_risk of the sample, whose records all weigh 1/fraction.
"""

from __future__ import annotations

import math
import warnings

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import sdc_sql
from sdc_sql.errors import ManyUniquesWarning
from sdc_sql.risk.many_uniques import MANY, MOST

pytestmark = pytest.mark.slow
PERSONS = 60_000
FRACTIONS = (0.005, 0.02, 0.05, 0.1)


def draw_population(seed):
    """Return a population of two to five keys, its shares by Zipf's law, and the fraction of its sample."""
    rng = np.random.default_rng(seed)
    columns = {}
    for i in range(rng.integers(2, 6)):
        categories = rng.integers(2, 40)
        shares = 1 / np.arange(1, categories + 1) ** rng.uniform(0.3, 1.6)
        columns[f"k{i}"] = rng.choice(categories, PERSONS, p=shares / shares.sum())
    fraction = float(rng.choice(FRACTIONS))
    columns["drawn"] = rng.random(PERSONS) < fraction
    return pa.table(columns), fraction


def compare_with_truth(population, fraction):
    """Return the share of sample uniques, the truth over the estimate, and whether that is warned of."""
    keys = [name for name in population.column_names if name != "drawn"]
    with duckdb.connect() as con:
        con.register("given", population)
        cells = f"SELECT count(*) AS size, count(*) FILTER (drawn) AS f FROM given GROUP BY {', '.join(keys)}"
        ((truth,),) = con.execute(f"SELECT sum(f / size) FROM ({cells})").fetchall()
        con.execute(f"CREATE TABLE sample AS SELECT {', '.join(keys)} FROM given WHERE drawn")
        data = sdc_sql.Microdata(con, "sample", keys=keys, weight=1 / fraction)
        uniques = data.risk.frequency_summary().uniques_rate
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ManyUniquesWarning)
            estimate = data.risk.global_risk().expected_reidentifications
    return uniques, truth / estimate, bool(caught)


def test_where_it_is_said_the_estimate_is_below_the_truth():
    most, many, few = [], [], []
    for seed in range(24):
        population, fraction = draw_population(seed)
        uniques, times, noted = compare_with_truth(population, fraction)
        assert noted == (uniques >= MANY)
        (most if uniques >= MOST else many if noted else few).append(times)
        # who is re-identified for certain has the risk of a record that is alone, r_1, at the least
        assert times < (1 - fraction) / (fraction * math.log(1 / fraction))
    assert len(most) > 12
    assert min(len(many), len(few)) > 2
    # the bounds that sql/risk/individual_risk.sql tells
    assert 2 < min(most) < max(most) < 31
    assert 1.25 < min(many) < max(many) < 3.25
    assert 0.55 < min(few) < max(few) < 1.35


@pytest.mark.parametrize(("size", "fraction"), [(50, 0.01), (25, 0.02)])
def test_where_all_cells_are_as_large_it_errs_the_other_way(size, fraction):
    rng = np.random.default_rng(size)
    population = pa.table({"k": np.arange(PERSONS) // size, "drawn": rng.random(PERSONS) < fraction})
    uniques, times, noted = compare_with_truth(population, fraction)
    assert noted
    assert uniques > MANY
    assert 0.3 < times < 1
