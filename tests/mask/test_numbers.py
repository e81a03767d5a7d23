"""Masking of numbers through its macros: what each method keeps, NULL, types, strata, bounds; and what is refused."""

from __future__ import annotations

import datetime as dt
import math

import duckdb
import pytest

import sdc_sql

N = 20_000


@pytest.fixture
def table(con):
    """Return a connection with `k`: correlated columns of several types, NULLs, odd names."""
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    con.execute(f"""
        CREATE TABLE k AS
        SELECT range AS id, 'text' || range % 7 AS "we""ird", (1000 + 100 * sdc_normal('x', range)) AS f,
               (50 + 10 * (0.6e0 * sdc_normal('x', range) + 0.8e0 * sdc_normal('y', range)))::INTEGER AS "Select",
               CASE WHEN range % 10 = 0 THEN NULL ELSE (range % 1000 + 0.25)::DECIMAL(9, 2) END AS d,
               DATE '2000-01-01' + (range % 365)::INTEGER AS day, range % 2 AS s
        FROM range({N})
    """)
    return con


def moments(con, source="k"):
    return con.execute(
        f'SELECT avg(f), avg("Select"), var_samp(f), var_samp("Select"), corr(f, "Select") FROM {source}'
    ).fetchall()[0]


def noisy(method, alpha=0.25, **more):
    extra = "".join(f", {name} := {value}" for name, value in more.items())
    return f"sdc_noise('k', ['f', 'select'], {alpha}, 'id', method := '{method}'{extra})"


# what the theory of SDC handbook 3.4.4 says of (variance, correlation) after noise of alpha = 0.25
THEORY = {
    "uncorrelated": (1.25, 1 / 1.25),  # 3.4.4.1: variances grow, correlations shrink by 1 + alpha
    "correlated": (1.25, 1.0),  # (3.4)
    "linear": (1.0, 1.0),  # 3.4.4.3
    "nonlinear": (1.0, 1.0),  # 3.4.4.4
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", THEORY)
def test_noise_keeps_what_its_theory_says(table, method):
    before, after = moments(table), moments(table, noisy(method))
    variance, correlation = THEORY[method]
    for mean, masked, spread in zip(before[:2], after[:2], before[2:4], strict=True):
        # the mean of n noise terms of variance alpha sigma^2; five standard errors
        assert abs(masked - mean) < 5 * math.sqrt(0.25 * spread / N)
    for was, masked in zip(before[2:4], after[2:4], strict=True):
        # the relative standard error of a variance of n normal values is sqrt(2/n); whole numbers add 1/12
        assert masked / was == pytest.approx(variance, abs=5 * 1.25 * math.sqrt(2 / N) + 1 / 12 / was)
    # the standard error of a correlation is below 1 / sqrt(n)
    assert after[4] == pytest.approx(correlation * before[4], abs=5 / math.sqrt(N))
    if method == "linear":
        # the means are kept, up to the rounding to the grid, 2^-20 of the deviation at the nearest power of two
        assert after[0] == pytest.approx(before[0], abs=5 * 2**-19.5 * math.sqrt(before[2] / 12 / N))


@pytest.mark.slow
def test_types_order_names_and_the_rest_are_kept(table):
    described = table.execute("DESCRIBE k").fetchall()
    for macro in (
        noisy("uncorrelated"),
        "sdc_noise('k', ['d'], 0.1, 'id')",
        "sdc_multiplicative_noise('k', ['Select', 'd', 'f'], 0.1, 'id')",
        "sdc_microaggregate('k', ['Select', 'f'], 3, 'id', method := 'sum_of_z')",
        "sdc_microaggregate_categorical('k', ['we\"ird'], 3, 'id')",
        "sdc_rank_swap('k', 'day', 5, 'id')",
        "sdc_round_at_random('k', ['d', 'Select'], 5, 'id')",
        "sdc_resample('k', 'd', 2, 'id')",
    ):
        masked = table.execute(f"DESCRIBE FROM {macro}").fetchall()
        assert [row[:2] for row in masked] == [row[:2] for row in described], macro
        kept = table.execute(
            f"SELECT count(*) FROM k JOIN {macro} AS m ON k.id = m.id AND k.s = m.s AND (k.d IS NULL) = (m.d IS NULL)"
        ).fetchall()
        assert kept == [(N,)], macro


def test_bounds_are_by_column_in_the_order_of_the_call(table):
    # named in another order than the table's: lower 40 for Select, 900 for f; values lie within to begin with
    table.execute('DELETE FROM k WHERE f < 900 OR "Select" < 40')
    call = "sdc_noise('k', ['Select', 'f'], 0.5, 'id', lower := [40, 900], upper := [NULL, 2000])"
    ((low_f, low_s, high_f),) = table.execute(f'SELECT min(f), min("Select"), max(f) FROM {call}').fetchall()
    assert 900 <= low_f < 905
    assert low_s == 40
    assert high_f <= 2000


def test_by_stratum_each_keeps_its_own_mean(table):
    table.execute("UPDATE k SET f = f + 5000 * s")
    before = table.execute("SELECT s, avg(f) FROM k GROUP BY s ORDER BY s").fetchall()
    rows = noisy("linear", stratum="'s'")
    after = table.execute(f"SELECT s, avg(f) FROM {rows} GROUP BY s ORDER BY s").fetchall()
    # 100 is the deviation of f in each; the grid is 2^-20 of it at the nearest power of two
    grid = 2**-19.5 * 100
    assert [mean for _, mean in after] == pytest.approx([mean for _, mean in before], abs=5 * grid / math.sqrt(6 * N))


def test_outliers_only(table):
    changed = f"""SELECT min(abs(k.f - 1000)) FROM k JOIN {noisy("outliers", threshold=3)} AS m ON k.id = m.id
                  WHERE k.f <> m.f AND abs(k."Select" - 50) < 20"""
    # three standard deviations of 100; the robust estimate of it is within 3 % of that
    assert table.execute(changed).fetchall()[0][0] > 285


def test_hoehnes_noise_is_not_the_original(table):
    """The factors have variance size^2 + spread^2, and y is brought back to the mean and the deviation of x.

    So corr(x, y) = sigma / sqrt(sigma^2 (1 + v) + mu^2 v); that of the originals would be 1, and keeps the moments too.
    """
    table.execute("UPDATE k SET f = NULL WHERE id = 7")
    table.execute("UPDATE k SET f = 'nan'::DOUBLE WHERE id = 8")
    call = "sdc_multiplicative_noise('k', ['f'], 0.1, 'id', method := '{}', spread := 0.02)"
    of = f"FROM k JOIN {call} AS m ON k.id = m.id"
    told = """SELECT corr(k.f, m.f) FILTER (k.id NOT IN (7, 8)), count_if(k.f = m.f AND k.id <> 8), count(m.f),
                     any_value(isnan(m.f)) FILTER (k.id = 8), avg(k.f) FILTER (k.id NOT IN (7, 8)),
                     stddev_pop(k.f) FILTER (k.id NOT IN (7, 8)) """
    ((found, same, known, is_nan, mean, deviation),) = table.execute(told + of.format("hoehne")).fetchall()
    variance = 0.1**2 + 0.02**2
    expected = deviation / math.sqrt(deviation**2 * (1 + variance) + mean**2 * variance)
    assert found == pytest.approx(expected, abs=5 / math.sqrt(N))
    assert (same, known, is_nan) == (0, N - 1, True)
    ((found, same, known, is_nan, *_),) = table.execute(told + of.format("hoehne_sum")).fetchall()
    assert (same, known, is_nan) == (0, N - 1, True)
    assert found < 0.99


@pytest.mark.slow
def test_multiplicative_noise(table):
    before = moments(table)
    after = moments(table, "sdc_multiplicative_noise('k', ['f'], 0.1, 'id', method := 'hoehne', spread := 0.02)")
    # to the rounding to 32 bits, 2^-32 of a value at most
    assert (after[0], after[2]) == (pytest.approx(before[0], rel=2**-32), pytest.approx(before[2], rel=1e-8))
    sums = "SELECT sum(f) FROM "
    ((kept,),) = table.execute(
        sums + "sdc_multiplicative_noise('k', ['f'], 0.1, 'id', method := 'hoehne_sum', spread := 0.02)"
    ).fetchall()
    assert kept == pytest.approx(table.execute(sums + "k").fetchall()[0][0], rel=2**-32)
    ((factor, spread),) = table.execute(
        "SELECT avg(m.f / k.f), stddev(m.f / k.f) FROM k JOIN sdc_multiplicative_noise('k', ['f'], 0.1, 'id') AS m "
        "ON k.id = m.id"
    ).fetchall()
    assert factor == pytest.approx(1, abs=5 * 0.1 / math.sqrt(N))
    assert spread == pytest.approx(0.1, rel=5 / math.sqrt(2 * N))


@pytest.mark.slow
def test_plain_multiplicative_noise_of_values_that_are_none(keyed):
    keyed.execute("CREATE TABLE t AS FROM (VALUES (1, NULL), (2, 'nan'::DOUBLE), (3, 0), (4, -5)) AS t(id, x)")
    rows = keyed.execute("SELECT x FROM sdc_multiplicative_noise('t', ['x'], 0.1, 'id') ORDER BY id").fetchall()
    assert rows[0] == (None,)
    assert math.isnan(rows[1][0])
    assert rows[2] == (0,)
    assert rows[3][0] < 0
    assert rows[3][0] != -5
    same = keyed.execute(
        "SELECT x FROM sdc_multiplicative_noise('t', ['x'], 0, 'id') WHERE id > 2 ORDER BY id"
    ).fetchall()
    assert same == [(0,), (-5,)]
    with pytest.raises(duckdb.Error, match="size is -1: it must be a number, at least 0"):
        keyed.execute("FROM sdc_multiplicative_noise('t', ['x'], -1, 'id')")
    with pytest.raises(duckdb.Error, match="method is 'simple': it must be one of plain, hoehne, hoehne_sum"):
        keyed.execute("FROM sdc_multiplicative_noise('t', ['x'], 0.1, 'id', method := 'simple')")
    keyed.execute("INSERT INTO t VALUES (5, 'infinity')")
    with pytest.raises(duckdb.Error, match="The column x holds infinite values"):
        keyed.execute("FROM sdc_multiplicative_noise('t', ['x'], 0.1, 'id')")


@pytest.mark.one_in(8)
@pytest.mark.parametrize("method", ["mdav", "vmdav", "principal_component", "sum_of_z"])
@pytest.mark.parametrize("centroid", ["mean", "median"])
def test_every_released_combination_is_shared_by_k(table, method, centroid):
    table.execute("CREATE TABLE small AS SELECT id, f, d::DOUBLE AS d, s FROM k WHERE id < 700")
    data = sdc_sql.Microdata(table, "small", id="id")
    data.mask.microaggregate(["f", "d"], 4, method=method, centroid=centroid, stratum="s")
    # of records that lack d as of those that have it, within each stratum
    shared = table.execute("SELECT min(n), sum(n) FROM (SELECT count(*) AS n FROM small GROUP BY f, d, s)").fetchall()
    assert shared[0][0] >= 4
    assert shared[0][1] == 700


def test_a_kind_of_missing_value_with_fewer_than_k_records_is_refused(table):
    table.execute("CREATE TABLE few AS SELECT id, f, CASE WHEN id > 1 THEN f END AS g FROM k WHERE id < 50")
    with pytest.raises(sdc_sql.ParameterError, match="2 records have values and NULL"):
        sdc_sql.Microdata(table, "few", id="id").mask.microaggregate(["f", "g"], 3)


def test_categories_become_the_median_or_the_most_frequent(table):
    table.execute("CREATE TYPE size AS ENUM ('small', 'medium', 'large')")
    table.execute("CREATE TABLE c AS SELECT unnest(range(5)) AS id, "
                  "unnest(['large', 'small', 'medium', 'large', 'medium']::size[]) AS z")  # fmt: skip
    # one group of five: the median in the order of the type; by the alphabet it would be 'large'
    ordinal = table.execute("SELECT DISTINCT z FROM sdc_microaggregate_categorical('c', ['z'], 5, 'id')").fetchall()
    assert ordinal == [("medium",)]
    table.execute("UPDATE c SET z = 'large' WHERE id = 2")
    nominal = table.execute(
        "SELECT DISTINCT z FROM sdc_microaggregate_categorical('c', ['z'], 5, 'id', scale := 'nominal')"
    ).fetchall()
    assert nominal == [("large",)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("column", ["f", "Select", "d", "day", 'we"ird', "s"])
def test_rank_swapping_keeps_the_values_of_any_type(table, column):
    quoted = '"' + column.replace('"', '""') + '"'
    values = f"SELECT {quoted} FROM {{}} ORDER BY 1 NULLS FIRST"
    swapped = f"sdc_rank_swap('k', '{column}', 3, 'id', stratum := 's')"
    assert table.execute(values.format(swapped)).fetchall() == table.execute(values.format("k")).fetchall()


def test_rank_swapping_stays_within_the_range_and_moves_all(table):
    ((far, still),) = table.execute("""
        SELECT max(abs(a.r - b.r)), sum((k.id = b.id AND k.f = m.f)::INTEGER)
        FROM k JOIN sdc_rank_swap('k', 'f', 2, 'id') AS m ON k.id = m.id
        JOIN (SELECT id, f, rank() OVER (ORDER BY f) AS r FROM k) AS a ON a.id = k.id
        JOIN (SELECT id, f, rank() OVER (ORDER BY f) AS r FROM k) AS b ON b.f = m.f
    """).fetchall()
    assert 0.9 * 0.02 * N < far <= 0.02 * N  # p = 2 percent of the records
    assert still == 0


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "call", ["sdc_rank_swap('{}', 'x', 10, 'id')", "sdc_rank_swap_correlated('{}', 'x', 0.9, 'id')"]
)
def test_rank_swapping_leaves_missing_values_where_they_are_and_ranks_them_nowhere(table, call):
    table.execute(
        "CREATE TABLE gaps AS SELECT id, CASE id % 7 WHEN 0 THEN NULL WHEN 1 THEN 'nan' ELSE f END AS x FROM k"
    )
    table.execute("CREATE TABLE whole AS FROM gaps WHERE id % 7 > 1")
    kept = f"""SELECT count(*) FROM {call.format("gaps")} AS m JOIN gaps USING (id)
               WHERE id % 7 < 2 AND m.x IS NOT DISTINCT FROM gaps.x"""
    assert table.execute(kept).fetchall() == table.execute("SELECT count(*) FROM gaps WHERE id % 7 < 2").fetchall()
    rest = table.execute(f"FROM {call.format('gaps')} WHERE id % 7 > 1 ORDER BY id").fetchall()
    assert rest == table.execute(f"FROM {call.format('whole')} ORDER BY id").fetchall()


@pytest.mark.slow
def test_rank_swapping_ranks_equal_values_at_random(con):
    # 0 ten times and 1: in a range of one rank 1 is swapped with the zero that ranks highest, each with chance 1 / 10
    trials = 4_000
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    con.execute(
        f"CREATE TABLE e AS SELECT range AS id, range // 11 AS s, (range % 11) // 10 AS x FROM range({11 * trials})"
    )
    counts = con.execute("""
        SELECT id % 11 AS place, count(*) FROM sdc_rank_swap('e', 'x', 10, 'id', stratum := 's')
        WHERE x = 1 GROUP BY place ORDER BY place
    """).fetchall()
    assert [place for place, _ in counts] == list(range(10))
    assert all(abs(n - trials / 10) < 4.5 * math.sqrt(trials * 0.1 * 0.9) for _, n in counts)


@pytest.mark.parametrize("target", [0.9, 0.99])
def test_rank_swapping_to_a_correlation_meets_it(table, target):
    ((found,),) = table.execute(
        f"SELECT corr(k.f, m.f) FROM k JOIN sdc_rank_swap_correlated('k', 'f', {target}, 'id') AS m ON k.id = m.id"
    ).fetchall()
    assert target <= found < target + 0.1 * (1 - target)


ROUNDED = {  # handbook 3.4.2.5: [b i - b/2, b i + b/2)
    5: [(0, 0), (2, 0), (2.5, 5), (7.4, 5), (7.5, 10), (-2.5, 0), (-2.6, -5)],
    0.1: [(0.15, 0.2), (0.14, 0.1), (1, 1)],
    0.25: [(0.375, 0.5), (0.37, 0.25)],
}


@pytest.mark.slow
@pytest.mark.parametrize("base", ROUNDED)
def test_rounding(con, base):
    con.execute("CREATE TABLE t (id INTEGER, x DOUBLE)")
    con.executemany("INSERT INTO t VALUES (?, ?)", [(i, x) for i, (x, _) in enumerate(ROUNDED[base])])
    found = con.execute(f"SELECT x FROM sdc_round('t', ['x'], {base}, 'id') ORDER BY id").fetchall()
    assert found == [(pytest.approx(y),) for _, y in ROUNDED[base]]


@pytest.mark.slow
def test_round_at_randoming_is_unbiased_and_leaves_multiples(table):
    rounded = "sdc_round_at_random('k', ['f'], 50, 'id')"
    ((bias, far, odd),) = table.execute(
        "SELECT sum(m.f - k.f), max(abs(m.f - k.f)), sum((m.f % 50 <> 0)::INTEGER) "
        f"FROM k JOIN {rounded} AS m ON k.id = m.id"
    ).fetchall()
    assert abs(bias) < 5 * math.sqrt(N * 50**2 / 4)  # the variance of a sum is at most n b^2 / 4
    assert far < 50
    assert odd == 0
    table.execute("UPDATE k SET f = 50 * id")
    again = table.execute(f"SELECT count(*) FROM k JOIN {rounded} AS m ON k.id = m.id AND k.f = m.f").fetchall()
    assert again == [(N,)]


def test_resampling_keeps_order_and_range(table):
    ((inverted, low, high, lost),) = table.execute("""
        SELECT sum((m.f < before)::INTEGER), min(m.f) >= any_value(a), max(m.f) <= any_value(b),
               any_value(mean) - avg(m.f)
        FROM (SELECT k.id, m.f, lag(m.f) OVER (ORDER BY k.f) AS before FROM k JOIN sdc_resample('k', 'f', 4, 'id') AS m
              ON k.id = m.id) AS m CROSS JOIN (SELECT min(f) AS a, max(f) AS b, avg(f) AS mean FROM k)
    """).fetchall()
    assert inverted == 0
    assert low
    assert high
    assert abs(lost) < 5 * 100 / math.sqrt(4 * N)  # the mean's variance is s^2 / (n t)


WRONG = [
    (lambda t: t.mask.noise("f", -1), "alpha is -1"),
    (lambda t: t.mask.noise("f", None), "Give either alpha or standard_deviation"),
    (lambda t: t.mask.noise("day", 1), "has type DATE"),
    (lambda t: t.mask.noise("f", 1, method="pink"), "must be one of"),
    (lambda t: t.mask.noise("f", 1, lower=2000), "lie outside"),
    (lambda t: t.mask.noise("f", 1, lower=[1, 2]), "or one for each"),
    (lambda t: t.mask.noise(["f", "F"], 1), "twice"),
    (lambda t: t.mask.noise([], 1), "empty"),
    (lambda t: t.mask.noise("g", 1), "not a column"),
    (lambda t: t.mask.noise("id", 1), "is the id"),
    (lambda t: t.mask.noise("f", 1, stratum="g"), "not a column"),
    (lambda t: t.mask.noise("f", 1, stratum="id"), "has 1 value"),
    (lambda t: t.mask.multiplicative_noise("f", 0.1, method="hoehne", spread=0.2), "spread is 0.2"),
    (lambda t: t.mask.microaggregate("f", 1), "at least 2"),
    (lambda t: t.mask.microaggregate("f", N + 1), f"k = {N + 1}"),
    (lambda t: t.mask.microaggregate(["f", "Select"], 3, method="univariate"), "one column"),
    (lambda t: t.mask.microaggregate("f", 3, centroid="mode"), "centroid"),
    (lambda t: t.mask.microaggregate_categorical("day", 3, scale="ratio"), "scale"),
    (lambda t: t.mask.rank_swap("f", 0), "p is 0"),
    (lambda t: t.mask.rank_swap("f", 101), "p is 101"),
    (lambda t: t.mask.rank_swap("f"), "either p"),
    (lambda t: t.mask.rank_swap("f", 5, correlation=0.9), "either p"),
    (lambda t: t.mask.round("f", 0), "base is 0"),
    (lambda t: t.mask.resample("f", 0), "at least 1"),
]


@pytest.mark.one_in(9)
@pytest.mark.parametrize(("mask", "words"), WRONG)
def test_what_is_refused_changes_nothing(table, mask, words):
    table.execute("DELETE FROM k WHERE id >= 100") if "k =" not in words else None
    before = table.execute("FROM k").fetchall()
    with pytest.raises(sdc_sql.InputError, match=words):
        mask(sdc_sql.Microdata(table, "k", id="id"))
    assert table.execute("FROM k").fetchall() == before
    assert table.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name <> 'k'").fetchall() == [(0,)]


@pytest.mark.slow
def test_one_record_and_none(con):
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    con.execute("CREATE TABLE one AS SELECT 1 AS id, 5.0e0 AS f, DATE '2001-02-03' AS day")
    data = sdc_sql.Microdata(con, "one", id="id")
    for mask in (
        lambda: data.mask.noise("f", 0.1),
        lambda: data.mask.rank_swap("day", 50),
        lambda: data.mask.resample("f", 2),
    ):
        with pytest.raises(sdc_sql.InputError, match="1 value"):
            mask()
    data.mask.round("f", 2)
    assert con.execute("FROM one").fetchall() == [(1, 6.0, dt.date(2001, 2, 3))]
    con.execute("DELETE FROM one")
    with pytest.raises(sdc_sql.TableError, match="no rows"):
        sdc_sql.Microdata(con, "one", id="id")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rank_swap", "resample"])
def test_a_stratum_without_values_stays_as_it_is(keyed, method):
    keyed.execute("""
        CREATE TABLE t AS SELECT range AS id, range % 3 AS s, [NULL, 'nan', range::VARCHAR][1 + range % 3]::DOUBLE AS x,
                                 NULL::DOUBLE AS nothing FROM range(60)
    """)
    for column, stratum in (("x", "'s'"), ("nothing", "NULL"), ("nothing", "'s'")):
        released = f"sdc_{method}('t', '{column}', 10, 'id', stratum := {stratum})"
        kept = f"FROM {released} AS r JOIN t USING (id) WHERE r.{column} IS NOT DISTINCT FROM t.{column}"
        assert keyed.execute(f"SELECT count(*) FROM {released}").fetchall() == [(60,)]
        assert keyed.execute(f"SELECT count(*) {kept} AND t.s < 2").fetchall() == [(40,)]
