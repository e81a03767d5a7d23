"""Noise on outliers: who is one, and that nobody else is touched. The noise is that of the method `correlated`."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def limits(con, values, threshold):
    """Return the median and the limit of one column, as the macro has them."""
    con.execute("CREATE OR REPLACE TABLE v (sdc__stratum INTEGER, sdc__x_a DOUBLE)")
    con.executemany("INSERT INTO v VALUES (NULL, ?)", [[v] for v in values])
    rows = con.execute(
        "SELECT sdc__medians[1], sdc__limits[1] FROM sdc__outlier_limits('v', ?, 'sdc__stratum')", [threshold]
    )
    ((median, limit),) = rows.fetchall()
    return median, limit


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 50], [1, 1, 1, 1, 9], [5, 5, 5], [1, 2], [-7, 3, 3, 3, 8, None]])
def test_the_robust_deviation_is_its_definition(con, values):
    present = [float(v) for v in values if v is not None]
    centre = statistics.median(present)
    distances = [abs(v - centre) for v in present]
    scale = 1.482602218505602 * statistics.median(distances) or 1.2533141373155003 * statistics.fmean(distances)
    assert limits(con, values, 2.5) == pytest.approx((centre, 2.5 * scale), rel=1e-12)


@pytest.mark.slow
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=30), st.floats(0.5, 5))
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_robust_deviation_of_any_values(con, values, threshold):
    centre = statistics.median(values)
    distances = [abs(v - centre) for v in values]
    scale = 1.482602218505602 * statistics.median(distances) or 1.2533141373155003 * statistics.fmean(distances)
    assert limits(con, values, threshold) == pytest.approx((centre, threshold * scale), rel=1e-9)


def test_of_normal_values_as_many_are_outliers_as_theory_says(con):
    n = 200_000
    share = 0.0026997960632601866  # beyond 3 standard deviations
    x = np.random.default_rng(1).normal(5, 2, size=n)
    con.execute("CREATE TABLE v AS SELECT NULL AS sdc__stratum, unnest($x) AS sdc__x_a", {"x": x.tolist()})
    ((median, limit),) = con.execute(
        "SELECT sdc__medians[1], sdc__limits[1] FROM sdc__outlier_limits('v', 3, NULL)"
    ).fetchall()
    # the median absolute deviation has a standard error of 1.17 / sqrt(n) of itself, and the share falls by
    # 6 f(3) = 0.0266 for each unit of the scale
    standard_error = np.hypot(np.sqrt(share / n), 0.0266 * 1.17 / np.sqrt(n))
    assert abs((np.abs(x - median) > limit).mean() - share) < 4.5 * standard_error


@pytest.fixture
def table(keyed):
    keyed.execute("""
        CREATE TABLE t AS SELECT i AS id, i % 2 AS s, (i * 7919 % 101)::DOUBLE AS x,
               CASE i WHEN 7 THEN NULL WHEN 9 THEN 'nan'::DOUBLE ELSE i * 613 % 89 + 0.5 END AS y FROM range(200) r(i);
        UPDATE t SET x = 500.25 WHERE id IN (3, 7); UPDATE t SET y = 900.25 WHERE id = 4
    """)
    return keyed


@pytest.mark.slow
def test_only_outlying_records_get_noise_and_all_of_it(table):
    rows = "SELECT id, x, y FROM {} ORDER BY id"
    before = {i: v for i, *v in table.execute(rows.format("t")).fetchall()}
    call = "sdc_noise('t', ['x', 'y'], 0.3, 'id', method := '{}')"
    noisy = {i: v for i, *v in table.execute(rows.format(call.format("correlated"))).fetchall()}
    after = {i: v for i, *v in table.execute(rows.format(call.format("outliers"))).fetchall()}
    for i, original in before.items():
        assert str(after[i]) == str(noisy[i] if i in (3, 4, 7) else original)
    assert after[7][1] is None
    assert after[3] != before[3]


@pytest.mark.slow
def test_rounded_and_bounds_are_of_the_changed_records(table):
    call = "sdc_noise('t', ['x', 'y'], 0.3, 'id', method := 'outliers', rounded := true, {})"
    found = table.execute(f"SELECT x, y FROM {call.format('lower := 0')} WHERE id IN (3, 4, 5) ORDER BY id").fetchall()
    assert [v % 1 for v in (*found[0], *found[1])] == [0, 0, 0, 0]
    assert found[2][1] % 1 == 0.5
    with pytest.raises(Exception, match="outside their bounds"):
        table.execute(f"FROM {call.format('lower := 10')}").fetchall()


def test_in_strata_each_has_its_own_median(table):
    table.execute("UPDATE t SET x = x + 10_000 WHERE s = 1")
    call = "FROM sdc_noise('t', ['x'], 0.3, 'id', method := 'outliers', stratum := 's') AS m JOIN t USING (id)"
    assert table.execute(f"SELECT id {call} WHERE m.x <> t.x ORDER BY id").fetchall() == [(3,), (7,)]


@pytest.mark.one_in(3)
@pytest.mark.whole
@pytest.mark.parametrize("threshold", ["-1", "NULL", "'nan'::DOUBLE"])
def test_a_threshold_that_is_none_is_refused(table, threshold):
    with pytest.raises(Exception, match=r"threshold is .*: it must be a number, at least 0"):
        table.execute(
            f"FROM sdc_noise('t', ['x'], 0.3, 'id', method := 'outliers', threshold := {threshold})"
        ).fetchall()
