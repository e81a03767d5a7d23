"""Limits on figures: what cannot be checked must not pass, and what bounds the good side is told of."""

from __future__ import annotations

import math
import re

import pytest

import sdc_sql
from sdc_sql.errors import ParameterError
from sdc_sql.figures.asked import list_measures
from sdc_sql.figures.condition import check_side, list_named_figures
from sdc_sql.figures.limits import collect_figures, holds_limit, is_exceeded
from sdc_sql.figures.registry import list_all_measures

REPORT = {
    "table": "persons",
    "keys": ["age", "sex"],
    "weight": 5.0,
    "frequency_summary": {"records": 10, "cells": 8, "uniques_rate": 0.5},
    "k_anonymity": [{"k": 2, "records": 3, "cells": 3}, {"k": 3, "records": 5, "cells": 4}],
    "theta": None,
    "theta_by": [
        {"stratum": "north", "records": 6, "theta": 0.2, "upper_bound": 0.3},
        {"stratum": "South's", "records": 4, "theta": 0.6, "upper_bound": 0.9},
    ],
    "l_diversity": [{"sensitive": "a", "distinct_l": 3}, {"sensitive": "b", "distinct_l": 1}],
    "global_risk": {"records": 10, "percent": 1.5, "reidentification_rate": 0.015},
    "household_global_risk": None,
    "riskiest_keys": [{"age": 41, "sex": "m", "sample_frequency": 1, "individual_risk": 0.9}],
}
R = "frequency_summary.records"  # which bears neither risk nor loss: any comparison may bound it
EXCEEDED = {
    f"{R} > 10": False,
    f"{R} >= 10": True,
    f"{R} < 10": False,
    f"{R} <= 10": True,
    f"{R} = 10": True,
    f"{R} == 10": True,
    f"{R} <> 10": False,
    f"{R} != 9": True,
    "frequency_summary.uniques_rate > 0.4999999": True,
    "frequency_summary.uniques_rate > .5": False,
    f"{R} > -1": True,
    f"{R} < -1": False,
    f"{R} > 1e1": False,
    f"{R} > 9.9e0": True,
    "global_risk.reidentification_rate > 1e-2": True,
    f"  {R}>9  ": True,
    f"{R} > 9 -- as agreed": True,
    "k_anonymity.2.records > 2": True,
    "k_anonymity.2.records > 3": False,
    "k_anonymity.3.records > 4": True,
    "k_anonymity.3.cells > 4": False,
    "k_anonymity.2.records > 2 AND k_anonymity.3.cells >= 4": True,
    "theta_by.upper_bound > 0.8": True,
    "theta_by.upper_bound > 0.9": False,
    "theta_by.north.upper_bound > 0.5": False,
    "theta_by.NORTH.upper_bound > 0.2": True,
    'theta_by."South\'s".upper_bound > 0.8': True,
    "theta_by.records < 5": True,
    "l_diversity.distinct_l < 2": True,
    "l_diversity.distinct_l < 1": False,
    "k_anonymity.3.records <> 0": True,
    "NOT k_anonymity.3.records = 0": True,
    f"({R} > 9)": True,
    f"NOT {R} > 9": False,
    f"not {R} > 10": True,
    f"{R} > 9 AND global_risk.percent > 1": True,
    f"{R} > 9 AND global_risk.percent > 2": False,
    f"{R} > 10 or global_risk.percent > 1": True,
    f"{R} > 10 OR global_risk.percent > 2": False,
    # AND binds tighter than OR, NOT tighter than either
    f"{R} > 9 OR {R} > 10 AND {R} > 10": True,
    f"({R} > 9 OR {R} > 10) AND {R} > 10": False,
    f"NOT {R} > 10 AND global_risk.percent > 2": False,
    f"NOT ({R} > 10 AND global_risk.records > 20)": True,
    # a negation hides no row: of the two variables one has a single value
    "NOT l_diversity.distinct_l >= 2": True,
    "NOT theta_by.upper_bound <= 0.8": True,
    # conditions on a stratum are on one and the same: no stratum has both
    "theta_by.records > 5 AND theta_by.theta > 0.5": False,
}
UNREADABLE = [
    "", "   ", ";", "TRUE", R, f"{R} >", "> 5", f"5 < {R}", "0.2 > 0.1", f"{R} > 'many'", f"{R} > NULL", f"{R} > TRUE",
    f"{R} > ?", f"{R} > global_risk.records", f"{R} > 10%", f"{R} IS NULL", f"{R} IN (10)", f"{R} BETWEEN 1 AND 5",
    f"{R} > 5 OR", f"{R} > 5 XOR {R} > 5", f"{R} > 5 {R} > 5", f"{R} > 5; DROP TABLE persons", "SELECT 1",
    f"({R} > 5", f"abs({R}) > 5", f"{R} > 1e", f"{R} > 1e-", f"{R} > 0x1F", f"{R} > nan",
]  # fmt: skip
# A number that is no plain number must be refused or computed, never cut short.
NO_NUMBER = [
    f"{R} > {number}"
    for number in (
        "2 * 30", "2 + 30", "2 - 30", "100 / 2", "20 % 100", "abs(5)", "round(9.5)", "- - 20", "inf", "infinity",
        "1e999",
    )
]  # fmt: skip
UNMEASURED = [
    "theta.upper_bound > 0.1", "household_global_risk.percent > 1", "nonsense.records > 1",
    "frequency_summary.nonsense > 1", "frequency_summary > 1", "records > 1", "k_anonymity.records > 0",
    "k_anonymity.3 > 0", "k_anonymity.3.nonsense > 0", "k_anonymity.7.records > 0", "k_anonymity.1.records > 0",
    "k_anonymity.03.records > 0", "k_anonymity.x.records > 0", "k_anonymity.\u00b2.records > 0", "k_anonymity > 0",
    "theta_by > 0.1", "theta_by.west.theta > 0.1", "theta_by.stratum > 1", f"{R}.more > 1", "a.b.c.d.e > 1",
    "table > 1", "table.records > 1", "keys.age > 1", "weight > 1", "weight.records > 1", "riskiest_keys.sex > 1",
    f"{R} > 1 OR theta.theta > 1", f"theta.theta > 1 OR {R} > 1", f"{R} > 100 AND theta.theta > 1",
    f"theta.theta > 1 AND {R} > 100", f"{R} > 1 OR NOT (k_anonymity.9.records <= 1)", "global_risk.north.percent > 1",
]  # fmt: skip


def refusals(limits, words):
    """Return what is not refused in a line that holds the limit and these words."""
    wrong = []
    for limit in limits:
        try:
            is_exceeded(limit, REPORT)
        except ParameterError as error:
            wrong += [] if re.search(words, str(error)) and repr(limit) in str(error) else [f"{limit}: {error}"]
        else:
            wrong.append(limit)
    return wrong


def test_what_a_limit_says():
    assert {limit: is_exceeded(limit, REPORT) for limit in EXCEEDED} == EXCEEDED


def test_what_cannot_be_read_or_was_not_measured_is_refused():
    assert refusals(UNREADABLE, "cannot be read") == []
    assert refusals([*NO_NUMBER, *UNMEASURED], "") == []


def test_the_message_names_what_was_measured():
    with pytest.raises(ParameterError, match=r"theta, which was not measured \(measured: .*theta_by"):
        is_exceeded("theta.theta > 1", REPORT)
    with pytest.raises(ParameterError, match="it has north, South's"):
        is_exceeded("theta_by.west.theta > 0.1", REPORT)
    with pytest.raises(ParameterError, match="theta has no figure 'uper_bound': it has records, cells, n1"):
        is_exceeded("theta.uper_bound > 0.1", REPORT)
    with pytest.raises(ParameterError, match=r"did you mean theta\?"):
        is_exceeded("thata.theta > 0.1", REPORT)


def test_the_report_is_left_as_it_is():
    before = repr(REPORT)
    is_exceeded("k_anonymity.2.records > 2 AND theta_by.theta > 0.1", REPORT)
    assert repr(REPORT) == before


def test_on_a_real_report(persons):
    data = sdc_sql.Microdata(persons, "persons", keys=["age", "sex"], weight="weight", stratum="region")
    figures = sdc_sql.risk_report(data).to_dict()
    assert is_exceeded("k_anonymity.2.records > 2", figures)
    assert not is_exceeded("k_anonymity.5.records > 8", figures)
    with pytest.raises(ParameterError, match="theta_by, which was not measured"):
        is_exceeded("theta_by.theta > 0.1", figures)
    with pytest.raises(ParameterError, match="it has 2, 3, 4, 5"):
        is_exceeded("k_anonymity.6.records > 0", figures)


def test_what_is_nested_too_deep_or_too_long_is_refused_in_a_line():
    x = "theta.theta > 0"
    long = ["(" * 3_000 + x + ")" * 3_000, "(" * 900 + x + ")" * 900, "NOT " * 3_000 + x, "NOT " * 490 + x,
            " AND ".join([x] * 3_000)]  # fmt: skip
    for read in (lambda limit: is_exceeded(limit, {"theta": {"theta": 0.5}}), list_named_figures):
        for limit in long:
            with pytest.raises(ParameterError, match=r"has [\d,]+ characters") as raised:
                read(limit)
            assert len(str(raised.value)) < 300
    chain = " AND ".join(["theta.theta > 0.1"] * 85)
    assert is_exceeded(f"{'(' * 15}{chain}{')' * 15}", {"theta": {"theta": 0.5}})


def test_null_and_nan_exceed_every_limit_and_meet_none():
    for nothing in (math.nan, None):
        for limit in ("theta.n2 > 0.9", "theta.n2 < 0.1", "NOT theta.n2 > 1", "theta.n2 = 3", "theta.n2 <> 3"):
            by_stratum = limit.replace("theta.", "theta_by.")
            rows = [{"stratum": "a", "n2": 0.2}, {"stratum": "b", "n2": nothing}]
            for said, report in ((limit, {"theta": {"n2": nothing}}), (by_stratum, {"theta_by": rows})):
                assert is_exceeded(said, report), (said, nothing)
                assert not holds_limit(said, report), (said, nothing)
            with pytest.raises(ParameterError, match="cannot be read"):
                is_exceeded(f"{limit} AND theta.n2 > '1'", {"theta": {"n2": nothing}})


@pytest.mark.slow
def test_a_limit_bounds_the_bad_side_or_is_told_the_one_that_was_meant():
    """Of every directed figure and every comparison, alone and under NOT: it is accepted, or what is meant is."""
    wrong, meant = [], re.compile(r"Write (.*)\.$")
    for label, measure in list_all_measures().items():
        for figure, column in measure.figures.items():
            if not column.bears:
                continue
            for sign in ("<", "<=", ">", ">=", "=", "<>"):
                for said in (f"{label}.{figure} {sign} 7", f"NOT {label}.{figure} {sign} 7"):
                    for must_hold in (True, False):
                        turned = said.startswith("NOT") == must_hold
                        bounds = {"<": "above", "<=": "above", ">": "below", ">=": "below"}.get(sign, "")
                        bounds = {"above": "below", "below": "above"}.get(bounds, "") if turned else bounds
                        good = bounds == ("above" if column.more else "below")
                        try:
                            check_side(said, list_measures(), holds=must_hold)
                            wrong += [] if good else [f"{said} is accepted ({must_hold})"]
                        except ParameterError as error:
                            found = meant.search(str(error))
                            check_side(found[1], list_measures(), holds=must_hold)
                            wrong += [f"{said} is refused ({must_hold})"] if good else []
    assert wrong == []


def test_the_trap_the_same_words_held_in_one_place_and_failed_in_the_other():
    with pytest.raises(ParameterError, match=r"bounds the wrong side.*Write k_anonymity\.3\.records <= 0\.$"):
        holds_limit("k_anonymity.3.records > 0", REPORT)
    with pytest.raises(ParameterError, match=r"bounds the wrong side.*Write k_anonymity\.3\.records > 0\.$"):
        is_exceeded("k_anonymity.3.records <= 0", REPORT)
    with pytest.raises(ParameterError, match=r"Write theta_by\.theta < 0\.1 OR k_anonymity\.3\.records <= 2\.5\.$"):
        holds_limit("theta_by.theta < 0.1 OR k_anonymity.3.records > 2.5", REPORT)


def test_an_equality_is_with_the_best_value():
    for limit in ("k_anonymity.3.records = 0", "precision.precision = 1", "NOT k_anonymity.3.records <> 0"):
        check_side(limit, list_measures(), holds=True)
    check_side("k_anonymity.3.records <> 0", list_measures(), holds=False)
    for limit in ("k_anonymity.3.records = 5", "precision.precision = 0", "k_map.least = 3", "theta.theta <> 0"):
        with pytest.raises(ParameterError, match="bounds the wrong side"):
            check_side(limit, list_measures(), holds=True)


def test_figures_are_the_worst_by_their_direction():
    assert collect_figures("l_diversity.distinct_l >= 1 AND theta_by.theta < 1", REPORT) == {
        "l_diversity.distinct_l (b)": 1,
        "theta_by.theta (South's)": 0.6,
    }
    assert collect_figures("k_anonymity.records < 9", REPORT) == {"k_anonymity.records (3)": 5}


def test_an_old_name_is_told_of_with_the_new_one():
    new = {
        "attribute.distinct_l >= 1": "l_diversity.distinct_l", "attribute.t <= 1": "t_closeness.t",
        "attribute.delta <= 1": "likeness.delta", "frequencies.sample_uniques <= 1": "frequency_summary.sample_uniques",
        "suda.max_score <= 1": "suda_summary.max_score", "data_intrusion.theta <= 1": "data_intrusion_simulation.theta",
        "household_risk.percent <= 1": "household_global_risk.percent",
        "threshold_rule.unsafe_records <= 1": "threshold_rule_summary.unsafe_records",
        "crossing_distance.hellinger <= 1": "distribution_distance.hellinger",
        "individual_risk.highest <= 1": "individual_risk.individual_risk",
        "theta.theta_misclassified <= 1": "theta_misclassified.theta",
        "global_risk.reidentification_rate_misclassified <= 1":
            "global_risk_misclassified.reidentification_rate_misclassified",
    }  # fmt: skip
    for limit, name in new.items():
        with pytest.raises(ParameterError, match=rf"before 0\.2\.0: write {re.escape(name)}\.$"):
            holds_limit(limit, {})
