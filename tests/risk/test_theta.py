"""theta and its confidence bound: Skinner & Elliot (2002), (2), (6), (7) and (9)."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import pytest
from brute_force import data_intrusion, frequency_counts, theta
from hypothesis import given
from hypothesis import strategies as st
from small_tables import PROPERTY, fetch, small_tables

FRACTIONS = st.sampled_from([0.001, 0.02, 0.1, 0.5, 0.75, 0.999])


def file_of(con, n1: int, n2: int, n3: int) -> None:
    """Store a file with n1 sample uniques, n2 pairs and n3 triples."""
    values = (
        [f"u{i}" for i in range(n1)] + [f"p{i // 2}" for i in range(2 * n2)] + [f"t{i // 3}" for i in range(3 * n3)]
    )
    con.execute("CREATE OR REPLACE TABLE t AS SELECT unnest(?::VARCHAR[]) AS a", [values])


@PROPERTY
@given(table=small_tables(), pi=FRACTIONS, confidence=st.sampled_from([0.5, 0.9, 0.95, 0.99, 0.9999]))
def test_theta_equals_the_formulas_on_counted_frequencies(db, table, pi, confidence):
    table.store(db, "t")
    (row,) = fetch(db, "FROM sdc_theta('t', ?, ?, confidence := ?)", table.keys, pi, confidence)
    counts = frequency_counts(table.records)
    estimate, variance = theta(counts[1], counts[2], counts[3], Fraction(pi))
    assert row["records"] == len(table.rows)
    assert row["cells"] == sum(counts.values())
    assert (row["n1"], row["n2"], row["n3"]) == (counts[1], counts[2], counts[3])
    assert row["theta"] == pytest.approx(float(estimate), rel=1e-14)
    assert row["standard_error"] == pytest.approx(math.sqrt(variance), rel=1e-13)
    bound = min(1, float(estimate) + NormalDist().inv_cdf(confidence) * math.sqrt(variance))
    assert row["upper_bound"] == pytest.approx(bound, rel=1e-13)


@PROPERTY
@given(table=small_tables(), pi=FRACTIONS)
def test_theta_is_the_limit_of_the_data_intrusion_simulation(db, table, pi):
    """Proposition 1: enumerate which unit is removed, and whether it is copied back."""
    table.store(db, "t")
    ((found,),) = db.execute("SELECT theta FROM sdc_theta('t', ?, ?)", [table.keys, pi]).fetchall()
    assert found == pytest.approx(float(data_intrusion(table.records, Fraction(pi))), rel=1e-13)


# By hand from (7) and (9), pi written as a fraction a / b so that everything is an integer:
# theta = a n1 / D, v = theta^2 2 (b - a) (3 (b - a) n3 + (2b - a) n2) / D^2, D = a n1 + 2 (b - a) n2.
WORKED = [
    # pi = 1/10: D = 40 + 18 * 30 = 580; theta = 40 / 580; 18 (27 * 20 + 19 * 30) = 18 * 1110 = 19980
    (40, 30, 20, 0.1, 40 / 580, 40 / 580 * math.sqrt(19980) / 580),
    # pi = 1/2: D = 4 + 2 * 3 = 10; theta = 4 / 10; 2 (3 * 2 + 3 * 3) = 30; v = 0.16 * 0.3 = 0.048
    (4, 3, 2, 0.5, 0.4, math.sqrt(0.048)),
    # pi = 1/4: D = 6 + 6 * 1 = 12; theta = 1/2; 6 (9 * 0 + 7 * 1) = 42; v = 42 / 576
    (6, 1, 0, 0.25, 0.5, math.sqrt(42 / 576)),
    # n2 = 0: theta = 1; pi = 1/2: D = 2; v = 2 * 3 * 1 / 4
    (2, 0, 1, 0.5, 1.0, math.sqrt(1.5)),
    # n2 = n3 = 0: theta = 1, and (9) is 0
    (3, 0, 0, 0.02, 1.0, 0.0),
    # n1 = 0: no unique match can be made
    (0, 3, 2, 0.1, 0.0, 0.0),
    (0, 0, 2, 0.1, 0.0, 0.0),
]


@pytest.mark.parametrize("worked", WORKED)
def test_worked_by_hand(con, worked):
    n1, n2, n3, pi, estimate, error = worked
    file_of(con, n1, n2, n3)
    (row,) = fetch(con, f"FROM sdc_theta('t', ['a'], {pi})")
    assert (row["n1"], row["n2"], row["n3"]) == (n1, n2, n3)
    assert row["theta"] == pytest.approx(estimate, rel=1e-14)
    assert row["standard_error"] == pytest.approx(error, rel=1e-14)
    bound = 0 if n1 == 0 else min(1, estimate + NormalDist().inv_cdf(0.99) * error)
    assert row["upper_bound"] == pytest.approx(bound, rel=1e-14)


def test_the_bound_is_at_most_one_and_grows_with_the_confidence(con):
    file_of(con, 4, 3, 2)
    levels = [0.5, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999, 1 - 1e-12]
    bounds = [
        con.execute("SELECT upper_bound FROM sdc_theta('t', ['a'], 0.5, confidence := ?)", [c]).fetchone()[0]
        for c in levels
    ]
    assert bounds == sorted(bounds)
    assert bounds[0] == pytest.approx(0.4)  # the median: theta itself
    assert bounds[-1] == 1  # 0.4 + 7 * 0.219 is cut off


def test_the_bound_is_never_below_the_estimate(con):
    file_of(con, 4, 3, 2)
    (bound,) = con.execute("SELECT upper_bound FROM sdc_theta('t', ['a'], 0.5, confidence := 0.1)").fetchone()
    assert bound == pytest.approx(0.4)


def test_theta_grows_with_the_sampling_fraction(con):
    """Section 6: theta decreases with pi, which is the protection that sampling gives."""
    file_of(con, 40, 30, 20)
    found = [
        con.execute("SELECT theta FROM sdc_theta('t', ['a'], ?)", [pi]).fetchone()[0]
        for pi in (0.001, 0.02, 0.05, 0.1, 0.9, 0.999)
    ]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(1, abs=2e-3)


def test_null_is_a_category(con):
    con.execute("CREATE TABLE t AS SELECT unnest([NULL, NULL, 1, 2]) AS a")
    assert con.execute("SELECT cells, n1, n2 FROM sdc_theta('t', ['a'], 0.1)").fetchone() == (3, 2, 1)


def test_adult(shared, con):
    """../shared/reference/README.md: ARX 3.9.2 on adult, 9 quasi-identifiers, sample uniques 0.514290 of records."""
    con.execute(f"CREATE TABLE adult AS FROM '{shared / 'data' / 'adult.parquet'}'")
    keys = [c for (c,) in con.execute("SELECT column_name FROM (DESCRIBE adult)").fetchall()]
    (row,) = fetch(con, "FROM sdc_theta('adult', ?, 0.01)", keys)
    assert (row["records"], row["cells"]) == (30_162, 19_502)
    assert round(row["n1"] / row["records"], 6) == 0.514290


@pytest.mark.slow
def test_persons_who_are_sampled_together_make_theta_too_low(con):
    """Skinner & Elliot (2002), section 5.4: pairs with equal keys come together or not at all, so theta is 1.

    The order of the file has the two of a pair ten places apart: a systematic sample of 1 in 10 takes both, although
    every person has the same chance. The estimate tends to pi n_1 / (pi n_1 + 2 (1 - pi) n_2), here 10 / 190.
    """
    con.execute("""
        CREATE TABLE population AS
        SELECT i AS place, CASE WHEN i >= 2000 THEN i ELSE 10 * (i // 20) + i % 10 - 10000 END AS x
        FROM range(3000) t(i)
    """)
    for start in range(10):
        con.execute(f"CREATE OR REPLACE TABLE sample AS FROM population WHERE place % 10 = {start}")
        (row,) = fetch(con, "FROM sdc_theta('sample', ['x'], 0.1)")
        ((truth,),) = con.execute("SELECT theta FROM sdc_population_risk('sample', 'population', ['x'])").fetchall()
        assert truth == 1
        assert row["theta"] == pytest.approx(10 / 190, rel=1e-12)
        assert row["upper_bound"] < 0.08
