"""What Windows and macOS do otherwise: signals and locks that are not there, line ends, marks, code pages."""

from __future__ import annotations

import ast
import faulthandler
import importlib.util
import io
import signal
import threading
from pathlib import Path

import pytest
from sdc_sql.udfs.interruption import run_stoppable

from sdc_sql.cli import write_utf8
from sdc_sql.db import interruption
from sdc_sql.db.files import work
from sdc_sql.mask.hierarchies import read_hierarchy
from sdc_sql.release.reading.read import read_release

ROOT = Path(__file__).resolve().parents[2]
RELEASE = """title = "Größe"
rules = "mine.toml"
[source]
path = "persons.csv"
[roles]
id = "id"
[[scenarios]]
name = "neighbour"
keys = ["age"]
[[steps]]
mask = "recode"
column = "age"
hierarchy = "age.csv"
[output]
path = "released.csv"
"""
RULESET = 'name = "mine"\nversion = "1"\nsource = "here"\nlimits = ["k_anonymity.2.records <= 0"]\n'
PERSONS = "id,age\n1,30\n2,30\n3,41\n"
AGES = "30;young\n41;old\n"


def test_folders_of_work_without_locks(monkeypatch):
    monkeypatch.setattr(work, "fcntl", None)
    with work.make_work_folder() as place:
        assert (place / work.LOCK).is_file()
        assert not work.is_leftover(place)  # nobody can tell
    assert not place.exists()
    with work.open_work_database() as con:
        assert con.sql("SELECT 1").fetchall() == [(1,)]


def test_signals_that_a_system_has_not_are_left_out(monkeypatch):
    for name in ("SIGHUP", "SIGQUIT"):
        monkeypatch.delattr(signal, name, raising=False)
    spec = importlib.util.spec_from_file_location("interruption_elsewhere", interruption.__file__)
    elsewhere = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(elsewhere)
    assert elsewhere.ENDING == (signal.SIGINT, signal.SIGTERM)
    with pytest.raises(elsewhere.Ended), elsewhere.raise_on_end():
        signal.raise_signal(signal.SIGTERM)


def test_kernels_run_where_no_thread_can_listen(monkeypatch):
    monkeypatch.delattr(faulthandler, "register", raising=False)
    done = []

    def kernel():
        with run_stoppable():
            done.append(True)

    thread = threading.Thread(target=kernel)
    thread.start()
    thread.join()
    assert done == [True]


@pytest.mark.parametrize(("mark", "end"), [("", "\r\n"), ("\ufeff", "\n"), ("\ufeff", "\r\n")])
def test_files_of_windows_are_read_as_those_of_others(tmp_path, mark, end):
    """A release file, a ruleset, a source and a hierarchy with CRLF, or a mark at the beginning."""
    plans = []
    for folder, begin, line in ((tmp_path / "one", "", "\n"), (tmp_path / "other", mark, end)):
        folder.mkdir()
        texts = {"release.toml": RELEASE, "mine.toml": RULESET, "persons.csv": PERSONS, "age.csv": AGES}
        for name, text in texts.items():
            (folder / name).write_text(begin + text, encoding="utf-8", newline=line)
        plans.append(read_release(folder / "release.toml"))
    one, other = plans
    assert (one.text, one.columns, one.rules) == (other.text, other.columns, other.rules)  # so are the digests
    assert one.ruleset.ruleset == other.ruleset.ruleset
    assert read_hierarchy(tmp_path / "one" / "age.csv") == read_hierarchy(tmp_path / "other" / "age.csv")


def test_what_goes_to_a_file_is_utf8():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp1252", newline="\r\n")
    write_utf8(stream, io.StringIO())  # the other is no stream of bytes
    print("≤ 0.5", file=stream, flush=True)
    assert raw.getvalue() == "≤ 0.5\n".encode()


def test_texts_are_written_with_the_same_bytes_everywhere():
    """Whatever writes a text says its encoding and line end; whatever reads one, its encoding."""
    wrong = []
    for file in [*(ROOT / "sdc_sql").rglob("*.py"), *(ROOT / "udfs").rglob("*.py")]:
        text = file.read_text(encoding="utf-8")
        for call in ast.walk(ast.parse(text)) if "_text(" in text else ():
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            needed = {"write_text": {"encoding", "newline"}, "read_text": {"encoding"}}.get(call.func.attr, set())
            if not needed <= {keyword.arg for keyword in call.keywords}:
                wrong.append(f"{file.relative_to(ROOT).as_posix()}:{call.lineno}")
    assert wrong == []
