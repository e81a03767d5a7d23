"""A hundred and sixty payloads at every door: none is run, none reads a file, and the canaries stay as they were."""

# ruff: noqa: E501

from __future__ import annotations

import random

import duckdb
import pytest
from fuzz_calls import MACROS, examples, literal
from payloads import PAYLOADS

from sdc_sql.db.catalogue.macros import example_tables

CANARY = "zq-canary-of-the-table"
FILED = "zq-canary-of-the-file"
# Texts that read a canary or say so where they are run as SQL, in any place where an expression may stand.
SPEAKING = (
    "(SELECT x FROM canary LIMIT 1)", "error((SELECT x FROM canary))", "'||(SELECT x FROM canary)||'", '"); FROM canary; --',
    "') FROM canary --", "x' || (SELECT x FROM canary) || '", '" || (SELECT x FROM canary) || "', "1) FROM canary --", "'", '"',
)  # fmt: skip
# What is SQL by its meaning: the loss of a generalisation is an expression on its figures, as its header says.
SQL = {("sdc_generalise", "loss"), ("sdc_generalisations", "loss"), ("sdc_synthesise", "rules")}


@pytest.fixture(scope="module")
def guarded(fuzzed, tmp_path_factory):
    """Return a connection with a canary, and a file that is one."""
    path = tmp_path_factory.mktemp("canary") / "canary.csv"
    path.write_text(f"x\n{FILED}\n")
    fuzzed.execute(f"CREATE OR REPLACE TABLE canary AS SELECT '{CANARY}' AS x")
    fuzzed.execute(example_tables().replace("CREATE TEMP TABLE", "CREATE OR REPLACE TEMP TABLE"))
    return fuzzed, path


def untouched(con: duckdb.DuckDBPyConnection, path) -> None:
    assert con.execute("FROM canary").fetchall() == [(CANARY,)]
    assert path.read_text() == f"x\n{FILED}\n"
    assert not [p for p in path.parent.iterdir() if p != path]
    assert "stolen" not in str(con.execute("SELECT database_name, table_name FROM duckdb_tables()").fetchall())


def everywhere() -> list[tuple[str, str]]:
    """Return every argument of every macro."""
    return [(macro.name, p.name) for macro in MACROS for p in macro.parameters]


def injected(con: duckdb.DuckDBPyConnection, name: str, argument: str, payload: str, *, listed: bool) -> str | None:
    """Give a payload for one argument of an example; return what it did, if it did anything."""
    macro = next(m for m in MACROS if m.name == name)
    given = examples()[name] | {argument: [payload] if listed else payload}
    first = [p.name for p in macro.required]
    parts = [literal(given[n]) if n in given else "NULL" for n in first]
    parts += [f"{n} := {literal(v)}" for n, v in given.items() if n not in first]
    call = f"SELECT {'* FROM ' if macro.is_table else ''}{name}({', '.join(parts)})"
    try:
        said = str(con.execute(call).fetchall())
    except duckdb.ParserException as error:
        said = str(error)
        if "qualified name" not in said:  # (the name of a table, which DuckDB reads)
            return f"it was read as SQL: {said[:150]}"
    except duckdb.Error as error:
        said = str(error)
    return f"it read a canary: {said[:150]}" if CANARY in said or FILED in said else None


def faults_of(con, cases) -> list[str]:
    faults = []
    for name, argument, payload, listed in cases:
        found = injected(con, name, argument, payload, listed=listed)
        if found:
            faults.append(f"{name}({argument} := {payload!r:.60}): {found}")
    return faults


@pytest.mark.slow
def test_every_argument_of_every_macro(guarded):
    con, path = guarded
    rng = random.Random(3)  # noqa: S311 - which payload at which argument
    lists = {"columns", "tables", "names", "values", "numbers", "combinations"}
    cases = [
        (macro.name, p.name, payload.replace("{canary}", str(path)), p.type in lists)
        for macro in MACROS
        for p in macro.parameters
        for payload in (rng.choice((*SPEAKING, *PAYLOADS)),)
        if (macro.name, p.name) not in SQL
    ]
    faults = faults_of(con, cases)
    untouched(con, path)
    assert not faults, f"{len(faults)} of {len(cases)}:\n" + "\n".join(faults[:60])
