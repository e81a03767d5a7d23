"""Weights calibrated to known totals: closed forms, iterative proportional fitting, factors that are nearest to 1."""

from __future__ import annotations

import numpy as np
import pytest
from sdc_sql.udfs.calibration import raked

import sdc_sql
from sdc_sql import InputError
from sdc_sql.cli import main

MARGINS = ["Select", "it's"]


@pytest.fixture
def k(con):
    con.execute(
        'CREATE TABLE k AS SELECT range AS id, range % 3 AS "Select",'
        " CASE WHEN range % 4 > 0 THEN 'v' || range % 4 END AS \"it's\", 1 + range % 5 AS f"
        " FROM range(240) WHERE range % 12 <> 5 AND range % 36 <> 2"
    )
    con.execute(
        "CREATE TABLE known (variable VARCHAR, value VARCHAR, total DOUBLE);"
        "INSERT INTO known VALUES ('SELECT', '0', 500), ('SELECT', '1', 250), ('SELECT', '2', 250),"
        " ('it''s', NULL, 400), ('it''s', 'v1', 200), ('it''s', 'v2', 300), ('it''s', 'v3', 100)"
    )
    return con


def rows(con, more="", margins="['Select', 'it''s']"):
    call = f"sdc_calibrate('k', 'f', 'known', 'id', margins := {margins}{more})"
    return con.execute(f'SELECT "Select", "it\'s", f FROM {call} ORDER BY id').fetchall()


def sums(found, j):
    return {v: sum(row[2] for row in found if row[j] == v) for v in {row[j] for row in found}}


def test_one_margin_is_post_stratification(k):
    before = k.execute('SELECT "Select", "it\'s", f FROM k ORDER BY id').fetchall()
    weighted = sums(before, 0)
    k.execute("DELETE FROM known WHERE variable <> 'SELECT'")
    known = {0: 500, 1: 250, 2: 250}
    for old, new in zip(before, rows(k, margins="['Select']"), strict=True):
        assert new[2] == pytest.approx(old[2] * known[old[0]] / weighted[old[0]], rel=1e-12)  # the closed form


def test_two_margins_are_iterative_proportional_fitting(k):
    before = k.execute('SELECT "Select", "it\'s", f FROM k ORDER BY id').fetchall()
    known = ({0: 500, 1: 250, 2: 250}, {None: 400, "v1": 200, "v2": 300, "v3": 100})
    weights = [float(row[2]) for row in before]
    for _ in range(3000):  # record by record, as Deming & Stephan have it
        for j in (0, 1):
            total = dict.fromkeys(known[j], 0.0)
            for row, w in zip(before, weights, strict=True):
                total[row[j]] += w
            weights = [w * known[j][row[j]] / total[row[j]] for row, w in zip(before, weights, strict=True)]
    found = rows(k)
    assert [row[2] for row in found] == pytest.approx(weights, rel=1e-7)
    assert sums(found, 0) == pytest.approx(known[0], rel=2e-9)
    assert sums(found, 1) == pytest.approx(known[1], rel=2e-9)


def test_bounded_factors_are_the_nearest_to_1():
    # Factors of the form min(U, max(L, exp(a_i + b_j))) meet the conditions of Kuhn and Tucker, and the distance is
    # strictly convex: of all that meet the same totals they are the nearest, and the only ones.
    rng = np.random.default_rng(1)
    codes = np.array([(i, j) for i in range(5) for j in range(6)])
    weights = rng.uniform(1, 9, 30)
    terms = rng.normal(0, 0.6, 5)[codes[:, 0]] + rng.normal(0, 0.6, 6)[codes[:, 1]]
    nearest = np.clip(np.exp(terms), 0.6, 1.7)
    assert 5 < ((nearest > 0.6) & (nearest < 1.7)).sum() < 25  # some are at a bound
    totals = [np.bincount(codes[:, j], weights=weights * nearest) for j in (0, 1)]
    found = raked(weights, codes, totals, ["a", "b"], lower=np.full(30, 0.6), upper=np.full(30, 1.7))
    assert found == pytest.approx(nearest, rel=1e-7)


def test_no_weight_is_greater_than_most(k):
    free = rows(k)
    bounded = rows(k, ", most := 7.5, lower := 0.2")
    assert max(row[2] for row in free) > 7.5
    assert max(row[2] for row in bounded) <= 7.5
    assert sums(bounded, 1) == pytest.approx(sums(free, 1), rel=1e-8)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("change", "more", "words"), [
    ("DELETE FROM known WHERE value = 'v1'", "", "records have a value of it's that has no total"),
    ("DELETE FROM known WHERE variable <> 'SELECT'", "", "it's that has no total"),
    ("INSERT INTO known VALUES ('it''s', 'v9', 5)", "", "of values that no record has"),
    ("INSERT INTO known VALUES ('it''s', 'v1', 5)", "", "several totals"),
    ("INSERT INTO known VALUES ('age', 'v1', 5)", "", "none of the margins"),
    ("UPDATE known SET total = NULL WHERE value = 'v1'", "", "NULL, negative"),
    ("UPDATE known SET total = -1 WHERE value = 'v1'", "", "NULL, negative"),
    ("UPDATE known SET total = 0 WHERE value = 'v1'", "", "are 0 where there are records"),
    ("UPDATE known SET total = 201 WHERE value = 'v1'", "", "do not add up to the same"),
    ("ALTER TABLE known DROP COLUMN total", "", "total"),
    ("", ", upper := 1.01", "cannot be met within the bounds"),
    ("", ", lower := 3, upper := 2", "margin Select, .* cannot be met|above"),
    ("", ", lower := -1", "lower is -1"),
    ("", ", upper := 'a'", "upper is a"),
    ("UPDATE k SET f = 0 WHERE id = 0", "", "sampling weight is NULL"),
])  # fmt: skip
def test_what_is_refused(k, change, more, words):
    if change:
        k.execute(change)
    with pytest.raises(Exception, match=words):
        rows(k, more)
    data = sdc_sql.Microdata(k, "k", id="id")
    if "'a'" not in more:
        bounds = {n: float(v) for n, v in (part.split(" := ") for part in more.split(", ")[1:])}
        with pytest.raises(InputError):
            data.calibrate("f", "known", margins=MARGINS, **bounds)
        assert k.execute("SELECT typeof(f), count(*) FROM k GROUP BY ALL").fetchall()[0][0] == "BIGINT"


def test_totals_that_cannot_be_met_together_name_the_margin(k):
    # all of 'v1' is of 0, so that 0 has at least the 300 of v1
    k.execute('DELETE FROM k WHERE "it\'s" = \'v1\' AND "Select" <> 0')
    k.execute(
        "UPDATE known SET total = CASE value WHEN '0' THEN 100 WHEN '1' THEN 450 WHEN '2' THEN 450 ELSE total END"
    )
    with pytest.raises(Exception, match=r"cannot be met together: .* margin (Select|it's)"):
        rows(k)


def test_in_place_and_the_totals_of_before(k, tmp_path):
    k.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    data = sdc_sql.Microdata(k, "k", id="id", weight="f")
    k.execute("CREATE TABLE before AS FROM sdc_totals('k', ['Select', 'it''s'], 'f')")
    data.sample(fraction=0.5)
    step = data.calibrate("f", "before", upper=4)
    assert step.parameters["greatest"] <= 4 * 10
    assert step.parameters["weight_effect"] >= 1
    after = data.totals(MARGINS).fetchall()
    assert [t for *_, t in after] == pytest.approx([t for *_, t in k.sql("FROM before").fetchall()], rel=1e-8)
    k.execute(f"COPY k TO '{tmp_path}/k.csv'; COPY before TO '{tmp_path}/t.csv'")
    command = ["mask", "calibrate", f"{tmp_path}/k.csv", "--id", "id", "--columns", "f", "--margins", "Select,it's",
               "--totals", f"{tmp_path}/t.csv", "--output", f"{tmp_path}/o.parquet"]  # fmt: skip
    assert main(command) == 0
    assert k.execute(f"SELECT sum(f) FROM '{tmp_path}/o.parquet'").fetchone() == pytest.approx(
        k.execute("SELECT sum(total) / 2 FROM before").fetchone()
    )
