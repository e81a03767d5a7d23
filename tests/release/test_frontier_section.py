"""Other releases that were considered: checked as steps are, compared with this one, in the internal report only."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import duckdb
import pytest

from sdc_sql import InputError, Microdata, ReleaseFileError
from sdc_sql.document import plane
from sdc_sql.release.judging.measured import choose_nulls
from sdc_sql.release.reading.plan import Step
from sdc_sql.release.reading.read import read_release
from sdc_sql.release.reporting.internal_report import internal_report
from sdc_sql.release.reporting.public_report import public_report
from sdc_sql.release.running.run import run_release

RELEASE = """
[source]
path = "raw.parquet"
[roles]
id = "f"
released_as_collected = ["note"]
[[scenarios]]
name = "it's"
keys = ["age", "Select"]
limits = ["k_anonymity.2.records <= 9"]
[[steps]]
mask = "recode"
column = "age"
breaks = [0, 30, 60]
[[steps]]
mask = "local_suppression"
scenario = "it's"
k = 2
[frontier]
risk = "true_reidentification.rate"
loss = ["distribution_distance.hellinger", { columns = ["select"] }]
MORE
[output]
path = "released.parquet"
"""
CANDIDATES = """
[[frontier.candidates]]
name = "as it is"
steps = []
[[frontier.candidates]]
name = "the <same> | steps"
steps = [{ mask = "recode", column = "age", breaks = [0, 30, 60] },
         { mask = "local_suppression", scenario = "it's", k = 2 }]
[[frontier.candidates]]
name = "classes"
steps = [{ mask = "recode", column = "age", breaks = [0, 30, 60] }]
"""


@pytest.fixture
def release(tmp_path):
    with duckdb.connect() as con:
        con.execute(f"""
            COPY (SELECT range AS f, range AS note, 20 + range * 7 % 23 AS age,
                         ['a', 'b', NULL, 'c'][1 + range * range % 4] AS "Select"
                  FROM range(40)) TO '{tmp_path}/raw.parquet'
        """)

    def written(more, text=RELEASE):
        file = tmp_path / "release.toml"
        file.write_text(text.replace("MORE", more))
        return file

    return written


@pytest.mark.slow
def test_this_release_stands_beside_the_others_with_the_figures_of_its_steps(release):
    outcome = run_release(release("max_risk = 0.5" + CANDIDATES), write=False)
    this, raw, same, classes = outcome.frontier
    assert [c.candidate for c in outcome.frontier] == ["this release", "as it is", "the <same> | steps", "classes"]
    assert (this.risk, this.loss) == (same.risk, same.loss)
    assert raw.loss == classes.loss == 0
    # by hand: 23 ages, 17 of them twice, 40 apart or not with Select; the highest risk is that of the file as it is
    assert raw.risk > classes.risk >= this.risk > 0
    cells = {}
    for i in range(40):
        age, select = 20 + i * 7 % 23, i * i % 4
        cells.setdefault((age, select), []).append(i)
    assert raw.risk == pytest.approx(len(cells) / 40)  # sum over cells of n * 1/n
    groups = {(age > 30, select) for age, select in cells}
    assert classes.risk == pytest.approx(len(groups) / 40)  # the recoded key is known by its labels
    assert classes.chosen
    assert raw.undominated is False
    said = outcome.to_dict()["frontier"]
    assert said["max_risk"] == 0.5
    assert [row["this_release"] for row in said["candidates"]] == [True, False, False, False]


@pytest.mark.slow  # a release is run for it
def test_the_internal_report_shows_it_and_the_public_one_does_not(release):
    with duckdb.connect() as con:
        outcome = run_release(release('utility = "-loss - 2 * risk"' + CANDIDATES), con, write=False)
        page, text = internal_report(outcome), internal_report(outcome, "markdown")
        shown_to_users = [public_report(outcome, "html"), public_report(outcome, "markdown")]
    root = ET.fromstring(page.partition("\n")[2])  # noqa: S314 - ours
    figure = next(f for f in root.iter("figure") if "Risk and loss" in "".join(f.itertext()))
    (picture,) = [s for s in figure.findall("svg") if s.get("role") == "img"]
    assert picture.get("aria-labelledby").split() == [
        e.get("id") for e in (picture.find("title"), picture.find("desc"))
    ]
    assert len([s for s in picture.findall("svg") if s.get("class") == "spot"]) == 4
    assert "this release" in picture.find("desc").text
    assert "Other releases that were considered" in text
    assert "the &lt;same&gt; \\| steps" in text
    for public in shown_to_users:
        assert "considered" not in public
        assert "as it is" not in public
        assert "reidentification" not in public


def test_every_error_has_its_place(release):
    wrong = """
max_risk = "low"
scenario = "its"
utility = "risk + other"
colour = 1
[[frontier.candidates]]
name = "x"
steps = [{ mask = "pram_retention", column = "age", retention = 1.5 }, { mask = "drop_identifiers", column = "note" }]
[[frontier.candidates]]
name = "this release"
steps = [{ mask = "recode", column = "age", breaks = [0, 30], where = "f > 3" }, { mask = "recodes" }]
[[frontier.candidates]]
name = "x"
"""
    with pytest.raises(ReleaseFileError) as caught:
        read_release(release(wrong))
    places = [problem.split(": ")[0] for problem in caught.value.problems]
    assert {*places} == {
        "frontier.max_risk", "frontier.scenario", "frontier.utility", "frontier.colour",
        "frontier.candidates[0].steps[0].retention", "frontier.candidates[0].steps[1].mask",
        "frontier.candidates[1].name", "frontier.candidates[1].steps[0].where",
        "frontier.candidates[1].steps[1].mask", "frontier.candidates[2].name", "frontier.candidates[2].steps",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ('risk = "true_reidentification.rat"', "frontier.risk"),
        ('risk = "thet.theta"', "frontier.risk"),
        ('risk = "theta.theta"', "roles.sampling_fraction"),  # no sampling fraction
        ("risk = 3", "frontier.risk"),
        ('risk = "l_diversity.distinct_l"', "frontier.risk"),  # of which variable?
        ('risk = ["true_reidentification.rate", { k = 1 }]', "frontier.risk[1].k"),
        ('risk = ["true_reidentification.rate", { key = ["age"] }]', "frontier.risk[1].key"),
        ('risk = ["true_reidentification.rate", { keys = ["aged"] }]', "frontier.risk[1].keys[0]"),
    ],
)
def test_a_figure_that_cannot_be_measured_is_told_before_any_work(release, asked, place):
    text = RELEASE.replace('risk = "true_reidentification.rate"', asked)
    with pytest.raises(ReleaseFileError) as caught:
        read_release(release(CANDIDATES, text))
    assert [problem.split(": ")[0] for problem in caught.value.problems] == [place]


@pytest.mark.slow  # likewise
def test_a_candidate_that_cannot_be_run_is_told_with_its_place(release):
    more = """
[[frontier.candidates]]
name = "several labels"
steps = [{ mask = "mondrian", keys = ["age", "Select"], k = 3 }]
"""
    file = release(more)
    with pytest.raises(InputError, match=r"^frontier\.candidates\[0\] \(several labels\): "):
        run_release(file)
    assert not file.with_name("released.parquet").exists()


def test_the_draws_of_a_candidate_ask_for_the_key_before_any_work(release, monkeypatch):
    monkeypatch.delenv("SDC_KEY", raising=False)
    more = (
        '[[frontier.candidates]]\nname = "p"\nsteps = [{ mask = "pram_retention", column = "Select", retention = 0.9 }]'
    )
    assert read_release(release(more)).draws
    stages = []
    with pytest.raises(InputError, match="No secret key"):
        run_release(release(more), write=False, progress=stages.append)
    assert stages == []


def test_scales_have_round_numbers_and_stand_for_equal_figures():
    assert plane.choose_ticks(0, 0) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert plane.choose_ticks(0, 0.07)[-1] >= 0.07
    for high in (1e-9, 0.3, 1, 99, 12345):
        marks = plane.choose_ticks(0, high)
        assert marks[0] == 0
        assert marks[-1] >= high
        assert len(marks) <= 7


def test_values_missing_before_are_no_wildcards_for_a_candidate(con):
    """By hand: of (1, NULL), (1, a), (2, b) the missing one would agree with a; suppression must not make it so."""
    con.execute("CREATE TABLE raw AS FROM (VALUES (1, 1, NULL), (2, 1, 'a'), (3, 2, 'b')) AS t(id, age, job)")
    data = Microdata(con, "raw", id="id")
    step = Step("steps[0]", "local_suppression", {}, ("age", "job"), suppresses=True)
    assert choose_nulls(data, [step], ["age", "job"]) == "category"
    assert choose_nulls(data, [step], ["age"]) == "wildcard"
    assert choose_nulls(data, [], ["age"]) == "category"
