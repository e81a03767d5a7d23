"""What a step would do, before it is applied: the figures are those of the release that the command line would make."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sdc_sql.app.preview_cells import Cells, preview_exactly
from sdc_sql.app.preview_figures import measure_tables
from sdc_sql.app.preview_records import preview_by_records
from sdc_sql.app.state import State
from sdc_sql.app.worked import Worked, read_plan
from sdc_sql.errors import ParameterError

FIXTURES = Path(__file__).parents[2] / "fixtures"
SAID = tomllib.loads((FIXTURES / "cps_couples.toml").read_text())
NEIGHBOUR = {**SAID["scenarios"][0], "keys": ["region", "race", "children_under_6"]}


@pytest.fixture(scope="module")
def state():
    with State(FIXTURES / "cps_couples.parquet") as state:
        state.change("all", lambda release: release.update(roles=SAID["roles"], scenarios=[NEIGHBOUR]))
        yield state


@pytest.fixture
def cursor(state):
    found = state.cursor()
    yield found
    found.close()


def plan_step(state, steps, step):
    plan, _ = read_plan(state, {**state.release, "steps": steps})
    after, problems = read_plan(state, {**state.release, "steps": [*steps, step]})
    assert not [said for said in problems if said.startswith("steps")]
    return plan, after


def list_after(shown):
    return [(one.words, one.after, one.holds) for one in shown if one.place != "loss"]


@pytest.mark.parametrize("where", [None, pytest.param("race = 'black'", marks=pytest.mark.slow)])
def test_an_exact_preview_is_what_the_step_does(state, cursor, where):
    step = {**SAID["steps"][0], **({"where": where} if where else {})}
    plan, after = plan_step(state, [], step)
    worked = Worked()
    found = preview_exactly(worked, cursor, Cells(state), (plan, after.steps[-1]))
    assert found.kind == "exact"
    assert found.records == 22_272
    with worked.open(cursor, after) as sides:
        risk, _ = measure_tables(sides)
    assert list_after(found.risk) == [
        (words, pytest.approx(value, rel=1e-12), holds) for words, value, holds in list_after(risk)
    ]
    assert found.risk[0].before > found.risk[0].after


@pytest.mark.slow
def test_a_full_preview_is_what_the_step_does(state, cursor):
    steps, step = [SAID["steps"][0]], {**SAID["steps"][3], "scenario": "nosy neighbour", "where": "region <> 'other'"}
    plan, after = plan_step(state, steps, step)
    worked = Worked()
    assert preview_exactly(worked, cursor, Cells(state), (plan, after.steps[-1])) is None
    found = preview_by_records(worked, cursor, (plan, after.steps[-1]), full=True)
    with worked.open(cursor, after) as sides:
        risk, _ = measure_tables(sides)
    assert found.kind == "full"
    assert list_after(found.risk) == [
        (words, pytest.approx(value, rel=1e-12), holds) for words, value, holds in list_after(risk)
    ]


@pytest.mark.slow
def test_a_sample_judges_nothing_and_is_the_same_twice(state, cursor):
    step = {"mask": "pram_retention", "column": "race", "retention": 0.9}
    plan, after = plan_step(state, [], step)
    worked = Worked()
    first, second = (preview_by_records(worked, cursor, (plan, after.steps[-1])) for _ in range(2))
    assert first.kind == "sample"
    assert first.records == 10_000
    assert first.most >= first.least > 0
    assert {one.holds for one in first.risk} == {None}
    assert list_after(first.risk) == list_after(second.risk)
    assert cursor.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'sdc_preview%'").fetchone() == (
        0,
    )


@pytest.mark.slow
def test_steps_are_added_to_the_tables_of_those_before(state, cursor):
    worked = Worked()
    steps = SAID["steps"][:2]
    plans = [read_plan(state, {**state.release, "steps": steps[:n]})[0] for n in (1, 2)]
    with worked.open(cursor, plans[0]) as sides:
        one = sides.steps
    with worked.open(cursor, plans[1]) as sides:
        assert [done.changed for done in sides.steps[:1]] == [done.changed for done in one]
        extended = sides.con.execute("SELECT * FROM sdc_release ORDER BY ALL").fetchall()
    with Worked().open(cursor, plans[1]) as sides:
        assert sides.con.execute("SELECT * FROM sdc_release ORDER BY ALL").fetchall() == extended


def test_a_condition_on_what_is_no_key_is_looked_at_on_records(state, cursor):
    plan, after = plan_step(state, [], {**SAID["steps"][0], "where": "hours > 20"})
    assert preview_exactly(Worked(), cursor, Cells(state), (plan, after.steps[-1])) is None


@pytest.mark.slow
def test_a_sample_without_a_record_of_the_condition_says_so(state, cursor):
    plan, after = plan_step(
        state, [], {"mask": "pram_retention", "column": "race", "retention": 0.9, "where": "couple < 0"}
    )
    with pytest.raises(ParameterError, match="compute in full"):
        preview_by_records(Worked(), cursor, (plan, after.steps[-1]))


def test_an_error_of_a_step_leaves_nothing_behind(state, cursor):
    step = {"mask": "recode", "column": "children_under_6", "breaks": [1, 2]}  # closed: values lie outside
    _, after = plan_step(state, [], step)
    worked = Worked()
    before = cursor.execute("SELECT count(*) FROM duckdb_databases()").fetchone()
    with pytest.raises(ValueError, match="outside the breaks"), worked.open(cursor, after):
        pass
    assert cursor.execute("SELECT count(*) FROM duckdb_databases()").fetchone() == before
