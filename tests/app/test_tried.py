"""What was tried is there again when the page is opened on the same file, and of no other."""

from __future__ import annotations

import datetime as dt
import os
import stat
import subprocess
import sys

import pytest

import sdc_sql
from sdc_sql.app.preview_figures import Shown, pair_sides
from sdc_sql.app.state import State
from sdc_sql.app.tried import FILE, keep_tried, list_tried
from sdc_sql.app.worked import read_plan

RISK = Shown(
    "one", "Records", 3, 1, "k <= 0", "scenarios[0].limits[0]", 0.0, at_most=True, holds=False, measures=("k",)
)
LOSS = Shown("", "Loss", 0.0, float("inf"), "", "loss", None, at_most=True, holds=None)
STEPS = [{"mask": "recode", "column": "born", "breaks": [dt.date(1990, 1, 1)], "ends": "open"}]


@pytest.fixture
def file(tmp_path):
    sdc_sql.example().con.execute(f"COPY persons TO '{tmp_path}/persons.parquet'")
    (tmp_path / "kept").mkdir()
    return tmp_path / "persons.parquet"


def open_again(file, **how):
    return State(file, keep=file.parent / "kept", **how)


def test_it_is_there_again_for_the_same_file_alone(file):
    with open_again(file) as state:
        plan, _ = read_plan(state)
        keep_tried(state, plan, [], ((RISK,), ()))
        after, _ = read_plan(state, {**state.release, "steps": [{"mask": "round", "column": "age", "base": 5}]})
        keep_tried(state, after, STEPS, ((RISK,), (LOSS,)))
        found = list_tried(state)
        assert [one.label for one in found] == ["1", "2"]
        kept = state.file.with_name(FILE)
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with open_again(file) as again:
        assert list_tried(again) == found
        keep_tried(again, after, STEPS, ((), (LOSS,)))  # measured anew: the figures are new, the label is not
        assert [(one.label, one.risk) for one in list_tried(again)] == [("1", (RISK,)), ("2", ())]
    os.utime(file, (1, 1))
    with open_again(file) as other:
        assert list_tried(other) == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", ["", "{", "[]", '{"of": 1}', "\xff"])
def test_what_cannot_be_read_is_nothing(file, text):
    with open_again(file):
        pass
    (file.parent / "kept" / FILE).write_text(text, encoding="latin-1")
    with open_again(file) as state:
        assert list_tried(state) == []


def test_begun_anew_nothing_was_tried(file):
    with open_again(file) as state:
        keep_tried(state, read_plan(state)[0], [], ((RISK,), ()))
    with open_again(file, fresh=True) as anew:
        assert list_tried(anew) == []


@pytest.mark.slow
def test_another_process_knows_the_same_list_of_steps(file):
    code = (
        "import sys; from pathlib import Path; from sdc_sql.app.state import State\n"
        "from sdc_sql.app.worked import read_plan\n"
        "from sdc_sql.app.tried import keep_tried, list_tried\n"
        "file = Path(sys.argv[1])\n"
        "with State(file, keep=file.parent / 'kept') as state:\n"
        "    step = {'mask': 'round', 'columns': ['age'], 'base': 5}\n"
        "    scenario = {'name': 'one', 'keys': ['age', 'sex'], 'limits': ['k_anonymity.3.records <= 0']}\n"
        "    said = {'roles': {'id': 'id', 'weight': 'w'}, 'scenarios': [scenario], 'steps': [step]}\n"
        "    state.change('all', lambda release: release.update(said))\n"
        "    keep_tried(state, read_plan(state)[0], [step], ((), ()))\n"
        "    print(len(list_tried(state)))\n"
    )
    for seed in ("1", "2"):
        found = subprocess.run(
            [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert found.stdout == "1\n"


def test_limits_of_the_file_as_it_was_collected_are_judged_too(file):
    shown = pytest.importorskip("sdc_sql.app.compare_map", reason="the extra app is not installed")
    before = Shown("one", "Records", 3, 3, "k <= 0", "scenarios[0].limits[0]", 0.0, at_most=True, holds=False)
    paired = pair_sides(before, RISK)
    assert (paired.held, paired.holds, paired.after) == (False, False, 1)
    assert str(shown._count_holding([paired], {"k <= 0"})) == "0 of 1"
    unknown = Shown("", "Loss", None, None, "il1 <= 1", "loss.limits[0]", 1.0, at_most=True, holds=None)
    assert "1 not measured" in str(shown._count_holding([paired, unknown], {"k <= 0", "il1 <= 1"}))
    assert "other limits then" in str(shown._count_holding([paired], {"k <= 5"}))
    assert "no limit" in str(shown._count_holding([], set()))
    with open_again(file) as state:
        plan, _ = read_plan(state)
        keep_tried(state, plan, [], ((RISK,), ()))
        keep_tried(state, plan, [], ((paired,), ()))  # the limits are others now
        assert [one.risk for one in list_tried(state)] == [(paired,)]
    with open_again(file) as again:
        assert list_tried(again)[0].risk == (paired,)
