"""A signal that ends a command, at any moment: exit code 128 + its number, and none of the raw data are left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from sdc_sql.cli import main
from sdc_sql.db.files import released_file, rewritten, work
from sdc_sql.db.interruption import ENDING, hold_signals
from sdc_sql.release.certifying import rerun
from sdc_sql.release.proposing import propose
from sdc_sql.release.running import place, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no such signals")
KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
MARK = "a raw value that nobody may see"
RELEASE = """
[source]
database = "k.duckdb"
table = "k"
[roles]
id = "id"
released_as_collected = ["x"]
drop = ["name"]
[[scenarios]]
name = "neighbour"
keys = ["Select"]
limits = ["k_anonymity.2.records <= 0"]
[output]
path = "given away/released.csv"
certificate = "given away/certificate.json"
"""
IN_PLACE = ["mask", "noise", "k.duckdb", "--id", "id", "--columns", "x", "--alpha", "0.1"]
TO_A_FILE = [*IN_PLACE, "--output", "given away/masked.parquet"]
RELEASED = ["release", "release.toml"]
PROPOSED = ["release", "--init", "k.duckdb", "--table", "k", "proposed.toml"]
VERIFIED = [
    "verify", "verified/certificate.json", "--released", "verified/released.csv", "--release", "release.toml",
]  # fmt: skip


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    with duckdb.connect(folder / "k.duckdb", config={"threads": 1}) as con:
        con.execute(
            f"""CREATE TABLE k AS SELECT i AS id, sqrt(i + 7) AS x, i % 3 AS "Select", '{MARK}' || i AS name
            FROM range(300) AS t(i)"""
        )
    (folder / "release.toml").write_text(RELEASE)
    (folder / "given away").mkdir()
    return folder


@pytest.fixture
def there(prepared, tmp_path, tmp_path_factory, monkeypatch) -> Path:
    folder = tmp_path / "there"
    shutil.copytree(prepared, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SDC_KEY", KEY)
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("TMPDIR", str(temporary))
    return folder


@pytest.fixture
def guarded() -> Iterator[Callable[..., None]]:
    """Yield a handler that is there before: a command that does not hear a signal ends no more than its test."""

    def unheard(number: int, _: object) -> None:
        pytest.fail(f"the command does not hear {signal.Signals(number).name}")

    before = {number: signal.signal(number, unheard) for number in ENDING}
    yield unheard
    for number, handler in before.items():
        signal.signal(number, handler)


def seen(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in folder.rglob("*")}


def shows(file: Path, folder: Path) -> bool:
    """Say whether somebody else reads raw data in a file: in its bytes, or as a database, which DuckDB compresses."""
    copied = folder / f"copy-{len(list(folder.iterdir()))}" / file.name
    copied.parent.mkdir()
    for beside in (file, file.with_name(f"{file.name}.wal")):
        if beside.exists():
            shutil.copy(beside, copied.with_name(beside.name))
    if MARK.encode() in copied.read_bytes():
        return True
    try:
        with duckdb.connect(copied, config={"threads": 1}) as con:
            return con.execute("SELECT count(*) FROM duckdb_tables()").fetchall() != [(0,)]
    except duckdb.Error:  # it is none, or one under a key
        return False


COPIED, PLACED, WORKED = (rewritten, "_copy_database"), (released_file, "replace_file"), (run, "_find_outcome")
MOMENTS = {  # a command, what it calls, the how manieth time, and whether the signal comes before it or after it
    "copied": (IN_PLACE, *COPIED, 1, "after"),
    "a file": (TO_A_FILE, *PLACED, 1, "before"),
    "measured": (RELEASED, *WORKED, 1, "after"),
    "proposed": (PROPOSED, propose, "list_types", 1, "after"),
    "run again": (VERIFIED, rerun, "compare_certificates", 1, "before"),
    "being copied": (IN_PLACE, *COPIED, 1, "before"),
    "masked": (IN_PLACE, *COPIED, 2, "before"),
    "written": (IN_PLACE, *COPIED, 2, "after"),
    "before its place": (IN_PLACE, rewritten, "replace_file", 1, "before"),
    "read": (RELEASED, *WORKED, 1, "before"),
    "outputs": (RELEASED, place, "sync_file", 2, "before"),
    "guessed": (PROPOSED, propose, "write_new", 1, "before"),
    "again": (VERIFIED, *WORKED, 1, "after"),
}
CHEAP = {("copied", "SIGTERM"), ("measured", "SIGQUIT")}
FIRST = 4  # of which every signal comes
CASES = [
    pytest.param(moment, number.name, marks=() if (moment, number.name) in CHEAP else pytest.mark.slow)
    for i, moment in enumerate(MOMENTS)
    for j, number in enumerate(map(signal.Signals, ENDING))
    if i < FIRST or not (i + j) % 3  # of the others every third
]


@pytest.mark.parametrize(("moment", "name"), CASES)
def test_what_is_left_when_a_signal_comes(  # noqa: PLR0917 - fixtures
    there, guarded, monkeypatch, capsys, tmp_path_factory, moment, name
):
    aside = tmp_path_factory.mktemp("aside")
    command, module, function, time, when = MOMENTS[moment]
    if command is VERIFIED:
        assert main(RELEASED) == 0
        (there / "given away").rename("verified")
        (there / "given away").mkdir()
        capsys.readouterr()
    before, its, calls = seen(there), getattr(module, function), []

    def struck(*given: object, **named: object) -> object:
        calls.append(1)
        if len(calls) == time and when == "before":
            signal.raise_signal(signal.Signals[name])
        found = its(*given, **named)
        if len(calls) == time and when == "after":
            raw = [p for p in Path(tempfile.gettempdir()).rglob("*") if p.is_file()]
            assert raw, "the moment is one at which nothing stands among the temporary files"
            assert not any(shows(p, aside) for p in raw)  # what SIGKILL would leave
            signal.raise_signal(signal.Signals[name])
        return found

    monkeypatch.setattr(module, function, struck)
    assert main(command) == 128 + signal.Signals[name]
    said = "interrupted" if name == "SIGINT" else f"ended by {name}"
    assert capsys.readouterr().err == f"sdc-sql: {said}\n"
    assert not list(Path(tempfile.gettempdir()).iterdir())
    assert seen(there) == before
    assert {signal.getsignal(number) for number in ENDING} == {guarded}


def started(command: list[str], **options: object) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "sdc_sql", *command], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}, **options,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("number", "word"), [(15, "copying"), (1, "noise"), (3, "writing"), (2, "noise")])
def test_a_process_of_its_own_ends_by_a_signal(there, number, word):
    before = seen(there)
    child = started([*IN_PLACE, "--progress"])
    while word not in (line := child.stderr.readline()):
        assert line, child.communicate()
    child.send_signal(number)
    child.communicate(timeout=120)
    assert not list(Path(tempfile.gettempdir()).iterdir())
    if child.returncode == 0:  # it was faster
        pytest.skip("the command had ended already")
    assert child.returncode == 128 + number
    assert seen(there) == before


KILLED = """
import os, signal, sys
from sdc_sql.db.files import rewritten
from sdc_sql.cli import main
its = rewritten._copy_database
def struck(*given):
    its(*given)
    if given[2] == "sdc_new":
        os.kill(os.getpid(), signal.SIGKILL)
rewritten._copy_database = struck
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_what_a_killed_run_leaves_is_unreadable_named_and_removed(there, capsys, tmp_path):
    before = seen(there)
    child = subprocess.run([sys.executable, "-c", KILLED, *IN_PLACE], check=False, env={**os.environ})
    assert child.returncode == -signal.SIGKILL
    left = [*Path(tempfile.gettempdir()).iterdir(), *there.glob(".sdc-sql-*")]
    assert len(left) == 2
    aside = tmp_path / "aside"
    aside.mkdir()
    assert not any(shows(p, aside) for p in Path(tempfile.gettempdir()).rglob("*") if p.is_file())
    assert {name: held for name, held in seen(there).items() if ".sdc-sql-" not in name} == before
    with work.make_work_folder() as own:  # of a run that lives
        assert main(IN_PLACE) == 0
        told = capsys.readouterr().err
        assert all(f"sdc-sql clean {place}" in told for place in left)
        assert str(own) not in told
        assert main(["clean", str(own)]) == 2
        assert main(["clean", str(there)]) == 2
        assert main(["clean"]) == 0
        assert own.exists()
    assert main(["clean", str(left[1])]) == 0
    assert not any(place.exists() for place in left)
    assert main(["clean"]) == 0
    assert capsys.readouterr().out.endswith("nothing was left behind\n")


@pytest.mark.slow
@pytest.mark.usefixtures("there")
def test_what_is_ignored_stays_ignored(monkeypatch):
    """As below nohup: a lost connection does not end the run."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        monkeypatch.setattr(propose, "write_new", lambda *_: signal.raise_signal(signal.SIGHUP))
        assert main(PROPOSED) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_waits_for_what_is_being_removed():
    done = []
    before = signal.signal(signal.SIGTERM, lambda *_: done.append("heard"))
    try:
        with hold_signals():
            signal.raise_signal(signal.SIGTERM)
            done.append("removed")
        assert done == ["removed", "heard"]
    finally:
        signal.signal(signal.SIGTERM, before)
