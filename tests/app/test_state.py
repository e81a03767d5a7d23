"""The release file as it is made: its history, its bytes, and what is left when something goes wrong."""

from __future__ import annotations

import stat
import threading
import time
import tomllib
from contextlib import suppress

import duckdb
import pytest

import sdc_sql
from sdc_sql.app.checked import read_plan
from sdc_sql.app.columns import ROLES, list_roles, list_undecided, remove_roles, set_role
from sdc_sql.app.draft import format_release
from sdc_sql.app.jobs import Jobs
from sdc_sql.app.policy import list_inline_scripts, make_policy
from sdc_sql.app.state import State
from sdc_sql.errors import InputError, ParameterError
from sdc_sql.release.running import formats


@pytest.fixture
def file(tmp_path):
    sdc_sql.example().con.execute(f"COPY persons TO '{tmp_path}/persons.parquet'")
    return tmp_path / "persons.parquet"


def test_each_change_is_written_for_its_owner_alone_and_can_be_undone(file, tmp_path):
    keep = tmp_path / "kept"
    keep.mkdir()
    with State(file, keep=keep) as state:
        before = state.file.read_text()
        state.change("key age", lambda release: set_role(release, "age", "keys"))
        after = state.file.read_text()
        assert tomllib.loads(after)["scenarios"] == [{"name": "intruder", "keys": ["age"]}]
        assert stat.S_IMODE(state.file.stat().st_mode) == 0o600
        assert stat.S_IMODE(state.private.stat().st_mode) == 0o700
        state.undo()
        assert state.file.read_text() == before
        state.redo()
        assert state.file.read_text() == after
        assert state.version == 3
    with State(file, keep=keep) as again:
        assert again.taken_up
        assert again.file.read_text() == after
    with State(file, keep=keep, fresh=True) as anew:
        assert anew.file.read_text() == before


def test_an_edit_that_fails_changes_nothing(file):
    def fail(release):
        release["roles"]["id"] = "id"
        raise ParameterError("no")

    with State(file) as state:
        before = state.file.read_text()
        with pytest.raises(ParameterError):
            state.change("x", fail)
        with pytest.raises(InputError):  # TOML has no NULL
            state.change("x", lambda release: release.update(title=None))
        assert (state.file.read_text(), state.version, state.to_undo) == (before, 0, None)


def test_what_a_reader_gets_is_a_copy(file):
    with State(file) as state:
        state.release["roles"]["id"] = "age"
        assert state.release["roles"] == {}


@pytest.mark.parametrize("name", ['a "quote"', "Select", "ünï", "<img src=x onerror=1>", "a\nb", "it's", "\x7f", " "])
def test_every_name_comes_back_from_the_file(name):
    said = {
        "roles": {"id": name}, "scenarios": [{"name": name, "keys": [name]}], "steps": [{"mask": "x", "column": name}],
        "figures": {name: {"measure": "k_map"}},
    }  # fmt: skip
    assert tomllib.loads(format_release(said)) == said


def test_one_role_takes_the_place_of_another_for_every_pair():
    for first in ROLES:
        for second in ROLES:
            release = {"roles": {}, "scenarios": []}
            set_role(release, "a", first.field)
            set_role(release, "a", second.field)
            assert list_roles(release, ["a"]) == {"a": (second.field,)}
            remove_roles(release, "a")
            assert list_undecided(release, ["a"]) == ["a"]


def test_the_check_is_that_of_the_command_line(file):
    with State(file) as state:
        state.change("x", lambda release: set_role(release, "age", "keys"))
        assert read_plan(state).scenarios[0].limits == ()
        release = state.release
        release["scenarios"][0]["limits"] = ["k_anonymity.3.records >= 0"]
        with pytest.raises(sdc_sql.ReleaseFileError, match=r"scenarios\[0\].limits\[0\]"):
            read_plan(state, release)
        assert list(state.private.glob("*.toml")) == [state.file]


def test_a_csv_file_is_read_again_where_a_weight_is_written_as_text(tmp_path):
    path = tmp_path / "persons.csv"
    path.write_text("age,w\n30,10.50\n30,15.0\n41,20.00\n")
    with State(path) as state, state.cursor() as cursor:
        assert state.columns["w"] == "VARCHAR"
        state.read_numbers(cursor, ["w"])
        assert cursor.table(state.table).aggregate("sum(w)").fetchall() == [(45.5,)]


def test_a_stata_file_is_opened_with_its_labels(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat", reason="the extra formats is not installed")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [30, 41, 41], "sex": [1, 2, 2]})
    labels = {"age": "Age in years", "sex": "Sex of the person"}
    pyreadstat.write_dta(
        frame,
        str(tmp_path / "persons.dta"),
        column_labels=labels,
        variable_value_labels={"sex": {1: "male", 2: "female"}},
    )
    with State(tmp_path / "persons.dta") as state, state.cursor() as cursor:
        rows = cursor.table(state.table).aggregate("sum(age), count(DISTINCT sex)").fetchall()
        assert rows == [(112, 2)]
        names, values = formats.labels(state.source.path, {*state.columns}, {*state.columns})
        assert names == labels
        assert {**values["sex"]} == {1: "male", 2: "female"}


def test_work_is_stopped_and_its_error_says_no_value(file):
    with State(file) as state:
        jobs = Jobs(state)
        long = "SELECT count(*) FROM range(10000000000) a, range(100) b"
        begun = threading.Event()

        def run(cursor, tell):
            tell("counting")
            begun.set()
            return cursor.execute(long).fetchall()

        job = jobs.find("p", 1, run)
        begun.wait(10)
        time.sleep(0.1)
        start = time.monotonic()
        jobs.stop("p")
        job.ended.wait(10)
        assert (job.status, time.monotonic() - start < 5) == ("stopped", True)
        assert jobs.find("p", 1, run) is job  # a page that is drawn anew does not begin it again
        wrong = jobs.find("q", 1, lambda cursor, _: cursor.execute("SELECT 'Ann'::INT").fetchall())
        wrong.ended.wait(10)
        assert wrong.status == "failed"
        assert "Ann" not in wrong.error
        jobs.close()


def test_other_inputs_stop_the_work_before_them(file):
    with State(file) as state:
        jobs = Jobs(state)
        first = jobs.find("p", 1, lambda cursor, _: cursor.execute("FROM range(10000000000)").fetchall())
        second = jobs.find("p", 2, lambda *_: 2)
        assert second.ended.wait(10)
        assert first.ended.wait(10)
        assert (first.status, second.result) == ("stopped", 2)
        jobs.close()


def test_the_key_is_a_variable_of_cursors_alone(file, monkeypatch):
    key = "a-secret-key-that-nobody-guesses-0123456789"
    monkeypatch.setenv("SDC_KEY", key)
    with State(file) as state:
        with state.cursor() as cursor:
            assert cursor.execute("SELECT getvariable('sdc_key')").fetchall() == [(key,)]
        state.change("x", lambda release: set_role(release, "age", "keys"))
        for place in (state.private, state.folder):
            for path in place.iterdir():
                assert key.encode() not in path.read_bytes()


def test_the_policy_names_the_scripts_of_the_page_and_nothing_else():
    page = "<script src='a.js'></script><script type='application/html-dependencies'>x</script><script>f()</script>"
    policy = make_policy(list_inline_scripts(page))
    assert policy == (
        "default-src 'none'; script-src 'self' 'sha256-GcEEE0IkDzIP5EQ6DXZaDPORqT5RTBELX8Fyzyg9yvo='; style-src 'self' "
        "'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )


@pytest.mark.parametrize("given", ["", "x", "persons.parquet"])
def test_a_wrong_file_is_an_error_that_says_what_to_do(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "persons.parquet").write_text("no Parquet")
    with pytest.raises(InputError), suppress(duckdb.Error):
        State(given)
