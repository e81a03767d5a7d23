"""The release file run from the window's state, without a page: the command line makes the same bytes of it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys

import duckdb
import pytest

from sdc_sql.app.release_run import list_problems, run_file, verify_file
from sdc_sql.app.state import State
from sdc_sql.errors import ParameterError

KEY = "a-key-of-these-tests-that-no-page-may-show-0123456789"


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect() as con:
        con.execute(
            f"COPY (SELECT i AS id, i % 4 AS age, i % 3 AS place FROM range(300) t(i)) TO '{tmp_path}/k.parquet'"
        )
    with State(tmp_path / "k.parquet") as state:
        scenario = {"name": "one", "keys": ["age", "place"], "limits": ["k_anonymity.3.records <= 0"]}
        step = {"mask": "pram_retention", "column": "place", "retention": 0.9}

        def begin(release):
            release.update(release="first", roles={"id": "id"}, scenarios=[scenario], steps=[step])
            release["output"] |= {"report": "in.html", "public_report": "out.html", "certificate": "c.json"}
            release["window"] = {"folder": str(tmp_path / "ours"), "off": [{"after": 1, "step": {"mask": "noise"}}]}

        state.change("all", begin)
        yield state


@pytest.mark.slow
def test_what_is_written_is_what_the_command_line_writes(state, tmp_path):
    assert list_problems(state) == []
    cursor = state.cursor()
    databases = cursor.execute("SELECT count(*) FROM duckdb_databases()").fetchone()
    seen = run_file(state, cursor, lambda _: None)
    assert seen.accepted
    assert {"report", "public_report"} <= {*seen.documents}
    assert not (tmp_path / "ours").exists()
    written = run_file(state, cursor, lambda _: None, write=True)
    assert [*written.written] == ["path", "report", "public_report", "certificate"]
    with pytest.raises(ParameterError, match=r"k-released\.parquet, .* are in .* already, .* never replaced"):
        run_file(state, cursor, lambda _: None, write=True)
    verified = verify_file(state, lambda _: None)
    assert verified.found.holds
    said = json.loads(verified.certificate.read_text())
    assert verified.digest == said["output"]["digest"]
    assert shlex.split(verified.command)[1:] == [
        "verify", str(verified.certificate), "--released", str(verified.released), "--release", str(state.file),
    ]  # fmt: skip
    environment = {**os.environ, "SDC_KEY": KEY}
    again = [sys.executable, "-m", "sdc_sql", *shlex.split(verified.command)[1:]]
    assert subprocess.run(again, check=True, capture_output=True, text=True, env=environment).stdout.endswith(
        "verified\n"
    )
    assert cursor.execute("SELECT count(*) FROM duckdb_databases()").fetchone() == databases
    (tmp_path / "ours").rename(tmp_path / "kept")  # the internal report names the folder that it is written to
    own = tmp_path / "copied" / state.file.name
    own.parent.mkdir()
    shutil.copy(state.file, own)
    command = [sys.executable, "-m", "sdc_sql", "release", str(own), "--output-folder", str(tmp_path / "ours")]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "SDC_KEY": KEY})
    assert len([*(tmp_path / "ours").iterdir()]) == 4
    for file in (tmp_path / "ours").iterdir():
        assert file.read_bytes() == (tmp_path / "kept" / file.name).read_bytes(), file.name
    assert KEY not in state.file.read_text()


def test_a_refused_release_writes_nothing(state, tmp_path):
    state.change("strict", lambda release: release["scenarios"][0].update(limits=["k_anonymity.40.records <= 0"]))
    found = run_file(state, state.cursor(), lambda _: None, write=True)
    assert not found.accepted
    assert found.written == {}
    assert "k_anonymity.40.records" in found.reasons[0]
    assert not [*(tmp_path / "ours").glob("*")]


def test_what_is_undecided_is_a_problem_with_its_place(state):
    state.change("less", lambda release: release["scenarios"][0].update(keys=["age"]))
    state.change("no step", lambda release: release.update(steps=[]))
    (problem,) = list_problems(state)
    assert problem.startswith("roles.released_as_collected: 1 column of the source is")


def test_what_is_verified_before_it_is_written_says_what_to_click(state):
    with pytest.raises(
        ParameterError, match=r"k-released\.parquet and c\.json are not in .*ours\. Click Write first\.$"
    ):
        verify_file(state, lambda _: None)
    state.change("none", lambda release: release["output"].pop("certificate"))
    with pytest.raises(ParameterError, match=r"without a certificate: choose one .* click Keep, and write\.$"):
        verify_file(state, lambda _: None)


@pytest.mark.slow
def test_what_is_always_asked_has_words_a_figure_and_a_bound(state):
    state.change(
        "hidden", lambda release: release["steps"].append({"mask": "local_suppression", "scenario": "one", "k": 3})
    )
    found = run_file(state, state.cursor(), lambda _: None)
    assert found.rules
    for rule in found.rules:
        assert rule.words[0].isupper()
        assert "<=" not in rule.words
        assert rule.holds == (rule.value <= rule.bound)
        assert rule.found
