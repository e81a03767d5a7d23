"""Two releases together tell no more than two independent ones do, and nothing moves that need not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sdc_sql

N = 4_000
R = math.sqrt(10)


@pytest.fixture
def table(keyed):
    keyed.execute(f"""
        CREATE TABLE t AS
        SELECT range AS id, 100 + (range * 7919 % 10007) / 7 AS x, 50 + (range * 104729 % 20011) / 3 AS y,
               ['a', 'b', 'c', 'd'][1 + range * 613 % 1009 % 4] AS cat FROM range({N})
    """)
    return keyed


def column(con, source, name="x"):
    return np.array([v for (v,) in con.execute(f'SELECT "{name}" FROM {source} ORDER BY id').fetchall()])


def noise(con, arguments, columns="'x'", source="t", name="x"):
    found = column(con, f"sdc_noise('{source}', [{columns}], {arguments})", name)
    return found - column(con, source, name)


def independent(a, b):
    return abs(np.corrcoef(a, b)[0, 1]) < 4 / math.sqrt(len(a))


def test_two_sizes_of_noise_do_not_give_the_original(table):
    small, large = noise(table, "0.05, 'id'"), noise(table, "0.5, 'id'")
    assert independent(small, large)
    # with one draw at two sizes this would be exactly 0
    left = (R * small - large) / (R - 1)
    theory = math.sqrt(2 * 0.5) / (R - 1) * column(table, "t").std()
    assert left.std() == pytest.approx(theory, rel=0.1)


@pytest.mark.slow
def test_ten_sizes_give_no_more_than_their_best_average(table):
    alphas = [0.05 * 1.3**i for i in range(10)]
    drawn = np.array([noise(table, f"{a}, 'id'") for a in alphas])
    variances = np.array([d.var() for d in drawn])
    weights = np.linalg.lstsq(drawn.T - drawn[0:1].T, -drawn[0], rcond=None)[
        0
    ]  # the best unbiased combination, in hindsight
    weights[0] += 1 - weights.sum()
    left = weights @ drawn
    assert left.var() > 0.9 / (1 / variances).sum()


def test_two_waves_do_not_give_the_changes(table):
    table.execute("CREATE TABLE later AS SELECT * REPLACE (x + (id % 10 - 4.5) * 2 AS x) FROM t")
    first, second = noise(table, "0.1, 'id'"), noise(table, "0.1, 'id'", source="later")
    assert independent(first, second)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["uncorrelated", "correlated", "linear", "nonlinear"])
def test_another_release_is_independent_and_the_same_is_the_same(table, method):
    drawn = [noise(table, f"0.1, 'id', method := '{method}', release := '{r}'", "'x', 'y'") for r in ("", "b", "")]
    assert np.array_equal(drawn[0], drawn[2])
    assert independent(drawn[0], drawn[1])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", ["uncorrelated", "correlated", "linear"])
def test_the_order_of_columns_does_not_matter(table, method):
    table.execute("CREATE TABLE turned AS SELECT y, cat, x, id FROM t")
    first = column(table, f"sdc_noise('t', ['x', 'y'], 0.1, 'id', method := '{method}')")
    second = column(table, f"sdc_noise('turned', ['Y', 'X'], 0.1, 'id', method := '{method}')")
    assert np.array_equal(first, second)


@pytest.mark.slow
def test_a_column_is_masked_the_same_whatever_is_masked_beside_it_and_rounding_and_bounds_draw_nothing(table):
    alone, beside = noise(table, "0.1, 'id'"), noise(table, "0.1, 'id'", "'y', 'x'")
    assert np.array_equal(alone, beside)
    whole = column(table, "sdc_noise('t', ['x'], 0.1, 'id', rounded := true)")
    assert np.array_equal(whole, np.rint(column(table, "sdc_noise('t', ['x'], 0.1, 'id')")))
    assert np.array_equal(alone, noise(table, "0.1, 'id', lower := -1e6"))


@pytest.mark.slow
def test_streams_and_names_of_columns_do_not_collide(table):
    table.execute("""CREATE TABLE odd AS SELECT id, x AS a, x AS "a:to", x AS "a,b", x AS b, x AS ":a" FROM t""")
    drawn = [
        noise(table, f"0.1, 'id', stream := '{s}'", f"'{c}'", "odd", c)
        for s, c in [("", "a"), ("2", "a"), ("", "a:to"), ("", "a,b"), ("", "b"), ("2", ":a"), ("2:", "a")]
    ]
    assert all(independent(p, q) for i, p in enumerate(drawn) for q in drawn[:i])


def test_an_absolute_deviation_masks_a_record_by_itself(table):
    table.execute("CREATE TABLE third AS FROM t WHERE id % 3 = 0")
    of_all = column(table, "(FROM sdc_noise_absolute('t', ['x'], 25, 'id') WHERE id % 3 = 0)")
    assert np.array_equal(of_all, column(table, "sdc_noise_absolute('third', ['x'], 25, 'id')"))
    drawn = column(table, "sdc_noise_absolute('t', ['x'], 25, 'id')") - column(table, "t")
    # the variance of n normal draws has a standard error of sqrt(2 / n)
    assert drawn.var() / 625 == pytest.approx(1, abs=4 * math.sqrt(2 / N))


def test_alpha_comes_to_three_digits_so_that_one_record_more_redraws_nobody(table):
    more = "CREATE TABLE more AS FROM t UNION ALL SELECT -1, 800, 3000, 'a'"
    table.execute(more)
    before = column(table, "sdc_noise('t', ['x'], 0.1, 'id')")
    after = column(table, "(FROM sdc_noise('more', ['x'], 0.1, 'id') WHERE id >= 0)")
    assert np.array_equal(before, after)


def test_where_two_retentions_differ_the_second_is_no_oracle(table):
    before = column(table, "t", "cat")
    low, high = (column(table, f"sdc_pram_retention('t', ['cat'], {p}, 'id')", "cat") for p in (0.5, 0.9))
    differ = low != high
    share = (high == before)[differ].mean()
    # P(high is true | they differ), of independent draws over four categories; with one draw for both it was 1
    same = 0.9 * 0.5 + 3 * (0.1 / 3) * (0.5 / 3)
    theory = 0.9 * 0.5 / (1 - same)
    assert share == pytest.approx(theory, abs=4 * math.sqrt(theory * (1 - theory) / differ.sum()))


def test_pram_twice_is_the_matrix_squared(table):
    before = column(table, "t", "cat")
    table.execute("CREATE TABLE once AS FROM sdc_pram_retention('t', ['cat'], 0.8, 'id')")
    after = column(table, "sdc_pram_retention('once', ['cat'], 0.8, 'id', stream := '2')", "cat")
    matrix = np.full((4, 4), 0.2 / 3) + np.eye(4) * (0.8 - 0.2 / 3)
    squared = matrix @ matrix
    for i, a in enumerate("abcd"):
        n = (before == a).sum()
        for j, b in enumerate("abcd"):
            p = squared[i, j]
            assert abs((after[before == a] == b).sum() - n * p) < 4 * math.sqrt(n * p * (1 - p))


def test_noise_twice_has_the_variance_of_both(table):
    x = column(table, "t")
    table.execute("CREATE TABLE once AS FROM sdc_noise('t', ['x'], 0.1, 'id')")
    twice = column(table, "sdc_noise('once', ['x'], 0.1, 'id')") - x  # the same stream: its value is another now
    assert twice.var() / x.var() == pytest.approx(0.1 + 0.11, rel=4 * math.sqrt(2 / N))


def test_a_new_category_elsewhere_redraws_nobody(table):
    rows = [
        ("a", "a", 0.7),
        ("a", "b", 0.3),
        ("b", "b", 0.7),
        ("b", "a", 0.3),
        ("c", "c", 0.6),
        ("c", "d", 0.4),
        ("d", "d", 1),
    ]
    other = [*rows[:4], ("c", "c", 0.5), ("c", "d", 0.4), ("c", "e", 0.1), ("e", "e", 1), ("d", "d", 1)]
    released = []
    for name, given in (("m1", rows), ("m2", other)):
        table.execute(f'CREATE TABLE {name} ("from" VARCHAR, "to" VARCHAR, probability DOUBLE)')
        table.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", given)
        released.append(column(table, f"sdc_pram('t', 'cat', '{name}', 'id')", "cat"))
    before = column(table, "t", "cat")
    assert np.array_equal(*(r[before != "c"] for r in released))
    assert not np.array_equal(*(r[before == "c"] for r in released))


@pytest.mark.slow
def test_the_same_bits_in_any_copy(table):
    data = sdc_sql.Microdata(table, "t", id="id")
    data.mask.noise("x", 0.1, into="one")
    data.mask.noise("x", 0.1, into="two")
    assert np.array_equal(column(table, "one"), column(table, "two"))
