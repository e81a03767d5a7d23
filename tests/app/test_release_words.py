"""What stands in the step Release: problems in the words of the page, formats, readers, the intruder and the steps."""

from __future__ import annotations

import re

import duckdb
import pytest

from sdc_sql.app.state import State

pytest.importorskip("shiny", reason="the extra app is not installed")

from sdc_sql.app import release, release_plan, release_written
from sdc_sql.app.protect_forms import describe_step
from sdc_sql.app.release_problems import find_step_title, tell_problem
from sdc_sql.app.release_run import Run, list_problems
from sdc_sql.db.files import released_file
from sdc_sql.release.running import formats
from sdc_sql.release.running.documents import DOCUMENTS

HURT = "<img src=x onerror=alert(1)>"
FILE_WORDS = re.compile(r"\[\[?\w|\w+\[\d+\]|=")  # of TOML: [section], scenarios[0], name = value
SCENARIO = {"name": "one", "keys": ["age"], "limits": ["k_anonymity.3.records <= 0"]}


class _Desk:
    """What a connection sees, without a page: what draws a part, by its name."""

    def __init__(self, state):
        self.state, self.parts = state, {}

    def part(self, name):
        return lambda draw: self.parts.setdefault(name, draw)

    def on(self, _):
        return lambda handle: handle

    def release(self):
        return self.state.release

    def read_problem(self, _):
        return None


@pytest.fixture
def state(tmp_path):
    with duckdb.connect() as con:
        con.execute(
            f"COPY (SELECT i AS id, i % 4 AS age, i % 3 AS place FROM range(30) t(i)) TO '{tmp_path}/k.parquet'"
        )
    with State(tmp_path / "k.parquet") as found:
        yield found


@pytest.mark.parametrize(
    ("change", "step", "click"),
    [
        ({}, "scenarios", "Click Add a scenario"),
        ({"scenarios": [{"name": "one"}]}, "scenarios", "choose one column or more"),
        ({"scenarios": [{"name": "one", "keys": ["age", "place"]}], "roles": {"id": "id"}}, "scenarios", "click Add"),
        ({"scenarios": [SCENARIO], "roles": {"id": "id"}}, "look", "Choose in the list of each column"),
        (
            {
                "scenarios": [{**SCENARIO, "keys": ["age", "place"]}],
                "roles": {"released_as_collected": ["id"]},
                "steps": [{"mask": "pram_retention", "column": "place", "retention": 0.9}],
            },
            "look",
            "Choose id in the list",
        ),
    ],
)
def test_a_problem_names_the_step_and_what_to_click(state, change, step, click):
    state.change("x", lambda given: given.update(change))
    (problem,) = list_problems(state)
    told = tell_problem(state.release, problem)
    assert told.step == step
    assert click in told.words
    assert not FILE_WORDS.search(told.words.partition("To a file")[0]), told.words
    assert not FILE_WORDS.search(told.of)
    assert find_step_title(step) == {"look": "Step 1, Look", "scenarios": "Step 2, Who might look"}[step]


def test_the_released_file_says_which_format_each_ending_gives(state):
    desk = _Desk(state)
    release._serve_form(desk)
    drawn = str(desk.parts["release_form"]())
    (hint,) = re.findall(r'id="release-path-why">(.*?)</p>', drawn)
    assert re.findall(r"\.\w+", hint) == [*released_file.FORMATS, *formats.FORMATS]
    assert ".dta Stata" in hint
    users, house = drawn.split("(public)", 1)[1].split("(internal)", 1)
    for name, kind in DOCUMENTS.items():
        assert (f'id="release-writes-{name}"' in users) == kind.public, name
        assert (f'id="release-writes-{name}"' in house) != kind.public, name


def test_the_intruder_and_the_steps_stand_in_the_release(state):
    desk = _Desk(state)
    release_plan.serve(desk)
    assert "Nobody is named yet" in str(desk.parts["release_plan"]())

    def edit(given):
        given["scenarios"] = [{**SCENARIO, "text": f"A neighbour. {HURT}"}, {"name": "two", "keys": []}]
        given["steps"] = [{"mask": "round", "column": "age", "base": 5}]

    state.change("x", edit)
    drawn = str(desk.parts["release_plan"]())
    assert "A neighbour. &lt;img" in drawn
    assert HURT not in drawn
    assert "knows: age; 1 limit<" in drawn
    assert "knows: nothing yet; no limit set" in drawn
    words, more = describe_step(state.release["steps"][0])
    (steps,) = re.findall(r'<ol[^>]*id="release-steps"[^>]*>(.*?)</ol>', drawn, re.DOTALL)
    assert words in steps
    assert more in steps


def test_what_is_written_is_counted_and_says_whom_it_is_for(tmp_path):
    def draw(*names):
        written = {name: tmp_path / name for name in names}
        return str(release_written.write_written(Run(True, (), (), (), {}, written)))  # noqa: FBT003 - accepted

    assert ">1 file, readable" in draw("path") or "1 file, readable" in draw("path")
    several = draw("path", "report", "public_report")
    assert "3 files, readable" in several
    ends = [line.strip().rpartition(", ")[2] for line in re.findall(r"</code>(.*?)</li>", several, re.DOTALL)]
    assert ends == ["public", "internal", "public"]
