"""Levels of identification in the release file: a limit on the threshold rule, which a release is judged by."""

from __future__ import annotations

import tomllib
from pathlib import Path

import duckdb
import pytest

from sdc_sql.app.preview_figures import measure_tables
from sdc_sql.app.risk_levels import drop_unused, read_levels, set_levels
from sdc_sql.app.state import State
from sdc_sql.app.worked import Worked, describe_measured, read_plan
from sdc_sql.errors import ParameterError

FIXTURES = Path(__file__).parents[2] / "fixtures"
ROLES = tomllib.loads((FIXTURES / "cps_couples.toml").read_text())["roles"]
LEVELS = {"region": "extremely", "race": "very", "education": "identifying"}


@pytest.fixture
def state():
    scenario = {"name": "one", "keys": [*LEVELS], "threshold": 20000}
    with State(FIXTURES / "cps_couples.parquet") as state:
        state.change("all", lambda release: release.update(roles=ROLES, scenarios=[scenario]))
        yield state


def test_levels_are_written_as_a_figure_with_a_limit_and_taken_out_with_it(state):
    state.change("levels", lambda release: set_levels(state, release, 0, (LEVELS, 20000, 0)))
    said = tomllib.loads(state.file.read_text())
    assert said["figures"] == {
        "threshold_by_level": {
            "measure": "threshold_rule_summary",
            "levels": {"extremely": ["region"], "very": ["race"], "identifying": ["education"]},
        }
    }
    assert said["scenarios"][0]["limits"] == ["threshold_by_level.unsafe_combinations <= 0"]
    assert read_levels(said, 0) == LEVELS
    before = describe_measured(read_plan(state)[0])
    others = {"region": "very", "race": "identifying", "education": "identifying"}
    state.change("others", lambda release: set_levels(state, release, 0, (others, 5000, 3)))
    said = tomllib.loads(state.file.read_text())
    assert read_levels(said, 0) == others
    assert said["figures"]["threshold_by_level"]["threshold"] == 5000
    assert said["scenarios"][0]["limits"] == ["threshold_by_level.unsafe_combinations <= 3"]
    assert describe_measured(read_plan(state)[0]) != before  # what was measured of the former levels is not shown
    state.change("no limit", lambda release: release["scenarios"][0].pop("limits"))
    state.change("nothing of it", drop_unused)
    assert not state.release["figures"]


def test_a_key_without_a_level_is_refused(state):
    with pytest.raises(ParameterError, match="education has none"):
        state.change("levels", lambda release: set_levels(state, release, 0, ({**LEVELS, "education": ""}, 20000, 0)))


def test_levels_without_a_threshold_are_refused_and_change_nothing(state):
    state.change("no threshold", lambda release: release["scenarios"][0].pop("threshold"))
    before = state.file.read_text()
    with pytest.raises(ParameterError, match="threshold"):
        state.change("levels", lambda release: set_levels(state, release, 0, (LEVELS, None, 0)))
    assert state.file.read_text() == before


@pytest.mark.slow
def test_the_limit_is_on_the_combinations_of_a_key_of_each_level(state):
    state.change("levels", lambda release: set_levels(state, release, 0, (LEVELS, 20000, 0)))
    cursor = state.cursor()
    with Worked().open(cursor, read_plan(state)[0]) as sides:
        risk, _ = measure_tables(sides)
    cursor.close()
    with duckdb.connect() as con:  # counted without any of our code
        ((unsafe,),) = con.execute(
            f"""SELECT count(*) FROM (
                FROM '{FIXTURES / "cps_couples.parquet"}' SELECT sum(weight) AS w GROUP BY {", ".join(LEVELS)}
                HAVING w <= 20000
            )"""
        ).fetchall()
    (found,) = [one for one in risk if one.limit]
    assert (found.before, found.holds) == (unsafe, False)
    assert unsafe > 0
