"""What the page shows of risk is what a run of the same release file measures before protection."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import sdc_sql
from sdc_sql.app.jobs import Jobs
from sdc_sql.app.scenario_risk import find_limits, find_report, read_scenario
from sdc_sql.app.state import State
from sdc_sql.errors import ParameterError

ROOT = Path(__file__).resolve().parents[2]


class _Desk:
    """What a connection sees, without a page: work is waited for."""

    def __init__(self, state):
        self.state, self.jobs = state, Jobs(state)

    def find_job(self, panel, inputs, run):
        job = self.jobs.find(panel, inputs, run)
        assert job.ended.wait(60)
        assert job.status == "done", job.error
        return job

    def read_choice(self, _, default):
        return default

    def read_problem(self, _):
        return None


def test_the_worst_records_are_those_of_the_worst_households_and_say_why(tmp_path):
    records = pytest.importorskip("sdc_sql.app.risk_records", reason="the extra app is not installed")
    sdc_sql.example().con.execute(f"COPY persons TO '{tmp_path}/persons.parquet'")
    with State(tmp_path / "persons.parquet") as state:
        roles = {"id": "id", "weight": "w", "household": "household"}
        scenarios = [{"name": "a", "keys": ["age", "sex"]}]
        state.change("x", lambda release: release.update(roles=roles, scenarios=scenarios))
        desk = _Desk(state)
        drawn = str(records.draw(desk, 0, read_scenario(state, 0)))
        desk.jobs.close()
    ids = re.findall(r'<th scope="row">\s*(\d+)', drawn)
    # the greatest risk is that of who lives alone, 0.1577, then that of the household of two, 0.1311
    assert ids == ["3", "1", "2"]
    assert "<strong>41</strong>" in drawn
    assert "age; sex" in drawn
    assert drawn.count("not alone") == 2


@pytest.mark.slow
def test_the_figures_are_those_of_a_run(tmp_path):
    file = ROOT / "fixtures" / "cps_couples.toml"
    said = tomllib.loads(file.read_text(encoding="utf-8"))
    source = file.parent / said["source"]["path"]
    plan = sdc_sql.read_release(file, output_folder=tmp_path)
    (tmp_path / "key").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", "a-secret-key-that-nobody-guesses-0123456789")
        outcome = sdc_sql.run_release(plan, write=False)
    with State(source) as state:
        state.change("all", lambda release: release.update(roles=said["roles"], scenarios=said["scenarios"]))
        desk = _Desk(state)
        for number, ran in enumerate(outcome.scenarios):
            asked = read_scenario(state, number)
            report = find_report(desk, number, asked).result
            ours, theirs = report.to_dict(), ran.before.to_dict()
            for name in {*ours, *theirs} - {"table"}:
                assert ours[name] == theirs[name], name
            limits = [limit for limit in outcome.limits if limit.limit.scenario == ran.scenario.name]
            judged = find_limits(desk, number, asked, report).result
            assert [dict(one.figures) for one in judged if one.holds is not None] == [
                dict(limit.before) for limit in limits if None not in limit.before.values()
            ]
        desk.jobs.close()


def test_an_error_of_another_scenario_or_of_a_step_does_not_matter(tmp_path):
    sdc_sql.example().con.execute(f"COPY persons TO '{tmp_path}/persons.parquet'")
    with State(tmp_path / "persons.parquet") as state:

        def edit(release):
            release["scenarios"] = [{"name": "a", "keys": ["age"]}, {"name": "b", "keys": ["nothing"]}]
            release["steps"] = [{"mask": "nothing"}]

        state.change("x", edit)
        assert read_scenario(state, 0).scenario.keys == ("age",)
        with pytest.raises(
            ParameterError,
            match=r"^Keys: The key variable 'nothing' is not a column of the source; it has .*household\.$",
        ):
            read_scenario(state, 1)
        with pytest.raises(ParameterError, match="no such scenario"):
            read_scenario(state, 2)


@pytest.mark.slow
@pytest.mark.whole
def test_a_figure_without_a_limit_says_so_and_the_terms_are_the_fields(tmp_path):
    shown = pytest.importorskip("sdc_sql.app.risk_file", reason="the extra app is not installed")
    sdc_sql.example().con.execute(f"COPY persons TO '{tmp_path}/persons.parquet'")
    with State(tmp_path / "persons.parquet") as state:
        scenarios = [{"name": "a", "keys": ["age", "sex"], "limits": ["k_anonymity.2.records <= 0"]}]
        roles = {"id": "id", "weight": "w"}
        state.change("x", lambda release: release.update(roles=roles, scenarios=scenarios))
        desk = _Desk(state)
        drawn = str(shown.draw(desk, 0, read_scenario(state, 0)))
        tiles = re.findall(r"<li>(.*?)</li>", drawn.partition("</ul>")[0], re.DOTALL)
        said = {re.findall(r'class="unit">(.*?)</', tile)[0]: "no limit set" in tile for tile in tiles}
        assert said.pop("records that violate 2-anonymity: fewer than 2 records share their keys") is False
        assert "records that violate 3-anonymity: fewer than 3 records share their keys" in said
        assert all(said.values())
        assert "may be too low" in re.search(r"\d+ per cent of the records are sample uniques.*?</p>", drawn)[0]
        state.change("y", lambda release: release.update(roles={"id": "id"}))  # nothing is estimated
        assert "sample uniques (alone" not in str(shown.draw(desk, 0, read_scenario(state, 0)))
        state.change("y", lambda release: release["scenarios"][0].update(keys=["w"]))
        state.change("z", lambda release: release.update(roles={"id": "id", "sampling_fraction": 0.05}))
        alone = str(shown.draw(desk, 0, read_scenario(state, 0)))
        assert "100 per cent of the records are sample uniques" in alone
        desk.jobs.close()
