"""Every complaint that the macros can raise, raised for real, is an error of our tree; other errors are left alone."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import duckdb
import pytest

import sdc_sql
from sdc_sql import ColumnError, Microdata, ParameterError, SdcError, TableError, WeightError
from sdc_sql.db.catalogue.macros import sql_files
from sdc_sql.errors import translate, translate_errors

SEED = Path(__file__).parents[2] / "fixtures" / "dbt_project" / "seeds" / "couples.csv"

# What each error('class: ...') of the SQL files begins with: a query that raises it, the class, a word of the message.
RAISED: dict[str, list[tuple[str, type[SdcError], str]]] = {
    (
        "A sampling weight is NULL, NaN, no number, infinite, zero or negative: weights must be positive and finite"
        " numbers from 1e-9 to 1e15"
    ): [
        ("FROM sdc_frequencies('bad', ['age'], 'null_weight')", WeightError, "weights must be positive and finite"),
        ("FROM sdc_frequencies('bad', ['age'], 'nan_weight')", WeightError, "A sampling weight is NULL, NaN"),
        ("FROM sdc_frequencies('bad', ['age'], 'inf_weight')", WeightError, "infinite"),
        ("FROM sdc_frequencies('persons', ['age'], 'sex')", WeightError, "no number"),
        ("FROM sdc_frequencies('persons', ['age'], 'born')", WeightError, "no number"),
        ("FROM sdc_frequencies('bad', ['age'], 'zero_weight')", WeightError, "zero or negative"),
        ("FROM sdc_frequencies('bad', ['age'], 'negative_weight')", WeightError, "zero or negative"),
        ("FROM sdc_cell_risk('bad', ['age'], 0)", WeightError, "zero or negative"),
        ("FROM sdc_cell_risk('bad', ['age'], 'nan'::DOUBLE)", WeightError, "A sampling weight is NULL, NaN"),
    ],
    ("A weight is needed: the name of the column of expansion weights, or a number that every record weighs."): [
        ("FROM sdc_global_risk('persons', ['age'], NULL)", WeightError, "A weight is needed"),
        ("FROM sdc_log_linear_risk('persons', ['age', 'sex'], NULL)", WeightError, "A weight is needed"),
    ],
    "The column ": [
        ("FROM sdc_cells('signed', ['x'])", ColumnError, "The column x of signed (DOUBLE) holds a value in a form"),
        ("FROM sdc_cells('signed', ['y'])", ColumnError, "a number of days, say, in the place of the interval"),
        ("FROM sdc_cells('signed', ['z'])", ColumnError, "take the numbers out of it"),
    ],
    "The name of a table is no text: give its name in quotes, as in ''persons''.": [
        ("FROM sdc_k_anonymity(1, ['age'], 3)", TableError, "give its name in quotes"),
    ],
    "small_weights is ": [
        ("FROM sdc_global_risk('persons', ['age'], 9, small_weights := 'none')", ParameterError, "it must be 'error'"),
        ("FROM sdc_cell_risk('persons', ['age'], 9, small_weights := NULL)", ParameterError, "small_weights is NULL"),
    ],
    "The weights of a cell sum to less than its records: expansion weights are needed": [
        ("FROM sdc_global_risk('persons', ['age', 'sex'], 0.5)", WeightError, "not normalised ones"),
        ("FROM sdc_individual_risk('bad', ['age'], 'normalised')", WeightError, "less than its records"),
    ],
    "The ": [
        ("FROM sdc_theta('persons', ['age'], 0)", ParameterError, "The sampling fraction is 0: "),
        ("FROM sdc_theta('persons', ['age'], 1)", ParameterError, "The sampling fraction is 1: "),
        ("FROM sdc_theta('persons', ['age'], NULL)", ParameterError, "The sampling fraction is NULL: "),
        ("FROM sdc_theta('persons', ['age'], 'nan'::DOUBLE)", ParameterError, "The sampling fraction is nan: "),
        ("FROM sdc_theta('persons', ['age'], 0.1, 1)", ParameterError, "The confidence is 1: "),
        ("FROM sdc_theta_by('persons', ['age'], 'sex', 2)", ParameterError, "The sampling fraction is 2: "),
        ("FROM sdc_theta_by('persons', ['age'], 'sex', 'weight')", ParameterError, "strictly between 0 and 1"),
        ("FROM sdc_theta_by('persons', ['age'], 'sex', 'region')", ParameterError, "strictly between 0 and 1"),
        ("FROM sdc_risk_threshold('persons', ['age'], 9, 1)", ParameterError, "The maximum rate is 1: "),
        (
            "FROM sdc_household_risk('persons', ['age'], 9, 'household', 1.5)",
            ParameterError,
            "The household threshold is 1.5: ",
        ),
    ],
    "The default collation of this session is ": [
        ("FROM sdc_cells('listed', ['texts'])", ParameterError, "holds lists or structs of texts"),
    ],
    "The type of the column ": [
        (f"FROM sdc_cells('{SEED}', ['wave'])", ColumnError, "is guessed (BIGINT), as are all types of a CSV"),
    ],
    "nulls is ": [
        ("FROM sdc_cells('persons', ['age'], 'Wildcard')", ParameterError, "nulls is Wildcard: "),
        ("FROM sdc_k_anonymity('persons', ['age'], 3, NULL)", ParameterError, "nulls is NULL: "),
    ],
    "A record has no cell: the table does not give the same rows each time it is read. Store it as a table first.": [
        ("FROM sdc_frequencies('changing', ['draw'])", TableError, "does not give the same rows"),
        ("FROM sdc_individual_risk('changing', ['draw'], 9)", TableError, "Store it as a table first"),
    ],
    "The table ": [
        ("FROM sdc_cells('nobody', ['age'])", TableError, "The table nobody has no rows"),
        ("FROM sdc_theta('nobody', ['age'], 0.1)", TableError, "has no rows"),
        ("FROM sdc_theta_by('nobody', ['age'], 'sex', 0.1)", TableError, "has no rows"),
        ("FROM sdc_population_risk('persons', 'nobody', ['age'])", TableError, "The table nobody has no rows"),
        ("FROM sdc_global_risk('nobody', ['age'], 9, 'wildcard')", TableError, "has no rows"),
    ],
    (
        "A household number is NULL: every person must belong to a household"
        " (give persons living alone a number of their own)."
    ): [
        ("FROM sdc_household_risk('persons', ['age'], 9, 'region')", ColumnError, "persons living alone"),
        ("FROM sdc_household_global_risk('persons', ['age'], 9, 'region')", ColumnError, "household number is NULL"),
    ],
    "Individual risk needs a sample frequency f = 1, 2, ... and p = f/F in (0, 1].": [
        ("SELECT sdc_posterior_risk(0, 0.5)", ParameterError, "p = f/F in (0, 1]"),
        ("SELECT sdc_posterior_risk(1, NULL)", ParameterError, "p = f/F in (0, 1]"),
    ],
    "": [
        ("FROM sdc_k_anonymity('persons', ['age'], 1)", ParameterError, "k is 1: "),
        ("FROM sdc_k_anonymity('persons', ['age'], 2.5)", ParameterError, "k is 2.5: "),
        ("FROM sdc_k_anonymity('persons', ['age'], NULL)", ParameterError, "k is NULL: "),
    ],
    (
        "A cell has more records in the sample than in the population:"
        " the sample must be a part of the population, coded alike."
    ): [
        ("FROM sdc_population_risk('persons', 'few', ['age'])", TableError, "must be a part of the population"),
    ],
    "The sampling fraction varies within a stratum: it must be constant in each stratum.": [
        (
            "FROM sdc_theta_by('persons', ['age'], 'sex', 'fraction')",
            ParameterError,
            "it must be constant in each stratum",
        ),
    ],
}
CLASSES = {"TableError", "ColumnError", "WeightError", "ParameterError", "Unsupported"}
# Complaints made in the place of a column's name.
COLUMN = [
    ("FROM sdc_cells('persons', [])", "the list of columns is empty"),
    ("FROM sdc_cells('persons', NULL)", "the list of columns is empty"),
    ("FROM sdc_cells('persons', ['age', NULL])", "holds a NULL where a name should be"),
    ("FROM sdc_cells('persons', ['aeg'])", 'Column "aeg" is not a column of the table, whose columns are "id", "age"'),
    ("FROM sdc_cells('persons', ['it''s \"so\"; so \"'])", "is not a column of the table"),
    ("FROM sdc_cells('persons', ['age', 'AGE'])", "a column is named twice"),
    ("FROM sdc_theta('persons', ['age', 'aeg'], 0.1)", '"aeg" is not a column'),
    ("FROM sdc_theta_by('persons', ['age'], 'regio', 0.1)", '"regio" is not a column'),
    ("FROM sdc_theta_by('persons', ['age'], 'sex', 'fractoin')", '"fractoin" is not a column'),
    ("FROM sdc_frequencies('persons', ['age'], 'wieght')", '"wieght" is not a column'),
    ("FROM sdc_household_risk('persons', ['age'], 9, 'house')", '"house" is not a column'),
    ("FROM sdc_population_risk('persons', 'few', ['region'])", '"region" is not a column'),
    ("FROM sdc_cells('reserved', ['age'])", 'Column "SDC__x" has a name beginning with sdc__'),
    ("FROM sdc_frequencies('taken', ['age'])", "also the name of a result column"),
    ("FROM sdc_individual_risk('taken', ['age'], 9)", "also the name of a result column"),
]
TABLE = [
    ("FROM sdc_cells('nowhere', ['age'])", "nowhere"),
    ("FROM sdc_cells('nowhere.persons', ['age'])", "nowhere"),
    ("FROM sdc_cells('nowhere.parquet', ['age'])", "nowhere.parquet"),
    ("FROM sdc_cells('nowhere.csv', ['age'])", "nowhere.csv"),
    ("FROM sdc_population_risk('persons', 'nowhere', ['age'])", "nowhere"),
]
# Not ours: raised by DuckDB for what has nothing to do with us.
UNRELATED = [
    ("SELEC 1", duckdb.ParserException),
    ("SELECT nothing FROM persons", duckdb.BinderException),
    ("INSERT INTO strict VALUES (NULL)", duckdb.ConstraintException),
]
# Not ours either, but they may show a value.
SHOWING = [
    ("SELECT 'secret'::INTEGER", "cannot be converted to INT32"),
    ("SELECT error('secret')", "cannot be used"),
    ("SELECT 9223372036854775807 + 7777 * id FROM persons", "Overflow in addition of INT64"),
]


@pytest.fixture(scope="module")
def db():
    """Return a connection with the macros and tables that are wrong in one way each."""
    con = sdc_sql.load(duckdb.connect())
    con.execute("""
        CREATE TABLE persons AS FROM (VALUES
            (1, 30, 'f', 'north', 10.0, 1, 0.1, DATE '1990-01-01'), (2, 30, 'f', 'north', 15.0, 1, 0.2, NULL),
            (3, 41, 'm', NULL, 20.0, 2, 0.1, NULL)
        ) AS t(id, age, sex, region, weight, household, fraction, born);
        CREATE TABLE bad AS FROM (VALUES
            (30, 1.0, 1.0::DOUBLE, 1.0::DOUBLE, 1.0, 1.0, 0.5), (30, NULL, 'nan', 'inf', 0.0, -1.0, 0.5)
        ) AS t(age, null_weight, nan_weight, inf_weight, zero_weight, negative_weight, normalised);
        CREATE TABLE nobody AS FROM persons LIMIT 0;
        CREATE TABLE few AS SELECT age, sex FROM persons LIMIT 1;
        CREATE VIEW changing AS SELECT *, random() AS draw FROM persons;
        CREATE TABLE reserved AS SELECT *, 1 AS "SDC__x" FROM persons;
        CREATE TABLE taken AS SELECT *, 1 AS Sample_Frequency FROM persons;
        CREATE TABLE strict (x INTEGER NOT NULL);
        CREATE TABLE listed AS SELECT ['a'] AS texts;
        CREATE TABLE signed AS SELECT '-0.0'::DOUBLE AS x, INTERVAL 30 DAY AS y, ['-0.0'::DOUBLE] AS z;
    """)
    yield con
    con.close()


@pytest.fixture(scope="module", autouse=True)
def loaded_once(db):
    """Spare each description the loading of macros that are on the shared connection already."""
    with pytest.MonkeyPatch.context() as patch:
        roles = importlib.import_module("sdc_sql.roles")
        patch.setattr(roles, "load", lambda con: con if con is db else sdc_sql.load(con), raising=False)
        yield


def complaint(con: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Error:
    if "'listed'" in sql:
        con.execute("SET default_collation = 'NOCASE'")
    try:
        with pytest.raises(duckdb.Error) as raised:
            con.execute(sql).fetchall()
    finally:
        con.execute("RESET default_collation")
    return raised.value


def complaints(text: str) -> list[tuple[str, str]]:
    """Return the class and the first words of each error(...) in the text of a SQL file."""
    code = re.sub(r"--[^\n]*", "", text)
    whole = re.sub(r"'\s*\|\|\s*'", "", code)  # a message that goes on in the next line
    return re.findall(r"\berror\(\s*(?:'(\w+): ((?:[^']|'')*)')?", whole)


@pytest.mark.slow
def test_every_error_of_the_measures_is_tried_here():
    home = {macro: f for f in sql_files() for macro in f.defines}
    # their own tests try theirs: threshold_rule, file_rules, theta_misclassified, risk_after_pram, attribute, suda, ...
    apart = {
        "alpha_k_anonymity",
        "attribute_cells",
        "k_map",
        "l_diversity",
        "likeness",
        "t_closeness",
        "minimal_sample_uniques",
        "found_uniques",
        "suda",
        "threshold_rule",
        "threshold_sets",
        "file_rules",
        "misclassification",
        "theta_misclassified",
        "risk_misclassified",
        "pram_steps",
        "data_intrusion",
        "joint_releases",
        "population_uniqueness",
        "composition",
        "intruder",
        "swap_posterior",
        "flip_posterior",
        "flip_regression",
        "expected_harm",
        "neighbourhood",
        "log_linear_risk",
        "log_linear_models",
        "log_linear_fit",
        "robust_distance",
        "dominance",
        "holdout",
    }
    names = {f"risk/{stem}.sql" for stem in apart}
    needed = {f.name: f for f in sql_files() if f.name.startswith("risk/") and f.name not in names}
    needed |= {"core/frequencies.sql": home["sdc_frequencies"]}
    for file in reversed(sql_files()):  # a file comes after those it calls
        if file.name in needed:
            called = re.findall(r"\b(sdc_\w+)\(", file.text)
            needed |= {home[c].name: home[c] for c in called if c in home}
    raised = {said for f in needed.values() for said in complaints(f.text)}
    raised -= {("TableError", "There are no records to tell of.")}  # of a branch without rows, which nothing reads
    tried = {(cases[0][1].__name__, words) for words, cases in RAISED.items()}
    begun = {
        said: {(kind, words) for kind, words in tried if said[0] == kind and said[1].startswith(words)}
        for said in raised
    }
    assert [said for said, words in begun.items() if not words] == []
    assert set().union(*begun.values()) == tried


@pytest.mark.parametrize("file", [f.name for f in sql_files()])
def test_every_error_of_a_macro_names_its_class(file):
    """The class stands in front of the message, and Python reads it from there."""
    (text,) = (f.text for f in sql_files() if f.name == file)
    assert all(kind in CLASSES for kind, _ in complaints(text))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("sql", "kind", "words"), [case for cases in RAISED.values() for case in cases])
def test_what_the_macros_raise(db, sql, kind, words):
    ours = translate(complaint(db, sql))
    assert type(ours) is kind
    assert words in str(ours)


@pytest.mark.parametrize(("sql", "words"), COLUMN)
def test_complaints_about_columns(db, sql, words):
    ours = translate(complaint(db, sql))
    assert type(ours) is ColumnError
    assert words in str(ours)


@pytest.mark.parametrize(("sql", "words"), TABLE)
def test_tables_that_are_not_there(db, sql, words):
    ours = translate(complaint(db, sql))
    assert type(ours) is TableError
    assert words in str(ours)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sql", [c[0] for c in COLUMN] + [c[0] for cases in RAISED.values() for c in cases])
def test_a_message_is_ours_alone(db, sql):
    # DuckDB's own words (its kind of error, its quotation of the query, its guesses) are gone
    message = str(translate(complaint(db, sql)))
    assert "Error:" not in message
    assert "LINE " not in message
    assert "FROM clause" not in message
    assert message.count("\n") == 0


@pytest.mark.parametrize(("sql", "kind"), UNRELATED)
def test_unrelated_errors_are_left_alone(db, sql, kind):
    error = complaint(db, sql)
    assert isinstance(error, kind)
    assert translate(error) is None
    with pytest.raises(kind) as raised, translate_errors():
        raise error
    assert raised.value is error


@pytest.mark.parametrize(("sql", "words"), SHOWING)
def test_errors_that_show_a_value_are_told_without_it(db, sql, words):
    error = complaint(db, sql)
    assert translate(error) is None  # a shell shows them as they are: the statement is its user's
    with pytest.raises(ParameterError, match=words) as raised, translate_errors():
        raise error
    assert "secret" not in str(raised.value)
    assert "7777" not in str(raised.value)
    assert raised.value.__suppress_context__  # nor does a traceback show it


def test_other_exceptions_pass():
    with pytest.raises(KeyError), translate_errors():
        raise KeyError("x")


def test_a_translated_error_keeps_its_cause(db):
    with pytest.raises(ColumnError) as raised, translate_errors():
        db.execute("FROM sdc_cells('persons', ['aeg'])")
    assert isinstance(raised.value.__cause__, duckdb.BinderException)


def test_a_missing_macro_is_no_missing_table():
    with duckdb.connect() as con:
        error = complaint(con, "FROM sdc_cells('persons', ['age'])")
    assert not isinstance(translate(error), TableError)


# The same through the typed front: whoever uses it sees our tree and nothing else.
def microdata(db, **roles) -> Microdata:
    return Microdata(db, **{"table": "persons", "keys": ["age", "sex"], **roles})


TYPED = {
    "theta out of range": (lambda d: microdata(d).risk.theta(1.0), ParameterError),
    "theta nan": (lambda d: microdata(d).risk.theta(float("nan")), ParameterError),
    "theta of text": (lambda d: microdata(d).risk.theta("a"), ParameterError),
    "confidence out of range": (lambda d: microdata(d).risk.theta(0.1, confidence=0), ParameterError),
    "confidence of text": (lambda d: microdata(d).risk.theta(0.1, confidence="high"), ParameterError),
    "k too small": (lambda d: microdata(d).risk.k_anonymity(1), ParameterError),
    "k broken": (lambda d: microdata(d).risk.k_anonymity(2.5), ParameterError),
    "k of text": (lambda d: microdata(d).risk.k_anonymity("3"), ParameterError),
    "k true": (lambda d: microdata(d).risk.k_anonymity(True), ParameterError),  # noqa: FBT003
    "k huge": (lambda d: microdata(d).risk.k_anonymity(10**30), ParameterError),
    "maximum rate": (lambda d: microdata(d, weight=9).risk.risk_threshold(0), ParameterError),
    "maximum rate of text": (lambda d: microdata(d, weight=9).risk.risk_threshold("low"), ParameterError),
    "household threshold": (
        lambda d: microdata(d, weight=9, household="household").risk.household_risk(household_threshold=2).fetchall(),
        ParameterError,
    ),
    "no weight": (lambda d: microdata(d).risk.global_risk(), ParameterError),
    "no household": (lambda d: microdata(d, weight=9).risk.household_risk(), ParameterError),
    "no stratum": (lambda d: microdata(d).risk.theta_by(), ParameterError),
    "no fraction": (lambda d: microdata(d).risk.theta(), ParameterError),
    "stratum the only key": (lambda d: microdata(d, keys=["sex"]).risk.theta_by("sex", 0.1), ColumnError),
    "fraction varies": (lambda d: microdata(d, keys=["age"]).risk.theta_by("sex", "fraction"), ParameterError),
    "stratum unknown": (lambda d: microdata(d).risk.theta_by("regio", 0.1), ColumnError),
    "stratum a number": (lambda d: microdata(d).risk.theta_by(3, 0.1), ColumnError),
    "fraction unknown": (lambda d: microdata(d).risk.theta_by("sex", "fractoin"), ColumnError),
    "fraction is text": (lambda d: microdata(d).risk.theta_by("sex", "region"), ParameterError),
    "normalised weights": (lambda d: microdata(d, weight=0.5).risk.global_risk(), WeightError),
    "normalised weights, records": (lambda d: microdata(d, weight=0.5).risk.individual_risk().fetchall(), WeightError),
    "normalised weights, cells": (lambda d: microdata(d, weight=0.5).risk.cell_risk().fetchall(), WeightError),
    "result column taken": (lambda d: microdata(d, table="taken").risk.frequencies(), ColumnError),
    "reserved column": (lambda d: microdata(d, table="reserved"), ColumnError),
    "population missing": (lambda d: microdata(d).risk.population_risk("nowhere"), TableError),
    "population empty": (lambda d: microdata(d).risk.population_risk("nobody"), TableError),
    "population too small": (lambda d: microdata(d).risk.population_risk("few"), TableError),
    "population without a key": (lambda d: microdata(d).risk.population_risk("bad"), ColumnError),
    "population a number": (lambda d: microdata(d).risk.population_risk(3), TableError),
}


@pytest.mark.one_in(8)
@pytest.mark.whole
@pytest.mark.parametrize("case", TYPED)
def test_the_typed_front_raises_our_tree(db, case):
    call, kind = TYPED[case]
    with pytest.raises(SdcError) as raised:
        call(db)
    assert type(raised.value) is kind
