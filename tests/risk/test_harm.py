"""Disclosure harm: Bayes by hand, the regression against closed forms, costs by hand (Lambert 1993, section 6)."""

from __future__ import annotations

import math

import duckdb
import numpy as np
import pytest

import sdc_sql
from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, InputError, ParameterError, TableError


@pytest.mark.parametrize("prior", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("q", [0.6, 0.99, 1.0])
def test_flip_posterior_by_counting(con, prior, q):
    """Of a million persons alike, the share with a true 1 among those who are released as 1, and as 0 (slide 34)."""
    true, false = 1e6 * prior, 1e6 * (1 - prior)
    for released, (ones, zeros) in ((1, (true * q, false * (1 - q))), (0, (true * (1 - q), false * q))):
        if not ones + zeros:  # nobody is released so: to ask for one is a contradiction
            with pytest.raises(duckdb.Error, match="One of them is wrong"):
                con.execute("SELECT sdc_flip_posterior(?, ?, ?)", [prior, q, released]).fetchall()
            continue
        ((found,),) = con.execute("SELECT sdc_flip_posterior(?, ?, ?)", [prior, q, released]).fetchall()
        assert found == pytest.approx(ones / (ones + zeros))


def test_flip_posterior_in_python():
    assert sdc_sql.flip_posterior(0.1, 0.8, 1) == pytest.approx(0.08 / 0.26)
    for arguments, said in (
        ((1.5, 0.8, 1), "prior is 1.5"),
        ((0.5, 0.5, 1), "q is 0.5"),
        ((0.5, 0.8, 2), "released is 2"),
        ((0, 1, 1), "prior is 0, q is 1 and released is 1"),
        (("a", 0.8, 1), "prior is no number"),
        ((None, 0.8, 1), "prior is no number"),
    ):
        with pytest.raises(ParameterError, match=said):
            sdc_sql.flip_posterior(*arguments)


def saturated(con, q: float) -> tuple[Microdata, list[float]]:
    """Return a table with one binary predictor, and the shares of a true 1 at 0 and 1, in closed form."""
    con.execute("""
        CREATE OR REPLACE TABLE "k" AS
        SELECT i AS "f's", (i % 2)::DOUBLE AS "Select", (i % 2 = 0 AND i % 7 < 2) OR (i % 2 = 1 AND i % 5 < 3) AS "a""b"
        FROM range(700) t(i)
    """)  # fmt: skip
    shares = [
        s for (s,) in con.execute('SELECT avg("a""b"::INTEGER) FROM k GROUP BY "Select" ORDER BY "Select"').fetchall()
    ]
    return Microdata(con, "k", id="f's"), [(s - (1 - q)) / (2 * q - 1) for s in shares]


@pytest.mark.parametrize("q", [0.75, 0.9, 1.0])
def test_regression_under_flipping_in_closed_form(con, q):
    """A saturated model fits the share s of each group: q pi + (1 - q)(1 - pi) = s (slide 35)."""
    data, shares = saturated(con, q)
    found = data.risk.flip_regression('a"b', ["select"], q)
    logits = [math.log(p / (1 - p)) for p in shares]
    assert [t.term for t in found] == ["(intercept)", "Select"]
    assert [t.estimate for t in found] == pytest.approx([logits[0], logits[1] - logits[0]], abs=1e-8)
    # of a group, var(pi) = s (1 - s) / (n (2q - 1)^2), and of its logit by the delta method
    spread = [
        math.sqrt((q * p + (1 - q) * (1 - p)) * (1 - q * p - (1 - q) * (1 - p)) / 350) / (2 * q - 1) / (p * (1 - p))
        for p in shares
    ]
    assert [t.standard_error for t in found] == pytest.approx([spread[0], math.hypot(*spread)], rel=1e-6)
    rows = data.risk.flip_posterior_records('a"b', ["Select"], q).fetchall()
    for record, prior, posterior in rows:
        i = int(record)
        assert prior == pytest.approx(shares[i % 2], abs=1e-8)
        one = (i % 2 == 0 and i % 7 < 2) or (i % 2 == 1 and i % 5 < 3)
        assert posterior == pytest.approx(sdc_posterior(prior, q, one=one), abs=1e-9)


def sdc_posterior(prior: float, q: float, *, one: bool) -> float:
    kept, other = (q, 1 - q) if one else (1 - q, q)
    return kept * prior / (kept * prior + other * (1 - prior))


def test_regression_recovers_what_was_true(con):
    """Of values flipped with probability 0.2, the coefficients within three standard errors; as they stand, not."""
    draw = np.random.default_rng(5)
    x = draw.normal(size=(20_000, 2))
    true = draw.random(20_000) < 1 / (1 + np.exp(-(-0.5 + 1.2 * x[:, 0] - 0.7 * x[:, 1])))
    flipped = true ^ (draw.random(20_000) < 0.2)
    con.execute("CREATE OR REPLACE TABLE flips (id INTEGER, u DOUBLE, v DOUBLE, y BOOLEAN)")
    values = {"u": x[:, 0].tolist(), "v": x[:, 1].tolist(), "y": flipped.tolist()}
    con.execute(
        "INSERT INTO flips "
        "SELECT unnest(range(20000)), unnest($u::DOUBLE[]), unnest($v::DOUBLE[]), unnest($y::BOOLEAN[])",
        values,
    )
    data = Microdata(con, "flips", id="id")
    for term, beta in zip(data.risk.flip_regression("y", ["u", "v"], 0.8), (-0.5, 1.2, -0.7), strict=True):
        assert abs(term.estimate - beta) < 3 * term.standard_error
    plain = data.risk.flip_regression("y", ["u", "v"], 1)
    assert abs(plain[1].estimate - 1.2) > 10 * plain[1].standard_error


def test_wrong_input_of_the_regression(con):
    con.execute("""
        CREATE OR REPLACE TABLE odd AS
        SELECT i AS id, i % 3 AS three, i < 4 AS y, i AS x, 1 AS one, 2 * i AS twice, 't' AS txt, nullif(i, 2) AS gap
        FROM range(8) t(i)
    """)  # fmt: skip
    data = Microdata(con, "odd", id="id")
    for error, said, arguments in (
        (ColumnError, "three holds NULL or a value that is neither", ("three", ["x"], 0.8)),
        (InputError, "no maximum", ("y", ["x"], 0.9)),
        (InputError, "constant", ("y", ["one"], 0.9)),
        (InputError, "follows from the others", ("y", ["x", "twice"], 0.9)),
        (ColumnError, "txt", ("y", ["txt"], 0.9)),
        (ColumnError, "gap holds NULL", ("y", ["gap"], 0.9)),
        (ParameterError, "q is 0.5", ("y", ["x"], 0.5)),
        (ParameterError, "q is 'a'", ("y", ["x"], "a")),
        (ColumnError, "among the columns", ("y", ["Y"], 0.9)),
        (ColumnError, "columns is 1", ("y", 1, 0.9)),
    ):
        with pytest.raises(error, match=said):
            data.risk.flip_regression(*arguments)


HARM = [
    # respondent, identification, inference, probability
    (1, "correct", "correct", 0.3), (1, "incorrect", "correct", 0.2), (2, "correct", "none", 0.1),
    (2, "incorrect", "none", 0.25), (2, "none", "none", 0.65), (3, "correct", "incorrect", 0.5),
    (3, "incorrect", "incorrect", 0.5), (4, "none", "none", 1.0),
]  # fmt: skip
COSTS = [
    ("correct", "correct", 100), ("correct", "incorrect", 60), ("correct", "none", 20), ("incorrect", "correct", 40),
    ("incorrect", "incorrect", 30), ("incorrect", "none", 8),
]  # fmt: skip


def outcomes(con, rows: list[tuple], costs: list[tuple]) -> None:
    con.execute(
        'CREATE OR REPLACE TABLE "k" ("f\'s" INTEGER, Identification VARCHAR, inference VARCHAR, probability DOUBLE)'
    )
    con.execute("CREATE OR REPLACE TABLE prices (identification VARCHAR, inference VARCHAR, cost DOUBLE)")
    for name, given in (("k", rows), ("prices", costs)):
        con.executemany(f"INSERT INTO {name} VALUES ({', '.join(['?'] * len(given[0]))})", given)


def test_expected_harm_by_hand(con):
    """Slide 36: c_TT 100, c_TF 60, c_TN 20, c_FT 40, c_FF 30, c_FN 8; nothing where there is no identification."""
    outcomes(con, HARM, COSTS)
    rows = con.execute("FROM sdc_expected_harm_records('k', 'prices', 'f''s')").fetchall()
    by_hand = {"1": 38.0, "2": 4.0, "3": 45.0, "4": 0.0}
    assert dict(rows) == pytest.approx(by_hand)
    ((people, total, average, most),) = con.execute("FROM sdc_expected_harm('k', 'prices', 'f''s')").fetchall()
    assert (people, total, average, most) == pytest.approx((4, 87, 21.75, 45))


@pytest.mark.parametrize(
    ("rows", "costs", "said"),
    [
        ([(1, "correct", "correct", 0.7), (1, "none", "none", 0.4)], COSTS, "sum to more than 1"),
        ([(1, "correct", "correct", 0.7)], COSTS[1:], "no cost for an identification that is correct with"),
        ([(1, "right", "correct", 0.7)], COSTS, "something else than correct, incorrect or none"),
        ([(1, "correct", "correct", -0.1)], COSTS, "A probability is NULL, no number"),
        ([(1, "correct", "correct", None)], COSTS, "A probability is NULL"),
        ([(1, "correct", "correct", 0.5)], [*COSTS, COSTS[0]], "or a case has two"),
        ([(1, "correct", "correct", 0.5)], [("correct", "correct", None)], "a cost is NULL"),
        ([(None, "correct", "correct", 0.5)], COSTS, "is NULL on a record"),
    ],
)
def test_wrong_input_of_harm(con, rows, costs, said):
    outcomes(con, rows, costs)
    with pytest.raises(Exception, match=said):
        con.execute("FROM sdc_expected_harm('k', 'prices', 'f''s')").fetchall()


def test_harm_of_no_table(con):
    con.execute("CREATE OR REPLACE TABLE one AS SELECT 1 AS id")
    with pytest.raises(TableError, match="costs is 5"):
        Microdata(con, "one", id="id").risk.expected_harm(5)


def test_a_cost_of_no_identification_counts_where_it_is_given(con):
    """To tell a wrong one is one thing, that nobody is told another: 0.65 * 3 more of the second, 3 of the fourth."""
    outcomes(con, [*HARM, (5, "none", "correct", 1.0), (6, "incorrect", "none", 0.0)], [*COSTS, ("none", "none", 3)])
    rows = con.execute("FROM sdc_expected_harm_records('k', 'prices', 'f''s')").fetchall()
    expected = {"1": 38.0, "2": 4.0 + 1.95, "3": 45.0, "4": 3.0, "5": 0.0, "6": 0.0}
    assert dict(rows) == pytest.approx(expected)
    (row,) = con.execute("FROM sdc_expected_harm('k', 'prices', 'f''s')").fetchall()
    assert row == pytest.approx((6, sum(expected.values()), sum(expected.values()) / 6, 45))
    # what cannot happen needs no cost
    con.execute("DELETE FROM k WHERE probability > 0")
    con.execute("DELETE FROM prices")
    con.execute("INSERT INTO prices VALUES ('correct', 'correct', -5)")
    assert con.execute("FROM sdc_expected_harm_records('k', 'prices', 'f''s')").fetchall() == [("6", 0.0)]
    con.execute("INSERT INTO k VALUES (6, 'correct', 'correct', 1.0)")
    assert con.execute("FROM sdc_expected_harm('k', 'prices', 'f''s')").fetchall() == [(1, -5, -5, -5)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-0.1, 0.8, 1", "prior is -0.1"), ("1.1, 0.8, 1", "prior is 1.1"), ("NULL, 0.8, 1", "prior is NULL"),
        ("0.1, 0.5, 1", "q is 0.5"), ("0.1, 1.1, 1", "q is 1.1"), ("0.1, NULL, 1", "q is NULL"),
        ("0.1, 0.8, 2", "released is 2"), ("0.1, 0.8, -1", "released is -1"), ("0.1, 0.8, NULL", "released is NULL"),
        ("1, 1, 0", "prior is 1, q is 1 and released is 0"),
    ],
)  # fmt: skip
def test_wrong_input_of_the_posterior_in_sql(con, arguments, said):
    with pytest.raises(duckdb.Error, match=said):
        con.execute(f"SELECT sdc_flip_posterior({arguments})").fetchall()


def test_an_attribute_of_numbers_or_texts_is_that_of_truth_values(con):
    data, _ = saturated(con, 0.9)
    expected = data.risk.flip_regression('a"b', ["select"], 0.9)
    records = con.execute("""FROM sdc_flip_posterior_records('k', 'a"b', ['select'], 'f''s', 0.9)""").fetchall()
    for kind in ("INTEGER", "VARCHAR"):
        con.execute(f'ALTER TABLE k ALTER "a""b" TYPE {kind}')
        assert data.risk.flip_regression('a"b', ["select"], 0.9) == expected
        found = con.execute("""FROM sdc_flip_posterior_records('k', 'a"b', ['select'], 'f''s', 0.9)""").fetchall()
        assert found == records
