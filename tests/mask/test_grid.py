"""Attacks on the low bits of released numbers: what the trailing zeros, the digits and the sign of zero tell of an original.

The attacker knows the method, its parameters and how DuckDB adds and multiplies, and not the key. Bounds are exact arithmetic.
"""  # noqa: E501 - a sentence

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from masked_tables import KEY

from sdc_sql.db.catalogue.macros import read_catalogue

N = 600
BITS, PRODUCTS = 32, 24  # of a number that keeps its own exponent
STEPS = 2.0**-20  # of the noise's deviation


def lowest(z: float) -> int:
    """Return the exponent of the lowest bit of a number that is set."""
    numerator, denominator = z.as_integer_ratio()
    return (numerator & -numerator).bit_length() - denominator.bit_length()


def reach(z: float) -> float:
    """Return how large a whole number under additive noise can be at most.

    Noise of 2^(53 + b) or more is a multiple of 2^(b + 1), and so is its sum with a whole number, rounded or not.
    """
    return abs(z) + 2.0 ** (53 + min(lowest(z), -1)) if z else math.inf


def step(deviation: float) -> float:
    """Return the distance of the points of the grid."""
    return 2.0 ** (round(math.log2(deviation)) - 20)


def on(z: float, unit: float) -> bool:
    return (Fraction(z) / Fraction(unit)).denominator == 1


def significant(z: float) -> int:
    """Return how many bits a number has, from the first to the last that is set."""
    numerator, _ = abs(z).as_integer_ratio()
    return (numerator // (numerator & -numerator)).bit_length() if numerator else 0


def minus_zero(z: float | None) -> bool:
    return z == 0 and math.copysign(1, float(z)) < 0


@pytest.fixture(scope="module")
def table(connect):
    """Return a connection with half zeros, half whole numbers, as DOUBLE; beside them other types and sizes."""
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        yield filled(con)


def filled(con):
    return con.execute(f"""
        CREATE TABLE t AS
        SELECT i AS id, i % 2 * (1 + i * 7919 % 500)::DOUBLE AS x, (i * 613 % 89 - 40)::DOUBLE AS y,
               (i % 2 * (i * 31 % 90))::INTEGER AS n, ((i * 37 % 997) / 100)::DECIMAL(9, 2) AS d,
               (i * 37 % 97)::FLOAT AS f,
               (i * 7919 % 5000) * 1e-15 AS tiny, 1e15 + i * 7919 % 5000 AS large, i % 3 AS s
        FROM range({N}) AS r(i)
    """)


def released(con, call, column="x", table="t"):
    """Return pairs of the original and the released value."""
    rows = f"SELECT o.{column}, r.{column} FROM {call} AS r JOIN {table} AS o USING (id) ORDER BY id"
    return con.execute(rows).fetchall()


ADDED = [
    "sdc_noise_absolute('t', ['x'], 50, 'id')",
    "sdc_noise_absolute('t', ['x', 'y'], [80, 3], 'id', lower := [0, NULL])",
    "sdc_noise_absolute('t', ['x'], 5, 'id', lower := 0, upper := 6000)",
    "sdc_noise('t', ['x'], 1e-4, 'id')",
    "sdc_noise('t', ['x'], 40, 'id', stratum := 's')",
    "sdc_noise('t', ['y', 'x'], 0.05, 'id', method := 'correlated')",
    "sdc_noise('t', ['x'], 0.3, 'id', method := 'linear')",
    "sdc_noise('t', ['x'], 0.05, 'id', method := 'outliers', threshold := 0)",
]


@pytest.mark.parametrize("call", [pytest.param(c, marks=[pytest.mark.slow] * (i % 5 > 0)) for i, c in enumerate(ADDED)])
def test_trailing_zeros_name_no_zeros(table, call):
    found = released(table, call)
    named = [x for x, z in found if reach(z) < 1]
    assert not any(named)  # the attack is sound: whom it names is a zero
    assert len(named) == 0
    assert sum(reach(z) < 500 for _, z in found) == 0  # nor is anything else bounded


@pytest.mark.slow
def test_noise_lies_on_the_grid_of_its_deviation(table):
    for column, deviation in (("x", 50), ("y", 1e-9), ("tiny", 1e-13), ("large", 3.3), ("large", 1e20), ("f", 1e3)):
        found = released(table, f"sdc_noise_absolute('t', ['{column}'], {deviation}, 'id')", column)
        assert all(on(z, step(deviation)) for _, z in found), (column, deviation)
        assert 0.85 < math.sqrt(sum((z - x) ** 2 for x, z in found) / N) / deviation < 1.15, (column, deviation)
    # as coarse as the type: decimals of a DECIMAL, units of a whole number; beyond them the grid again
    for column, deviation, unit in (("d", 3, "0.01"), ("n", 4, 1), ("n", 4e7, step(4e7))):
        found = released(table, f"sdc_noise_absolute('t', ['{column}'], {deviation}, 'id')", column)
        assert all(on(z, unit) for _, z in found), column
        assert len({z for _, z in found}) > 20, column
    # bounds near one another: the grid is that of their distance, and the bounds are points of it
    found = released(table, "sdc_noise_absolute('t', ['y'], 1e6, 'id', lower := -40.3, upper := 49.1)", "y")
    assert all(-40.3 <= z <= 49.1 and (on(z, step(49.1 + 40.3)) or z in (-40.3, 49.1)) for _, z in found)
    assert len({z for _, z in found}) > 0.99 * N
    # ... but never finer than the noise's own bits allow, which a narrow range would show
    table.execute("CREATE OR REPLACE TABLE narrow AS SELECT id, 0e0 AS z FROM t")
    found = released(table, "sdc_noise_absolute('narrow', ['z'], 1e9, 'id', lower := 0, upper := 1e-4)", "z", "narrow")
    assert all(on(z, step(1e9) * 2**-20) or z == 1e-4 for _, z in found)


@pytest.mark.slow
def test_bounds_hold_to_the_decimals_of_a_column(table):
    for column, low, high in (("d", -0.125, 9.971), ("n", -0.5, 89.9), ("d", 0, 9.97)):
        given = f"lower := {low}, upper := {high}"
        found = [
            float(z) for _, z in released(table, f"sdc_noise_absolute('t', ['{column}'], 5, 'id', {given})", column)
        ]
        decimals = 100 if column == "d" else 1
        ends = [math.ceil(round(low * decimals, 6)), math.floor(round(high * decimals, 6))]
        points = [round(z * decimals) for z in (min(found), max(found))]
        assert ends[0] <= points[0] < ends[0] + 10, column
        assert ends[1] - 10 < points[1] <= ends[1], column


MAY_BE_ZERO = [
    ("sdc_noise_absolute('t', ['y'], 2, 'id', rounded := true)", "y"),
    ("sdc_noise_absolute('t', ['y'], 2, 'id', rounded := true, lower := -60, upper := 60)", "y"),
    ("sdc_noise('t', ['y'], 0.1, 'id', method := 'linear', rounded := true)", "y"),
    ("sdc_noise('t', ['y'], 0.1, 'id', method := 'nonlinear', rounded := true)", "y"),
    ("sdc_noise('t', ['y'], 0.1, 'id', method := 'outliers', rounded := true, threshold := 0)", "y"),
    ("sdc_multiplicative_noise('t', ['x'], 3, 'id')", "x"),
    ("sdc_noise_absolute('t', ['tiny'], 1e-20, 'id', rounded := true)", "tiny"),
]


@pytest.mark.parametrize(
    ("call", "column"), [pytest.param(*c, marks=[pytest.mark.slow] * (i % 5 > 0)) for i, c in enumerate(MAY_BE_ZERO)]
)
def test_nothing_released_is_minus_zero(table, call, column):
    found = released(table, call, column)
    assert any(z == 0 for _, z in found)
    assert not any(minus_zero(z) for _, z in found)


@pytest.mark.slow
def test_averages_of_minus_zeros_are_zero(table):
    table.execute("CREATE OR REPLACE TABLE zeros AS SELECT id, -0.0::DOUBLE AS z, -x / 1e9 AS w FROM t")
    for call in ("sdc_microaggregate('zeros', ['z', 'w'], 3, 'id')", "sdc_resample('zeros', 'z', 3, 'id')"):
        assert not any(minus_zero(z) for _, z in released(table, call, "z", "zeros")), call


QUANTILES = """
    SELECT i, c, z, bool_or(CASE WHEN grid THEN round_even(sum / step, 0) * step ELSE sum END = z) AS possible
    FROM (SELECT i, c, z, grid, step,
                 c + s * sdc__normal_quantile((k + u) / 4503599627370496e0 + 1.1102230246251565e-16) AS sum
          FROM asked, (SELECT unnest(range(-12, 13)) AS k)) GROUP BY ALL ORDER BY ALL"""


def test_every_whole_number_could_be_the_original(table):
    """Uniform draws are multiples of 2^-52, so that noise has gaps: what falls into one is not the original."""
    s, n = 4, 150
    table.execute(f"CREATE OR REPLACE TABLE few AS SELECT id, id % 7 * 3e0 AS x FROM t WHERE id < {n}")
    found = released(table, f"sdc_noise_absolute('few', ['x'], {s}, 'id')", table="few")
    grid = all(on(z, step(s)) for _, z in found)
    asked = [
        (i, float(c), z, math.floor(math.erfc((c - z) / s / math.sqrt(2)) / 2 * 2**52))
        for i, (_, z) in enumerate(found)
        for c in range(math.ceil(z - 3 * s), math.floor(z + 3 * s) + 1)
    ]
    table.execute("CREATE OR REPLACE TABLE asked (i INTEGER, c DOUBLE, z DOUBLE, u DOUBLE)")
    table.execute(
        "INSERT INTO asked SELECT unnest($1), unnest($2), unnest($3), unnest($4)",
        [list(v) for v in zip(*asked, strict=True)],
    )
    table.execute(
        f"CREATE OR REPLACE VIEW candidates AS SELECT *, {s} AS s, {step(s)}::DOUBLE AS step, {grid} AS grid FROM asked"
    )
    judged = table.execute(QUANTILES.replace("FROM asked", "FROM candidates")).fetchall()
    possible = {(i, c) for i, c, _, its in judged if its}
    assert all((i, x) in possible for i, (x, z) in enumerate(found) if abs(z - x) < 3 * s)  # the attack is sound
    assert len(possible) == len(judged), f"{len(judged) - len(possible)} of {len(judged)} are ruled out"


def own(z: float) -> float:
    """Return a number with its first bits, and the rest rounded."""
    if not z:
        return z
    unit = Fraction(2) ** (math.frexp(z)[1] - PRODUCTS)
    return float(round(Fraction(z) / unit) * unit)


def could_be(x: int, z: float, *, rounded: bool) -> bool:
    """Say whether some factor 1 + e, which is a multiple of 2^-53 as a DOUBLE below 1 and of 2^-52 above, gives z."""
    unit = Fraction(1, 2 ** (53 if z < x else 52))
    nearest = round(Fraction(z) / x / unit)
    products = (float(x) * float((nearest + k) * unit) for k in (-1, 0, 1))
    return any((own(p) if rounded else p) == z for p in products)


def test_multiplied_numbers_could_come_of_any_original(table):
    size = 0.1
    table.execute("CREATE OR REPLACE TABLE small AS SELECT id, (1 + id * 7919 % 40)::DOUBLE AS x FROM t WHERE id < 200")
    found = released(table, f"sdc_multiplicative_noise('small', ['x'], {size}, 'id')", table="small")
    impossible = 0
    for x, z in found:
        assert could_be(int(x), z, rounded=significant(z) <= PRODUCTS)
        near = range(max(1, math.ceil(z / (1 + 3 * size))), math.floor(z / (1 - 3 * size)) + 1)
        impossible += sum(not could_be(c, z, rounded=significant(z) <= PRODUCTS) for c in near)
    assert impossible == 0
    # by the exponent of the released value: a grid of the column's deviation would show the small ones as they are
    assert sum(z == x for x, z in found) == 0


AVERAGED = [
    "sdc_microaggregate('{}', ['x'], 3, 'id')",
    "sdc_microaggregate('{}', ['x'], 4, 'id', method := 'univariate', centroid := 'median')",
    "sdc_resample('{}', 'x', 3, 'id')",
    "sdc_data_distortion('{}', ['x'], ['uniform'], 'id', significance := 1e-9)",
    "sdc_noise('{}', ['x'], 0.001, 'id', method := 'nonlinear')",
    "sdc_multiplicative_noise('{}', ['x'], 0.1, 'id', method := 'hoehne', spread := 0.01)",
    "sdc_multiplicative_noise('{}', ['x'], 0.1, 'id', method := 'hoehne_sum', spread := 0.01)",
    "sdc_top_bottom_code('{}', 'x', 'value', 'id', top := 1010000, replacement := 'mean')",
]


@pytest.mark.parametrize(
    "call", [pytest.param(c, marks=[pytest.mark.slow] * (i % 3 > 0)) for i, c in enumerate(AVERAGED)]
)
def test_averages_do_not_show_by_their_digits_who_is_in_them(table, call):
    """One income is known to its last digit, and others are round: whose average has such digits holds that person."""
    table.execute("""
        CREATE OR REPLACE TABLE whole AS SELECT id, 1e6 + (id * id * 7919 + 17 * id) % 99991 AS x FROM t WHERE id < 300;
        CREATE OR REPLACE TABLE marked AS SELECT id, x + CASE WHEN id = 209 THEN 3e-7 ELSE 0 END AS x FROM whole
    """)
    masked = released(table, call.format("marked"), table="marked")
    assert all(significant(z) <= BITS for x, z in masked if x != z)
    if not any(
        name in call for name in ("noise", "resample", "distortion")
    ):  # draws are of the value to its last digit
        assert [z for _, z in masked] == [z for _, z in released(table, call.format("whole"), table="whole")]
    assert all(5e5 < z < 2e6 for _, z in masked)


@pytest.mark.slow
def test_numbers_of_any_size_are_averaged_on_their_own_scale(table):
    for column in ("tiny", "large", "y"):
        for call in (f"sdc_microaggregate('t', ['{column}'], 3, 'id')", f"sdc_resample('t', '{column}', 3, 'id')"):
            found = released(table, call, column)
            before, after = (math.fsum(pair[k] for pair in found) / N for k in (0, 1))
            high, low = (f(z for _, z in found) for f in (max, min))
            width = step(high - low)
            if "micro" in call:
                assert abs(after - before) <= max(2.0**-BITS * max(abs(high), abs(low)), width), call
            if column == "large":  # far from 0: a grid of their own exponent would make them one
                assert all(on(z, width) for _, z in found), call
                assert len({z for _, z in found}) > 0.2 * N, call
            else:
                assert all(significant(z) <= BITS for _, z in found), call
    # noise smaller than the first bits is still there
    found = released(table, "sdc_multiplicative_noise('t', ['large'], 1e-12, 'id')", "large")
    assert 0.85 < math.sqrt(sum((z / x - 1) ** 2 for x, z in found) / N) / 1e-12 < 1.15


@pytest.mark.slow
def test_what_adds_nothing_changes_nothing(table):
    table.execute("CREATE OR REPLACE TABLE fine AS SELECT id, x / 7 AS x FROM t WHERE id < 300")
    for call in (
        "sdc_noise('fine', ['x'], 0, 'id')",
        "sdc_noise_absolute('fine', ['x'], 0, 'id')",
        "sdc_noise('fine', ['x'], 0, 'id', method := 'nonlinear')",
        "sdc_multiplicative_noise('fine', ['x'], 0, 'id')",
    ):
        assert all(x == z for x, z in released(table, call, table="fine")), call
    originals = {x for (x,) in table.execute("SELECT x FROM fine").fetchall()}
    for call in (
        "sdc_resample('fine', 'x', 1, 'id')",
        "sdc_noise('fine', ['x'], 0.5, 'id', method := 'nonlinear', discrete := true)",
        "sdc_rank_swap('fine', 'x', 10, 'id')",
        "sdc_data_shuffling('fine', ['x'], NULL, 'id')",
    ):
        assert {z for _, z in released(table, call, table="fine")} <= originals, call


@pytest.mark.slow
def test_the_grid_of_linear_noise_does_not_show_its_alpha(table):
    calls = (f"sdc_noise('t', ['x'], {alpha}, 'id', method := 'linear')" for alpha in (1e-3, 0.3, 50))
    assert len({min(lowest(z) for _, z in released(table, call) if z) for call in calls}) == 1


def test_every_mask_that_reckons_with_numbers_is_attacked():
    reckons = {d.name for d in read_catalogue() if d.is_step and d.effect.bits.kind == "last digits"}
    attacked = " ".join([*ADDED, *AVERAGED, *(call for call, _ in MAY_BE_ZERO)])
    # weights, which are not masked, must meet their totals; IPSO keeps coefficients exactly, and says what these tell;
    # synthetic files round to the decimals of their column (test_synthesise.py);
    # hybrid data have a grid by the deviation of the whole column (test_hybrid.py, test_restore_moments.py)
    apart = {
        "sdc_calibrate",
        "sdc_massc",
        "sdc_ipso",
        "sdc_hybrid",
        "sdc_bootstrap",
        "sdc_latin_hypercube",
        "sdc_microhybrid",
        "sdc_hybrid_masking",
        "sdc_restore_moments",
        "sdc_synthesise",
    }
    assert [name for name in reckons - apart if f"{name}(" not in attacked] == []
