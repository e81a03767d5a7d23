"""Values that no measure can be computed from are refused, and the message says which."""

from __future__ import annotations

import re

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


@pytest.mark.one_in(2)
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
