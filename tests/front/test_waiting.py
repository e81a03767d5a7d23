"""Cron: a database that another program holds is waited for; an earlier output gives its place to the new one."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import duckdb
import pytest

import sdc_sql
from sdc_sql import TableError
from sdc_sql.cli import main
from sdc_sql.db.files.waiting import open_patiently, wait_for_lock
from sdc_sql.release.running.place import place_outputs

HOLDS = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
LOCKED = duckdb.IOException('IO Error: Could not set lock on file "a.duckdb": Conflicting lock is held in (PID 1)')


@pytest.mark.slow
def test_a_database_that_another_program_holds_is_waited_for(tmp_path, capsys):
    path = tmp_path / "survey.duckdb"
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE persons AS FROM (VALUES (1, 30.5), (2, 41.25), (3, 8.0)) AS t(id, income)")
    masks = ["mask", "round", str(path), "--id", "id", "--columns", "income", "--base", "5"]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        assert main(masks) == 2
        assert "is open in another program" in capsys.readouterr().err
        assert main([*masks, "--wait", "0.2"]) == 2
        ending = threading.Timer(0.3, other.stdin.close)
        ending.start()
        assert main([*masks, "--wait", "60"]) == 0
        ending.join()
    with duckdb.connect(path, read_only=True) as con:
        assert con.sql("SELECT income FROM persons ORDER BY id").fetchall() == [(30.0,), (40.0,), (10.0,)]


def test_it_is_tried_again_as_long_as_is_said_and_other_errors_are_errors_at_once():
    tries = []

    def opened(error: Exception) -> None:
        tries.append(time.monotonic())
        raise error

    with pytest.raises(duckdb.IOException):
        open_patiently(lambda: opened(LOCKED))
    assert len(tries) == 1
    with wait_for_lock(0.2), pytest.raises(duckdb.IOException):
        open_patiently(lambda: opened(LOCKED))
    assert len(tries) > 2
    assert 0.2 <= tries[-1] - tries[1] < 10
    before = len(tries)
    with wait_for_lock(60), pytest.raises(duckdb.CatalogException):
        open_patiently(lambda: opened(duckdb.CatalogException("no such table")))
    assert len(tries) == before + 1


@pytest.mark.parametrize("given", ["-1", "soon", "nan", "inf"])
def test_the_time_to_wait_is_a_number_of_seconds(given, capsys):
    with pytest.raises(SystemExit):
        main(["risk", "x.parquet", "--keys", "age", f"--wait={given}"])
    assert f"'{given}' is no number of seconds" in capsys.readouterr().err


@pytest.mark.slow
def test_an_earlier_output_is_replaced_where_that_is_said(tmp_path, capsys):
    source, output = tmp_path / "persons.csv", tmp_path / "released.csv"
    source.write_text("id,income\n1,30.5\n2,41.25\n")
    masks = ["mask", "round", str(source), "--id", "id", "--columns", "income", "--base", "5"]
    assert main([*masks, "--replace"]) == 2
    assert main([*masks, "--replace", "--output", str(output)]) == 0
    first = output.read_text()
    assert main([*masks, "--output", str(output)]) == 2
    assert "say --replace" in capsys.readouterr().err
    source.write_text("id,income\n1,99\n")
    assert main([*masks[:-1], "0", "--replace", "--output", str(output)]) == 2  # an error: the earlier one stays
    assert output.read_text() == first
    assert main([*masks, "--replace", "--output", str(output)]) == 0
    assert output.read_text().splitlines() == ["id,income", "1,100"]
    raw = source.read_text()
    (tmp_path / "same.csv").symlink_to(source)
    for read in (str(source), str(tmp_path / "same.csv")):
        assert main([*masks, "--replace", "--output", read]) == 2
    assert main(["mask", "round", str(tmp_path / "p*.csv"), *masks[3:], "--replace", "--output", str(source)]) == 2
    assert capsys.readouterr().err.count("is read: it is not replaced by what is made of it") == 3
    assert source.read_text() == raw


RELEASE = """
title = "%s"
[source]
path = "persons.csv"
[roles]
id = "id"
[[scenarios]]
name = "neighbour"
keys = ["sex"]
limits = ["k_anonymity.2.records <= 0"]
[output]
path = "released.csv"
report = "internal.html"
"""


@pytest.mark.slow
def test_the_outputs_of_a_release_are_replaced_once_it_is_accepted(tmp_path):
    (tmp_path / "release.toml").write_text(RELEASE % ("of persons, " * 40))
    data, output, report = (tmp_path / name for name in ("persons.csv", "released.csv", "internal.html"))
    data.write_text("id,sex\n1,f\n2,f\n")
    run = ["release", str(tmp_path / "release.toml")]
    assert main(run) == 0
    assert main(run) == 2
    first = output.read_text(), report.read_text()
    data.write_text("id,sex\n1,f\n2,f\n3,m\n")  # one of a kind: refused
    assert main([*run, "--replace"]) == 3
    assert (output.read_text(), report.read_text()) == first
    data.write_text("id,sex\n1,f\n2,f\n3,f\n")
    assert main([*run, "--replace"]) == 0
    assert output.read_text().split() == ["sex", "f", "f", "f"]
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "internal.html",
        "persons.csv",
        "release.toml",
        "released.csv",
    ]
    for read in ("persons.csv", "release.toml"):
        with pytest.raises(TableError, match=r"is read by release\.toml"):
            sdc_sql.run_release(tmp_path / "release.toml", refused_report=tmp_path / read, replace_outputs=True)


def test_where_one_output_cannot_be_put_in_its_place_the_earlier_ones_stand_there_again(tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("earlier")
    second.mkdir()
    with pytest.raises(TableError):
        place_outputs([(path, lambda part: part.write_text("new")) for path in (first, second)], replace=True)
    assert first.read_text() == "earlier"
    assert {p.name for p in tmp_path.iterdir()} == {"a.csv", "b.csv"}
