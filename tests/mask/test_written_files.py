"""Whose the files are that are written: their owner's alone unless asked otherwise, and never a file that is there."""

from __future__ import annotations

import os
import stat

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no mode bits")


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a table, where files are readable by all by default."""
    before = os.umask(0o022)
    duckdb.sql("SELECT i AS id, i % 3 AS k, i * 1e0 AS x FROM range(12) AS t(i)").write_parquet(
        str(tmp_path / "t.parquet")
    )
    yield tmp_path
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


MASK = ["mask", "round", "--id", "id", "--columns", "x", "--base", "10"]


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("ending", [".parquet", ".csv", ".duckdb"])
@pytest.mark.parametrize(("readable", "bits"), [(None, 0o600), ("group", 0o640), ("all", 0o644)])
def test_write(folder, ending, readable, bits):
    sdc_sql.example().write(folder / f"out{ending}", **({} if readable is None else {"readable": readable}))
    assert mode(folder / f"out{ending}") == bits


def test_readable_by_nobody_known(folder):
    for readable in ("world", None, 0o644):
        with pytest.raises(sdc_sql.ParameterError, match="it must be one of owner, group, all"):
            sdc_sql.example().write(folder / "out.csv", readable=readable)
    assert not (folder / "out.csv").exists()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(("asked", "bits"), [([], 0o600), (["--readable", "all"], 0o644)])
def test_masked_copies(folder, ending, asked, bits, capsys):
    output = folder / f"out.{ending}"
    neighbours = [folder / f"out.{ending}.part", folder / f"tmp_out.{ending}", folder / f"out.{ending}.tmp"]
    for file in neighbours:
        file.write_text("a user's")
    assert main([*MASK, str(folder / "t.parquet"), "--output", str(output), *asked]) == 0
    assert mode(output) == bits
    assert [file.read_text() for file in neighbours] == ["a user's"] * 3
    assert len(list(folder.iterdir())) == 5
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("asked", "bits"), [([], 0o600), (["--readable", "group"], 0o640)])
def test_reports(folder, asked, bits, capsys):
    pages = [folder / "risk.html", folder / "risk.md"]
    source = str(folder / "t.parquet")
    command = ["risk", source, "--keys", "k", "--weight", "2", "--html", str(pages[0]), "--markdown", str(pages[1])]
    assert main([*command, *asked]) == 0
    assert [mode(page) for page in pages] == [bits, bits]
    capsys.readouterr()


@pytest.mark.slow
def test_a_database_keeps_who_may_read_it(folder, capsys):
    path = folder / "t.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(f"CREATE TABLE t AS FROM '{folder / 't.parquet'}'")
    path.chmod(0o660)
    assert main([*MASK, str(path), "--progress"]) == 0
    assert mode(path) == 0o660
    said = capsys.readouterr().err.splitlines()
    assert [line.split(" s  ")[1] for line in said] == [
        "copying the database ...", "round x ...", "writing the database anew ...",
    ]  # fmt: skip
    assert main([*MASK, str(path), "--readable", "all"]) == 2
    assert "--readable goes with --output only" in capsys.readouterr().err


@pytest.mark.slow
def test_stages_of_a_masked_copy_column_by_column(folder, capsys, monkeypatch):
    monkeypatch.setenv("SDC_KEY", "".join(f"{byte:02x}" for byte in os.urandom(32)))
    with duckdb.connect() as con:
        con.execute(f"COPY (SELECT *, x AS y FROM '{folder / 't.parquet'}') TO '{folder / 'two.parquet'}'")
    command = ["mask", "rank_swap", "--id", "id", "--columns", "x,y", "--p", "20", str(folder / "two.parquet")]
    assert main([*command, "--output", str(folder / "out.csv"), "--progress"]) == 0
    said = [line.split(" s  ")[1] for line in capsys.readouterr().err.splitlines()]
    assert said == ["opening ...", "rank_swap x ...", "rank_swap y ...", "writing ..."]
    assert main([*command, "--output", str(folder / "two.csv")]) == 0
    assert capsys.readouterr().err == ""  # not a terminal
