"""The page *In other languages*: its blocks word for word, and every function in Node beside Python's answer."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from contextlib import contextmanager
from decimal import Decimal

import duckdb
import pytest
from pages import FENCED, KEY, SITE, find_differences, given_key, link_fixtures, read, run_shell
from sdc_docs import clients, programs

import sdc_sql
from sdc_sql.db.catalogue.load import install
from sdc_sql.db.catalogue.macros import example_tables, index_catalogue, read_catalogue
from sdc_sql.db.files.storage import CHOSEN

PAGE = SITE / "how_to" / "other_languages.md"
LANGUAGES = ["js", "r", "java", "go", "c"]
MEASURE = "FROM sdc_k_anonymity('couples', ['region', 'race', 'education'], 4)"
IN_PART = {"sdc_log_linear_risk"}  # without Python it does not say how well its model fits, as its header tells
ASK = """
import fs from "fs";
import { DuckDBInstance } from "@duckdb/node-api";
const con = await (await DuckDBInstance.create("there.duckdb")).connect();
await con.run("SET VARIABLE sdc_key = $1", [process.env.SDC_KEY]);
const answers = [];
for (const sql of JSON.parse(fs.readFileSync("asked.json", "utf8"))) {
  try { answers.push({ rows: (await con.runAndReadAll(sql)).getRowsJson() }); }
  catch (error) { answers.push({ error: error.message }); }
}
console.log(JSON.stringify(answers));
"""
ODD = {
    "k": ["f", "Select"],
    "Select": ["it's", 'a"b'],
    "my 'odd' table": ["f", "it's", 'a"b', "Select"],
}


def need(language):
    found = clients.find_client(language)
    if isinstance(found, programs.Missing):
        pytest.skip(found.reason)
    return found


def list_blocks(language):
    return [code for kind, code in FENCED.findall(read(PAGE)) if kind == language]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """Return a folder with the database, written as the page says."""
    folder = link_fixtures(tmp_path_factory.mktemp("survey"))
    done = run_shell(f"set -e\n{list_blocks('sh')[0]}", folder)
    assert done.returncode == 0, done.stderr
    return folder


def ask_node(folder, statements):
    """Return the answer of Node to each statement on the database of a folder: its rows, or its error."""
    tool = need("js")
    (folder / "asked.json").write_text(json.dumps(statements), encoding="utf-8")
    with given_key():
        return json.loads(tool.run(ASK, folder))


@pytest.mark.slow
@pytest.mark.whole
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_gives_what_python_gives(language, survey):
    tool = need(language)
    code = list_blocks(language)[0]
    assert MEASURE.partition("(")[0] in code
    printed = [[int(number) for number in line.split()] for line in tool.run(code, survey).splitlines()]
    with duckdb.connect(survey / "survey.duckdb", read_only=True) as con:
        assert printed == [[*row] for row in con.execute(MEASURE).fetchall()]


@pytest.mark.slow
@pytest.mark.whole
def test_the_page_prints_what_it_shows_in_node(tmp_path):
    assert find_differences(PAGE, tmp_path, {"js": need("js").run}) == []


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("language", "file", "command"),
    [
        ("js", "client.mjs", ["node", "--check", "client.mjs"]),
        ("r", "client.R", ["Rscript", "--vanilla", "-e", "invisible(parse('client.R'))"]),
        ("java", "Theirs.java", ["javac", "-d", ".", "Theirs.java"]),
        ("go", "client.go", ["gofmt", "-e", "-d", "client.go"]),
    ],
)
def test_what_cannot_be_run_is_at_least_a_program(language, file, command, tmp_path):
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {command[0]}")
    for code in list_blocks(language):
        text = programs.write_java(code) if language == "java" else code
        (tmp_path / file).write_text(text, encoding="utf-8")
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_client_that_is_not_there_is_named(monkeypatch):
    for name in ("SDC_DUCKDB_JDBC", "SDC_DUCKDB_GO", "SDC_DUCKDB_C"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(clients, "NODE", SITE / "nowhere")
    reasons = {language: clients.find_client(language).reason for language in ("js", "java", "go", "c")}
    assert "SDC_DUCKDB_JDBC" in reasons["java"]
    assert "SDC_DUCKDB_GO" in reasons["go"]
    assert "SDC_DUCKDB_C" in reasons["c"]
    assert "Node" in reasons["js"]


def make_database(folder, statements):
    """Write a database as `sdc-sql install --create` does, for the oldest DuckDB that has the macros' syntax."""
    with duckdb.connect(folder / "there.duckdb", config={"storage_compatibility_version": CHOSEN}) as con:
        con.execute(statements)
        install(con)


@contextmanager
def ask_python(folder):
    """Give what asks Python the same of the same file."""
    with duckdb.connect(folder / "there.duckdb", read_only=True) as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        sdc_sql.load(con)
        yield lambda statement: con.execute(statement).fetchall()


def plain(value):
    """Return a value as both clients have it: numbers as floats, maps as lists, dates as texts."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, int | float | Decimal):
        return float(value)
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def is_close(ours, node):
    if isinstance(ours, float) and isinstance(node, float):
        return math.isclose(ours, node, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(ours, list) and isinstance(node, list):
        return len(ours) == len(node) and all(map(is_close, ours, node))
    if isinstance(ours, dict) and isinstance(node, list):  # a map
        return [*ours.items()] == [(item["key"], plain(item["value"])) for item in node]
    if isinstance(ours, dict) and isinstance(node, dict):
        return ours.keys() == node.keys() and all(is_close(ours[name], node[name]) for name in ours)
    return ours == node


@pytest.mark.slow
@pytest.mark.whole
def test_every_function_answers_in_node_as_in_python_or_says_that_it_needs_it(tmp_path):
    make_database(tmp_path, example_tables().replace("CREATE TEMP TABLE", "CREATE TABLE"))
    asked = [d for d in read_catalogue() if d.name != "sdc_help"]
    answers = ask_node(tmp_path, [d.example for d in asked])
    wrong, answered = [], 0
    with ask_python(tmp_path) as python:
        for declared, answer in zip(asked, answers, strict=True):
            if "error" in answer:
                if not declared.needs_python or "needs Python" not in answer["error"]:
                    wrong.append((declared.name, answer["error"]))
            elif declared.name not in IN_PART:
                ours, node = (sorted(map(plain, rows), key=str) for rows in (python(declared.example), answer["rows"]))
                answered += 1
                if declared.needs_python or not is_close(ours, node):
                    wrong.append((declared.name, ours[:1], node[:1]))
    assert wrong == []
    assert answered > 100


@pytest.mark.slow
def test_the_masks_of_the_page_are_those_of_python_to_the_last_bit(survey):
    (code,) = (block for block in list_blocks("js") if "sdc_key" in block)
    tool = need("js")
    with given_key():
        tool.run(code, survey)
    with sdc_sql.load(duckdb.connect()) as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute(f"CREATE TABLE couples AS FROM '{survey}/fixtures/cps_couples.parquet'")
        for statement in (line for line in code.splitlines() if "TABLE step AS" in line):
            con.execute(statement.partition('"')[2].rpartition('"')[0])
        con.execute("CREATE TABLE renumbered AS SELECT * EXCLUDE (couple) FROM sdc_renumber('step', 'couple', '2026')")
        written = f"'{survey}/released.parquet'"
        for one, other in (("renumbered", written), (written, "renumbered")):
            assert con.execute(f"SELECT count(*) FROM (FROM {one} EXCEPT ALL FROM {other})").fetchone() == (0,)
        assert con.execute(f"SELECT count(*) FROM {written}").fetchone() == (22_272,)


@pytest.mark.slow
def test_odd_names_do_no_harm_in_node(tmp_path):
    columns = """i AS id, i % 3 AS f, i % 2 AS "Select", i % 4 AS "it's", 'v' || i % 5 AS "a""b" """
    names = [name.replace('"', '""') for name in ODD]
    make_database(tmp_path, "".join(f'CREATE TABLE "{n}" AS SELECT {columns} FROM range(50) t(i);' for n in names))
    asked = [
        "FROM sdc_k_anonymity({}, [{}], 9)".format(
            *(", ".join("'" + word.replace("'", "''") + "'" for word in words) for words in ([table], keys))
        )
        for table, keys in ODD.items()
    ]
    rows = [answer["rows"] for answer in ask_node(tmp_path, asked)]
    with ask_python(tmp_path) as python:
        for statement, found in zip(asked, rows, strict=True):
            assert [[int(number) for number in row] for row in found] == [[*row] for row in python(statement)]
    masked = """CREATE TABLE r AS FROM sdc_pram_retention('my ''odd'' table', ['a"b', 'Select'], 0.5, 'id')"""
    made, changed = ask_node(tmp_path, [masked, "SELECT count(*) FROM (FROM r EXCEPT FROM \"my 'odd' table\")"])
    assert made["rows"] == [["50"]]
    assert 10 < int(changed["rows"][0][0]) < 50


@pytest.mark.slow
def test_node_refuses_what_python_refuses(tmp_path):
    make_database(tmp_path, "CREATE TABLE k AS SELECT i AS id, i % 3 AS f FROM range(9) t(i)")
    misspelled, nothing, needs_python, left = ask_node(
        tmp_path,
        [
            "FROM sdc_k_anonymity('k', ['g'], 3)",
            "FROM sdc_k_anonymity('k', []::VARCHAR[], 3)",
            "CREATE TABLE released AS FROM sdc_local_suppression('k', ['f'], 3, 'id')",
            "SELECT count(*) FROM duckdb_tables()",
        ],
    )
    assert 'Column "g" is not a column of the table, whose columns are "id", "f"' in misspelled["error"]
    assert "the list of columns is empty; name at least one" in nothing["error"]
    assert "needs Python" in needs_python["error"]
    assert left["rows"] == [["1"]]
    assert index_catalogue()["sdc_local_suppression"].needs_python
