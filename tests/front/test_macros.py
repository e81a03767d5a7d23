"""The SQL files: their order, their form, and the macros that they promise."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from sdc_sql.udfs.registry import FUNCTIONS
from sqlglot import TokenType, tokenize

import sdc_sql
from sdc_sql.db.catalogue.functions import ENTRIES
from sdc_sql.db.catalogue.macros import CREATE, sql_files

if TYPE_CHECKING:
    from sqlglot.tokens import Token

ROOT = Path(__file__).resolve().parents[2]
# (of the files, all but the one that is made from their headers: tests/front/test_help.py)
FILES = {f.name: f for f in sql_files() if f.name != ENTRIES}
DEFINED = {macro: f.name for f in sql_files() for macro in f.defines}


def named(con: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    rows = con.execute(
        "SELECT function_name, parameters FROM duckdb_functions() WHERE starts_with(function_name, 'sdc_')"
    ).fetchall()
    return dict(rows)


def test_every_sql_file_of_the_project_is_found():
    assert sorted(FILES) == sorted(str(p.relative_to(ROOT / "sql").as_posix()) for p in (ROOT / "sql").rglob("*.sql"))


def test_each_file_comes_after_the_files_it_calls():
    seen: set[str] = set()
    for file in sql_files():
        assert (file.calls & set(DEFINED)) <= seen, file.name
        seen |= set(file.defines)


@pytest.mark.slow
def test_within_a_file_each_macro_comes_after_those_it_calls():
    for file in FILES.values():
        for i, body in enumerate(re.split(rf"^{CREATE} ", file.text, flags=re.MULTILINE)[1:]):
            called = {t.text for t in tokenize(body, read="duckdb")} & set(file.defines)
            assert called <= set(file.defines[: i + 1]), file.name


def test_no_macro_is_defined_twice():
    assert len(DEFINED) == sum(len(f.defines) for f in sql_files())


def header(name: str) -> str:
    return FILES[name].text.partition(CREATE)[0]


@cache
def tokens(name: str) -> list[Token]:
    return tokenize(FILES[name].text, read="duckdb")


def test_a_file_opens_with_a_header():
    heads = {name: header(name) for name in FILES}
    assert [name for name, head in heads.items() if head == FILES[name].text or not head.startswith("-- ")] == []
    lines = [(name, line) for name, head in heads.items() for line in head.splitlines() if line]
    assert [(name, line) for name, line in lines if not line.startswith("--")] == []


def test_a_measure_names_its_source():
    measures = [name for name in FILES if name.startswith("risk/")]
    assert [name for name in measures if not re.search(r"^-- Source: ", header(name), re.MULTILINE)] == []


def test_every_macro_is_made_in_one_way_and_named_sdc():
    wrong = []
    for name, file in FILES.items():
        code = "\n".join(line for line in file.text.splitlines() if not line.startswith("--"))
        if not code.count("CREATE") == file.text.count(f"\n{CREATE} sdc_") == len(file.defines):
            wrong.append(name)
        wrong += [f"{name}: {macro}" for macro in file.defines if not macro.startswith("sdc_")]
    assert wrong == []


@pytest.mark.slow
def test_no_arrow_lambdas():
    assert [name for name in FILES if TokenType.ARROW in {t.token_type for t in tokens(name)}] == []


def inner(name: str) -> set[str]:
    """Return the names of the CTEs of a file."""
    read = tokens(name)
    ctes = {a.text for a, b in pairwise(read) if a.token_type is TokenType.VAR and b.token_type is TokenType.ALIAS}
    following = {
        t.text
        for t, alias, paren in zip(read, read[1:], read[2:], strict=False)
        if alias.token_type is TokenType.ALIAS
        and (paren.token_type is TokenType.L_PAREN or paren.text == "MATERIALIZED")
    }
    return ctes & following


@pytest.mark.slow
@pytest.mark.whole
def test_inner_names_are_the_macros_own():
    # a user's table `counts` must not be taken for one of ours, nor ours for theirs
    assert [f"{name}: {cte}" for name in FILES for cte in inner(name) if not cte.startswith("sdc__")] == []


def test_the_bundle_is_every_file_once_in_order():
    bundle = sdc_sql.bundle()
    places = [bundle.index(f.text) for f in FILES.values()]
    assert places == sorted(places)
    assert all(bundle.count(f.text) == 1 for f in FILES.values())
    assert bundle == sdc_sql.bundle()


@pytest.mark.slow
def test_the_bundle_runs_on_a_bare_connection():
    with duckdb.connect() as con:
        con.execute(sdc_sql.bundle())
        con.execute("CREATE TABLE t AS FROM (VALUES (1), (1), (2)) AS v(a)")
        assert con.execute("FROM sdc_cells('t', ['a']) ORDER BY a").fetchall() == [(1, 2), (2, 1)]
        assert set(named(con)) == set(DEFINED)


@pytest.mark.slow
def test_what_needs_python_says_so_in_the_shell():
    with duckdb.connect() as con:
        con.execute(sdc_sql.bundle())
        con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        con.execute("CREATE TABLE t AS SELECT range AS id, range AS x FROM range(9)")
        with pytest.raises(duckdb.Error, match="Correlated noise needs Python"):
            con.execute("FROM sdc_noise('t', ['x'], 0.1, 'id', method := 'correlated')").fetchall()
        assert len(con.execute("FROM sdc_noise('t', ['x'], 0.1, 'id')").fetchall()) == 9
        assert len(con.execute("FROM sdc_pram_retention('t', ['x'], 0.9, 'id')").fetchall()) == 9


@pytest.mark.slow
def test_each_python_function_stands_in_for_a_macro_with_its_parameters():
    stubs = {m.removeprefix("sdc__kernel_") for m in DEFINED if m.startswith("sdc__kernel_")}
    assert stubs == {*FUNCTIONS}
    with duckdb.connect() as con:
        con.execute(sdc_sql.bundle())
        for function in FUNCTIONS.values():
            assert named(con)[f"sdc__kernel_{function.name}"] == [name for name, _ in function.parameters]
