"""IPSO: what is kept exactly, what is drawn, what is refused, and what a record more gives away."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sdc_sql
from sdc_sql import Microdata

RECORDS = 400
X, Y = ["a", "f"], ["age", "Select"]


@pytest.fixture
def k(con):
    """A table `k` of odd names: two confidential columns, two that depend on them, and a stratum."""
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    draw = np.random.default_rng(1)
    a, f, e, g = (
        draw.gamma(2, 1, RECORDS),
        draw.normal(size=RECORDS),
        draw.normal(size=RECORDS),
        draw.normal(size=RECORDS),
    )
    columns = {"id": np.arange(RECORDS), "a": a, "f": f, "age": 40 + 3 * a - 2 * f + 5 * e, "Select": 7 * f - e + 2 * g}
    con.execute('CREATE TABLE k (id INTEGER, a DOUBLE, f DOUBLE, age DOUBLE, "Select" DOUBLE, part INTEGER)')
    rows = zip(*(columns[name].tolist() for name in columns), (np.arange(RECORDS) % 2).tolist(), strict=True)
    con.executemany("INSERT INTO k VALUES (?, ?, ?, ?, ?, ?)", [*rows])
    return Microdata(con, "k", id="id")


def fitted(con, table, where="true", x=("a", "f")):
    """Return coefficients and the products of the residuals, by an independent least squares."""
    rows = con.execute(
        f'SELECT {", ".join(["1e0", *x])}, age, "Select" FROM {table} WHERE {where} ORDER BY id'
    ).fetchall()
    matrix = np.array(rows)
    design, of = matrix[:, : 1 + len(x)], matrix[:, 1 + len(x) :]
    coefficients = np.linalg.lstsq(design, of, rcond=None)[0]
    rest = of - design @ coefficients
    return coefficients, rest.T @ rest, rest


@pytest.mark.slow
@pytest.mark.whole
def test_what_is_kept_exactly(con, k):
    """Lemmas 3.3.7.1 and 3.3.7.2; without confidential variables the means and covariances; within strata in each."""
    steps = {method: k.mask.ipso(Y, X, method=method, into=f"by_{method}") for method in "ABC"}
    coefficients, products, own = fitted(con, "k")
    for method in "ABC":
        new, covariances, rest = fitted(con, f"by_{method}")
        assert new == pytest.approx(coefficients, rel=1e-9)
        kept = np.abs(covariances / products - 1).max()
        assert {"A": kept > 0.99, "B": 1e-6 < kept < 0.5, "C": kept < 1e-9}[method]
        if method != "A":  # the residuals are drawn: independent of the true ones
            assert max(abs(np.corrcoef(rest[:, j], own[:, j])[0, 1]) for j in (0, 1)) < 4 / math.sqrt(RECORDS)
    explained = 1 - np.diag(products) / np.diag(fitted(con, "k", x=())[1])
    assert [*steps["C"].parameters["explained"].values()] == pytest.approx([explained[1], explained[0]], abs=1e-6)
    k.mask.ipso(Y, into="synthetic")
    k.mask.ipso(Y, X, stratum="part", into="parted")
    for table, where, x in (("synthetic", "true", ()), ("parted", "part = 0", X), ("parted", "part = 1", X)):
        for new, old in zip(fitted(con, table, where, x)[:2], fitted(con, "k", where, x)[:2], strict=True):
            assert new == pytest.approx(old, rel=1e-9)
    assert con.execute("SELECT count(*) FROM k JOIN by_C AS c USING (id) WHERE k.a = c.a AND k.f = c.f").fetchone() == (
        RECORDS,
    )


def test_any_change_of_the_source_draws_all_anew(con, k):
    """And two releases of which one has a record more give its values, as the header says."""
    k.mask.ipso(Y, X, into="before")
    con.execute("INSERT INTO k VALUES (1000, 1.5, -0.5, 61.25, 3.5, 0)")
    k.mask.ipso(Y, X, into="after")
    (first, _, before), (second, _, after) = (fitted(con, table) for table in ("before", "after"))
    assert abs(np.corrcoef(before[:, 0], after[:RECORDS, 0])[0, 1]) < 4 / math.sqrt(RECORDS)
    (newcomer,) = con.execute("SELECT 1e0, a, f FROM after WHERE id = 1000").fetchall()
    rows = np.array(con.execute("SELECT 1e0, a, f FROM after").fetchall())
    x = np.array(newcomer)
    own = np.linalg.solve(rows.T @ rows, x)
    weight = x @ own
    # B changes by (X'X)^-1 x (y - x B): all but y is released
    found = x @ first + (second - first).T @ own / (own @ own) * 1.0
    assert found == pytest.approx([61.25, 3.5], rel=1e-6)
    assert 0 < weight < 0.25


@pytest.mark.usefixtures("k")
@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("change", "call", "message"),
    [
        ("UPDATE k SET age = NULL WHERE id = 3", {}, "1 records have NULL or NaN"),
        ("UPDATE k SET a = 'nan' WHERE id < 2", {}, "2 records have NULL or NaN"),
        ("DELETE FROM k WHERE id >= 6", {}, r"expected at least 2 x 2 \+ 2 \+ 1 = 7 records"),
        ("UPDATE k SET f = 2 * a", {}, "the confidential variables are collinear"),
        ('UPDATE k SET age = a + f + "Select" / 1e9', {}, "explain 1.0000 of age"),
        ('UPDATE k SET age = 2 * "Select" + 5 * a', {}, "Select is constant, or the other columns determine it|age is"),
        ("UPDATE k SET a = 1e6 WHERE id = 7", {}, "1 records lie so far out"),
        ("SELECT 1", {"confidential": ["age"]}, "which is drawn anew"),
        ("SELECT 1", {"method": "D"}, "method is .D."),
        ("SELECT 1", {"columns": ["id"]}, "is the id"),
        ("ALTER TABLE k ALTER age TYPE VARCHAR", {}, "this method masks numbers"),
    ],
)
def test_refused(con, change, call, message):
    con.execute(change)
    before = con.execute("FROM k ORDER BY id").fetchall()
    with pytest.raises(sdc_sql.InputError, match=message):
        Microdata(con, "k", id="id").mask.ipso(**{"columns": Y, "confidential": X, **call})
    assert str(con.execute("FROM k ORDER BY id").fetchall()) == str(before)


@pytest.mark.slow
def test_whole_numbers_stay_whole_and_the_macro_gives_the_same(con, k):
    con.execute("ALTER TABLE k ALTER age TYPE INTEGER")
    k = Microdata(con, "k", id="id")
    k.mask.ipso(Y, X, into="whole")
    assert con.table("whole").types == con.table("k").types
    by_macro = con.execute("FROM sdc_ipso('k', ['age', 'SELECT'], ['a', 'f'], 'id') ORDER BY id").fetchall()
    assert by_macro == con.execute("FROM whole ORDER BY id").fetchall()
    new, old = (np.array(con.execute(f"SELECT avg(age), avg(a) FROM {t}").fetchone()) for t in ("whole", "k"))
    assert np.abs(new - old).max() < 4 * math.sqrt(1 / 12 / RECORDS)
