"""The command line with hostile files, columns and options: an answer, or one line that shows no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fuzz_judge import fault_of
from fuzz_seed import made as cases_of
from fuzz_seed import seeded, told
from fuzz_tables import Made, made, store
from payloads import PAYLOADS

from sdc_sql.cli import main
from sdc_sql.cli.mask_options import methods
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    import random
    from pathlib import Path

    import duckdb

FIGURES = ("0.1", "0.5", "2", "3", "0", "-1", "nan", "1e400", "abc", "", "1,2", "{}", "[]")


def options(rng: random.Random, masks: list) -> list[str]:
    """Return values for the options of a method, one in three of them hostile."""
    found = []
    for p in {p.name: p for mask in masks for p in mask.parameters}.values():
        if p.name in {"tbl", "id", "columns", "column_name", "keys", "samples"}:
            continue
        if p.default is None or rng.random() < 0.2:
            value = rng.choice(p.choices or FIGURES) if rng.random() < 0.7 else rng.choice(PAYLOADS)
            found.append(f"--{p.name.replace('_', '-')}={value}")
    return found


def command(rng: random.Random, table: Made, source: str, folder: Path) -> list[str]:
    """Return a command on a file."""
    columns = ",".join(table.columns[c] for c in rng.sample(("age", "sex", "income", "region"), 2))
    wrong = rng.random() < 0.4
    columns = rng.choice(PAYLOADS) if wrong and rng.random() < 0.5 else columns
    source = rng.choice(PAYLOADS) if wrong and rng.random() < 0.2 else source
    if rng.random() < 0.4:
        return [
            "risk",
            source,
            f"--keys={columns}",
            f"--weight={table.columns['w']}",
            f"--sampling-fraction={rng.choice(FIGURES)}",
        ]
    name, masks = rng.choice([*methods().items()])
    output = str(folder / "out.parquet")
    return [
        "mask",
        name,
        source,
        f"--id={table.columns['id']}",
        f"--columns={columns}",
        f"--output={output}",
        *options(rng, masks),
    ]


def fault_of_command(asked: list[str], table: Made, capsys: pytest.CaptureFixture[str]) -> str | None:
    """Run a command; return what is wrong with what it says."""
    try:
        code = main(asked)
    except SystemExit as stopped:
        code = stopped.code
    except Exception as error:  # noqa: BLE001 - whatever it is
        return f"{type(error).__name__} escaped: {error!s:.200}"
    said = capsys.readouterr()
    if code == 0:
        return None
    lines = said.err.strip().splitlines()
    if len(lines) != 1 or not lines[0].startswith("sdc-sql: "):
        return f"{len(lines)} lines: {said.err[:200]!r}"
    given = dict(
        enumerate(part for text in asked for part in (text, *text.partition("=")[2].split(","), text.partition("=")[2]))
    )
    return fault_of(ParameterError(lines[0]), {str(k): v for k, v in given.items()}, table)


def faults(con: duckdb.DuckDBPyConnection, folder: Path, capsys: pytest.CaptureFixture[str], cases: int) -> list[str]:
    found = []
    for number, rng in cases_of("commands", cases):
        table = made(seeded("commands", f"table {number // 10}"))
        store(con, table, folder)
        source = folder / "a 'file'; --.parquet"
        source.unlink(missing_ok=True)
        (folder / "out.parquet").unlink(missing_ok=True)
        con.execute("COPY sdc_fuzz.base TO '" + str(source).replace("'", "''") + "'")
        before = source.read_bytes()
        asked = command(rng, table, str(source), folder)
        fault = fault_of_command(asked, table, capsys)
        if source.read_bytes() != before:
            fault = "the file has changed"
        if {p.name for p in folder.iterdir()} - {source.name, "out.parquet", "it's a file.parquet"}:
            fault = f"left behind: {[p.name for p in folder.iterdir()]}"
        if fault:
            found.append(f"{number}: {fault}: {asked!s:.400}")
    return found


@pytest.mark.slow
def test_some_commands(fuzzed, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = faults(fuzzed, tmp_path, capsys, 4)
    assert not found, told("test_commands.py", "commands", found)


@pytest.mark.slow
def test_many_commands(fuzzed, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = faults(fuzzed, tmp_path, capsys, 60)
    assert not found, told("test_commands.py", "commands", found)
