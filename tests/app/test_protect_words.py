"""What methods, fields and steps are called in the page, without a page."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from sdc_sql.app.preview_figures import Shown
from sdc_sql.app.protect_forms import describe_step, list_fields, list_kinds
from sdc_sql.app.protect_kept import check_step, part_problem
from sdc_sql.app.protect_words import CHOICES, describe_argument, describe_field, name_field, name_method
from sdc_sql.app.state import State
from sdc_sql.db.catalogue.macros import read_catalogue

FIXTURES = Path(__file__).parents[2] / "fixtures"
METHODS = [mask for kind in list_kinds() for mask in kind.methods]


def test_every_method_has_a_name_of_its_own_and_names_are_of_methods():
    names = [name_method(mask) for mask in METHODS]
    assert len({*names}) == len(names)
    assert {one.name for one in read_catalogue() if one.title} <= {mask.name for mask in METHODS}
    for word in CHOICES:  # there is something to choose among
        assert len([name for name in names if name.startswith(word)]) > 1, word


def test_what_is_said_of_a_field_is_no_notation_of_headers():
    said = [describe_field(field) for mask in METHODS for field in list_fields(mask)]
    assert not [one for one in said if re.search(r"\.\.\.|\bNULL:|\bin [\[(]\d+, *\.|`", one)]
    assert all(one.endswith(".") for one in said)
    labels = {name_field(field) for mask in METHODS for field in list_fields(mask)}
    assert "k: the least number of records" in labels
    assert not {"K", "L", "T", "C", "P"} & labels


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (
            {"mask": "recode", "column": "f", "breaks": [0, 1, 2], "ends": "open_above"},
            ("Recode f into intervals", "cut points 0, 1 and 2; open above"),
        ),
        (
            {"mask": "local_suppression", "scenario": "nosy neighbour", "k": 3},
            ("Local suppression of the keys of nosy neighbour", "k: 3"),
        ),
        (
            {"mask": "recode", "column": "Select", "mapping": {"a": "x", "b": "x", "c": "c", " ": "y"}},
            ("Merge or rename categories of Select", 'a and b become x; " " becomes y; what is left stays'),
        ),
        (
            {"mask": "pram_retention", "columns": ["a", "b"], "retention": 0.9, "where": "a > 1"},
            ("PRAM of a, b by a probability to stay", "retention: 0.9; only where a > 1"),
        ),
        ({"mask": "round", "columns": ["a"], "base": 5, "at_random": True}, ("Rounding at random of a", "base: 5")),
        ({"mask": "drop_identifiers", "columns": ["name"]}, ("Drop identifiers: name", "")),
        ({"mask": "unknown"}, ("Unknown", "")),
    ],
)
def test_a_step_reads_as_words(step, words):
    assert describe_step(step) == words


def test_steps_of_release_files_have_no_sign_of_their_code():
    for file in ("cps_couples.toml", "cis.toml", "lfs.toml"):
        for step in tomllib.loads((FIXTURES / file).read_text()).get("steps", []):
            words, more = describe_step(step)
            assert "open_" not in more
            assert "{" not in words + more


def test_a_mapping_of_many_groups_is_told_in_part():
    said = describe_argument("mapping", {str(i): f"to {i}" for i in range(20)})
    assert said.endswith("; and 14 more")


def test_a_problem_of_a_step_has_a_name_before_its_colon():
    with State(FIXTURES / "cps_couples.parquet") as state:
        state.change("an id", lambda release: release.update(roles={"id": "couple"}))
        for step in (
            {"mask": "recode", "column": "race"},
            {"mask": "recode", "column": "race", "breaks": [1], "classes": 3},
            {"mask": "round", "column": "hours", "base": "x"},
            {"mask": "recode", "column": "race", "mapping": "no such.csv"},
        ):
            problems = check_step(state, step)[1]
            assert problems
            for said in problems:
                name, wrong = part_problem(said)
                assert name, said
                assert wrong, said
                assert not wrong.startswith(":"), said


def _show(scenario, limit, holds, place="scenarios[0].limits[0]"):
    bound = 0.0 if limit else None
    return Shown(
        scenario, f"figure of {scenario}", 5.0, 2.0, limit, place if limit else "", bound, at_most=True, holds=holds
    )  # fmt: skip


def test_what_has_no_limit_is_flagged_and_losses_have_a_heading():
    pytest.importorskip("htmltools", reason="the extra app is not installed")
    from sdc_sql.app.figures_shown import write_figures  # noqa: PLC0415 - an extra

    shown = [_show("one", "k <= 0", holds=False), _show("two", "", holds=None), _show("", "l <= 0", holds=True)]
    text = str(write_figures("t", "figures", shown, ("before", "now")))
    assert text.count("no limit set") == 2  # of the scenario, and of its figure
    assert text.index("two") < text.index("this risk can refuse nothing") < text.index("What is lost")
    assert text.index("figure of two") < text.index("What is lost") < text.rindex("figure of ")
    assert "does not hold" in text
    sample = str(write_figures("t", "figures", shown, ("now", "then"), judged=False))
    assert "does not hold" not in sample
    bare = str(write_figures("t", "figures", [_show("two", "", holds=None)], ("before", "now")))
    assert "no limit set" in bare
    assert "gauge" not in bare
