"""Individual risk: the posterior mean of 1/F, SDC handbook (3.2) and (3.3)."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from brute_force import (
    individual_risks,
    plain,
    population_frequencies,
    posterior_risk,
    posterior_risk_2f1,
    posterior_risk_by_sum,
    sample_frequencies,
)
from every_macro import complaint
from hypothesis import given
from hypothesis import strategies as st
from small_tables import NULLS, PROPERTY, fetch, small_tables

KV7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]

NEAR_ONE = [1 - 10.0**-e for e in range(1, 16)] + [math.nextafter(1, 0), 1.0]
NEAR_HALF = [0.5, math.nextafter(0.5, 0), math.nextafter(0.5, 1), 0.5 - 1e-9, 0.5 + 1e-9, 0.49, 0.51]
LOG_SPACED = [10.0 ** (-12 + i / 2) for i in range(25)]
BETWEEN = [0.2, 0.25, 0.3, 0.4, 0.45, 0.6, 2 / 3, 0.7, 0.8]
P = sorted({*NEAR_ONE, *NEAR_HALF, *LOG_SPACED, *BETWEEN})
LARGE_F = sorted({round(10 ** (1.8 + i / 4)) for i in range(18)})  # 63 ... 1e6


def computed(con, points: list[tuple[int, float]]) -> list[float]:
    f, p = zip(*points, strict=True)
    sql = """
        SELECT sdc_posterior_risk(f, p)
        FROM (SELECT unnest(?::BIGINT[]) AS f, unnest(?::DOUBLE[]) AS p, unnest(range(?)) AS i) ORDER BY i
    """
    return [r for (r,) in con.execute(sql, [f, p, len(f)]).fetchall()]


@pytest.mark.slow
def test_posterior_risk_to_twelve_digits_everywhere(con):
    """Against r = (p/f) 2F1(1, 1; f+1; 1-p) in 50 digits and more, p being the exact double."""
    points = [(f, p) for f in [*range(1, 61), *LARGE_F] for p in P]
    wrong = [
        (f, p, found, float(exact))
        for (f, p), found in zip(points, computed(con, points), strict=True)
        if not abs(found - (exact := posterior_risk(f, p))) <= 1e-12 * exact
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("f", "p", "terms"),
    [(1, Fraction(1, 2), 200), (3, Fraction(1, 4), 600), (7, Fraction(9, 10), 80), (20, Fraction(1, 3), 900)],
)
def test_the_hypergeometric_form_is_the_sum_in_the_handbook(con, f, p, terms):
    """(3.2) as it is printed, summed until nothing is left (the tail is below (1-p)^terms of binomials)."""
    direct = float(posterior_risk_by_sum(f, p, terms))
    assert float(posterior_risk_2f1(f, float(p))) == pytest.approx(direct, rel=1e-14)
    assert computed(con, [(f, float(p))]) == pytest.approx([direct], rel=1e-13)


@pytest.mark.parametrize("f", [1, 2, 3, 14, 15, 16, 17, 60, 100, 101, 10**4])
def test_the_yardstick_is_the_hypergeometric_function(f):
    for p in (1e-12, 1e-6, 0.01, math.nextafter(0.5, 0), 0.5, 0.9, 1 - 1e-12, math.nextafter(1, 0), 1.0):
        with mpmath.workdps(50):
            assert mpmath.almosteq(posterior_risk(f, p), posterior_risk_2f1(f, p), rel_eps=mpmath.mpf(10) ** -40), p


# p/q ln(1/p) and p/q - (p/q)^2 ln(1/p): ../shared/reference/README.md, and (3.2) integrated by hand.
def test_closed_forms(con):
    points = [1e-6, 0.01, 0.25, 0.45]
    one, two = computed(con, [(1, p) for p in points]), computed(con, [(2, p) for p in points])
    for p, first, second in zip(points, one, two, strict=True):
        x = p / (1 - p)
        assert first == pytest.approx(x * math.log(1 / p), rel=1e-14)
        assert second == pytest.approx(x - x**2 * math.log(1 / p), rel=1e-12)
    assert computed(con, [(f, 1.0) for f in (1, 2, 3, 20, 1000)]) == [1, 1 / 2, 1 / 3, 1 / 20, 1 / 1000]  # F = f
    assert computed(con, [(1, 0.5)]) == pytest.approx([math.log(2)], rel=1e-15)


@PROPERTY
@given(points=st.lists(st.tuples(st.integers(1, 2000), st.floats(1e-9, 1)), min_size=30, max_size=120))
def test_the_recurrence_holds(db, points):
    """q r_{f+1} + p r_f = p / f, from integrating u^(f-1) = (p + q u) u^(f-1) / (p + q u)."""
    here, next_f = computed(db, points), computed(db, [(f + 1, p) for f, p in points])
    for (f, p), r, following in zip(points, here, next_f, strict=True):
        assert (1 - p) * following + p * r == pytest.approx(p / f, rel=1e-12), (f, p)


@PROPERTY
@given(points=st.lists(st.tuples(st.integers(1, 500), st.floats(1e-12, 1)), min_size=30, max_size=120))
def test_bounds(db, points):
    """1/F with F >= f, and Jensen: p/f = 1/E(F) <= E(1/F) <= 1/f; a larger cell is safer."""
    here, next_f = computed(db, points), computed(db, [(f + 1, p) for f, p in points])
    for (f, p), r, following in zip(points, here, next_f, strict=True):
        assert p / f * (1 - 1e-13) <= r <= 1 / f * (1 + 1e-13)
        assert following < r * (1 + 1e-13)


@pytest.mark.parametrize(
    ("f", "p"),
    [
        ("0", "0.5"),
        ("-1", "0.5"),
        ("NULL", "0.5"),
        ("'nan'::DOUBLE", "0.5"),
        ("'inf'::DOUBLE", "0.5"),
        ("2.5", "0.25"),
        ("0.5", "0.5"),
        ("1", "0"),
        ("1", "-0.1"),
        ("1", "1.0000001"),
        ("1", "NULL"),
        ("1", "'nan'::DOUBLE"),
        ("1", "'inf'::DOUBLE"),
        ("2", "'nan'::DOUBLE"),
        ("20", "'nan'::DOUBLE"),
        ("NULL", "NULL"),
    ],
)
def test_no_frequency_or_no_probability(con, f, p):
    message = complaint(con, f"SELECT sdc_posterior_risk({f}, {p})")
    for words in ("Individual risk needs a", "sample frequency f", "and p = f/F in (0, 1]."):
        assert words in message


def test_any_kind_of_number_will_do(con):
    kinds = con.execute("""
        SELECT sdc_posterior_risk(3, 0.25), sdc_posterior_risk(3::BIGINT, 0.25::FLOAT),
               sdc_posterior_risk(3::HUGEINT, 0.25::DOUBLE), sdc_posterior_risk(3.0, 0.250),
               sdc_posterior_risk(3::DOUBLE, 0.25e0), sdc_posterior_risk(3::UTINYINT, 0.25)
    """).fetchone()
    assert kinds == pytest.approx([float(posterior_risk(3, 0.25))] * 6, rel=1e-14)
    con.execute("SET integer_division = true")
    assert con.execute("SELECT sdc_posterior_risk(3, 1), sdc_posterior_risk(3, 0.25)").fetchone() == pytest.approx(
        (1 / 3, float(posterior_risk(3, 0.25)))
    )


@pytest.mark.slow
@PROPERTY
@given(table=small_tables())
def test_individual_risk_equals_the_definition(db, table):
    table.store(db, "t")
    weights = table.column("weight")
    for nulls in NULLS:
        rows = fetch(db, "FROM sdc_individual_risk('t', ?, 'weight', nulls := ?) ORDER BY id", table.keys, nulls)
        expected = [float(r) for r in individual_risks(table.records, weights, nulls)]
        assert [r["id"] for r in rows] == table.column("id")
        assert [r["sample_frequency"] for r in rows] == sample_frequencies(table.records, nulls)
        assert [r["population_frequency"] for r in rows] == population_frequencies(table.records, weights, nulls)
        assert [r["individual_risk"] for r in rows] == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@PROPERTY
@given(table=small_tables())
def test_cell_risk_is_that_of_its_records(db, table):
    table.store(db, "t")
    weights = table.column("weight")
    for nulls in NULLS:
        rows = db.execute("FROM sdc_cell_risk('t', ?, 'weight', nulls := ?)", [table.keys, nulls]).fetchall()
        found = {plain(r[: len(table.keys)]): r[len(table.keys) :] for r in rows}
        records = table.records
        expected = dict(
            zip(
                records,
                zip(
                    sample_frequencies(records, nulls),
                    population_frequencies(records, weights, nulls),
                    [float(r) for r in individual_risks(records, weights, nulls)],
                    strict=True,
                ),
                strict=True,
            )
        )
        assert set(found) == set(expected)
        for cell, values in expected.items():
            assert found[cell] == pytest.approx(values, rel=1e-12)


def test_the_example_of_the_header(con):
    """The closed form for f = 1, p = 1/20: (1/19) ln 20."""
    con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f', 10), (30, 'f', 15), (41, 'm', 20)) AS t(age, sex, w)")
    (row,) = fetch(con, "FROM sdc_individual_risk('persons', ['age', 'sex'], 'w') WHERE age = 41")
    assert (row["sample_frequency"], row["population_frequency"]) == (1, 20)
    assert row["individual_risk"] == pytest.approx(math.log(20) / 19, rel=1e-14)


@pytest.mark.parametrize("nulls", NULLS)
def test_a_number_that_every_record_weighs(persons, nulls):
    persons.execute("ALTER TABLE persons ADD COLUMN ten DOUBLE DEFAULT 10")
    column = persons.execute(
        "SELECT id, individual_risk FROM sdc_individual_risk('persons', ['age'], 'ten', nulls := ?) ORDER BY id",
        [nulls],
    ).fetchall()
    number = persons.execute(
        "SELECT id, individual_risk FROM sdc_individual_risk('persons', ['age'], 10, nulls := ?) ORDER BY id", [nulls]
    ).fetchall()
    assert number == column


@pytest.mark.parametrize(
    "case",
    [
        ("testdata", "testdata_kv7_records", KV7, "sampling_weight", 176),
        ("francdat", "francdat_records", ["Key1", "Key2", "Key3", "Key4"], "w", 0),
    ],
)
@pytest.mark.parametrize("nulls", NULLS)  # no value is missing here: both treatments are the same
def test_sdcmicro_agrees_record_by_record(shared, con, case, nulls):
    """sdcMicro 5.8.1, indivRisk, ../shared/reference/records: its exact risk, which is NaN from f = 176 on.

    Its approximation p / (f - (1 - p)) for f > 2 is up to 0.44 % off (../shared/reference/README.md), worst at
    f = 3, p = 0.01: 0.01 / 2.01 there, and x/2 - x^2 + x^3 ln(1/p) with x = 1/99 exactly, which is 0.4403 % less.
    """
    data, reference, keys, weight, unanswered = case
    con.execute(f"""
        CREATE TABLE t AS SELECT file_row_number + 1 AS row, * EXCLUDE (file_row_number)
        FROM read_parquet('{shared / "data" / data}.parquet', file_row_number = true)
    """)
    theirs = fetch(con, f"FROM '{shared / 'reference' / 'records' / reference}.parquet' ORDER BY row")
    ours = fetch(con, "FROM sdc_individual_risk('t', ?, ?, nulls := ?) ORDER BY row", keys, weight, nulls)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert (a["row"], a["sample_frequency"], a["population_frequency"]) == (b["row"], b["fk"], b["Fk_1"])
        if b["rk_exact"] is not None:
            assert a["individual_risk"] == pytest.approx(b["rk_exact"], rel=1e-12)
        assert a["individual_risk"] == pytest.approx(b["rk_approx"], rel=0.004403)
        if a["sample_frequency"] <= 2:
            assert a["individual_risk"] == pytest.approx(b["rk_approx"], rel=1e-12)
    assert sum(b["rk_exact"] is None for b in theirs) == unanswered


def test_sdcmicro_agrees_without_weights(shared, con):
    """sdcMicro 5.8.1, survey = FALSE: 1/f. ../shared/reference/records/testdata_kv7_unweighted_records.parquet."""
    con.execute(f"""
        CREATE TABLE t AS SELECT file_row_number + 1 AS row, * EXCLUDE (file_row_number)
        FROM read_parquet('{shared / "data" / "testdata.parquet"}', file_row_number = true)
    """)
    path = shared / "reference" / "records" / "testdata_kv7_unweighted_records.parquet"
    theirs = [r for (r,) in con.execute(f"SELECT rk_approx FROM '{path}' ORDER BY row").fetchall()]
    ours = con.execute("SELECT individual_risk FROM sdc_individual_risk('t', ?, 1) ORDER BY row", [KV7]).fetchall()
    assert [r for (r,) in ours] == pytest.approx(theirs, rel=1e-14)


@pytest.mark.parametrize(("threshold", "above"), [(0.01, 157), (0.05, 0)])
def test_sdcmicro_suppresses_as_many(shared, con, threshold, above):
    """../shared/reference/sdcmicro_local_suppression.json, localSupp_th*: where rk > threshold."""
    con.execute(f"CREATE TABLE t AS FROM '{shared / 'data' / 'testdata.parquet'}'")
    sql = "SELECT count(*) FROM sdc_individual_risk('t', ?, 'sampling_weight') WHERE individual_risk > ?"
    assert con.execute(sql, [KV7, threshold]).fetchone() == (above,)


def test_every_figure_of_the_cells_and_records_by_hand(con):
    """Closed forms of f = 1 and 2; a cell whose weights sum to less than its records is refused, or stands for them."""
    con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f', 10e0), (30, 'f', 15), (41, 'm', 20)) t(age, sex, w)")
    two, one = 0.08 / 0.92 * (1 - 0.08 / 0.92 * math.log(12.5)), math.log(20) / 19
    call = "('persons', ['age', 'sex'], 'w'{})"
    found = con.execute(f"FROM sdc_cell_risk{call.format('')} ORDER BY age").fetchall()
    assert found == [(30, "f", 2, 25, pytest.approx(two)), (41, "m", 1, 20, pytest.approx(one))]
    found = con.execute(f"FROM sdc_individual_risk{call.format('')} ORDER BY w").fetchall()
    assert [row[2:] for row in found] == [
        (10, 2, 25, pytest.approx(two)), (15, 2, 25, pytest.approx(two)), (20, 1, 20, pytest.approx(one))
    ]  # fmt: skip
    con.execute("UPDATE persons SET w = 0.75 WHERE age = 30")
    for macro in ("sdc_cell_risk", "sdc_individual_risk"):
        with pytest.raises(Exception, match="less than"):
            con.execute(f"FROM {macro}{call.format('')}").fetchall()
    least = ", small_weights := 'at_least_one'"
    found = con.execute(f"FROM sdc_cell_risk{call.format(least)} ORDER BY age").fetchall()
    assert found == [(30, "f", 2, 2, 0.5), (41, "m", 1, 20, pytest.approx(one))]
    found = con.execute(f"FROM sdc_individual_risk{call.format(least)} ORDER BY age").fetchall()
    assert [row[3:] for row in found] == [(2, 2, 0.5)] * 2 + [(1, 20, pytest.approx(one))]
