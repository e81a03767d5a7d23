"""The form of a step and the list of steps, without a page."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sdc_sql.app import protect_list
from sdc_sql.app.draft import format_release
from sdc_sql.app.protect_forms import METHOD, TARGET, fill_form, find_method, list_fields, list_kinds, make_step
from sdc_sql.app.protect_kept import check_step
from sdc_sql.app.state import State
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.errors import ParameterError

FIXTURES = Path(__file__).parents[2] / "fixtures"
FILES = ["cps_couples.toml", "cps_couples_first.toml", "cis.toml", "lfs.toml", "cis_first.toml", "lfs_first.toml"]


def test_a_step_of_a_file_without_an_id_says_how_to_make_one():
    scenario = {"name": "one", "keys": ["race"], "limits": ["k_anonymity.3.records <= 0"]}
    with State(FIXTURES / "cps_couples.parquet") as state:
        state.change("a scenario", lambda release: release.update(scenarios=[scenario]))
        asked, problems = check_step(state, {"mask": "round", "columns": ["hours"], "base": 5})
    assert asked is None
    assert [said for said in problems if said.startswith("roles.id: it is missing")]


def test_every_method_of_a_release_file_has_a_form_and_each_field_its_meaning():
    methods = [mask for kind in list_kinds() for mask in kind.methods]
    wanted = {d.name for d in read_catalogue() if d.is_step} - {"sdc_renumber"}
    assert {mask.name for mask in methods} == wanted
    assert len(methods) == len(wanted)
    for mask in methods:
        assert mask.summary, mask.name
        assert all(field.meaning for field in list_fields(mask)), mask.name


@pytest.mark.parametrize("file", FILES)
def test_a_step_of_a_release_file_is_the_same_after_its_form(file):
    for step in tomllib.loads((FIXTURES / file).read_text()).get("steps", []):
        wanted = {name: value for name, value in step.items() if name != "by_household"}
        found = make_step(fill_form({**wanted}))
        mask = find_method(fill_form(wanted)[METHOD])
        defaults = {p.name: str(p.default).strip("'") for p in list_fields(mask) if p.default is not None}
        named = {n: v for n, v in wanted.items() if n not in defaults or str(v) != defaults[n]}
        assert _normal(found) == _normal(named)


def _normal(step):
    step = dict(step)
    if "column" in step and "columns" not in step:
        step["columns"] = [step.pop("column")]
    if isinstance(step.get("columns"), str):
        step["columns"] = [step["columns"]]
    return step


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({METHOD: "sdc_round", TARGET: ["age"], "base": "ten"}, "base"),
        ({METHOD: "sdc_recode_intervals", TARGET: ["a", "b"], "breaks": "1"}, "^column: "),
        ({METHOD: "sdc_recode_intervals", TARGET: ["a"]}, "^breaks: it is not given yet"),
        ({METHOD: "sdc_local_suppression", "k": "3"}, "^keys: "),
        ({METHOD: "sdc_round", TARGET: []}, "columns"),
        ({METHOD: "sdc_round", TARGET: ["age"], "base": "inf"}, "base"),
        ({METHOD: "sdc_suppress_combinations", TARGET: ["a"], "threshold": "3", "combinations": "[["}, "combinations"),
        ({METHOD: "sdc_theta"}, "no method"),
        ({}, "no method"),
    ],
)
def test_a_field_that_cannot_be_read_is_named(form, said):
    with pytest.raises(ParameterError, match=said):
        make_step(form)


def test_steps_are_moved_switched_off_and_taken_out_and_all_is_undone():
    masks = [{"mask": name} for name in ("a", "b", "c")]
    with State(FIXTURES / "cps_couples.parquet") as state:
        state.change("steps", lambda release: release.update(steps=[*masks]))
        before = state.release
        state.change("off", lambda release: protect_list.switch_item(release, 0))
        state.change("down", lambda release: protect_list.move_item(release, 1, 1))
        assert [item.step["mask"] for item in protect_list.list_items(state.release)] == ["a", "c", "b"]
        assert [step["mask"] for step in state.release["steps"]] == ["c", "b"]
        assert "window" not in tomllib.loads(state.file.read_text())
        assert '"a"' not in state.file.read_text()
        state.change("on", lambda release: protect_list.switch_item(release, 0))
        assert [step["mask"] for step in state.release["steps"]] == ["a", "c", "b"]
        state.change("out", lambda release: protect_list.remove_item(release, 1))
        state.change("put", lambda release: protect_list.put_item(release, {"mask": "d"}, 0))
        assert [step["mask"] for step in state.release["steps"]] == ["d", "b"]
        for _ in range(5):
            state.undo()
        assert state.release == before
        assert format_release(before) == state.file.read_text()


@pytest.mark.parametrize(("place", "by"), [(0, -1), (1, 1), (5, 1), (-1, 1)])
def test_no_step_is_moved_beyond_the_ends(place, by):
    release = {"steps": [{"mask": "a"}, {"mask": "b"}]}
    with pytest.raises(ParameterError):
        protect_list.move_item(release, place, by)
    assert release["steps"] == [{"mask": "a"}, {"mask": "b"}]
