"""A party's own sums, by the macros: exact, whatever the columns are called; an error shows no value."""

from __future__ import annotations

from fractions import Fraction

import pytest
from houses import publics

from sdc_sql.between.errors import RefusedError
from sdc_sql.between.own import compute_cross_sums, compute_own
from sdc_sql.between.terms import draft_agreement
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import ColumnError, ParameterError, TableError, translate_errors

ROWS = """SELECT i AS id, (i * 37 % 100) / 8 - 3 AS f, i % 3 AS "Select", i % 2 = 0 AS "it's", (i * i % 71)::DECIMAL(9,
2) AS y,
          ['north', 'a"b', 'it''s'][1 + i % 3] AS region, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END AS sex FROM
          range(60) AS t(i)"""
SIZES = {"Select": 2, "F": 20, "IT'S": 1, "y": 100}


@pytest.fixture
def model(identities):
    return draft_agreement(publics(identities), SIZES, response="y", regressors=["Select", "F", "IT'S"])


@pytest.fixture
def db(con):
    con.execute(f'CREATE TABLE "k" AS {ROWS}')
    return con


def test_sums_are_exact_and_in_the_order_of_the_agreement(db, model):
    own = compute_own(db, "k", "ID", model)
    rows = db.execute("""SELECT 1, "Select", f, "it's"::INTEGER, y::DOUBLE FROM k""").fetchall()
    scale = [1, *(2**b for b in model.bits)]
    units = [[round(Fraction(v) * s) for v, s in zip(row, scale, strict=True)] for row in rows]
    assert own.sums == [sum(u[i] * u[j] for u in units) for i in range(5) for j in range(i, 5)]
    assert [name for name, _ in own.columns] == ["", "Select", "F", "IT'S", "y"]
    assert own.records == [str(i) for i in range(60)]
    assert len(own.sums) == model.entries


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("spoiled", "error", "words"), [
    ("SELECT * REPLACE (NULL AS f) FROM k", ColumnError, "The column f holds NULL: only complete records"),
    ("SELECT * REPLACE (CASE WHEN id = 7 THEN 20.00001 ELSE f END AS f) FROM k", ColumnError, r"the size.*20\.0"),
    ("SELECT * REPLACE (CASE WHEN id = 7 THEN 'nan'::DOUBLE ELSE f END AS f) FROM k", ColumnError, "beyond the size"),
    ("SELECT * REPLACE (CASE WHEN id = 7 THEN '-inf'::DOUBLE ELSE f END AS f) FROM k", ColumnError, "beyond the size"),
    ("SELECT * REPLACE (f::VARCHAR AS f) FROM k", ColumnError, "The column f has type VARCHAR"),
    ("SELECT * EXCLUDE (f) FROM k", ColumnError, '"F" is not a column of the table'),
    ("SELECT * EXCLUDE (id) FROM k", ColumnError, '"id" is not a column of the table'),
    ("SELECT * REPLACE (id // 2 AS id) FROM k", ColumnError, "The id is NULL or not unique"),
    ("SELECT * REPLACE (nullif(id, 3) AS id) FROM k", ColumnError, "The id is NULL or not unique"),
    ("SELECT * FROM k LIMIT 0", RefusedError, "has no records"),
])  # fmt: skip
def test_what_cannot_be_summed_is_an_error_without_a_value(db, model, spoiled, error, words):
    db.execute(f"CREATE TABLE spoiled AS {spoiled}")
    with pytest.raises(error, match=words) as told:
        compute_own(db, "spoiled", "id", model)
    assert "20.00001" not in str(told.value)


def test_no_table(db, model):
    with pytest.raises(TableError):
        compute_own(db, "nowhere", "id", model)


def test_cells_are_summed_and_an_empty_one_is_nothing(db, identities):
    cells = [[r, s] for r in ("it's", "north", 'a"b', "nobody") for s in ("m", "f")]
    agreement = draft_agreement(publics(identities), {"y": 100, "f": 20}, by=["Region", "sex"], cells=cells)
    own = compute_own(db, "k", "id", agreement)
    rows = db.execute("SELECT region, sex, y::DOUBLE, f FROM k").fetchall()
    by, bf = agreement.bits
    expected = []
    for cell in cells:
        of = [r for r in rows if [*r[:2]] == cell]
        expected += [len(of), sum(round(r[2] * 2**by) for r in of), sum(round(r[3] * 2**bf) for r in of)]
    assert own.sums == expected
    counts = draft_agreement(publics(identities), {}, by=["sex"], cells=[["f"], ["m"]])
    assert compute_own(db, "k", "id", counts).sums == [30, 30]


def test_ids_are_looked_at_before_cells_are_summed(db, identities):
    agreement = draft_agreement(publics(identities), {"y": 100}, by=["sex"], cells=[["f"], ["m"]])
    for column in ("nullif(id, 3)", "id // 2"):
        db.execute(f"CREATE OR REPLACE TABLE spoiled AS SELECT * REPLACE ({column} AS id) FROM k")
        with pytest.raises(ColumnError, match="The id is NULL or not unique"):
            compute_own(db, "spoiled", "id", agreement)


def test_a_record_of_no_cell_is_an_error(db, identities):
    for by, cells in ((["sex"], [["f"]]), (["region", "sex"], [["north", "f"], ["north", "m"]])):
        agreement = draft_agreement(publics(identities), {}, by=by, cells=cells)
        with pytest.raises(ColumnError, match="in none of the cells that were agreed") as told:
            compute_own(db, "k", "id", agreement)
        assert "it's" not in str(told.value)


def test_a_size_far_beyond_the_values_is_an_error(db, identities):
    for terms in ({"response": "y", "regressors": ["f"]}, {"by": ["sex"], "cells": [["f"], ["m"]]}):
        for column in ("y", "f"):
            agreement = draft_agreement(publics(identities), {"y": 100, "f": 20, column: 1e9}, **terms)
            with pytest.raises(ParameterError, match=f"agreed for {column}, 1e\\+09, is so far beyond the own values"):
                compute_own(db, "k", "id", agreement)


def test_the_order_of_the_rows_changes_no_sum(db, model):
    db.execute("CREATE TABLE other AS FROM k ORDER BY hash(id)")
    assert compute_own(db, "k", "id", model).sums == compute_own(db, "other", "id", model).sums


def test_the_examples_of_the_headers(con):
    con.execute("CREATE TABLE tbl AS FROM (VALUES (1, 10), (2, 30)) AS t(sdc__u_x, sdc__u_y)")
    assert compute_cross_sums(con, "tbl") == [[3, 40], [5, 70], [70, 1000]]
    unit = "FROM sdc__units('one', 'id', ['x'], [100e0], [43])"
    con.execute("CREATE TABLE one AS SELECT 1 AS id, 0.5::DOUBLE AS x")
    assert execute(con, unit).fetchall() == [("1", 4398046511104)]
    con.execute("UPDATE one SET x = 200")
    with pytest.raises(ColumnError, match="beyond the size"), translate_errors():
        execute(con, unit)


def test_sums_at_the_edge_of_128_bits_are_exact(con):
    con.execute(
        "CREATE TABLE t AS SELECT pow(2, 50)::BIGINT AS sdc__u_a, -pow(2, 50)::BIGINT AS sdc__u_b FROM range(4096)"
    )
    assert compute_cross_sums(con, "t") == [[2**62, -(2**62)], [2**112, -(2**112)], [-(2**112), 2**112]]


@pytest.mark.parametrize(("terms", "words"), [
    ({"threshold": 2}, "threshold is 2"),
    ({"threshold": True}, "threshold is True"),
    ({"method": "trust"}, "method is 'trust'"),
    ({"regressors": []}, "regressors must be a list of at least 1"),
    ({"regressors": ["x", "X"]}, "names a column twice"),
    ({"regressors": ["y"]}, "names a column twice"),
    ({"regressors": ["sdc__x"]}, "reserved"),
    ({"regressors": ["x\x1b[2J"]}, "regressors must be a list"),
    ({"purpose": "two\nlines"}, "purpose must be a text of one line"),
])  # fmt: skip
def test_an_agreement_that_is_none(identities, terms, words):
    sizes = {"x": 1, "y": 1}
    with pytest.raises(ParameterError, match=words):
        draft_agreement(publics(identities), sizes, **{"response": "y", "regressors": ["x"], **terms})


def test_an_agreement_of_two_houses_or_of_one_house_twice_is_none(identities):
    parties = publics(identities)
    for few in (parties[:2], [*parties[:2], parties[0]], [*parties[:2], {**parties[0], "name": "office-d"}]):
        with pytest.raises(ParameterError, match=r"at least 3|two parties of one"):
            draft_agreement(few, {"x": 1, "y": 1}, response="y", regressors=["x"])


@pytest.mark.parametrize("size", [0, -1, float("nan"), float("inf"), 1e16, 1e-10, True, "1"])
def test_a_size_is_a_positive_number(identities, size):
    with pytest.raises(ParameterError, match="the size of x is"):
        draft_agreement(publics(identities), {"x": size, "y": 1}, response="y", regressors=["x"])
