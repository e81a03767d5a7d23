"""``[[estimates]]`` of a release file: read, measured by the released classes, limited, reported, certified."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql
from sdc_sql.errors import ReleaseFileError
from sdc_sql.release.running.run import run_release

if TYPE_CHECKING:
    from pathlib import Path

RELEASE = """
    [source]
    path = "persons.parquet"
    [roles]
    id = "id"
    weight = "w"
    household = "hh"
    released_as_collected = ["income", "works", "hours"]
    [[scenarios]]
    name = "neighbour"
    keys = ["age", "sex"]
    limits = ["k_anonymity.2.records <= 0"]
    [[steps]]
    mask = "recode"
    column = "age"
    breaks = [20, 40, 60, 80]
    [[steps]]
    mask = "local_suppression"
    scenario = "neighbour"
    k = 3
"""
ESTIMATES = """
    [[estimates]]
    name = "incomes"
    title = "Mean income by age"
    statistic = "mean"
    variable = "income"
    domains = ["age"]
    limits = ["incomes.overlap >= 0.9"]
    [[estimates]]
    name = "working"
    statistic = "share"
    variable = "works"
    domains = ["sex"]
    [[estimates]]
    name = "pay"
    statistic = "regression"
    variable = "income"
    predictors = ["hours"]
    cluster = "sex"
    limits = ["pay.hours.relative_change <= 0.01"]
"""
OUTPUT = """
    [output]
    path = "released.parquet"
    report = "internal.md"
    certificate = "certificate.json"
"""
PERSONS = """SELECT i AS id, 20 + (i * 7919) % 60 AS age, ['f', 'm'][1 + i % 2] AS sex, 10e0 + i % 3 AS w, i // 2 AS hh,
    (1000 + (i * 104729) % 977)::DOUBLE AS income, ['yes', 'no'][1 + (i % 5 = 0)::INT] AS works, i % 41 AS hours
    FROM range(120) t(i)"""


def make(folder: Path, estimates: str = ESTIMATES, **changed: str) -> Path:
    with duckdb.connect() as con:
        con.execute(f"COPY ({PERSONS}) TO '{folder}/persons.parquet'")
    text = RELEASE + estimates + OUTPUT
    for old, new in changed.items():
        text = text.replace(old, new)
    (folder / "release.toml").write_text(text)
    return folder / "release.toml"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("estimates")
    return folder, run_release(make(folder))


def test_estimates_are_of_both_files_by_the_released_classes(ran):
    folder, outcome = ran
    assert outcome.accepted
    incomes = outcome.estimates[0]
    assert incomes.estimate.arguments["weight"] == "w"
    assert incomes.estimate.arguments["cluster"] == "hh"
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE before AS SELECT income, w, hh, CASE WHEN age < 40 THEN '20-39' WHEN age < 60 THEN"
                    f" '40-59' ELSE '60-79' END AS age FROM '{folder}/persons.parquet'")  # fmt: skip
        con.execute(f"CREATE TABLE after AS FROM '{folder}/released.parquet'")
        for side in ("before", "after"):
            data = sdc_sql.Microdata(con, side, weight="w")
            alone = data.loss.survey_estimate("mean", "income", domains=["age"], cluster="hh")
            given = [(r["domain"], r[side], r[f"error_{side}"], r[f"records_{side}"]) for r in incomes.rows]
            assert given == [(e.domain, e.estimate, e.standard_error, e.records) for e in alone]


@pytest.mark.slow
def test_a_limit_on_an_estimate_refuses(ran, tmp_path):
    judged = {limit.limit.text: limit for limit in ran[1].limits}
    assert judged["incomes.overlap >= 0.9"].limit.path == "estimates[0].limits[0]"
    assert judged["pay.hours.relative_change <= 0.01"].figures == {"pay.hours.relative_change": 0}
    file = make(
        tmp_path,
        ESTIMATES.replace("incomes.overlap >= 0.9", "incomes.overlap >= 0.99999"),
        **{"k = 3": "k = 30\n    importance = [1, 10]"},
    )
    outcome = run_release(file, write=False)
    assert not outcome.accepted
    assert "incomes.overlap >= 0.99999 does not hold" in outcome.reasons[0]


@pytest.mark.slow
def test_a_limit_under_loss_names_an_estimate(tmp_path):
    loss = '[loss]\ncolumns = ["sex"]\nlimits = ["working.overlap >= 0", "direct_distance.distance <= 1"]\n'
    outcome = run_release(make(tmp_path, ESTIMATES + loss), write=False)
    assert [limit.holds for limit in outcome.limits if limit.limit.path == "loss.limits[0]"] == [True]
    assert set(outcome.loss) == {"direct_distance"}


@pytest.mark.slow
def test_what_the_released_file_cannot_give_holds_no_limit(tmp_path):
    gone = '[[steps]]\nmask = "drop_identifiers"\ncolumns = ["income"]\n'
    collected = {'["income", "works", "hours"]': '["works", "hours"]'}
    outcome = run_release(make(tmp_path, gone + ESTIMATES, **collected), write=False)
    incomes, working, _ = outcome.estimates
    assert incomes.lacks == "income is not in the released file"
    assert working.lacks == ""
    assert not outcome.accepted
    labelled = '[[steps]]\nmask = "recode"\ncolumn = "hours"\nbreaks = [0, 20, 41]\n'
    outcome = run_release(make(tmp_path, labelled + ESTIMATES, **{', "hours"]': "]"}), write=False)
    assert "VARCHAR" in outcome.estimates[2].lacks
    assert not outcome.accepted


def test_the_report_tells_each_estimate_and_how_its_errors_are_made(ran):
    text = (ran[0] / "internal.md").read_text()
    for told in (
        "What users compute, before and after", "Mean income by age",
        "Weighted by w. Standard errors by Taylor linearisation, clusters (hh) drawn with replacement.",
        "Shares of works by sex", "Regression of income on hours", "9 estimates were made",
    ):  # fmt: skip
        assert told in text


@pytest.mark.slow
def test_the_certificate_verifies_with_its_estimates(ran):
    folder, _ = ran
    said = json.loads((folder / "certificate.json").read_text())
    assert said["figures"]["incomes"]["arguments"]["domains"] == ["age"]
    found = sdc_sql.verify(folder / "certificate.json", folder / "released.parquet")
    assert found.holds
    found = sdc_sql.verify(folder / "certificate.json", folder / "released.parquet", release=folder / "release.toml")
    assert found.holds, str(found)
    assert not found.only_read


WRONG = {
    'statistic = "mode"': "estimates[0].statistic: it is 'mode': it must be",
    'variable = "nosuch"': "estimates[0].variable: ",
    'predictors = ["hours"]': 'estimates[0].predictors: it goes with statistic = "regression" only',
    "quantile = 1.5": "estimates[0].quantile: it is 1.5",
    'name = "mean income"': "estimates[0].name: ",
    'name = "theta"': "estimates[0].name: ",
    'limits = ["mine.overlap <= 0.5"]': "bounds the wrong side",
    'limits = ["mine.overlaps >= 0.5"]': "estimates[0].limits[0]: ",
    'limits = ["theta.theta <= 0.5"]': "is not of mine alone",
    "kind = 3": "estimates[0].kind: there is no such field",
}


def test_wrong_estimates_are_told_at_their_place(tmp_path):
    missed = []
    for line, told in WRONG.items():
        lines = {"name": 'name = "mine"', "statistic": 'statistic = "mean"', "variable": 'variable = "income"'}
        lines[line.partition(" ")[0]] = line
        with pytest.raises(ReleaseFileError) as error:
            sdc_sql.read_release(make(tmp_path, "[[estimates]]\n" + "\n".join(lines.values()) + "\n"))
        if not any(told in problem for problem in error.value.problems):
            missed.append((line, error.value.problems))
    assert missed == []
    with pytest.raises(ReleaseFileError, match="there is another estimate 'incomes'"):
        sdc_sql.read_release(make(tmp_path, ESTIMATES.replace('"working"', '"incomes"')))
    with pytest.raises(ReleaseFileError, match=r"estimates\[0\].variable: it is missing"):
        sdc_sql.read_release(make(tmp_path, '[[estimates]]\nname = "a"\nstatistic = "mean"\n'))


def test_the_text_of_the_tests_is_toml():
    assert len(tomllib.loads(RELEASE + ESTIMATES + OUTPUT)["estimates"]) == 3


@pytest.mark.slow
@pytest.mark.parametrize(("households", "cluster"), [("recode", "hh"), ("drop", None)])
def test_a_csv_file_with_names_that_need_quotes(tmp_path, households, cluster):
    """Its numbers are numbers to an estimate, and households whose numbers do not leave are no clusters."""
    with duckdb.connect() as con:
        con.execute(f"""COPY (SELECT i AS id, 20 + (i * 7) % 60 AS age, ['f', 'm'][1 + i % 2] AS sex, 10 + i % 3 AS w,
            i // 2 AS hh, i * 7 AS "it's", 'a' AS "a ""b", i % 5 AS f, CASE WHEN i % 3 > 0 THEN i % 2 END AS "Select"
            FROM range(90) t(i)) TO '{tmp_path}/persons.csv'""")
    estimates = """
        [[estimates]]
        name = "mine"
        statistic = "total"
        variable = "it's"
        domains = ["a \\"b", "select"]
        limits = ['mine."a, 1".overlap >= 1']
    """
    text = (RELEASE + estimates + OUTPUT).replace("parquet", "csv")
    text = text.replace('["income", "works", "hours"]', """["it's", 'a "b', "f", "Select"]""")
    (tmp_path / "release.toml").write_text(text.replace("[output]", f'[output]\nhouseholds = "{households}"'))
    outcome = run_release(tmp_path / "release.toml")
    assert outcome.accepted, outcome.reasons
    (mine,) = outcome.estimates
    assert mine.estimate.arguments.get("cluster") == cluster
    totals = {f"a, {g}": sum((10 + i % 3) * i * 7 for i in range(90) if i % 3 and i % 2 == g) for g in (0, 1)}
    assert {row["domain"]: row["after"] for row in mine.rows} == totals
