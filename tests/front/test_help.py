"""sdc_help: every public macro has an entry, made from the headers, and the example in it runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import sdc_sql
from sdc_sql.db.catalogue.gives import ANY
from sdc_sql.db.catalogue.macros import example_tables, index_former_names, read_catalogue, sql_files

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.functions import Declaration

ENTRIES = {entry.name: entry for entry in read_catalogue()}


@pytest.fixture(scope="module")
def db(connect):
    """Return a connection with the macros and the tables of the examples."""
    with connect() as con:
        yield con.execute(example_tables())


def public() -> list[str]:
    every = [macro for file in sql_files() for macro in file.defines if not macro.startswith("sdc__")]
    return [macro for macro in every if macro not in index_former_names()]


def test_every_public_macro_has_an_entry():
    assert sorted(ENTRIES) == sorted(public())


def test_an_entry_says_what_the_macro_gives():
    wanted = "`-- NAME: what it gives.` and `-- Example: a call;` are to stand directly above NAME in FILE"
    wrong = [
        (name, entry.file)
        for name, entry in ENTRIES.items()
        if not (entry.summary.endswith(".") and f"{name}(" in entry.example and entry.example.endswith(";"))
        or not entry.description
    ]
    assert wrong == [], wanted


def test_a_method_names_its_source():
    methods = [n for n, e in ENTRIES.items() if e.file.startswith(("risk/", "linkage/", "mask/", "loss/"))]
    assert [name for name in methods if not ENTRIES[name].source] == []


def declared_columns(db, entry: Declaration) -> list[str]:
    """Return the columns that a macro's example is to give, by its declaration."""
    table = re.search(r"\('(\w+)'", entry.example)
    every = [column for column, *_ in db.table(table[1] if table else "persons").description]
    keys = re.search(r"\[(.*?)\]", entry.example)
    among = [c for c in every if keys and f"'{c}'" in keys[1]]
    others = [c for c in every if c not in among]
    stand_for = {"every column": every, "the key columns": among, "every other column": others}
    return [column for word in entry.given.names for column in stand_for.get(word, [word])]


@pytest.mark.slow
def test_the_example_runs_and_gives_rows_in_the_columns_and_types_that_are_declared(db):
    wrong = []
    for name, entry in ENTRIES.items():
        try:
            types = {column: str(kind) for column, kind, *_ in db.execute(entry.example).description}
            rows = db.fetchall()
        except duckdb.Error as error:
            wrong.append(f"{name}: {error}")
            continue
        wrong += [] if rows else [f"{name} gives no rows"]
        if entry.gives and list(types) != declared_columns(db, entry):
            wrong.append(f"{name} gives {', '.join(types)}")
        own = {} if entry.masks else {c.name: c.type for c in entry.given.columns if c.type != ANY}
        wrong += [f"{name}.{c} is {types.get(c)}, not {kind}" for c, kind in own.items() if types.get(c) != kind]
    assert wrong == []


def test_arguments_are_those_of_the_catalog(db):
    known = dict(
        db.execute(
            "SELECT function_name, parameters FROM duckdb_functions() WHERE starts_with(function_name, 'sdc_')"
        ).fetchall()
    )
    assert [n for n, entry in ENTRIES.items() if [p.name for p in entry.parameters] != known[n]] == []


@pytest.mark.one_in(36)
@pytest.mark.parametrize("name", [n for n, e in ENTRIES.items() if e.optional and e.is_table])
def test_defaults_are_those_that_are_declared(db, name):
    """(Threads add in any order: sums of floats agree but for the last digits.)"""
    entry = ENTRIES[name]
    call = sqlglot.parse_one(f"SELECT * {entry.example}", read="duckdb").find(exp.Anonymous)
    given = [e.this.name for e in call.expressions if isinstance(e, exp.PropertyEQ)]
    given += [p.name for p in entry.parameters[: len(call.expressions) - len(given)]]
    left = [f"{p.name} := {p.default}" for p in entry.optional if p.name not in given]
    spelled = f"{entry.example.removesuffix(');')}{', ' if given and left else ''}{', '.join(left)})"
    left_out, said = (
        db.execute(f"{sql.removesuffix(';')} ORDER BY ALL").fetchall() for sql in (entry.example, spelled)
    )
    assert [[pytest.approx(v, nan_ok=True) if isinstance(v, float) else v for v in row] for row in said] == [
        list(row) for row in left_out
    ]


@pytest.mark.slow
def test_a_mask_draws_with_the_secret_key_or_needs_none(connect):
    wrong = []
    with connect() as con:
        con.execute(example_tables()).execute("RESET VARIABLE sdc_key")
        for name, entry in ENTRIES.items():
            if not entry.masks:
                continue
            try:
                said = "rows" if con.execute(entry.example).fetchall() else "no rows"
            except duckdb.Error as error:
                said = str(error)
            if ("sdc_key" in said) if entry.needs_key else (said == "rows"):
                continue
            wrong.append(f"{name}: {said}")
    assert wrong == []


@pytest.mark.slow
def test_what_needs_python_is_what_cannot_run_without_it():
    # independent of how it is found out: in a connection with the bundle alone, run every example
    with duckdb.connect() as con:
        con.execute(sdc_sql.bundle())
        con.execute(example_tables())
        for entry in ENTRIES.values():
            if entry.needs_python:
                with pytest.raises(duckdb.Error, match="needs Python"):
                    con.execute(entry.example).fetchall()
            else:
                assert con.execute(entry.example).fetchall(), entry.name
        for name in ("sdc_survey_estimate", "sdc_estimate_change"):  # of estimates regressions need it
            asked = ENTRIES[name].example.replace("'mean', 'income'", "'regression', 'income', predictors := ['w']")
            with pytest.raises(duckdb.Error, match="needs Python"):
                con.execute(asked).fetchall()


def test_the_macro_gives_the_entries(db):
    rows = db.execute("SELECT name, arguments, example, needs_python, parameters FROM sdc_help()").fetchall()
    assert rows == [
        (e.name, e.arguments, e.example, e.needs_python, [str(p) for p in e.parameters]) for e in ENTRIES.values()
    ]


def names(db, about: str) -> list[str]:
    return [name for (name,) in db.execute("SELECT name FROM sdc_help(?)", [about]).fetchall()]


def test_by_a_part_of_a_name(db):
    assert names(db, "theta_") == names(db, "THETA_")
    assert names(db, "theta_") == ["sdc_theta_by", "sdc_theta_misclassified", "sdc_theta_misclassified_crossing"]


def test_by_a_word_of_the_summary_where_no_name_has_it(db):
    assert "sdc_theta" in names(db, "unique match")


def test_by_a_word_that_is_nowhere(db):
    assert names(db, "no such word") == []


def test_a_file_of_macros_is_read_as_it_is_written(db):
    # quotes, brackets and accents of the headers reach the database as they are
    ((source,),) = db.execute("SELECT source FROM sdc_help('sdc_multiplicative_noise')").fetchall()
    assert source == "SDC handbook, section 3.4.2.2 (Höhne 2004)."
    ((example,),) = db.execute("SELECT example FROM sdc_help('sdc_category')").fetchall()
    assert example == ENTRIES["sdc_category"].example
    assert "'red'" in example
