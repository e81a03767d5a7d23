"""The internal report has everything but the key; the public one what users need, and nothing that tells on anyone."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import duckdb
import pytest

from sdc_sql import ParameterError
from sdc_sql.db.masking import places
from sdc_sql.db.showing.results import format_value
from sdc_sql.document.blocks import format_readable
from sdc_sql.release.reading.read import read_release
from sdc_sql.release.reporting import lost, public_loss, public_steps
from sdc_sql.release.reporting.internal_report import internal_report, write_internal_report
from sdc_sql.release.reporting.public_report import public_report, write_public_report
from sdc_sql.release.running.run import run_release

pytestmark = pytest.mark.slow  # a release with every kind of step

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
RELEASE = """
title = "Workers <b>2025</b>"
producer = "Office of | Figures"
population = "adults in work"
release = "MARKEDRELEASE"
[source]
path = "rawsecret.parquet"
[roles]
id = "person"
weight = "w"
strata = ["region"]
sensitive = ["pay"]
identifiers = ["surname"]
household = "home"
[[scenarios]]
name = "MARKEDSCENARIO"
keys = ["region", "age", "job"]
limits = ["k_anonymity.2.records <= 0", "global_risk.expected_reidentifications <= 98.7654"]
[[steps]]
mask = "recode"
column = "age"
breaks = [0, 40, 90]
[[steps]]
mask = "pram"
columns = ["job"]
matrix = [[0.81234, 0.18766, 0], [0.1, 0.9, 0], [1, 0, 0]]
labels = ["a", "b", "RAREJOB"]
[[steps]]
mask = "noise"
columns = ["pay"]
alpha = 0.0717
[[steps]]
mask = "noise"
columns = ["hours"]
standard_deviation = 1.5
[[steps]]
mask = "multiplicative_noise"
columns = ["tips"]
size = 0.0313
[[steps]]
mask = "rank_swap"
column = "rent"
p = 7.77
[[steps]]
mask = "top_bottom_code"
column = "wealth"
unit = "count"
top = 4
[[steps]]
mask = "local_suppression"
scenario = "MARKEDSCENARIO"
k = 2
where = "region <> 'nowhere'"
[loss]
columns = ["region", "job", "pay", "hours", "tips", "rent", "wealth"]
continuous = ["pay", "hours", "tips", "rent", "wealth"]
limits = ["il1.il1 <= 5", "direct_distance.distance <= 1"]
[output]
path = "released.parquet"
report = "internal.html"
public_report = "users.md"
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Return the outcome of a release with many steps, among them Kim's noise and Höhne's."""
    folder = tmp_path_factory.mktemp("release")
    with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", KEY)
        con.execute(f"""
            COPY (SELECT range AS person, 'name' || range AS surname, 20 + range * 7 % 61 AS age, range // 3 AS home,
                         if(range = 1199, 'lone', ['north', 'south', 'it''s <i>'][1 + range % 3]) AS region,
                         30.0 + range % 5 AS w,
                         CASE WHEN range = 77 THEN 'RAREJOB' WHEN range % 2 = 0 THEN 'a' ELSE 'b' END AS job,
                         1000.123 + range * 1.37 AS pay, 20.5 + range * 37 % 101 AS hours, 5.25 + range * 3 % 97
                             AS tips,
                         300.75 + range * 11 % 1009 AS rent,
                         if(range = 5, 987654321.5, range * range % 7919 * 1.0) AS wealth
                  FROM range(1200)) TO '{folder}/rawsecret.parquet'
        """)
        (folder / "release.toml").write_text(RELEASE)
        plan = read_release(folder / "release.toml")
        how = {"noise": "linear", "multiplicative_noise": "hoehne"}
        steps = (
            replace(s, arguments={**s.arguments, "method": how[s.verb]})
            if s.verb in how and s.columns != ("hours",)
            else s
            for s in plan.steps
        )
        yield run_release(replace(plan, steps=tuple(steps)), con=con, write=False)


@pytest.fixture(scope="module")
def public(outcome):
    return public_report(outcome), public_report(outcome, "markdown")


@pytest.fixture(scope="module")
def internal(outcome):
    return internal_report(outcome), internal_report(outcome, "markdown")


def words(page: str) -> str:
    """Return what a reader sees, pictures and their descriptions included."""
    tree = ET.fromstring(page.replace("<!DOCTYPE html>", ""))  # noqa: S314 - a page of our own
    tree.remove(tree.find("head"))
    # the small pictures of a table are heights in a page of text, without figures
    for cell in [c for c in tree.iter("td") if c.get("class") == "picture" and c.find("svg").get("class") != "gauge"]:
        cell.clear()
    return "\n".join(tree.itertext())


def figures(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?", text))


def floats(value) -> set[float]:
    if isinstance(value, dict | list | tuple):
        return set().union(*map(floats, value.values() if isinstance(value, dict) else value)) if value else set()
    return {value} if isinstance(value, float) and math.isfinite(value) else set()


def test_the_public_report_says_what_users_need(public):
    for page in (words(public[0]), public[1]):
        for said in (
            "adults in work",
            "breaks 0, 40, 90",
            "2.25",
            "0.812",
            "means and covariances",
            "released.parquet",
        ):
            assert said in page
    sections = re.findall(r"(?m)^## (\d\. .*)$", public[1])
    assert [section[0] for section in sections] == list("1234")
    # the category c becomes a, and nothing tells it from a: no estimate of its frequency
    assert "the original frequencies cannot be estimated" in public[1]
    assert "np.linalg.solve" not in public[1]


@pytest.mark.parametrize("which", [0, 1])
def test_the_public_report_tells_no_parameter_that_undoes_and_nothing_of_risk(public, which):
    page = words(public[0]) if which == 0 else public[1]
    for secret in (
        KEY, "MARKED", "98.76", "theta", "anonymity", "reidentif", "0.0717", "1.0717", "0.0313", "7.77", "RAREJOB",
        "rawsecret", "nowhere", "top 4", "987654321", "0.81234", "alpha",
    ):  # fmt: skip
        assert secret not in page
        assert secret not in public[which]


def test_no_risk_loss_or_value_of_a_record_is_in_the_public_report(outcome, public):
    found = figures(words(public[0])) | figures(public[1])
    risks = [s.before.to_dict() for s in outcome.scenarios] + [s.figures for s in outcome.scenarios]
    exact = floats(risks) | floats([list(rows) for rows in outcome.loss.values()])
    for data in (outcome.original, outcome.released):
        exact |= floats(data.con.sql(f"SELECT pay::DOUBLE, wealth::DOUBLE FROM {data.table}").fetchall())
    # numbers of a few digits are everywhere: round shares, breaks, sections
    written = {format_value(value) for value in exact if len(format_value(value)) > 5}
    assert len(written) > 1000
    assert not found & written


def test_no_loss_of_what_a_loss_would_undo(outcome):
    told = public_loss.list_told_losses(outcome)
    variables = {row["variables"] for row in told}
    assert variables == {"region", "job", "hours", "rent", "wealth"}  # neither pay, nor tips, nor all together
    # 987,654,321 became the third largest value: IL1 by itself would say by how much
    assert next(r["loss"] for r in told if r["variables"] == "wealth" and r["measure"] == "il1") in (0.0, 0.1)


def test_a_category_that_the_file_has_no_more_has_no_name(public, internal):
    assert "(not in the file)" in words(public[0])
    assert "RAREJOB" in words(internal[0])
    assert "RAREJOB" in internal[1]


def test_the_internal_report_has_everything_but_the_key(outcome, internal):
    for page in (words(internal[0]), internal[1]):
        assert KEY not in page
        for said in ("ACCEPTED", "MARKEDSCENARIO", "0.0717", "0.0313", "7.77", "rawsecret", "0.812", "not read"):
            assert said in page
    found = figures(words(internal[0]))
    for scenario in outcome.scenarios:
        for report in (scenario.before, scenario.after):
            # per cent say what the share says
            shown = {n: v for n, v in report.global_risk.to_dict().items() if n != "percent"}
            assert {format_readable(v) for v in shown.values()} <= found
    assert outcome.digests["source"] in words(internal[0])


def test_both_formats_hold_the_same_figures(public, internal):
    for html, text in (public, internal):
        plain = re.sub(r"\\([^\w])", r"\1", text)
        assert figures(words(html)) == figures(plain)


def test_hostile_names_are_shown_as_they_are(public, internal):
    for html, text in (public, internal):
        assert "Workers <b>2025</b>" in words(html)
        assert "it's <i>" in words(html) or (html, text) == public, "no record of a region lost a value"
        assert "<b>" not in html
        assert "<i>" not in html + text
        assert "Office of \\| Figures" in text


def test_changes_and_suppressions_are_those_counted_one_by_one(outcome):
    columns = ("age", "region", "job", "pay")
    before, after = (
        {
            row[0]: row[1:]
            for row in outcome.original.con.sql(f"SELECT person, {', '.join(columns)} FROM {t}").fetchall()
        }
        for t in ("sdc_original", "sdc_release")
    )
    found = {row["variable"]: row for row in lost.count_by_variable(outcome)}
    assert "person" not in found
    assert "home" not in found, "households are numbered anew: no number is the original one"
    output = replace(outcome.plan.output, households="keep")
    kept = lost.count_by_variable(replace(outcome, plan=replace(outcome.plan, output=output)))
    assert [row["changed"] for row in kept if row["variable"] == "home"] == [0]
    for i, column in enumerate(columns):
        pairs = [(before[person][i], after[person][i]) for person in before]
        assert found[column]["changed"] == sum(str(old) != str(new) for old, new in pairs)
        assert found[column]["suppressed"] == sum(old is not None and new is None for old, new in pairs)
    by = lost.count_by_dimension(outcome, columns)
    assert list(by) == ["region", lost.HOUSEHOLD_SIZE]
    for rows in by.values():
        assert sum(row["records"] for row in rows) == 1200
        for column in columns:
            assert sum(row["suppressed"][column] for row in rows) == found[column]["suppressed"]


def test_changes_counted_side_by_side_are_those_of_joined_records(outcome, monkeypatch):
    columns, con = ["age", "region", "job", "pay"], outcome.released.con
    joined = lost._count_changes(outcome, columns)
    monkeypatch.setattr(places, "RUN", 100)
    con.execute("SET threads = 3")
    with monkeypatch.context() as patch:
        patch.setattr(lost, "_join_original", None)
        assert lost._count_changes(outcome, columns) == joined
    con.execute("BEGIN")
    # two neighbours change places, then one loses his number
    for changed in ("CASE person WHEN 7 THEN 8 WHEN 8 THEN 7 ELSE person END", "nullif(person, 0)"):
        con.execute(f"UPDATE sdc_release SET person = {changed}")
        monkeypatch.setattr(places, "RUN", 100)
        found = lost._count_changes(outcome, columns)
        monkeypatch.setattr(places, "RUN", 10**9)
        assert found == lost._count_changes(outcome, columns) != joined
    con.execute("ROLLBACK")
    con.execute("RESET threads")


def test_only_what_is_listed_is_told_of_a_step(outcome):
    told = {step.method: public_steps.list_told_parameters(step) for step in outcome.steps}
    assert told == {
        "recode_intervals": {"breaks": [0, 40, 90], "ends": "closed"},
        "pram": {},
        "noise": {"method": "linear"},
        "noise_absolute": {"standard_deviation": 1.5},
        "multiplicative_noise": {"method": "hoehne"},
        "rank_swap": {},
        "top_bottom_code": {"replacement": "threshold"},
        "local_suppression": {},
    }
    assert {v for step in outcome.steps for v in public_steps.variances(step).values()} == {2.25}


def test_a_refused_release_has_an_internal_report_only(outcome, tmp_path):
    refused = replace(outcome, limits=(replace(outcome.limits[0], holds=False), *outcome.limits[1:]))
    with pytest.raises(ParameterError, match="refused"):
        public_report(refused)
    with pytest.raises(ParameterError, match="refused"):
        write_public_report(refused, tmp_path / "users.html")
    write_internal_report(refused, tmp_path / "internal.md")
    assert "REFUSED" in (tmp_path / "internal.md").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["internal.md"]
    with pytest.raises(ParameterError, match="html, markdown"):
        internal_report(outcome, "pdf")


def test_verdict_tells_what_is_broken_from_what_nobody_judged(outcome):
    """A limit of a figure that is NULL, and a rule that no measure answers, are not said to be broken."""
    first = outcome.limits[0]
    broken, empty = replace(first, holds=False), replace(first, holds=False, judged=False)
    unmeasured = replace(first, holds=False, judged=False, found="not measured; a person has to look at it")
    for limits, words in (
        ((broken, first), "**REFUSED**: of 2 conditions 1 does not hold."),
        ((broken, empty, empty), "of 3 conditions 1 does not hold; 2 have no figure."),
        (
            (first, unmeasured),
            "of 2 conditions 1 was not measured, and no person has looked at it.",
        ),
        ((first, first), "**ACCEPTED**: every limit holds."),
    ):
        page = internal_report(replace(outcome, limits=limits), "markdown")
        assert words in page
        assert ("NOT JUDGED" in page) == any(not limit.judged for limit in limits)
        assert ("DOES NOT HOLD" in page) == (broken in limits)


def test_without_an_id_there_are_no_changes_by_variable(outcome):
    plan = replace(outcome.plan, roles=replace(outcome.plan.roles, id=None))
    assert lost.count_by_variable(replace(outcome, plan=plan)) == []
    assert lost.count_by_dimension(replace(outcome, plan=plan), ["job"]) == {}
