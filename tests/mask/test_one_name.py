"""A mask has one name at all doors: Python verb, macro, command, step of a release file, dbt macro."""

from __future__ import annotations

import argparse
import inspect
import re
from pathlib import Path

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main, parser
from sdc_sql.cli.mask_options import Spelled
from sdc_sql.db.catalogue.macros import find_effect, index_catalogue, index_former_names, read_catalogue
from sdc_sql.methods import Mask
from sdc_sql.release.reading.step_fields import index_methods, list_own_parameters
from sdc_sql.shell.messages import describe_function

MASKS = [d for d in read_catalogue() if d.is_step]
VERBS = {d.verb for d in MASKS}
DBT = Path(sdc_sql.__file__).parent / "dbt" / "package" / "macros" / "mask"


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the methods of ``sdc-sql mask``."""
    return _choices(_choices(parser("mask"))["mask"])


def _choices(of: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (found,) = (a.choices for a in of._actions if isinstance(a, argparse._SubParsersAction))
    return found


def test_verb_macro_command_and_step_agree():
    """A macro is ``sdc_<verb>``; where one verb has several, the others are ``sdc_<verb>_<what>``."""
    wrong = [d.name for d in MASKS if d.name != f"sdc_{d.verb}" and not d.name.startswith(f"sdc_{d.verb}_")]
    assert wrong == []
    assert [verb for verb in VERBS if f"sdc_{verb}" not in index_catalogue()] == []
    assert {verb for verb in VERBS if not hasattr(Mask, verb)} == set()
    assert {getattr(Mask, verb).__name__ for verb in VERBS} == VERBS
    assert {*commands()} == VERBS
    assert {*index_methods()} == VERBS


def test_dbt_calls_each_macro_by_its_name():
    text = "\n".join(path.read_text("utf-8") for path in DBT.glob("*.sql"))
    macros = {*re.findall(r"macro (\w+)\(", text)}
    assert {d.name.removeprefix("sdc_") for d in MASKS} <= macros


def test_each_door_leaves_a_default_to_the_verb_or_to_the_macro():
    """(Those of the verb are those of the macro: tests/front/test_signatures.py.)"""
    wrong = []
    for verb, command in commands().items():
        named = {action.dest: action for action in command._actions}
        macros = [d for d in MASKS if d.verb == verb]
        for parameter in (p for d in macros for p in list_own_parameters(d) if p.default is not None):
            action = named[parameter.name]
            if action.default is not argparse.SUPPRESS:
                wrong.append(f"sdc-sql mask {verb}: --{parameter.name} is {action.default}")
            said = parameter.default.strip("'")
            if said not in {"", "NULL", "false"} and f"default {said}" not in str(action.help):
                wrong.append(f"sdc-sql mask {verb}: {parameter.name} is said to be {action.help}")
    text = "\n".join(path.read_text("utf-8") for path in DBT.glob("*.sql"))
    for d in MASKS:
        (head,) = re.findall(rf"macro {d.name[4:]}\((.*)\)", text)
        wrong += [f"sdc.{d.name[4:]}: {p.name}" for p in d.optional if f"{p.name}=none" not in head]
    assert wrong == []


def test_a_step_gives_the_verb_what_the_file_says(tmp_path):
    (tmp_path / "t.csv").write_text("id,age\n1,30\n2,41\n")
    (tmp_path / "r.toml").write_text(
        '[source]\npath = "t.csv"\n[roles]\nid = "id"\n[[scenarios]]\nname = "a"\nkeys = ["age"]\n'
        'limits = ["k_anonymity.2.records <= 9"]\n[[steps]]\nmask = "microaggregate"\ncolumns = ["age"]\nk = 2\n'
        '[output]\npath = "o.csv"\n'
    )
    assert sdc_sql.read_release(tmp_path / "r.toml").steps[0].arguments == {"columns": ["age"], "k": 2}


def test_choices_are_literal_types():
    wrong = []
    for d in (d for d in read_catalogue() if hasattr(Mask, d.verb)):
        taken = inspect.signature(inspect.unwrap(getattr(Mask, d.verb))).parameters
        for p in (p for p in d.parameters if p.choices and p.name in taken):
            known = re.findall(r"Literal\[(.*?)\]", str(taken[p.name].annotation))
            if known != [", ".join(map(repr, p.choices))]:
                wrong.append(f"{d.verb}: {p.name} is {taken[p.name].annotation}")
    assert wrong == []


def test_a_command_may_be_written_with_hyphens():
    found = commands()
    assert isinstance(found, Spelled)
    assert [verb for verb in VERBS if found[verb.replace("_", "-")] is not found[verb]] == []
    assert {verb.replace("_", "-") for verb in VERBS if verb.replace("_", "-") not in found} == set()
    assert "rank swap" not in found


def test_a_former_name_is_no_name_of_today_and_leads_to_one():
    assert index_former_names()
    names = {d.name for d in read_catalogue()} | {d.verb for d in read_catalogue()}
    assert names.isdisjoint(index_former_names())
    assert {*index_former_names().values()} <= names


@pytest.mark.one_in(4)
@pytest.mark.whole
@pytest.mark.parametrize("old", sorted(index_former_names()))
def test_a_former_name_is_an_error_that_names_the_new_one(old, tmp_path, capsys):
    now = index_former_names()[old]
    said = f"{old} is the name of versions before 0.2.0: write "
    data = sdc_sql.example()
    if old.startswith("sdc_"):
        con = sdc_sql.load(duckdb.connect())
        required = ", ".join(["'persons'"] * len(index_catalogue()[now].required))
        with pytest.raises(duckdb.Error, match=rf"{said}{now}\."):
            con.sql(f"FROM {old}({required})").fetchall()
        for ask in (lambda: describe_function(old), lambda: sdc_sql.compile(old, "persons", dialect="spark")):
            with pytest.raises(sdc_sql.ParameterError, match=rf"{said}{now}\."):
                ask()
        text = "\n".join(path.read_text("utf-8") for path in DBT.glob("*.sql"))
        assert f"{old[4:]} is the name of versions before 0.2.0: write {now[4:]}." in text
        assert find_effect(old[4:]) == index_catalogue()[now].effect  # of an earlier log
        return
    for place in (data, data.mask):
        with pytest.raises(AttributeError, match=rf"{said}data\.mask\.{now}\("):
            getattr(place, old)
    if index_catalogue()[f"sdc_{now}"].masks:
        with pytest.raises(sdc_sql.ParameterError, match=rf"{said}{now}\."):
            data.frontier([(old, {})], "k_anonymity.3.records", "il1.il1")
    assert main(["mask", old, f"{tmp_path}/persons.csv", "--id", "id"]) == 2
    assert f"{said}sdc-sql mask {now}." in capsys.readouterr().err


def test_a_log_with_a_former_name_counts_its_passes():
    data = sdc_sql.example()
    data.mask.renumber("a")
    data.con.execute("UPDATE sdc_steps SET method = 'shuffle'")
    assert data.mask.renumber("a").stream == "2"
    assert [step.method for step in data.steps] == ["shuffle", "renumber"]


def test_an_option_of_another_command_says_of_which(capsys):
    with pytest.raises(SystemExit):
        main(["mask", "pram", "persons.csv", "--id", "id", "--columns", "sex", "--retention", "0.9"])
    assert "--retention goes with sdc-sql mask pram_retention" in capsys.readouterr().err
