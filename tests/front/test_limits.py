"""Limits on a report: what cannot be checked must not pass."""

from __future__ import annotations

import math

import pytest

import sdc_sql
from sdc_sql.errors import ParameterError
from sdc_sql.limits import exceeded, named

REPORT = {
    "table": "persons",
    "keys": ["age", "sex"],
    "weight": 5.0,
    "frequencies": {"records": 10, "cells": 8, "uniques_rate": 0.5},
    "k_anonymity": [{"k": 2, "records": 3, "cells": 3}, {"k": 3, "records": 5, "cells": 4}],
    "theta": None,
    "theta_by": [
        {"stratum": "north", "records": 6, "theta": 0.2, "upper_bound": 0.3},
        {"stratum": "south", "records": 4, "theta": 0.6, "upper_bound": 0.9},
    ],
    "global_risk": {"records": 10, "percent": 1.5, "reidentification_rate": 0.015},
    "household_risk": None,
    "riskiest_keys": [
        {"age": 41, "sex": "m", "sample_frequency": 1, "individual_risk": 0.9},
        {"age": 30, "sex": "f", "sample_frequency": 1, "individual_risk": 0.2},
    ],
}
HELD = {
    "frequencies.records > 10": False,
    "frequencies.records >= 10": True,
    "frequencies.records < 10": False,
    "frequencies.records <= 10": True,
    "frequencies.records = 10": True,
    "frequencies.records == 10": True,
    "frequencies.records <> 10": False,
    "frequencies.records != 9": True,
    "frequencies.uniques_rate > 0.4999999": True,
    "frequencies.uniques_rate > .5": False,
    "frequencies.records > -1": True,
    "frequencies.records < -1": False,
    "frequencies.records > 1e1": False,
    "frequencies.records > 9.9e0": True,
    "global_risk.reidentification_rate > 1e-2": True,
    "  frequencies.records>9  ": True,
    "frequencies.records > 9 -- as agreed": True,
    "k_anonymity.2.records > 2": True,
    "k_anonymity.2.records > 3": False,
    "k_anonymity.3.records > 4": True,
    "k_anonymity.3.cells > 4": False,
    "k_anonymity.2.records > 2 AND k_anonymity.3.cells >= 4": True,
    "theta_by.upper_bound > 0.8": True,
    "theta_by.upper_bound > 0.9": False,
    "theta_by.upper_bound < 0.31": True,
    "riskiest_keys.individual_risk > 0.8": True,
    "riskiest_keys.individual_risk > 0.9": False,
    "(frequencies.records > 9)": True,
    "NOT frequencies.records > 9": False,
    "not frequencies.records > 10": True,
    "frequencies.records > 9 AND global_risk.percent > 1": True,
    "frequencies.records > 9 AND global_risk.percent > 2": False,
    "frequencies.records > 10 or global_risk.percent > 1": True,
    "frequencies.records > 10 OR global_risk.percent > 2": False,
    # AND binds tighter than OR, NOT tighter than either
    "frequencies.records > 9 OR frequencies.records > 10 AND frequencies.records > 10": True,
    "(frequencies.records > 9 OR frequencies.records > 10) AND frequencies.records > 10": False,
    "NOT frequencies.records > 10 AND global_risk.percent > 2": False,
    "NOT (frequencies.records > 10 AND global_risk.percent > 2)": True,
}
# Nothing of these can be checked, so nothing of them may pass as "not exceeded".
UNREADABLE = [
    "",
    "   ",
    ";",
    "TRUE",
    "frequencies.records",
    "frequencies.records >",
    "> 5",
    "5 < frequencies.records",
    "0.2 > 0.1",
    "frequencies.records > 'many'",
    "frequencies.records > NULL",
    "frequencies.records > TRUE",
    "frequencies.records > ?",
    "frequencies.records > global_risk.records",
    "frequencies.records > 10%",
    "frequencies.records IS NULL",
    "frequencies.records IN (10)",
    "frequencies.records BETWEEN 1 AND 5",
    "frequencies.records > 5 OR",
    "frequencies.records > 5 XOR frequencies.records > 5",
    "frequencies.records > 5 frequencies.records > 5",
    "frequencies.records > 5; DROP TABLE persons",
    "SELECT 1",
    "(frequencies.records > 5",
    "abs(frequencies.records) > 5",
]
# A number that is no plain number must be refused or computed, never cut short.
NO_NUMBER = [
    "frequencies.records > 2 * 30",
    "frequencies.records > 2 + 30",
    "frequencies.records > 2 - 30",
    "frequencies.records > 100 / 2",
    "frequencies.records > 20 % 100",
    "frequencies.records > abs(5)",
    "frequencies.records > round(9.5)",
    "frequencies.records > - - 20",
    "frequencies.records > nan",
    "frequencies.records > inf",
    "frequencies.records > infinity",
    "frequencies.records > 1e999",
]
UNMEASURED = [
    "theta.upper_bound > 0.1",
    "household_risk.percent > 1",
    "nonsense.records > 1",
    "frequencies.nonsense > 1",
    "frequencies > 1",
    "records > 1",
    "k_anonymity.records > 0",
    "k_anonymity.3 > 0",
    "k_anonymity.3.nonsense > 0",
    "k_anonymity.7.records > 0",
    "k_anonymity.1.records > 0",
    "k_anonymity.03.records > 0",
    "k_anonymity.x.records > 0",
    "k_anonymity.².records > 0",
    "k_anonymity > 0",
    "theta_by > 0.1",
    "theta_by.south.theta > 0.1",
    "theta_by.stratum > 1",
    "frequencies.records.more > 1",
    "a.b.c.d.e > 1",
    "table > 1",
    "table.records > 1",
    "keys.age > 1",
    "weight > 1",
    "weight.records > 1",
    "riskiest_keys.sex > 1",
    "riskiest_keys.nonsense > 1",
]


@pytest.mark.parametrize("limit", HELD)
def test_what_a_limit_says(limit):
    assert exceeded(limit, REPORT) is HELD[limit]


@pytest.mark.parametrize("limit", UNREADABLE)
def test_what_cannot_be_read_is_refused(limit):
    with pytest.raises(ParameterError, match="cannot be read") as raised:
        exceeded(limit, REPORT)
    assert repr(limit) in str(raised.value)


@pytest.mark.parametrize("limit", NO_NUMBER)
def test_what_is_no_plain_number_is_refused(limit):
    with pytest.raises(ParameterError):
        exceeded(limit, REPORT)


@pytest.mark.parametrize("limit", UNMEASURED)
def test_what_was_not_measured_is_refused(limit):
    with pytest.raises(ParameterError) as raised:
        exceeded(limit, REPORT)
    assert repr(limit) in str(raised.value)


@pytest.mark.parametrize(
    "limit",
    [
        "frequencies.records > 1 OR theta.theta > 1",
        "theta.theta > 1 OR frequencies.records > 1",
        "frequencies.records > 100 AND theta.theta > 1",
        "theta.theta > 1 AND frequencies.records > 100",
        "NOT theta.theta > 1",
        "frequencies.records > 1 OR NOT (k_anonymity.9.records > 1)",
    ],
)
def test_the_other_side_does_not_hide_what_was_not_measured(limit):
    with pytest.raises(ParameterError):
        exceeded(limit, REPORT)


def test_the_message_names_what_was_measured():
    with pytest.raises(ParameterError, match=r"theta, which was not measured \(measured: .*theta_by"):
        exceeded("theta.theta > 1", REPORT)


def test_a_negation_does_not_hide_a_stratum():
    # south has 0.9, which is what the limit forbids; north does not excuse it
    assert exceeded("NOT theta_by.upper_bound <= 0.8", REPORT)


@pytest.mark.parametrize(
    "limit",
    [
        "NOT attribute.distinct_l >= 2",
        "NOT (attribute.distinct_l >= 2 AND attribute.t <= 0.4)",
        "NOT threshold_rule.unsafe_combinations = 0",
    ],
)
def test_a_negation_hides_no_row(limit):
    report = {
        **REPORT,
        "attribute": [{"sensitive": "a", "distinct_l": 3, "t": 0.1}, {"sensitive": "b", "distinct_l": 1, "t": 0.5}],
        "threshold_rule": [{"unsafe_combinations": 0}, {"unsafe_combinations": 7}],
    }
    assert exceeded(limit, report)


def test_conditions_on_a_stratum_are_on_one_and_the_same():
    # north has six records and south a theta of 0.6, but no stratum has both
    assert not exceeded("theta_by.records > 5 AND theta_by.theta > 0.5", REPORT)


def test_the_report_is_left_as_it_is():
    before = repr(REPORT)
    exceeded("k_anonymity.2.records > 2 AND theta_by.theta > 0.1", REPORT)
    assert repr(REPORT) == before


def test_on_a_real_report(persons):
    data = sdc_sql.Microdata(persons, "persons", keys=["age", "sex"], weight="weight", stratum="region")
    figures = sdc_sql.risk_report(data).to_dict()
    assert exceeded("k_anonymity.2.records > 2", figures)
    assert not exceeded("k_anonymity.5.records > 8", figures)
    with pytest.raises(ParameterError, match="theta_by, which was not measured"):
        exceeded("theta_by.theta > 0.1", figures)
    with pytest.raises(ParameterError, match="names no figure"):
        exceeded("k_anonymity.6.records > 0", figures)


@pytest.mark.parametrize("limit", ["theta.theta > 1e", "theta.theta > 1e-", "theta.theta > 0x1F", "theta.theta > nan"])
def test_what_begins_as_a_number_is_refused(limit):
    with pytest.raises(ParameterError, match="cannot be read"):
        exceeded(limit, {"theta": {"theta": 0.5}})


@pytest.mark.parametrize("limit", [
    "(" * 3_000 + "theta.theta > 0" + ")" * 3_000, "(" * 900 + "theta.theta > 0" + ")" * 900,
    "NOT " * 3_000 + "theta.theta > 0", "NOT " * 490 + "theta.theta > 0", " AND ".join(["theta.theta > 0"] * 3_000),
])  # fmt: skip
@pytest.mark.parametrize("read", [lambda limit: exceeded(limit, {"theta": {"theta": 0.5}}), named])
def test_what_is_nested_too_deep_or_too_long_is_refused_in_a_line(limit, read):
    with pytest.raises(ParameterError, match=r"has [\d,]+ characters") as raised:
        read(limit)
    assert len(str(raised.value)) < 300


def test_what_can_be_nested_is_read():
    chain = " AND ".join(["theta.theta > 0.1"] * 85)
    assert exceeded(f"{'(' * 15}{chain}{')' * 15}", {"theta": {"theta": 0.5}})


@pytest.mark.parametrize("limit", ["theta.theta > 0.9", "theta.theta < 0.1", "NOT theta.theta > 1", "theta.theta = 3"])
def test_nan_exceeds_every_limit(limit):
    assert exceeded(limit, {"theta": {"theta": math.nan}})
    by_stratum = [{"theta": 0.2}, {"theta": math.nan}]
    assert exceeded(limit.replace("theta.", "theta_by."), {"theta_by": by_stratum})
    with pytest.raises(ParameterError, match="cannot be read"):
        exceeded(f"{limit} AND theta.theta > '1'", {"theta": {"theta": math.nan}})


def test_a_wrong_name_lists_the_right_ones():
    report = {"theta": {"theta": 0.1, "upper_bound": 0.2, "pram": "words"}, "keys": ["age"], "weight": "w"}
    with pytest.raises(ParameterError, match=r"\(of theta: theta, upper_bound\)"):
        exceeded("theta.uper_bound > 0.1", report)
    with pytest.raises(ParameterError, match=r"\(measured: theta\); give what it needs"):
        exceeded("thata.theta > 0.1", report)
    with pytest.raises(ParameterError, match=r"\(measured: threshold_rule\)\.$"):  # no advice that the command lacks
        exceeded("theta.theta > 0.1", {"threshold_rule": [{"unsafe_combinations": 1}]})


@pytest.mark.parametrize(
    ("measure", "option"),
    [
        ("theta", "--sampling-fraction"),
        ("suda", "--suda"),
        ("k_map", "--population"),
        ("log_linear_risk", "--log-linear"),
    ],
)
def test_what_was_not_measured_names_its_option(measure, option):
    with pytest.raises(ParameterError, match=rf"which was not measured .*; give .*\({option}|, {option}"):
        exceeded(f"{measure}.x > 0.1", {"frequencies": {"records": 3}})
