"""The simulations of the book: what is recorded is as it would be drawn again, and the verdict follows from it."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

import sdc_sql
from validation.book import read_simulations
from validation.simulations import list_simulations
from validation.simulations.region import Region, Told, sum_up


def test_a_verdict_follows_from_the_ratio_and_the_coverage():
    def judge(ratio, coverage=None):
        return Region("f", "x", "p", "s", 1000, 1.0, ratio, ratio, ratio, coverage=coverage, nominal=0.95).verdict

    assert [judge(r) for r in (0.79, 0.8, 1.25, 1.26)] == ["too low: do not use", "sound", "sound", "too high"]
    assert judge(1.0, 0.94) == "sound"
    assert judge(1.0, 0.92) == "bounds too narrow: do not use them"
    found = sum_up(Told("f", "x", "p", "s"), [(1, 2), (3, 2)], covered=[True, False], nominal=0.5)
    assert (found.ratio, found.truth, found.coverage) == (1.0, 2.0, 0.5)
    with pytest.raises(ValueError, match="anything to estimate"):
        sum_up(Told("f", "x", "p", "s"), [(1, 0)])


@pytest.mark.slow
@pytest.mark.whole
@pytest.mark.parametrize("name", ["households", "linkage"])
def test_a_few_repetitions_are_near_what_is_recorded(name):
    """The mean of three lies within what single ones do, but for one figure in twenty."""
    (module,) = (m for m in list_simulations() if m.__name__.endswith(f".{name}"))
    _, kept = read_simulations()
    recorded = {(r.function, r.figure, r.population, r.sample): r for r in kept}
    with duckdb.connect() as con:
        sdc_sql.load(con)
        found = list(module.list_regions(con, np.random.default_rng(1), 3))
    outside = [r for r in found if not (o := recorded[r.function, r.figure, r.population, r.sample]).lower * 0.98
               <= r.ratio <= o.upper * 1.02]  # fmt: skip
    assert len(outside) <= 1 + len(found) // 20, outside


def test_every_simulation_is_recorded():
    made, kept = read_simulations()
    assert {"seed", "sdc-sql", "duckdb", "numpy"} == set(made)
    functions = {r.function for r in kept}
    assert functions == {
        "sdc_theta", "sdc_global_risk", "sdc_population_uniqueness", "sdc_household_global_risk", "sdc_log_linear_risk",
        "sdc_pram_guaranteed", "sdc_synthetic_estimate", "sdc_probabilistic_linkage",
    }  # fmt: skip
    assert min(r.repetitions for r in kept if r.function != "sdc_population_uniqueness") >= 24
