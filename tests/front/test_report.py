"""The report: what it measures, in what order, and how it reads as text and as JSON."""

from __future__ import annotations

import dataclasses
import importlib
import json

import pytest

import sdc_sql
from sdc_sql import Microdata, ParameterError, risk_report

KEYS = ("age", "sex")
FULL = {"weight": "weight", "household": "household", "stratum": "region", "sampling_fraction": 0.1}
FIGURES = [
    "table",
    "keys",
    "weight",
    "frequency_summary",
    "k_anonymity",
    "theta",
    "theta_by",
    "global_risk",
    "household_global_risk",
    "riskiest_keys",
    "l_diversity",
    "t_closeness",
    "likeness",
    "suda_summary",
    "frequency_distribution",
    "risk_distribution",
]


@pytest.fixture(scope="module")
def db(connect):
    """Return a connection with the macros and `persons`; only tables of other names are made on it."""
    with connect() as con:
        con.execute("""
            CREATE TABLE persons AS FROM (VALUES
                (1, 30, 'f', 'north', 10.0, 1), (2, 30, 'f', 'north', 15.0, 1), (3, 41, 'm', 'north', 20.0, 1),
                (4, 41, 'm', 'south', 20.0, 2), (5, 41, 'm', 'south', 12.5, 2), (6, NULL, 'f', 'south', 30.0, 3),
                (7, 67, NULL, 'south', 8.0, 3), (8, 25, 'm', NULL, 11.0, 3)
            ) AS t(id, age, sex, region, weight, household);
        """)
        yield con


@pytest.fixture(scope="module", autouse=True)
def loaded_once(db):
    """Spare each description the loading of macros that are on the shared connection already."""
    with pytest.MonkeyPatch.context() as patch:
        roles = importlib.import_module("sdc_sql.roles")
        patch.setattr(roles, "load", lambda con: con if con is db else sdc_sql.load(con), raising=False)
        yield


def described(con, **roles) -> Microdata:
    return Microdata(con, "persons", **{"keys": KEYS, **roles})


@pytest.mark.slow
def test_all_that_is_described_is_measured(db):
    data = described(db, **FULL)
    report = risk_report(data, k=3, top=2, confidence=0.9)
    assert report.table == "persons"
    assert report.keys == KEYS
    assert report.weight == "weight"
    assert report.k_anonymity == tuple(data.risk.k_anonymity(3))
    assert report.theta == data.risk.theta(confidence=0.9)
    assert report.theta_by == tuple(data.risk.theta_by(confidence=0.9))
    assert report.global_risk.expected_reidentifications == pytest.approx(
        data.risk.global_risk().expected_reidentifications
    )
    assert report.household_global_risk.to_dict() == pytest.approx(data.risk.household_global_risk().to_dict())
    assert len(report.riskiest_keys) == 2


def test_frequencies_at_a_glance(db):
    # cells of sizes 2, 3, 1, 1, 1
    assert risk_report(described(db)).frequency_summary.to_dict() == {
        "records": 8,
        "cells": 5,
        "sample_uniques": 3,
        "uniques_rate": 3 / 8,
        "pairs": 1,
        "largest_cell": 3,
    }


def test_frequencies_where_null_agrees_with_every_value(db):
    # a record counts once, however many cells its own is compatible with
    data = described(db, nulls="wildcard")
    frequencies = risk_report(data).frequency_summary
    uniques = len(data.risk.sample_uniques().fetchall())
    assert frequencies.records == 8
    assert frequencies.cells == 5
    assert frequencies.sample_uniques == uniques == 1
    assert frequencies.uniques_rate == 1 / 8


def test_nothing_is_measured_without_what_it_needs(db):
    report = risk_report(described(db))
    assert (report.theta, report.theta_by, report.global_risk, report.household_global_risk) == (None, (), None, None)
    assert report.weight is None


def test_a_household_needs_a_weight_besides(db):
    assert risk_report(described(db, household="household")).household_global_risk is None


def test_a_sampling_fraction_is_a_weight_where_there_is_none(db):
    report = risk_report(described(db, sampling_fraction=0.1, household="household"))
    same = described(db, weight=10.0, household="household")
    assert report.weight == 10
    assert report.global_risk.to_dict() == pytest.approx(same.risk.global_risk().to_dict())
    assert report.household_global_risk.to_dict() == pytest.approx(same.risk.household_global_risk().to_dict())


def test_the_weight_goes_before_the_sampling_fraction(db):
    report = risk_report(described(db, sampling_fraction=0.5, weight="weight"))
    assert report.weight == "weight"
    assert report.global_risk == risk_report(described(db, weight="weight")).global_risk


def test_a_column_of_fractions_gives_theta_by_stratum_only(db):
    db.execute("CREATE TABLE drawn AS SELECT *, if(sex = 'f', 0.1, 0.2) AS fraction FROM persons WHERE sex NOTNULL")
    report = risk_report(Microdata(db, "drawn", keys=["age"], stratum="sex", sampling_fraction="fraction"))
    assert report.theta is None
    assert [(t.stratum, t.sampling_fraction) for t in report.theta_by] == [("f", 0.1), ("m", 0.2)]
    assert report.global_risk is None


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 1.5, float("nan"), float("inf"), True])
def test_a_sampling_fraction_out_of_range_is_refused_as_such(db, fraction):
    with pytest.raises(ParameterError, match="sampling fraction"):
        risk_report(described(db, sampling_fraction=fraction))


@pytest.mark.parametrize("options", [{"k": 1}, {"k": 2.5}, {"top": 0}, {"top": -1}])
def test_numbers_out_of_range_are_refused(db, options):
    with pytest.raises(ParameterError):
        str(risk_report(described(db), **options))


def test_a_confidence_out_of_range_is_refused(db):
    with pytest.raises(ParameterError, match="confidence"):
        risk_report(described(db, sampling_fraction=0.1), confidence=1)


def test_the_riskiest_keys_come_first(db):
    rows = risk_report(described(db, weight="weight")).riskiest_keys
    risks = [row["individual_risk"] for row in rows]
    assert risks == sorted(risks, reverse=True)
    assert list(rows[0]) == ["age", "sex", "sample_frequency", "population_frequency", "individual_risk"]
    assert (rows[0]["age"], rows[0]["sex"]) == (67, None)


def test_without_a_weight_the_rarest_keys_come_first_and_ties_by_key(db):
    rows = risk_report(described(db)).riskiest_keys
    assert [(r["age"], r["sex"], r["sample_frequency"]) for r in rows] == [
        (25, "m", 1),
        (67, None, 1),
        (None, "f", 1),
        (30, "f", 2),
        (41, "m", 3),
    ]


def test_fewer_keys_than_asked_for(db):
    assert len(risk_report(described(db), top=1000).riskiest_keys) == 5


def test_progress_names_each_measure_before_it_is_taken(db):
    told: list[str] = []
    risk_report(described(db, **FULL), progress=told.append)
    assert told == [
        "frequencies",
        "k-anonymity",
        "theta",
        "global risk",
        "household risk",
        "distributions",
        "riskiest keys",
    ]


@pytest.mark.slow
def test_the_same_file_gives_the_same_page(db):
    assert str(risk_report(described(db, **FULL))) == str(risk_report(described(db, **FULL)))


def test_the_report_is_frozen(db):
    with pytest.raises(dataclasses.FrozenInstanceError):
        risk_report(described(db)).table = "other"


def test_to_dict_has_every_figure_and_none_for_what_was_not_measured(db):
    full, bare = (risk_report(described(db, **roles)).to_dict() for roles in (FULL, {}))
    assert list(bare) == FIGURES
    assert list(full) == [FIGURES[0], "many_uniques", *FIGURES[1:]]  # three of the eight records are alone
    assert [name for name, value in bare.items() if value is None] == [
        "weight",
        "theta",
        "theta_by",
        "global_risk",
        "household_global_risk",
        "l_diversity",
        "t_closeness",
        "likeness",
        "suda_summary",
        "risk_distribution",
    ]
    assert [name for name, value in full.items() if value is None] == [
        "l_diversity",
        "t_closeness",
        "likeness",
        "suda_summary",
    ]  # not asked for
    assert full["keys"] == list(KEYS)
    assert full["theta_by"][0]["stratum"] == "north"


def test_to_dict_is_plain_enough_for_json(db):
    figures = risk_report(described(db, **FULL)).to_dict()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_as_text(db):
    text = str(risk_report(described(db, **FULL), k=3))
    head, _, rest = text.partition("\n37.5 per cent of the records are sample uniques")
    assert head == "Disclosure risk of persons\nkey variables: age, sex; weight: weight"
    titles = [line for line in rest.splitlines() if line and not line.startswith(" ")]
    assert titles == [
        "Frequencies",
        "k-anonymity: records and cells with fewer than k records",
        "theta: the probability that a unique match is correct",
        "theta by stratum",
        "Global risk",
        "Global risk with households",
        "The riskiest keys",
    ]
    assert "  k  records  cells\n  2        3      3\n  3        5      4\n" in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_as_text_without_weight(db):
    text = str(risk_report(described(db)))
    assert "weight: none" in text
    assert "theta" not in text
    assert "Global risk" not in text


def test_numbers_of_keys_are_labels(db):
    db.execute("CREATE TABLE t AS FROM (VALUES (19900101, 'a'), (19900102, NULL)) AS v(born, sex)")
    text = str(risk_report(Microdata(db, "t", keys=["born", "sex"])))
    assert "19900101" in text  # not 19,900,101
    assert "NULL" in text


def test_a_stratum_of_null_is_shown_like_a_key_of_null(db):
    text = str(risk_report(described(db, stratum="region", sampling_fraction=0.1)))
    block = text.partition("theta by stratum\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in block.splitlines()[1:]] == ["north", "south", "NULL"]


def test_one_record(db):
    db.execute("CREATE TABLE one AS SELECT 1 AS a, 10.0 AS w")
    report = risk_report(Microdata(db, "one", keys=["a"], weight="w", sampling_fraction=0.1))
    assert report.frequency_summary.uniques_rate == 1
    assert report.theta.theta == 1
    assert str(report)


def test_the_example_reports(capsys):
    print(risk_report(sdc_sql.example()))
    assert "Disclosure risk of persons" in capsys.readouterr().out


@pytest.mark.slow
def test_sensitive_variables_are_shown_as_text_and_in_a_notebook():
    # by hand: two weights in the cell (30, f), one in (41, m)
    report = sdc_sql.risk_report(sdc_sql.example(), sensitive=["w"])
    assert report.to_dict()["l_diversity"][0]["distinct_l"] == 1
    for page in (str(report), report._repr_html_()):
        assert "Attribute disclosure: the worst cell of each variable" in page
        assert "entropy l" in page


def test_a_stratum_that_is_the_only_key_has_no_theta_by_stratum(con):
    con.execute("CREATE TABLE t AS FROM (VALUES ('a', 1), ('a', 2), ('b', 3)) AS t(region, id)")
    report = sdc_sql.risk_report(sdc_sql.Microdata(con, "t", keys=["region"], stratum="region", sampling_fraction=0.5))
    assert report.theta_by == ()
    assert report.theta.n1 == 1
