"""Matrices for PRAM, and the correction for the user of a release: invariance, unbiasedness, standard errors."""

from __future__ import annotations

import math

import duckdb
import numpy as np
import pytest

import sdc_sql

P = np.array([[0.7, 0.2, 0.1, 0.0], [0.15, 0.8, 0.05, 0.0], [0.1, 0.1, 0.6, 0.2], [0.0, 0.0, 0.3, 0.7]])
T = np.array([90, 60, 30, 20])
NAMES = list("abcd")


@pytest.fixture
def keyed(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    return con


def letters(con, counts=T, copies=1):
    con.execute(
        """CREATE OR REPLACE TABLE t AS SELECT row_number() OVER () AS id, c AS copy, x
           FROM (SELECT unnest($names::VARCHAR[]) AS x, unnest($counts::INTEGER[]) AS n),
                range(n) r(i), range($copies) s(c)""",
        {"names": NAMES[: len(counts)], "counts": [int(n) for n in counts], "copies": copies},
    )


def matrix(con, p, name="matrix", labels=NAMES):
    rows = ", ".join(f"('{labels[i]}', '{labels[j]}', {p[i][j]})" for i in range(len(p)) for j in range(len(p)))
    con.execute(f'CREATE OR REPLACE TABLE {name} AS FROM (VALUES {rows}) AS v("from", "to", probability)')


def square(rows, labels=NAMES):
    """Return rows (from, to, value) as an array, each pair once."""
    found = {(a, b): p for a, b, p in rows}
    assert len(rows) == len(found) == len(labels) ** 2
    return np.array([[found[a, b] for b in labels] for a in labels])


def assert_invariant(r, counts=T):
    # Gouweleeuw et al. (1998), section 4: R^t T = T, and R is a Markov matrix
    np.testing.assert_allclose(r.T @ counts, counts, rtol=1e-9)
    np.testing.assert_allclose(r.sum(axis=1), 1, atol=1e-9)
    assert (r >= 0).all()
    assert (r <= 1).all()


# -- invariant matrices


def test_two_stage_is_p_undone_by_bayes(keyed):
    p = np.full((4, 4), 0.1) + 0.6 * np.eye(4)
    letters(keyed)
    matrix(keyed, p)
    r = square(keyed.execute("FROM sdc_pram_invariant('t', 'x', 'matrix')").fetchall())
    assert_invariant(r)
    # R = P Q, q_lk = p_kl T_k / sum_m p_ml T_m (handbook 3.4.6; Gouweleeuw et al., section 4)
    q = (p * T[:, None]).T / (T @ p)[:, None]
    np.testing.assert_allclose(r, p @ q, rtol=1e-12)


def test_iterative_keeps_zeros_and_odds_ratios(keyed):
    letters(keyed)
    matrix(keyed, P)
    r = square(keyed.execute("FROM sdc_pram_invariant('t', 'x', 'matrix', method := 'iterative')").fetchall())
    assert_invariant(r)
    np.testing.assert_array_equal(r == 0, P == 0)
    # rows and columns are multiplied by numbers of their own: r_ij r_kl / (r_il r_kj) is p's
    for (i, j), (k, m) in [((0, 0), (1, 1)), ((0, 1), (1, 2)), ((2, 2), (3, 3)), ((1, 0), (2, 2))]:
        expected = P[i, j] * P[k, m] / (P[i, m] * P[k, j])
        assert r[i, j] * r[k, m] / (r[i, m] * r[k, j]) == pytest.approx(expected, rel=1e-6)


def test_two_stage_refuses_to_bring_back_what_was_barred(keyed):
    # a and b both become c with P, so that R would let them become one another through it: d -> a has p = 0
    letters(keyed)
    matrix(keyed, P)
    with pytest.raises(duckdb.Error, match=r"ParameterError: the two-stage matrix changes .* keep_zeros"):
        keyed.execute("FROM sdc_pram_invariant('t', 'x', 'matrix')").fetchall()
    with pytest.raises(sdc_sql.InputError):
        sdc_sql.Microdata(keyed, "t").mask.pram_matrix("x", "matrix")


def test_the_released_table_is_that_of_the_original_in_expectation(keyed):
    copies = 300
    letters(keyed, copies=copies)
    matrix(keyed, P)
    keyed.execute("CREATE TABLE r AS FROM sdc_pram_invariant('t', 'x', 'matrix', method := 'iterative')")
    r = square(keyed.execute("FROM r").fetchall())
    found = dict(keyed.execute("SELECT x, count(*) FROM sdc_pram('t', 'x', 'r', 'id') GROUP BY x").fetchall())
    for i, name in enumerate(NAMES):
        spread = math.sqrt(copies * (T * r[:, i] * (1 - r[:, i])).sum())
        assert abs(found[name] - copies * T[i]) <= 5 * spread


@pytest.mark.parametrize(("pd", "alpha"), [(0.8, 1.0), (0.8, 0.5), (0.5, 0.3), (0.95, 1.0), (1.0, 1.0), (0.6, 0.0)])
def test_pd_is_the_least_of_the_diagonal(keyed, pd, alpha):
    letters(keyed)
    r = square(keyed.execute("FROM sdc_pram_pd_alpha('t', 'x', ?, ?)", [pd, alpha]).fetchall())
    assert_invariant(r)
    assert r.diagonal().min() >= pd - 1e-12
    # Templ, Kowarik & Meindl (2015), section 4: R = alpha Rs + (1 - alpha) I, with less of Rs only where pd asks for it
    first = np.full((4, 4), (1 - pd) / 3)
    np.fill_diagonal(first, pd)
    rs = first @ ((first * T[:, None]).T / (T @ first)[:, None])
    least = rs.diagonal().min()
    share = alpha if least >= 1 else min(alpha, (1 - pd) / (1 - least))
    np.testing.assert_allclose(r, share * rs + (1 - share) * np.eye(4), atol=1e-12)


@pytest.mark.parametrize("retention", [0, 0.25, 0.75, 1])
def test_a_matrix_of_one_retention(keyed, retention):
    letters(keyed)
    r = square(keyed.execute("FROM sdc_pram_retention_matrix('t', 'x', ?)", [retention]).fetchall())
    expected = np.full((4, 4), (1 - retention) / 3)
    np.fill_diagonal(expected, retention)
    np.testing.assert_allclose(r, expected, rtol=1e-15)


def test_from_python(keyed):
    letters(keyed)
    matrix(keyed, P)
    data = sdc_sql.Microdata(keyed, "t", id="id")
    by_table = data.mask.pram_matrix("X", "matrix", method="iterative")
    assert by_table == data.mask.pram_matrix("x", P, labels=NAMES, method="iterative")
    assert_invariant(square(by_table))
    assert_invariant(square(data.mask.pram_matrix("x", pd=0.7, alpha=0.6)))
    assert by_table == sorted(by_table)


def test_null_takes_no_part(keyed):
    letters(keyed)
    keyed.execute("INSERT INTO t SELECT 1000 + i, 0, NULL FROM range(50) r(i)")
    assert_invariant(square(keyed.execute("FROM sdc_pram_pd_alpha('t', 'x', 0.8, 0.5)").fetchall()))


def test_an_integer_column_with_names_as_text(keyed):
    letters(keyed)
    keyed.execute("CREATE TABLE n AS SELECT id, (ascii(x) - 97)::INTEGER AS x FROM t")
    matrix(keyed, P, labels="0123")
    rows = keyed.execute("FROM sdc_pram_invariant('n', 'x', 'matrix', method := 'iterative')").fetchall()
    assert_invariant(square(rows, [0, 1, 2, 3]))


UNFIT = [
    "sdc_pram_pd_alpha('t', 'x', 1.2, 0.5)",
    "sdc_pram_pd_alpha('t', 'x', -0.1, 0.5)",
    "sdc_pram_pd_alpha('t', 'x', 0.8, 1.5)",
    "sdc_pram_pd_alpha('t', 'x', 'nan'::DOUBLE, 0.5)",
    "sdc_pram_pd_alpha('t', 'x', NULL, 0.5)",
    "sdc_pram_pd_alpha('t', 'x', 0.8, NULL)",
    "sdc_pram_retention_matrix('t', 'x', 1.5)",
    "sdc_pram_retention_matrix('t', 'x', NULL)",
    "sdc_pram_retention_matrix('t', 'x', 'nan'::DOUBLE)",
    "sdc_pram_invariant('t', 'x', 'matrix', method := 'magic')",
    "sdc_pram_invariant('t', 'x', 'matrix', method := NULL)",
    "sdc_pram_invariant('t', 'nope', 'matrix')",
    "sdc_pram_invariant('t', 'x', 'swap', method := 'iterative')",
    "sdc_pram_invariant('t', 'x', 'short')",
    "sdc_pram_invariant('t', 'x', 'twice', method := 'iterative')",
    "sdc_pram_estimate('t', 'x', 'short')",
    "sdc_pram_estimate('t', 'x', 'singular')",
    "sdc_pram_estimate('t', 'x', 'twice')",
]
EMPTY = [
    "sdc_pram_pd_alpha('none', 'x', 0.8, 0.5)",
    "sdc_pram_pd_alpha('nulls', 'x', 0.8, 0.5)",
    "sdc_pram_retention_matrix('none', 'x', 0.8)",
    "sdc_pram_invariant('none', 'x', 'matrix')",
    "sdc_pram_estimate('none', 'x', 'matrix')",
]
BLANK = [
    "sdc_pram_invariant('t', 'x', 'blank')",
    "sdc_pram_estimate('t', 'x', 'blank')",
]


@pytest.mark.parametrize("calls", [UNFIT, EMPTY, BLANK], ids=["unfit", "empty", "blank"])
def test_what_does_not_fit_is_refused(keyed, calls):
    letters(keyed)
    keyed.execute("CREATE TABLE none AS FROM t LIMIT 0")
    keyed.execute("CREATE TABLE nulls AS SELECT id, NULL::VARCHAR AS x FROM t")
    matrix(keyed, P)
    # every a becomes b and every b becomes a: with 90 and 60 of them no scaling is invariant
    matrix(keyed, [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "swap")
    matrix(keyed, P[:2, :2] / P[:2, :2].sum(axis=1, keepdims=True), "short")  # no rows for c and d
    matrix(keyed, np.full((4, 4), 0.25), "singular")
    keyed.execute("CREATE TABLE twice AS FROM matrix UNION ALL (SELECT 'a', 'd', 0.0)")
    keyed.execute("CREATE TABLE blank AS FROM matrix UNION ALL (SELECT NULL, NULL, 1.0)")
    found = {}
    for call in calls:
        try:
            with sdc_sql.errors.translate_errors():
                keyed.execute(f"FROM {call}").fetchall()
            found[call] = "no error"
        except sdc_sql.InputError:
            pass
        except duckdb.Error as error:
            found[call] = str(error)
    assert found == {}


# -- estimates for the user of the release


def test_the_handbooks_example_corrected(keyed):
    # 3.4.6.1: 108 males and 92 females released; T-hat = (P^-1)^t T_X = 110, 90. Var = 200 * 0.09 / 0.8^2 = 28.125, and
    # the inflation 1 + 28.125 / (110 * 90 / 200)
    letters(keyed, [108, 92])
    matrix(keyed, [[0.9, 0.1], [0.1, 0.9]])
    found = sdc_sql.Microdata(keyed, "t").mask.pram_estimate("x", "matrix")
    assert [e.category for e in found] == ["a", "b"]
    assert [e.released for e in found] == [108, 92]
    assert [e.estimate for e in found] == pytest.approx([110, 90], rel=1e-12)
    assert [e.standard_error for e in found] == pytest.approx([math.sqrt(28.125)] * 2, rel=1e-12)
    assert [e.variance_inflation for e in found] == pytest.approx([1 + 28.125 / 49.5] * 2, rel=1e-12)
    covariance = keyed.execute("FROM sdc_pram_covariance('t', 'x', 'matrix')").fetchall()
    np.testing.assert_allclose(square(covariance, ["a", "b"]), [[28.125, -28.125], [-28.125, 28.125]], rtol=1e-12)


def test_a_category_without_released_records_is_estimated_too(keyed):
    letters(keyed, [100])
    matrix(keyed, [[0.9, 0.1], [0.2, 0.8]])
    found = keyed.execute("SELECT category, released, estimate FROM sdc_pram_estimate('t', 'x', 'matrix')").fetchall()
    # (P^-1)^t (100, 0), det P = 0.7
    assert [row[:2] for row in found] == [("a", 100), ("b", 0)]
    assert [row[2] for row in found] == pytest.approx([80 / 0.7, -10 / 0.7], rel=1e-12)


def test_null_is_no_category_of_an_estimate(keyed):
    letters(keyed)
    matrix(keyed, P)
    before = keyed.execute("FROM sdc_pram_estimate('t', 'x', 'matrix')").fetchall()
    keyed.execute("INSERT INTO t VALUES (1000, 0, NULL)")
    assert keyed.execute("FROM sdc_pram_estimate('t', 'x', 'matrix')").fetchall() == before


@pytest.mark.slow
def test_estimates_are_unbiased_and_their_errors_right(keyed):
    # copies with ids of their own are repetitions; E(T-hat) = T, and its covariance W^t diag(P^t T) W - diag(T)
    copies = 200
    letters(keyed, copies=copies)
    matrix(keyed, P)
    keyed.execute("CREATE TABLE released AS FROM sdc_pram('t', 'x', 'matrix', 'id')")
    estimates, variances = [], []
    for c in range(copies):
        keyed.execute(f"CREATE OR REPLACE TEMP TABLE one AS FROM released WHERE copy = {c}")
        rows = keyed.execute("SELECT estimate, standard_error FROM sdc_pram_estimate('one', 'x', 'matrix')").fetchall()
        estimates.append([r[0] for r in rows])
        variances.append([r[1] ** 2 for r in rows])
    w = np.linalg.inv(P)
    exact = w.T @ np.diag(P.T @ T) @ w - np.diag(T)
    deviation = np.sqrt(exact.diagonal())
    assert (np.abs(np.mean(estimates, axis=0) - T) <= 5 * deviation / math.sqrt(copies)).all()
    spread = np.var(estimates, axis=0, ddof=1)
    assert (np.abs(spread / exact.diagonal() - 1) <= 5 * math.sqrt(2 / (copies - 1))).all()
    # the estimated variance is linear in T-hat, unbiased where no estimate is negative
    error = np.std(variances, axis=0, ddof=1) / math.sqrt(copies)
    assert (np.abs(np.mean(variances, axis=0) - exact.diagonal()) <= 5 * error + 0.01 * exact.diagonal()).all()
    np.testing.assert_allclose(np.sum(estimates, axis=1), T.sum(), rtol=1e-9)


def test_the_covariance_is_that_of_the_formula(keyed):
    letters(keyed)
    matrix(keyed, P)
    w = np.linalg.inv(P)
    estimate = w.T @ T
    expected = w.T @ np.diag(P.T @ estimate) @ w - np.diag(estimate)
    found = sdc_sql.Microdata(keyed, "t").mask.pram_covariance("x", P, labels=NAMES)
    assert (estimate > 0).all()
    np.testing.assert_allclose(square(found), expected, rtol=1e-9, atol=1e-9)
    rows = keyed.execute(
        "SELECT standard_error, variance_inflation FROM sdc_pram_estimate('t', 'x', 'matrix')"
    ).fetchall()
    variance = expected.diagonal()
    np.testing.assert_allclose([r[0] for r in rows], np.sqrt(variance), rtol=1e-9)
    np.testing.assert_allclose([r[1] for r in rows], 1 + variance / (estimate * (1 - estimate / 200)), rtol=1e-9)


@pytest.mark.slow
def test_two_variables(keyed):
    # handbook 3.4.6.1: T-hat = (Px^-1)^t T_XY Py^-1, over repetitions of 300 records in a 2 x 3 table
    table = np.array([[80, 50, 20], [30, 40, 80]])
    px, py = np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.8, 0.1, 0.1], [0.1, 0.9, 0.0], [0.0, 0.2, 0.8]])
    copies = 40
    rows = ", ".join(f"('{'ab'[i]}', '{'cde'[j]}', {table[i, j]})" for i in range(2) for j in range(3))
    keyed.execute(f"""CREATE TABLE t AS SELECT row_number() OVER () AS id, c AS copy, x, y
                      FROM (VALUES {rows}) AS v(x, y, n), range(n) r(i), range({copies}) s(c)""")
    matrix(keyed, px, "px", "ab")
    matrix(keyed, py, "py", "cde")
    data = sdc_sql.Microdata(keyed, "t", id="id")
    data.mask.pram("x", "px")
    data.mask.pram("y", "py")
    estimates, variances = [], []
    for c in range(copies):
        keyed.execute(f"CREATE OR REPLACE TEMP TABLE one AS FROM t WHERE copy = {c}")
        found = keyed.execute("FROM sdc_pram_estimate_two_way('one', 'x', 'y', 'px', 'py')").fetchall()
        estimates.append([r[3] for r in found])
        variances.append([r[4] ** 2 for r in found])
    assert [r[:2] for r in found] == [(a, b) for a in "ab" for b in "cde"]
    # the last repetition, straight from the formula
    released = np.array([r[2] for r in found]).reshape(2, 3)
    expected = np.linalg.inv(px).T @ released @ np.linalg.inv(py)
    np.testing.assert_allclose(estimates[-1], expected.ravel(), rtol=1e-9)
    # exact: the vectorised table, whose matrix is the Kronecker product
    p, t = np.kron(px, py), table.ravel()
    w = np.linalg.inv(p)
    exact = (w.T @ np.diag(p.T @ t) @ w - np.diag(t)).diagonal()
    assert (np.abs(np.mean(estimates, axis=0) - t) <= 5 * np.sqrt(exact / copies)).all()
    assert (np.abs(np.var(estimates, axis=0, ddof=1) / exact - 1) <= 5 * math.sqrt(2 / (copies - 1))).all()
    error = np.std(variances, axis=0, ddof=1) / math.sqrt(copies)
    assert (np.abs(np.mean(variances, axis=0) - exact) <= 5 * error + 0.02 * exact).all()


@pytest.mark.slow
def test_odd_names(keyed):
    letters(keyed)
    matrix(keyed, P, '"the matrix"')
    for column in ("f", "Select", 'we"ird', "from", "p"):
        quoted = '"' + column.replace('"', '""') + '"'
        keyed.execute(f"CREATE OR REPLACE TABLE k AS SELECT id, x AS {quoted} FROM t")
        data = sdc_sql.Microdata(keyed, "k", id="id")
        assert_invariant(square(data.mask.pram_matrix(column, '"the matrix"', method="iterative")))
        assert_invariant(square(data.mask.pram_matrix(column, pd=0.8, alpha=0.5)))
        assert sum(e.estimate for e in data.mask.pram_estimate(column, '"the matrix"')) == pytest.approx(200)


def test_one_record_has_nothing_to_become(keyed):
    letters(keyed, [1])
    with pytest.raises(duckdb.Error, match="one category only"):
        keyed.execute("FROM sdc_pram_retention_matrix('t', 'x', 0.9)").fetchall()
    with pytest.raises(sdc_sql.InputError):
        sdc_sql.Microdata(keyed, "t").mask.pram_matrix("x", pd=0.8, alpha=0.5)


def test_a_two_way_table_is_estimated_by_hand(keyed):
    """T-hat = (Px^-1)^t T Py^-1 (handbook, 3.4.6.1); its variance is that of one variable with the product of both."""
    released = np.array([[60, 35, 30], [31, 27, 52]])
    px = np.array([[0.9, 0.1], [0.25, 0.75]])
    py = np.array([[0.8, 0.15, 0.05], [0.1, 0.9, 0.0], [0.0, 0.2, 0.8]])
    rows = ", ".join(f"('{'ab'[i]}', {j}, {released[i, j]})" for i in range(2) for j in range(3))
    keyed.execute(f"CREATE TABLE t AS SELECT x, y FROM (VALUES {rows}) AS v(x, y, n), range(n) r(i)")
    keyed.execute("INSERT INTO t VALUES (NULL, 1), (NULL, 2), ('a', NULL), (NULL, NULL)")  # of no cell
    matrix(keyed, px, "px", "ab")
    matrix(keyed, py, "py", "012")
    found = keyed.execute("FROM sdc_pram_estimate_two_way('t', 'x', 'y', 'px', 'py')").fetchall()
    assert [row[:3] for row in found] == [(a, j, released[i, j]) for i, a in enumerate("ab") for j in range(3)]
    estimate = (np.linalg.inv(px).T @ released @ np.linalg.inv(py)).ravel()
    assert (estimate > 0).all()
    np.testing.assert_allclose([row[3] for row in found], estimate, rtol=1e-9)
    w = np.linalg.inv(np.kron(px, py))
    variance = (w.T @ np.diag(released.ravel()) @ w).diagonal() - estimate
    np.testing.assert_allclose([row[4] for row in found], np.sqrt(variance), rtol=1e-9)
