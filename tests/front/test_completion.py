"""Completion in bash, zsh and fish: every command, method, option and choice that the command line declares."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from sdc_sql.cli import COMMANDS, parser
from sdc_sql.cli.completion import WRITERS, nodes

ASKED = {
    ("ri",): "risk",
    ("mask", "local_s"): "local_suppression",
    ("mask", "noise", "--alp"): "--alpha",
    ("mask", "noise", "persons.csv", "--method", "corr"): "correlated",
    ("risk", "persons.csv", "--json", "--nulls", "wild"): "wildcard",
    ("risk", "--table", "mask", "--sampling-f"): "--sampling-fraction",
    ("completion", "fi"): "fish",
    ("--vers",): "--version",
}
BASH = """
asked() { COMP_WORDS=(sdc-sql "$@"); COMP_CWORD=$#; _sdc_sql; echo "${COMPREPLY[*]}"; }
"""
ZSH = """
compdef() { : }
compadd() { shift; for word in "$@"; do [[ "$word" = "${words[CURRENT]}"* ]] && print -r -- "$word"; done; true }
asked() { words=(sdc-sql "$@"); CURRENT=$#words; _sdc_sql }
"""
FISH = """
function asked; complete -C "sdc-sql $argv" | string split -f 1 \\t; end
"""


@pytest.fixture(scope="module")
def declared():
    return list(nodes(parser()))


def test_every_command_and_option_is_there(declared):
    paths = {node.path: node for node in declared}
    assert {*COMMANDS} <= {*paths}
    assert {word for word, _ in paths[""].words} == {*COMMANDS}
    noise = {name: option for option in paths["mask noise"].options for name in option.names}
    assert noise["--alpha"].takes_value
    assert not noise["--json"].takes_value
    assert "correlated" in noise["--method"].choices


@pytest.mark.parametrize(("shell", "asks"), [("bash", BASH), ("zsh", ZSH), ("fish", FISH)], ids=[*WRITERS])
def test_a_shell_completes_by_it(shell, asks, declared):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} on this machine")
    calls = "\n".join(f"asked {' '.join(words)}" for words in ASKED)
    head = asks if shell == "zsh" else ""
    script = f"{head}\n{WRITERS[shell](declared)}\n{asks}\n{calls}"
    without = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run([shell, *without, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    assert done.stdout.split() == [*ASKED.values()]
