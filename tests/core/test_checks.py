"""Values that no measure can be computed from are refused, and the message says which."""

from __future__ import annotations

import re

import duckdb
import pytest
from every_macro import CALLS, WITH_NULLS, WITH_WEIGHT, complaint, query

FRACTIONS = {
    "sampling fraction": [
        "FROM sdc_theta('persons', ['age', 'sex'], {value})",
        "FROM sdc_theta_by('persons', ['age', 'sex'], 'region', {value})",
    ],
    "confidence": [
        "FROM sdc_theta('persons', ['age', 'sex'], 0.1, confidence := {value})",
        "FROM sdc_theta_by('persons', ['age', 'sex'], 'region', 0.1, confidence := {value})",
        # no sample unique in the first, so theta and its bound are 0: the argument is wrong all the same
        "FROM sdc_theta('persons', ['household'], 0.1, confidence := {value})",
        "FROM sdc_theta_by('persons', ['age'], 'household', 0.1, confidence := {value})",
    ],
    "maximum rate": [
        "FROM sdc_risk_threshold('persons', ['age', 'sex'], 'weight', {value})",
        "FROM sdc_risk_threshold('persons', ['age', 'sex'], 'weight', {value}, nulls := 'wildcard')",
    ],
    "household threshold": [
        "FROM sdc_household_risk('persons', ['age', 'sex'], 'weight', 'household', {value})",
    ],
}
OUTSIDE = {
    "0": "0",
    "1": "1",
    "-0.1": "-0.1",
    "1.5": "1.5",
    "NULL": "NULL",
    "NULL::DOUBLE": "NULL",
    "'nan'::DOUBLE": "nan",
    "'inf'::DOUBLE": "inf",
    "1e0": "1.0",
}


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("what", "call", "value", "shown"),
    [
        (what, call, value, shown)
        for what, calls in FRACTIONS.items()
        for call in calls
        for value, shown in OUTSIDE.items()
        if not (what == "household threshold" and shown == "NULL")  # where NULL is "none given"
    ],
)
def test_a_fraction_outside_its_range(people, what, call, value, shown):
    message = complaint(people, call.format(value=value))
    assert re.search(rf"The {what} is {re.escape(shown)}(\.0)?: it must lie strictly between 0 and 1\.", message)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", WITH_WEIGHT)
@pytest.mark.parametrize(
    "value",
    ["NULL", "'nan'", "0", "-2.5", "'inf'", "'-inf'"],
)
def test_one_weight_that_is_none(people, name, value):
    people.execute(f"""
        CREATE OR REPLACE TABLE ill AS
        SELECT * REPLACE (CASE WHEN id = 5 THEN {value}::DOUBLE ELSE weight END::DOUBLE AS weight) FROM persons
    """)
    message = complaint(people, query(name, tbl="'ill'"))
    assert "A sampling weight is NULL, NaN, no number, infinite, zero or negative: weights must be positive" in message


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", WITH_WEIGHT)
@pytest.mark.parametrize("value", ["0", "-1", "'nan'::DOUBLE", "'inf'::DOUBLE"])
def test_a_number_that_no_record_can_weigh(people, name, value):
    message = complaint(people, query(name, weight=value))
    assert "A sampling weight is NULL, NaN, no number, infinite, zero or negative: weights must be positive" in message


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("name", [n for n in WITH_WEIGHT if "frequencies" not in n and "threshold_rule" not in n])
@pytest.mark.parametrize("value", ["NULL", "NULL::VARCHAR"])
def test_risk_without_a_weight(people, name, value):
    message = complaint(people, query(name, weight=value))
    assert (
        "Error: A weight is needed: the name of the column" in message
        or '"NULL": the list of columns holds a NULL' in message
    )


@pytest.mark.slow
def test_a_text_in_the_column_of_weights(persons):
    persons.execute("ALTER TABLE persons ALTER weight TYPE VARCHAR; UPDATE persons SET weight = 'many' WHERE id = 5")
    for name in WITH_WEIGHT:
        assert "many" in complaint(persons, query(name))


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "name", [n for n in WITH_WEIGHT if not {"frequencies", "composition"} & {*n.replace(" ", "_").split("_")}]
)
def test_normalised_weights_are_refused_and_no_cell_is_shown(persons, name):
    """Weights with mean 1: some cells then have fewer persons in the population than in the sample."""
    persons.execute("ALTER TABLE persons ALTER weight TYPE DOUBLE")
    persons.execute("UPDATE persons SET weight = CASE WHEN age = 67 THEN 0.25 ELSE 1.5 END")
    keys = "['age']"  # the one record of 67 years; with wildcards the record without an age agrees with it
    message = complaint(persons, query(name, keys=keys))
    assert "The weights of a cell sum to less than its records" in message
    assert "67" not in message
    assert "need expansion weights" in message or "expansion weights are needed" in message


def test_normalised_weights_still_have_sums(persons):
    persons.execute("ALTER TABLE persons ALTER weight TYPE DOUBLE; UPDATE persons SET weight = 0.25")
    result = persons.execute(
        "SELECT population_frequency FROM sdc_frequencies('persons', ['sex'], 'weight') WHERE sex = 'm'"
    )
    assert result.fetchall() == [(1.0,)] * 4  # four men of a quarter each


def test_the_last_digits_of_a_sum_are_forgiven(con):
    """Seven persons who weigh a rounding less than 1 each, as calibration leaves them."""
    con.execute("CREATE TABLE t AS SELECT 1 AS a, 1e0 - 1e-15 AS w FROM range(7)")
    (risk,) = con.execute("SELECT individual_risk FROM sdc_cell_risk('t', ['a'], 'w')").fetchone()
    assert risk == pytest.approx(1 / 7, rel=1e-14)  # F = f: no more than one in seven


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", WITH_NULLS)
@pytest.mark.parametrize(("value", "shown"), [("'x'", "x"), ("NULL", "NULL"), ("''", ""), ("'Category'", "Category")])
def test_nulls_is_one_of_two_words(people, name, value, shown):
    message = complaint(people, query(name).replace("'wildcard'", value))
    assert f"nulls is {shown}: it must be 'category'" in message


@pytest.mark.parametrize("name", [n for n in CALLS if "household" in n])
def test_a_household_that_is_missing(persons, name):
    persons.execute("UPDATE persons SET household = NULL WHERE id = 8")
    assert "A household number is NULL: every person must belong to a household" in complaint(persons, query(name))


@pytest.mark.parametrize("nulls", ["category", "wildcard"])
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1", "1"),
        ("0", "0"),
        ("-3", "-3"),
        ("2.5", "2.5"),
        ("NULL", "NULL"),
        ("NULL::INTEGER", "NULL"),
        ("'x'", "x"),
        ("'nan'::DOUBLE", "nan"),
        ("1e9", "1000000000.0"),
    ],
)
def test_k_is_a_whole_number_of_at_least_two(people, value, shown, nulls):
    message = complaint(people, f"FROM sdc_k_anonymity('persons', ['age'], {value}, nulls := '{nulls}')")
    assert f"k is {shown}: it must be a whole number of at least 2 " in message


def test_a_whole_number_may_be_written_with_a_point(people):
    expected = people.execute("FROM sdc_k_anonymity('persons', ['age'], 3)").fetchall()
    assert people.execute("FROM sdc_k_anonymity('persons', ['age'], 3.0)").fetchall() == expected


@pytest.mark.parametrize(("least", "most"), [(0.1, 0.2), (0.1, 0.100001)])
def test_a_sampling_fraction_that_varies_within_a_stratum(con, least, most):
    con.execute(
        "CREATE TABLE t AS SELECT i AS a, i % 2 AS s, "
        f"CASE WHEN i = 4 THEN {most} ELSE {least} END::DOUBLE AS pi FROM range(6) r(i)"
    )
    message = complaint(con, "FROM sdc_theta_by('t', ['a'], 's', 'pi')")
    assert "The sampling fraction varies within a stratum: it must be constant in each stratum." in message


@pytest.mark.parametrize("value", ["NULL", "1.5", "0", "'nan'", "-0.5"])
def test_one_sampling_fraction_that_is_none(con, value):
    con.execute(
        "CREATE TABLE t AS SELECT i AS a, i % 2 AS s, "
        f"CASE WHEN i = 4 THEN {value} ELSE 0.1::DOUBLE END AS pi FROM range(6) r(i)"
    )
    message = complaint(con, "FROM sdc_theta_by('t', ['a'], 's', 'pi')")
    assert "The sampling fraction is pi: it must lie strictly between 0 and 1 on every record." in message


def test_a_sample_that_is_no_part_of_the_population(persons):
    persons.execute("CREATE TABLE strangers AS SELECT 99 AS age, 'f' AS sex")
    message = complaint(persons, "FROM sdc_population_risk('strangers', 'persons', ['age', 'sex'])")
    assert "A cell has more records in the sample than in the population" in message
    assert "99" not in message
    assert "the sample must be a part of the population, coded alike" in message


def test_a_cell_that_the_sample_has_more_often(persons):
    persons.execute("CREATE TABLE twice AS SELECT 67 AS age, NULL::VARCHAR AS sex FROM range(2)")
    message = complaint(persons, "FROM sdc_population_risk('twice', 'persons', ['age', 'sex'])")
    assert "A cell has more records in the sample than in the population" in message


def answers(con, *expressions):
    """Return what each expression gives: a value, or the beginning of its message."""
    found = []
    for expression in expressions:
        try:
            found += con.execute(f"SELECT {expression}").fetchone()
        except duckdb.Error as error:
            found.append(str(error).split("Error: ")[2][:60])
    return found


def test_bounds_of_weights_and_of_rounding(con):
    """From 1e-9 to 1e15, both of them; sums are at least, or at most, what they miss by 1e-12 of it."""
    weights = ["1e-9", "0.99e-9", "1e15", "1.001e15", "1", "NULL", "'nan'::DOUBLE"]
    assert answers(con, *(f"sdc__is_weight({w})" for w in weights)) == [True, False, True, False, True, False, False]
    least, most = "sdc__at_least({}, 10e0)", "sdc__at_most({}, 10e0)"
    near = ["10e0", "10 * (1 - 1e-12)", "10 - 3e-11", "10 + 3e-11", "10 * (1 + 1e-12)"]
    assert answers(con, *map(least.format, near)) == [True, True, False, True, True]
    assert answers(con, *map(most.format, near)) == [True, True, True, False, True]


def test_what_a_cell_stands_for(con):
    """Its weights, where they are as many as its records; its records, where a little is missing, or that is said."""
    call = "sdc__checked_population({}, {})"
    given = ["3e0, 3", "4.5e0, 3", "3 - 1e-13, 3", "2.9e0, 3, small_weights := 'at_least_one'"]
    found = answers(con, *(call.format(*g.split(", ", 1)) for g in given))
    assert found == [3, 4.5, 3, 3]
    assert answers(con, "sdc__checked_weights(2.5e0, 3, small_weights := 'at_least_one')",
                   "sdc__checked_weights(4.5e0, 3)") == [2.5, 4.5]  # fmt: skip
    wrong = answers(con, *(call.format(*g.split(", ", 1)) for g in (
        "2.9e0, 3", "NULL, 3", "3, 3, small_weights := 'no'", "3, 3, small_weights := NULL")))  # fmt: skip
    assert [text[:32] for text in wrong] == [
        "The weights of a cell sum to les", "A weight is needed: the name of ", "small_weights is no: it must be ",
        "small_weights is NULL: it must b",
    ]  # fmt: skip


def test_numbers_at_their_bounds(con):
    """A sampling fraction of 1 is one on a record of a column, and none for all; whole numbers reach to both ends."""
    asked = {
        "inclusion('pi', 1e0)": 1, "inclusion('pi', 0.25e0)": 0.25, "whole(2, 'k', 2)": 2,
        "inclusion(1, 1)": "The sampling fraction is 1: it must lie strictly between 0 a",
        "whole(1, 'k', 2)": "k is 1: it must be a whole number of at least 2.",
        "whole(2.5, 'k', 2)": "k is 2.5: it must be a whole number of at least 2.",
        "whole(2000, 'k', 2, most := 2000)": 2000,
        "whole(2001, 'k', 2, most := 2000)": "k is 2001: it must be a whole number of at least 2 (and at m",
        "number(NULL, 'x')": None, "number('2.5', 'x')": 2.5, "number('low', 'x')": "x is low: it must be a number.",
        "choice('a', 'x', ['b', 'a'])": "a", "choice('c', 'x', ['b', 'a'])": "x is 'c': it must be one of b, a.",
        "choice(NULL, 'x', ['b', 'a'])": "x is NULL: it must be one of b, a.", "fraction(0.5, 'x')": 0.5,
        "fraction(1, 'x')": "The x is 1: it must lie strictly between 0 and 1.",
    }  # fmt: skip
    assert dict(zip(asked, answers(con, *(f"sdc__checked_{call}" for call in asked)), strict=True)) == asked


def test_texts_of_numbers_that_differ_in_form(con):
    """Zeros before a number, and after its point, are no part of it; what is no number has no digits."""
    texts = ["007", "1.50", "1.00", "100", "0", "-017", "", "a1", "1a", "1e5"]
    found = answers(con, *(f"sdc__plain_digits('{t}')" for t in texts))
    assert found == ["7", "1.5", "1", "100", "", "-017", None, None, None, None]


def test_sizes_of_numbers_at_their_bounds(con):
    """1e150 has a square that is a number; a power of two is brought to 1, what is a little less to nearly 2."""
    found = answers(con, "sdc__finite_number(1e150)", "sdc__finite_number(-1e150)", "sdc__finite_number(1.1e150)",
                    "sdc__finite_number(NULL::DOUBLE)", "sdc__finite_number('nan'::DOUBLE)")  # fmt: skip
    assert found[:2] + found[3:4] == [1e150, -1e150, None]
    assert "beyond 1e150" in found[2]
    assert found[4].startswith("A column holds NaN or infinite values")
    shifted = answers(con, *(f"sdc__shift({x})" for x in ("8e0", "7.9e0", "0.5e0", "0.6e0", "0e0", "NULL", "1e0")))
    assert shifted == [1 / 8, 1 / 4, 2, 2, 1, 1, 1]
    for number in (0, 1, -1, 2**43, 2**86 - 1, -(2**86), 2**126 + 2**50 + 3, -(2**125) + 7):
        parts = f"sdc__parted_number({number}::HUGEINT)"
        assert answers(con, f"sdc__joined_number({parts}[1], {parts}[2], {parts}[3])") == [number]


def test_intervals_and_decimals_that_are_just_of_one_form(con):
    """29 days and 23 hours are in one form, 30 and 24 are not, nor below 0; beyond 15 digits a text is kept."""
    other = "sdc__is_other_interval(INTERVAL '{}')"
    spans = ["29 days", "30 days", "-29 days", "-30 days", "23 hours 59 minutes", "24 hours", "-24 hours", "7 months"]
    assert answers(con, *map(other.format, spans)) == [False, True, False, True, False, True, True, False]
    texts = ["1.50", "1.00", "17", "-0.250", "9007199254740.993", "0.00000000000000000010"]
    found = answers(con, *(f"sdc__canonical_decimal('{t}')" for t in texts))
    assert found[:5] == ["1.5", "1", "17", "-0.25", "9007199254740.993"]
    assert float(found[5]) == 1e-19
