"""Means, deviations and covariances by exact sums: against fractions, on threads, of large and tiny numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa
import pytest

NAN = math.nan


def given(con, columns: dict[str, list], strata: list | None = None) -> None:
    n = len(next(iter(columns.values())))
    con.register(
        "given",
        pa.table(
            {
                "sdc__stratum": pa.array(strata or [None] * n, pa.string()),
                **{f"sdc__x_{c}": pa.array(v, pa.float64()) for c, v in columns.items()},
            }
        ),
    )


def moments(con) -> dict:
    rows = con.sql(
        "SELECT sdc__stratum, sdc__names, sdc__counts, sdc__means, sdc__sds FROM sdc__moments('given', 'sdc__stratum')"
    ).fetchall()
    return {stratum: dict(zip(names, zip(*rest, strict=True), strict=True)) for stratum, names, *rest in rows}


def covariances(con) -> dict:
    return {
        s: (n, names, m)
        for s, n, names, m in con.sql(
            "SELECT sdc__stratum, sdc__complete, sdc__names, sdc__covariances "
            "FROM sdc__covariances('given', 'sdc__stratum')"
        ).fetchall()
    }


def mean_of(values: list[float]) -> Fraction:
    return sum(map(Fraction, values)) / len(values)


def covariance_of(x: list[float], y: list[float]) -> Fraction:
    mx, my = mean_of(x), mean_of(y)
    return sum((Fraction(a) - mx) * (Fraction(b) - my) for a, b in zip(x, y, strict=True)) / (len(x) - 1)


def near(found: float, wanted: float, of: float = 0.0) -> bool:
    return abs(found - wanted) <= 1e-14 * max(abs(wanted), of)


DRAW = np.random.default_rng(3)
DATA = {
    "normal": DRAW.normal(size=500).tolist(),
    "offset": (1e9 + DRAW.random(500)).tolist(),
    "outlier": [1e12, *(1 + DRAW.random(499)).tolist()],
    "large": (DRAW.normal(size=500) * 1e145).tolist(),
    "tiny": (DRAW.normal(size=500) * 1e-140).tolist(),
    "whole": DRAW.integers(100, size=500).astype(float).tolist(),
    "constant": [0.1] * 500,
}


@pytest.mark.parametrize("name", DATA)
def test_mean_and_deviation_of_a_column(con, name):
    values = DATA[name]
    given(con, {name: values})
    ((n, mean, sd),) = moments(con)[None].values()
    assert n == 500
    assert near(mean, float(mean_of(values)))
    if name == "constant":
        assert (mean, sd) == (0.1, 0.0)
    elif name == "whole":
        assert near(sd, math.sqrt(covariance_of(values, values)))
    else:
        scale = Fraction(2) ** round(math.log2(max(map(abs, values))))
        assert near(sd, float(Fraction(math.sqrt(covariance_of(values, values) / scale**2)) * scale))


def test_missing_values_and_strata(con):
    x = [1.0, 2.0, None, 4.0, NAN, 10.0, None]
    y = [2.0, 5.0, 1.0, 6.0, 3.0, 3.0, 7.0]
    given(con, {"x": x, "y": y}, ["a", "a", "a", "a", None, None, "b"])
    found = moments(con)
    assert found["a"] == {"x": (3, pytest.approx(7 / 3, rel=1e-15), pytest.approx(math.sqrt(7 / 3), rel=1e-15)),
                          "y": (4, 3.5, pytest.approx(math.sqrt(17 / 3), rel=1e-15))}  # fmt: skip
    assert found[None] == {"x": (1, 10.0, None), "y": (2, 3.0, 0.0)}
    assert found["b"] == {"x": (0, None, None), "y": (1, 7.0, None)}
    both = covariances(con)
    assert set(both) == {"a", None}
    assert both[None] == (1, ["x", "y"], None)
    n, names, matrix = both["a"]
    assert (n, names) == (3, ["x", "y"])
    for i, a in enumerate(([1.0, 2.0, 4.0], [2.0, 5.0, 6.0])):
        for j, b in enumerate(([1.0, 2.0, 4.0], [2.0, 5.0, 6.0])):
            assert near(matrix[i][j], float(covariance_of(a, b)))


@pytest.mark.slow
def test_covariances_of_unlike_columns(con):
    columns = {name: DATA[name] for name in ("normal", "offset", "outlier", "whole", "constant")}
    given(con, columns)
    n, names, matrix = covariances(con)[None]
    assert (n, names) == (500, list(columns))
    for i, a in enumerate(columns.values()):
        for j, b in enumerate(columns.values()):
            assert near(matrix[i][j], float(covariance_of(a, b)), math.sqrt(covariance_of(a, a) * covariance_of(b, b)))
            assert matrix[i][j] == matrix[j][i]


@pytest.mark.parametrize("values", [[1e151, 1.0], [math.inf, 1.0], [-math.inf, 1.0], [1e-200, 2e-200], [5e-324, 0.0]])
def test_what_has_no_squares_is_refused(con, values):
    given(con, {"x": values})
    with pytest.raises(duckdb.Error, match=r"The column x holds infinite values, values beyond 1e150"):
        moments(con)
    with pytest.raises(duckdb.Error, match=r"The column x holds"):
        covariances(con)


@pytest.mark.slow
def test_same_bits_on_threads_and_in_any_order(con):
    con.execute("""
        CREATE TABLE base AS
        SELECT i % 3 AS sdc__stratum, exp(sin(i) * 9) AS sdc__x_a,
               CASE WHEN i % 7 > 0 THEN cos(i * i) END AS "sdc__x_b c"
        FROM range(300_000) AS t(i)
    """)
    seen = set()
    for threads in (1, 2, 8):
        con.execute(f"SET threads = {threads}")
        for order in ("sdc__x_a", "hash(sdc__x_a)"):
            con.execute(f"CREATE OR REPLACE TABLE shuffled AS FROM base ORDER BY {order}")
            seen.add(
                repr(
                    (
                        con.sql("FROM sdc__moments('shuffled', 'sdc__stratum') ORDER BY ALL").fetchall(),
                        con.sql("FROM sdc__covariances('shuffled', 'sdc__stratum') ORDER BY ALL").fetchall(),
                    )
                )
            )
    assert len(seen) == 1
