"""Losses of numbers: by hand, against numpy on random tables, sdcMicro's figures, nothing lost, columns permuted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ["x", "y'", "Select"]
N = 80


def table(con: duckdb.DuckDBPyConnection, name: str, values: np.ndarray, groups: np.ndarray) -> None:
    ids = np.arange(len(values))
    x, y, z = values.T
    con.execute(f"""
        CREATE OR REPLACE TABLE {name} AS
        SELECT unnest($i) AS id, unnest($g) AS g, nullif(unnest($x), 'nan') AS x, nullif(unnest($y), 'nan') AS "y'",
               nullif(unnest($z), 'nan') AS "Select"
    """, {"i": ids.tolist(), "g": groups.tolist(), "x": x.tolist(), "y": y.tolist(), "z": z.tolist()})  # fmt: skip


@pytest.fixture(params=range(2))
def files(request, con):
    """Return two random tables, `k` and `f`, some values of the released one suppressed, and their values."""
    draw = np.random.default_rng(request.param)
    mixed = np.array([[1, 0.8, 0], [0, 1, 0.3], [0, 0, 2]])
    before = draw.normal(size=(N, 3)) @ mixed * [1, 1e4, 1e-3] + [5, -1e6, 0.01]
    after = before + draw.normal(size=(N, 3)) * [0.3, 2e3, 1e-4]
    groups = draw.integers(0, 3, N)
    if request.param:
        after[:7, 0] = np.nan
        before[5:9, 1] = np.nan
        after[5:8, 1] = np.nan
    table(con, "k", before, groups)
    table(con, "f", after, groups)
    return con, before, after, groups


def rows(con: duckdb.DuckDBPyConnection, call: str) -> list[dict]:
    found = con.execute(f"SELECT * FROM {call}")
    names = [d[0] for d in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def forms(x: np.ndarray, y: np.ndarray, weights: np.ndarray | float = 1.0) -> list[float]:
    """The three columns of Table 3.7."""
    d = np.abs(x - y)
    return [float(np.mean(weights * e)) for e in (d**2, d, d / np.abs(x))]


def complete(values: np.ndarray) -> np.ndarray:
    return values[~np.isnan(values).any(axis=1)]


def test_table_3_7(files):
    con, before, after, _ = files
    found = rows(con, """sdc_matrix_distance('k', 'f', ['x', 'y''', 'Select'], 'id')""")
    there = ~np.isnan(before) & ~np.isnan(after)
    v, w = (np.cov(complete(side).T) for side in (before, after))
    r, s = (np.corrcoef(complete(side).T) for side in (before, after))
    low, below = np.tril_indices(3), np.tril_indices(3, -1)
    expected = {
        "X": forms(before[there], after[there]),
        "X mean": forms(np.nanmean(before, axis=0), np.nanmean(after, axis=0)),
        "V": forms(v[low], w[low]),
        "S": forms(np.diag(v), np.diag(w)),
        "R": forms(r[below], s[below]),
    }
    assert [row["cells"] for row in found] == [there.sum(), 3, 6, 3, 3]
    for row in found:
        assert list(row.values())[2:] == pytest.approx(expected[row["matrix"]], rel=1e-7), row["matrix"]


def test_components(files):
    con, before, after, _ = files
    r, s = (np.corrcoef(complete(side).T) for side in (before, after))
    (k, e), (m, h) = (np.linalg.eigh(c) for c in (r, s))
    k, m, e, h = k[::-1], m[::-1], e[:, ::-1], h[:, ::-1]
    h = h * np.sign((e * h).sum(axis=0))
    weights = k / 3
    found = {
        row["matrix"]: list(row.values())[2:]
        for row in rows(con, "sdc_factor_distance('k', 'f', ['x', 'y''', 'select'])")
    }
    rf, rf2 = e * np.sqrt(k), h * np.sqrt(m)
    assert found["RF"] == pytest.approx(forms(rf, rf2, weights), rel=1e-6)
    assert found["F"] == pytest.approx(forms(e, h, weights), rel=1e-6)
    assert found["C"] == pytest.approx(forms(rf[:, 0] ** 2, rf2[:, 0] ** 2), rel=1e-6)
    eigen = rows(con, "sdc_eigenvalue_distance('k', 'f', ['x', 'y''', 'select'])")
    assert [row["variation"] for row in eigen] == pytest.approx([np.mean(abs(k - m) / k), *(abs(k - m) / k)], rel=1e-7)
    d, d2 = (np.diag(np.linalg.inv(c)) for c in (r, s))
    gamma = np.linalg.norm(d / np.linalg.norm(d) - d2 / np.linalg.norm(d2)) / math.sqrt(2)
    assert rows(con, "sdc_gamma_loss('k', 'f', ['x', 'y''', 'select'])")[0]["gamma"] == pytest.approx(gamma, rel=1e-7)


def test_il1(files):
    con, before, after, _ = files
    found = rows(con, "sdc_il1('k', 'f', ['x', 'y''', 'Select'], 'id', max_term := 0.2)")
    terms = np.abs(before - after) / (math.sqrt(2) * np.nanstd(before, axis=0, ddof=1))
    bounded = np.where(np.isnan(before), np.nan, np.where(np.isnan(after), 0.2, np.minimum(terms, 0.2)))
    for of in (np.nanmean, lambda a: np.nanmean(a, axis=0)):
        part = found[:1] if of is np.nanmean else found[1:]
        assert [r["il1"] for r in part] == pytest.approx(np.atleast_1d(of(terms)))
        assert [r["bounded"] for r in part] == pytest.approx(np.atleast_1d(of(bounded)))
    assert [r["suppressed"] for r in found[1:]] == list((~np.isnan(before) & np.isnan(after)).sum(axis=0))


def test_lambda(files):
    con, before, after, _ = files
    found = rows(con, "sdc_lambda_loss('k', 'f', ['g', 'x', 'Select'], 'id', continuous := ['x', 'select'])")
    expected = [0.0]
    for j in (0, 2):
        x, y = before[:, j], after[:, j].copy()
        gone = np.isnan(y)
        y[gone] = np.where(x <= np.median(x), x.max(), x.min())[gone]
        expected.append(float(np.mean(2 / math.pi * np.arctan(np.abs(x - y)))))
    assert [r["loss"] for r in found] == pytest.approx([sum(expected) / 3, *expected])
    assert [r["scale"] for r in found] == [None, "nominal", "continuous", "continuous"]


def test_lambda_by_hand(con):
    """Ordinal in 8 categories of which 2 and 3, and 6 and 7 are merged: 2 steps of 7 over 8 records; one suppressed."""
    con.execute("CREATE TABLE k AS SELECT i AS id, i AS s, 'a' AS n FROM range(1, 9) t(i)")
    con.execute("""
        CREATE TABLE f AS
        SELECT id, CASE WHEN s IN (2, 3) THEN '2 or 3' WHEN s IN (6, 7) THEN '6 or 7'
                        WHEN s < 8 THEN s::VARCHAR END AS s,
               CASE WHEN id > 1 THEN n END AS n FROM k
    """)
    found = rows(con, "sdc_lambda_loss('k', 'f', ['n', 's'], 'id', ordinal := ['s'])")
    assert found[1]["loss"] == 1 / 8  # a suppressed nominal value: 1
    assert found[2]["loss"] == pytest.approx((1 + 1 + 7) / 7 / 8)  # 8 suppressed: as if it were 1
    assert found[0]["loss"] == pytest.approx((found[1]["loss"] + found[2]["loss"]) / 2)


def test_subdomains(files):
    con, before, after, groups = files
    found = rows(con, "sdc_subdomain_moments('k', 'f', ['x', 'y''', 'Select'], ['g'])")
    assert len(found) == 3 * (3 + 6)
    for row in found:
        of = groups == int(row["subdomain"][0])
        i = COLUMNS.index(row["variable"])
        for side, when in ((before, "before"), (after, "after")):
            if row["statistic"] == "mean":
                expected = np.nanmean(side[of][:, i])
            else:
                expected = np.cov(complete(side[of]).T)[i, COLUMNS.index(row["other"])]
            assert row[when] == pytest.approx(expected, rel=1e-9)
        assert row["difference"] == row["after"] - row["before"]


def test_explained_variance(files):
    con, before, after, groups = files
    found = rows(con, "sdc_explained_variance('k', 'f', ['x', 'y''', 'Select'], ['g'])")
    for j, row in enumerate(found):
        for side, when in ((before, "before"), (after, "after")):
            there = ~np.isnan(side[:, j])
            x, g = side[there, j], groups[there]
            within = sum(((x[g == c] - x[g == c].mean()) ** 2).sum() for c in set(g))
            assert row[f"explained_{when}"] == pytest.approx(1 - within / ((x - x.mean()) ** 2).sum(), rel=1e-7)
            assert row[f"mean_variance_{when}"] == pytest.approx(x.var(ddof=1) / len(x))
        assert row["growth"] == pytest.approx(row["mean_variance_after"] / row["mean_variance_before"] - 1)


FIGURES = {
    "sdc_matrix_distance('k', {f}, ['x', 'Select'], 'id')": ("mean_square_error", "mean_variation"),
    "sdc_factor_distance('k', {f}, ['x', 'y''', 'Select'])": ("mean_absolute_error", "mean_variation"),
    "sdc_eigenvalue_distance('k', {f}, ['x', 'y''', 'Select'])": ("variation",),
    "sdc_gamma_loss('k', {f}, ['x', 'y''', 'Select'])": ("gamma",),
    "sdc_il1('k', {f}, ['x', 'Select'], 'id')": ("il1", "bounded"),
    "sdc_lambda_loss('k', {f}, ['x', 'g'], 'id', continuous := ['x'], ordinal := ['g'])": ("loss", "changed"),
    "sdc_subdomain_moments('k', {f}, ['x'], ['g'])": ("difference",),
    "sdc_explained_variance('k', {f}, ['x'], ['g'])": ("growth", "difference"),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("call", FIGURES)
def test_nothing_is_lost_by_nothing(files, call):
    found = rows(files[0], call.format(f="'k'"))
    assert found
    assert {row[name] for row in found for name in FIGURES[call]} == {0}


@pytest.mark.slow
def test_columns_permuted_each_by_itself(con):
    """Each variable keeps its distribution; the connections between them are gone, and the records' values."""
    draw = np.random.default_rng(1)
    before = np.repeat(draw.normal(size=(4000, 1)), 3, axis=1) + draw.normal(size=(4000, 3)) * 0.1
    after = np.column_stack([draw.permutation(column) for column in before.T])
    table(con, "k", before, (before[:, 0] > 0).astype(int))
    table(con, "f", after, (before[:, 0] > 0).astype(int))
    found = {r["matrix"]: r for r in rows(con, "sdc_matrix_distance('k', 'f', ['x', 'y''', 'Select'], 'id')")}
    assert found["X mean"]["mean_absolute_error"] < 1e-12
    assert found["S"]["mean_absolute_error"] < 1e-12
    assert found["R"]["mean_absolute_error"] == pytest.approx(1 / 1.01, abs=0.05)
    # of two independent standard normal values |x - y| is 2 / sqrt(pi) on average
    assert rows(con, "sdc_il1('k', 'f', ['x'], 'id')")[0]["il1"] == pytest.approx(math.sqrt(2 / math.pi), abs=0.05)
    assert rows(con, "sdc_eigenvalue_distance('k', 'f', ['x', 'y''', 'Select'])")[1]["after"] < 1.1
    (row,) = rows(con, "sdc_explained_variance('k', 'f', ['x'], ['g'])")
    assert row["explained_after"] < 0.01
    assert row["explained_before"] > 0.5
    assert row["growth"] == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_lambda_and_subdomains_of_a_column_that_is_independent_of_itself(con):
    """0 .. 3 with each of 0 .. 3 four times: the differences 0, 1, 2, 3 in 4, 6, 4, 2 of 16 pairs; lambda to 1."""
    con.execute("CREATE TABLE k AS SELECT i AS id, i % 4 AS n, i % 4 AS s, i % 4 AS x, i % 4 AS g FROM range(64) t(i)")
    con.execute("CREATE TABLE p AS SELECT * REPLACE (id // 4 % 4 AS n, id // 4 % 4 AS s, id // 4 % 4 AS x) FROM k")
    call = "sdc_lambda_loss('k', {f}, ['n', 's', 'x'], 'id', ordinal := ['s'], continuous := ['x'])"
    arctan = 2 / math.pi * sum(n * math.atan(d) for d, n in enumerate((4, 6, 4, 2))) / 16
    each = [12 / 16, (6 + 2 * 4 + 3 * 2) / 16 / 3, arctan]
    assert [r["loss"] for r in rows(con, call.format(f="'p'"))] == pytest.approx([sum(each) / 3, *each])
    assert {r["loss"] for r in rows(con, call.format(f="'k'"))} == {0}
    # nominal values that are all others, ordinal ones at the other end, numbers far away: the bound
    con.execute("CREATE TABLE far AS SELECT * REPLACE (s < 2 AS n, NULL AS s, x + 1e12 AS x) FROM k")
    far = rows(con, call.format(f="'far'"))
    assert [far[1]["loss"], far[3]["loss"]] == pytest.approx([1, 1])
    assert far[2]["loss"] == pytest.approx((3 + 2 + 2 + 3) / 4 / 3)
    # x was constant in each subdomain; now each has the mean and the variance of the file
    moments = {
        (r["subdomain"][0], r["statistic"]): r for r in rows(con, "sdc_subdomain_moments('k', 'p', ['x'], ['g'])")
    }
    for g in range(4):
        assert (moments[str(g), "mean"]["before"], moments[str(g), "mean"]["after"]) == (g, pytest.approx(1.5))
        found = moments[str(g), "covariance"]
        assert (found["before"], found["after"]) == (0, pytest.approx(16 / 15 * 1.25))


def test_figures_of_sdcmicro_on_couples(con, fixtures):
    """sdcMicro 5.8.1, dUtility and IL_correl of three columns of cps_couples in the order of the file's ids, changed by
    xm[i,j] = x[i,j]*(1+0.01*((i+j)%%7-3)) + sd(x[,j])*0.001*((i*j)%%5-2), i and j from 1.

    IL1s and eigen are sums there, means here (the papers' form: Yancey et al. 2002; Table 3.7). Its IL1 is the sum of
    100|x - x'|/|x|, which no paper has; the mean variation of X has no bound where x is 0.
    """
    columns = ["experience", "hours", "husband_income"]
    con.execute(f"CREATE TABLE k AS SELECT row_number() OVER (ORDER BY couple) AS id, {', '.join(columns)} "
                f"FROM '{fixtures}/cps_couples.parquet'")  # fmt: skip
    changed = ", ".join(
        f"{c} * (1 + 0.01::DOUBLE * ((id + {j}) % 7 - 3)) + stddev_samp({c}) OVER () * 0.001::DOUBLE"
        f" * ((id * {j}) % 5 - 2) AS {c}"
        for j, c in enumerate(columns, 1)
    )
    con.execute(f"CREATE TABLE f AS SELECT id, {changed} FROM k")
    before, after = Microdata(con, "k", id="id"), Microdata(con, "f", id="id")
    il1 = after.loss.il1(before, columns)[0]
    assert il1.il1 * il1.values == pytest.approx(1227.56180007463)
    assert after.loss.eigenvalue_distance(before, columns)[0].variation * 3 == pytest.approx(0.0012459697477171)
    assert after.loss.gamma_loss(before, columns).gamma == pytest.approx(7.83544693504099e-05)


@pytest.mark.slow
def test_a_cell_that_was_zero_varies_without_bound(con):
    con.execute("CREATE TABLE k AS FROM (VALUES (1, 0), (2, 0), (3, 4)) AS t(id, x)")
    con.execute("CREATE TABLE f AS FROM (VALUES (1, 0), (2, 1), (3, 4)) AS t(id, x)")
    assert rows(con, "sdc_matrix_distance('k', 'f', ['x'], 'id')")[0]["mean_variation"] is None
    bounded = rows(con, "sdc_matrix_distance('k', 'f', ['x'], 'id', max_variation := 0.5)")[0]
    assert bounded["mean_variation"] == pytest.approx(0.5 / 3)
    for wrong in ("0", "-1", "'nan'::DOUBLE"):
        with pytest.raises(duckdb.Error, match="must be a number above 0"):
            rows(con, f"sdc_matrix_distance('k', 'f', ['x'], 'id', max_variation := {wrong})")


def test_a_constant_that_was_changed(con):
    con.execute("CREATE TABLE k AS SELECT i AS id, 7 AS x, i AS y, i % 2 AS z FROM range(4) t(i)")
    con.execute("CREATE TABLE f AS SELECT id, x + id AS x, y, z FROM k")
    found = rows(con, "sdc_il1('k', 'f', ['x', 'y'], 'id')")
    assert [r["il1"] for r in found] == [None, None, 0]
    assert [r["bounded"] for r in found] == [3 / 8, 3 / 4, 0]
    with pytest.raises(duckdb.Error, match="of the released table is singular"):
        rows(con, "sdc_gamma_loss('k', 'f', ['x', 'y', 'z'])")
    assert rows(con, "sdc_eigenvalue_distance('k', 'f', ['x', 'y'])")[1]["after"] == pytest.approx(2)


def test_values_that_are_no_numbers_are_refused(con):
    con.execute("CREATE TABLE k AS SELECT i AS id, i::DOUBLE AS x, 'a' AS t FROM range(4) t(i)")
    con.execute("CREATE TABLE f AS SELECT * REPLACE (CASE WHEN id = 2 THEN 'inf'::DOUBLE ELSE x END AS x) FROM k")
    for call in ("sdc_il1", "sdc_matrix_distance"):
        with pytest.raises(duckdb.Error, match=r"infinite"):
            rows(con, f"{call}('k', 'f', ['x'], 'id')")
        with pytest.raises(duckdb.Error, match=r"give a numeric column"):
            rows(con, f"{call}('k', 'f', ['t'], 'id')")
    with pytest.raises(duckdb.Error, match=r"infinite"):
        rows(con, "sdc_lambda_loss('k', 'f', ['x'], 'id', continuous := ['x'])")


@pytest.mark.parametrize("file", ["tarragona", "cascrefmicrodata"])
def test_figures_of_sdcmicro(shared: Path, sdcmicro, con, file):
    """IL1s and eigen are sums there, means here; IL_correl is gamma; IL_variables is lambda."""
    for name, suffix in (("k", ""), ("f", "_perturbed")):
        path = shared / "data" / f"{file}{suffix}.parquet"
        con.execute(f"CREATE TABLE {name} AS SELECT row_number() OVER () AS id, * FROM '{path}'")
    columns = [c for c in con.table("k").columns if c != "id"]
    figures = sdcmicro["util_" + {"tarragona": "Tarragona", "cascrefmicrodata": "CASCrefmicrodata"}[file]]
    before, after = Microdata(con, "k", id="id"), Microdata(con, "f", id="id")
    il1 = after.loss.il1(before, columns)[0]
    assert il1.il1 * il1.values == pytest.approx(figures["IL1s"])
    losses = after.loss.lambda_loss(before, columns, continuous=columns)
    assert losses[0].loss == pytest.approx(figures["IL_variables"]["total"])
    assert {v.variable: v.loss for v in losses[1:]} == pytest.approx(
        {c: figures["IL_variables"]["individual"][c] for c in columns}
    )
    if isinstance(figures["IL_correl"], float):
        assert after.loss.gamma_loss(before, columns).gamma == pytest.approx(figures["IL_correl"])
        eigen = after.loss.eigenvalue_distance(before, columns)[0].variation
        assert eigen * len(columns) == pytest.approx(figures["eigen"])
    else:
        with pytest.raises(ParameterError, match="singular"):
            after.loss.gamma_loss(before, columns)


@pytest.mark.slow
def test_the_same_bits_in_any_order_on_any_threads(con):
    con.execute(
        "CREATE TABLE k AS SELECT i AS id, sin(i) * 1e6 AS x, cos(i) / 3 AS y, i % 5 AS g FROM range(30000) t(i)"
    )
    con.execute("CREATE TABLE f AS SELECT * REPLACE (x * 1.01 AS x, y + 0.001 * x AS y) FROM k")
    con.execute("CREATE TABLE r AS FROM f ORDER BY hash(id)")
    for call in FIGURES:
        of = call.replace("['x', 'y''', 'Select']", "['x', 'y', 'g']" if "gamma" in call else "['x', 'y']").replace(
            "['x', 'Select']", "['x', 'y']"
        )
        found = []
        for threads, file in ((1, "'f'"), (4, "'r'")):
            con.execute(f"SET threads = {threads}")
            found.append(rows(con, of.format(f=file)))
        assert found[0] == found[1]
    con.execute("RESET threads")


def test_in_python(con):
    con.execute("CREATE TABLE k AS SELECT i AS id, i AS x, i * i AS y FROM range(9) t(i)")
    con.execute("CREATE TABLE f AS SELECT * REPLACE (x + 1 AS x) FROM k")
    before, after = Microdata(con, "k", id="id"), Microdata(con, "f", id="id")
    assert after.loss.matrix_distance(before, ["X", "y"])[0].mean_square_error == 0.5
    assert after.loss.factor_distance("k", ["x", "y"])[0].cells == 4
    with pytest.raises(ParameterError, match="a finite number, above 0"):
        after.loss.il1(before, ["x"], max_term=0)
    with pytest.raises(ColumnError, match="not a column of f"):
        after.loss.subdomain_moments(before, ["x"], ["nowhere"])
    with pytest.raises(ParameterError, match="No id was given"):
        Microdata(con, "f").loss.il1(before, ["x"])


def test_what_is_suppressed_as_a_whole_takes_nothing_else_along(con):
    """IL1 of all is that of the others; means are there where no record is complete; gamma of two columns is no 0."""
    con.execute(
        "CREATE TABLE k AS SELECT range AS id, (range * 7) % 11 AS x, (range * 5) % 13 AS y, range % 4 AS z "
        "FROM range(40)"
    )
    con.execute("CREATE TABLE f AS SELECT * REPLACE (x + id % 2 AS x, NULL::BIGINT AS y) FROM k")
    both = {row["variable"]: row for row in rows(con, "sdc_il1('k', 'f', ['x', 'y'], 'id')")}
    alone = rows(con, "sdc_il1('k', 'f', ['x'], 'id')")[0]
    assert (both["y"]["il1"], both["y"]["bounded"], both["y"]["suppressed"]) == (None, 1, 40)
    assert both[None]["il1"] == both["x"]["il1"] == alone["il1"] > 0
    con.execute(
        "CREATE TABLE half AS SELECT * REPLACE (if(id % 2 = 0, NULL, x) AS x, if(id % 2 = 1, NULL, y + 1) AS y) FROM k"
    )
    found = {row["matrix"]: row for row in rows(con, "sdc_matrix_distance('k', 'half', ['x', 'y'], 'id')")}
    means = con.execute("SELECT avg(x), avg(y) FROM k UNION ALL SELECT avg(x), avg(y) FROM half").fetchall()
    expected = sum(abs(a - b) for a, b in zip(*means, strict=True)) / 2
    assert found["X mean"]["mean_absolute_error"] == pytest.approx(expected)
    assert [(found[m]["cells"], found[m]["mean_absolute_error"]) for m in "VSR"] == [(0, None)] * 3
    with pytest.raises(duckdb.Error, match="gamma needs three columns or more"):
        rows(con, "sdc_gamma_loss('k', 'k', ['x', 'y'])")
    con.execute("UPDATE f SET y = x")
    with pytest.raises(ParameterError, match="gamma needs three columns or more"):
        Microdata(con, "f").loss.gamma_loss("k", ["x", "z"])


def listed(con: duckdb.DuckDBPyConnection, call: str) -> list:
    return [pytest.approx(row) for row in con.execute(f"FROM {call}").fetchall()]


def test_every_figure_of_components_by_hand(con):
    """Correlations of 1/2 and 1/4: the eigenvalues 3/2 and 1/2 become 5/4 and 3/4, the components stay (1, 1), (1, -1).

    The correlations with them are the roots of half an eigenvalue: of 3/4 and 1/4, then of 5/8 and 3/8.
    """
    for name, n in (("k", (3, 1, 1, 3)), ("f", (5, 3, 3, 5))):
        con.execute(f"CREATE TABLE {name} AS SELECT x, y FROM (VALUES (0, 0, {n[0]}), (0, 1, {n[1]}), (1, 0, {n[2]}), "
                    f"(1, 1, {n[3]})) AS t(x, y, n), range(n)")  # fmt: skip
    first, second = math.sqrt(3 / 4) - math.sqrt(5 / 8), math.sqrt(3 / 8) - 1 / 2
    squares, sizes = (2 * (3 / 4 * first**p + 1 / 4 * second**p) / 4 for p in (2, 1))
    for bound, of_first, of_second, of_c in (
        ("NULL", first / math.sqrt(3 / 4), 2 * second, 1 / 6),
        (0.1, first / math.sqrt(3 / 4), 0.1, 0.1),
    ):
        assert listed(con, f"sdc_factor_distance('k', 'f', ['X', 'y'], max_variation := {bound})") == [
            ("RF", 4, squares, sizes, 2 * (3 / 4 * of_first + 1 / 4 * of_second) / 4),
            ("C", 2, 1 / 64, 1 / 8, of_c),
            ("F", 4, 0, 0, 0),
        ]
    assert listed(con, "sdc_eigenvalue_distance('k', 'f', ['x', 'y'])") == [
        (None, None, None, 1 / 3), (1, 3 / 2, 5 / 4, 1 / 6), (2, 1 / 2, 3 / 4, 1 / 2),
    ]  # fmt: skip


def test_every_figure_of_values_and_moments_by_hand(con):
    """0, 2, 4 become 1, 3, 4: what was 0 varies without bound, 2 by a half; means are 2 and 8/3, variances 4 and 7/3.

    y is 1, 1, 4 and stays: the covariances are 3 and 2, the variance 3; the correlations 3 / sqrt 12 and 2 / sqrt 7.
    """
    con.execute("CREATE TABLE k AS FROM (VALUES (1, 0, 1), (2, 2, 1), (3, 4, 4)) AS t(id, x, y)")
    con.execute("CREATE TABLE f AS FROM (VALUES (4, 4, 3), (1, 1, 1), (1, 3, 2)) AS t(y, x, id)")
    r = 3 / math.sqrt(12), 2 / math.sqrt(7)
    for bound, of_x in (("NULL", None), (0.4, 2 * 0.4 / 6)):
        far = bound if bound != "NULL" else math.inf
        off = r[0] - r[1]
        assert listed(con, f"sdc_matrix_distance('k', 'f', ['x', 'y'], 'id', max_variation := {bound})") == [
            ("X", 6, 2 / 6, 2 / 6, of_x),
            ("X mean", 2, 4 / 9 / 2, 2 / 3 / 2, min(1 / 3, far) / 2),
            ("V", 3, (25 / 9 + 1) / 3, (5 / 3 + 1) / 3, (min(5 / 12, far) + min(1 / 3, far)) / 3),
            ("S", 2, 25 / 9 / 2, 5 / 3 / 2, min(5 / 12, far) / 2),
            ("R", 1, off**2, abs(off), min(abs(off) / r[0], far)),
        ]


def test_every_figure_of_subdomains_by_hand(con):
    """Subdomains that one file lacks, or that are missing values, and columns in another order: row by row."""
    con.execute("CREATE TABLE k AS FROM (VALUES ('f', 1, 10), ('f', 3, 20), (NULL, 5, 7)) AS t(\"it's\", x, y)")
    con.execute("CREATE TABLE f AS FROM (VALUES (12, 2, 'f'), (16, 4, 'f'), (1, 8, 'm')) AS t(y, x, \"it's\")")
    assert con.execute("FROM sdc_subdomain_moments('k', 'f', ['x', 'Y'], ['IT''S'])").fetchall() == [
        (["f"], "mean", "x", None, 2, 3, 1), (["f"], "mean", "y", None, 15, 14, -1),
        (["f"], "covariance", "x", "x", 2, 2, 0), (["f"], "covariance", "y", "x", 10, 4, -6),
        (["f"], "covariance", "y", "y", 50, 8, -42),
        (["m"], "mean", "x", None, None, 8, None), (["m"], "mean", "y", None, None, 1, None),
        (["m"], "covariance", "x", "x", None, None, None), (["m"], "covariance", "y", "x", None, None, None),
        (["m"], "covariance", "y", "y", None, None, None),
        ([None], "mean", "x", None, 5, None, None), ([None], "mean", "y", None, 7, None, None),
        ([None], "covariance", "x", "x", None, None, None), ([None], "covariance", "y", "x", None, None, None),
        ([None], "covariance", "y", "y", None, None, None),
    ]  # fmt: skip


def test_every_figure_of_explained_variance_by_hand(con):
    """A subdomain of one record, one that is a missing value, a number that is; constants that stay and that do not."""
    con.execute("""
        CREATE TABLE k AS FROM (VALUES ('f', 1, 7, 7), ('f', 3, 7, 7), ('m', 5, 7, 7), ('m', 6, 7, 7), ('n', 9, 7, 7),
                                       (NULL, 4, 7, 7), (NULL, 8, 7, 7), ('f', NULL, 7, 7)) AS t(g, x, c, d);
        CREATE TABLE r AS FROM (VALUES (7, 'f', 1, 1), (7, 'f', 3, 2), (7, 'm', 3, 3), (7, 'm', 9, 4), (7, 'm', 9, 5),
                                       (7, NULL, 6, 6)) AS t(c, g, x, d)""")

    def moments(*groups):
        every = [v for g in groups for v in g]
        total = sum((v - sum(every) / len(every)) ** 2 for v in every)
        within = sum((v - sum(g) / len(g)) ** 2 for g in groups for v in g)
        return total / (len(every) - 1) / len(every), 1 - within / total

    (before, share), (after, other) = (
        moments([1, 3], [5, 6], [9], [4, 8]), moments([1, 3], [3, 9, 9], [6]),
    )  # fmt: skip
    varied, explained = moments([1, 2], [3, 4, 5], [6])
    assert listed(con, "sdc_explained_variance('k', 'r', ['d', 'X', 'c'], ['G'])") == [
        ("x", before, after, after / before - 1, share, other, other - share),
        ("c", 0, 0, 0, None, None, None),
        ("d", 0, varied, None, None, explained, None),
    ]


def test_the_share_of_squares_by_hand(con):
    """(1 + 0 + 4) / 14 of x, (4 + 0) / 2 of y, of which a value is missing on either side; c is constant."""
    con.execute("CREATE TABLE k AS FROM (VALUES (1, 0, 1, 5), (2, 1, NULL, 5), (3, 2, 3, 5), (4, 5, 2, 5)) "
                "AS t(id, x, y, c)")  # fmt: skip
    con.execute("CREATE TABLE f AS FROM (VALUES (6, 2, 7, 4), (3, 3, 3, 1), (5, 2, 1, 2), (5, NULL, NULL, 3)) "
                "AS t(c, y, x, id)")  # fmt: skip
    # x: 0 -> 3, 1 -> 1, 2 -> NULL, 5 -> 7; y: 1 -> 3, NULL -> 2, 3 -> NULL, 2 -> 2
    assert listed(con, "sdc_sse_sst('k', 'f', ['X', 'c', 'y'], 'id')") == [(2, 4, ((9 + 0 + 4) / 14 + (4 + 0) / 2) / 2)]
    con.execute("DELETE FROM f WHERE id = 2")
    assert listed(con, "sdc_sse_sst('k', 'f', ['c'], 'id')") == [(0, 3, 0)]
