"""Log-linear risk with towns of many sizes and with incomes, beside the truth: the table of sql/risk/README.md.

Run it for its table: ``python -m pytest -m slow tests/studies -s -k margins``.
"""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import sdc_sql

pytestmark = pytest.mark.slow
PERSONS, TOWNS = 2_000_000, 2_000
SIZES = ("lognormal", "equal", "Zipf")


@pytest.mark.parametrize("sizes", SIZES)
def test_figures_are_near_the_truth_or_not_given(sizes):
    """tau1 and tau2 within 0.8 to 1.3, with the margin of towns known too; districts and regions change nothing."""
    rng = np.random.default_rng(SIZES.index(sizes))
    weights = {
        "lognormal": np.exp(1.2 * rng.standard_normal(TOWNS)),
        "equal": np.ones(TOWNS),
        "Zipf": 1 / np.arange(1, TOWNS + 1.0) ** 0.9,
    }[sizes]
    town = rng.choice(TOWNS, PERSONS, p=weights / weights.sum())
    columns = {
        "town": town, "district": town % 97, "region": town % 97 % 9, "sex": rng.integers(0, 2, PERSONS),
        "age": np.minimum(np.abs(rng.normal(0, 40, PERSONS)).astype(int), 99),
        "income": np.round(np.exp(10 + 0.6 * rng.standard_normal(PERSONS)) / 10),
    }  # fmt: skip
    with duckdb.connect() as con:
        sdc_sql.load(con)
        con.register("population", pa.table(columns))
        con.execute(
            "CREATE TABLE known AS SELECT 'town' AS key, town AS value, count(*) AS persons "
            "FROM population GROUP BY ALL"
        )
        for keys, fraction in (
            (["town", "age", "sex"], 0.001),
            (["town", "age", "sex"], 0.005),
            (["income", "town"], 0.005),
        ):
            drawn = rng.random(PERSONS) < fraction
            con.register("sample", pa.table({name: column[drawn] for name, column in columns.items()}))
            call = "SELECT sample_and_population_uniques, tau2 FROM sdc_population_risk('sample', 'population', ?)"
            true = con.execute(call, [keys]).fetchall()[0]
            nested = [*keys, "district", "region"]
            call = "SELECT tau1, tau2 FROM sdc_log_linear_risk('sample', ?, ?"
            found = con.execute(f"{call})", [keys, 1 / fraction]).fetchall()[0]
            known = con.execute(f"{call}, margins := 'known')", [keys, 1 / fraction]).fetchall()[0]
            print(f"\n{sizes} {keys} {fraction}: truth {true[0]} {true[1]:.0f}, found {found}, known margin {known}")
            for figures in (found, known):
                assert all(tau is None or 0.8 <= tau / t <= 1.3 for tau, t in zip(figures, true, strict=True))
            assert con.execute(f"{call})", [nested, 1 / fraction]).fetchall()[0] == tuple(
                tau if tau is None else pytest.approx(tau, rel=1e-9) for tau in found
            )
