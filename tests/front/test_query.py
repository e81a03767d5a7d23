"""Values and names become literals and identifiers: what is given is what DuckDB reads, whatever it holds."""

from __future__ import annotations

import importlib
import math

import duckdb
import numpy as np
import pytest

import sdc_sql
from sdc_sql import ColumnError, Microdata, ParameterError, TableError
from sdc_sql.db import query

INJECTION = "x'); DROP TABLE persons; --"
NAMES = [
    INJECTION,
    "persons; DROP TABLE persons; --",
    'age" FROM persons; DROP TABLE persons; --',
    "'",
    '"',
    "\\'; DROP TABLE persons; --",
    "${age}",
    "?",
    "a\nb",
    "COLUMNS(*)",
    "ünï ☃",
]
NUMBERS = [0.1, 0.0, 1e-7, 1e300, 5e-324, 1.7976931348623157e308, 1e16, 1e22, 0.1 + 0.2, 123456789.125, -1.5, -1e-7]


@pytest.fixture(scope="module")
def bare():
    """Return a connection without macros."""
    with duckdb.connect() as con:
        yield con


@pytest.fixture(scope="module")
def db(connect):
    """Return a connection with the macros and the table `persons`, shared: that it stays is what is tested."""
    with connect() as con:
        con.execute("""
            CREATE TABLE persons AS FROM (VALUES
                (1, 30, 'f'), (2, 30, 'f'), (3, 41, 'm'), (4, 41, 'm'), (5, 41, 'm'), (6, NULL, 'f'), (7, 67, NULL),
                (8, 25, 'm')
            ) AS t(id, age, sex)
        """)
        yield con
        assert con.execute("SELECT count(*) FROM persons").fetchone() == (8,)


@pytest.fixture(scope="module", autouse=True)
def loaded_once(db):
    """Spare each description the loading of macros that are on the shared connection already."""
    with pytest.MonkeyPatch.context() as patch:
        roles = importlib.import_module("sdc_sql.roles")
        patch.setattr(roles, "load", lambda con: con if con is db else sdc_sql.load(con), raising=False)
        yield


def read(con: duckdb.DuckDBPyConnection, value: query.Value) -> tuple[object, str]:
    """Return a value as DuckDB reads its literal, with its type."""
    text = query.write_sql(query.make_text_literal(value))
    ((found, kind),) = con.execute(f"SELECT {text}, typeof({text})").fetchall()
    return found, kind


@pytest.mark.parametrize("number", NUMBERS)
def test_a_float_is_a_double_to_the_last_digit(bare, number):
    assert read(bare, number) == (number, "DOUBLE")


@pytest.mark.parametrize("number", [0, 5, -5, 2**31, 2**63, 10**30])
def test_an_integer_stays_one(bare, number):
    found, kind = read(bare, number)
    assert found == number
    assert kind.endswith("INT") or kind == "INTEGER"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_a_number_that_is_none_is_refused(number):
    with pytest.raises(ParameterError, match="must be finite"):
        query.make_text_literal(number)


@pytest.mark.parametrize("number", [np.float64(0.1), np.float64(-2.5), np.float64(1e-7)])
def test_a_float_of_numpy_is_a_float(bare, number):
    assert read(bare, number) == (float(number), "DOUBLE")


@pytest.mark.parametrize(("value", "kind"), [(True, "BOOLEAN"), (False, "BOOLEAN"), (None, '"NULL"')])
def test_bool_and_none(bare, value, kind):
    assert read(bare, value) == (value, kind)


@pytest.mark.parametrize("text", [*NAMES, "", "it's", "0.1", "NULL", "a''b"])
def test_a_string_is_itself(bare, text):
    assert read(bare, text) == (text, "VARCHAR")


@pytest.mark.parametrize(
    "value",
    [[], ["a", "b"], ["it's", 'a"b', "a,b"], [None, "a"], [["a"], ["b", None]], [[], ["a"]], [0.1, -1e-7]],
)
def test_lists(bare, value):
    assert read(bare, value)[0] == value


def test_a_tuple_is_a_list(bare):
    assert read(bare, ("a", "b")) == (["a", "b"], "VARCHAR[]")


def test_a_list_with_a_number_that_is_none_is_refused():
    with pytest.raises(ParameterError):
        query.make_text_literal([0.1, math.nan])


def test_a_call_as_text():
    call = query.call_macro("sdc_theta", "it's", ["a", "b"], 0.5, confidence=None, nulls="x")
    assert query.write_sql(call) == (
        "SELECT * FROM sdc_theta('it''s', ['a', 'b'], 0.5e0, confidence := NULL, nulls := 'x')"
    )


def test_the_name_of_a_macro_keeps_its_case():
    assert query.write_sql(query.call_macro("sdc__Rows")) == "SELECT * FROM sdc__Rows()"


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_table_name_only_fails(db, name):
    with pytest.raises(TableError):
        Microdata(db, name, keys=["age"])


@pytest.mark.parametrize("role", ["weight", "household", "id", "stratum", "sampling_fraction"])
def test_a_hostile_column_name_only_fails(db, role):
    with pytest.raises(ColumnError):
        Microdata(db, "persons", keys=["age"], **{role: INJECTION})


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_key_only_fails(db, name):
    with pytest.raises(ColumnError):
        Microdata(db, "persons", keys=["age", name])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_matches_the_column_of_that_name(db, name):
    column = '"' + name.replace('"', '""') + '"'
    db.execute(f"CREATE OR REPLACE TABLE odd AS SELECT id, 1 AS k, age AS {column} FROM persons WHERE age IS NOT NULL")
    data = Microdata(db, "odd", keys=[name], weight=name, household=name, stratum=name, sampling_fraction=0.1)
    assert data.risk.frequency_counts() == {1: 2, 2: 1, 3: 1}
    assert data.risk.household_global_risk().households == 4
    by = Microdata(db, "odd", keys=["k"], stratum=name, sampling_fraction=0.1)
    assert [t.stratum for t in by.risk.theta_by()] == [25, 30, 41, 67]
    assert name in data.risk.individual_risk().columns[:3]
    plain = Microdata(db, "odd", keys=[name], weight=name, household=name, sampling_fraction=0.1)
    assert sdc_sql.risk_report(plain).keys == (name,)


@pytest.mark.parametrize("name", [n for n in NAMES if n != '"'])
def test_a_hostile_name_matches_the_table_of_that_name(db, name):
    if '"' in name and duckdb.__version__.startswith("1."):
        pytest.skip("query_table of DuckDB 1 cannot name a table with a double quote")
    table = '"' + name.replace('"', '""') + '"'
    db.execute(f"CREATE TABLE {table} AS FROM persons")
    assert Microdata(db, table, keys=["age", "sex"]).risk.frequency_counts() == {1: 3, 2: 1, 3: 1}
    db.execute(f"DROP TABLE {table}")


def test_hostile_population_and_nulls_only_fail(db):
    data = Microdata(db, "persons", keys=["age"])
    with pytest.raises(TableError):
        data.risk.population_risk(INJECTION)
    with pytest.raises(ParameterError):
        Microdata(db, "persons", keys=["age"], nulls=INJECTION)
    with pytest.raises(ColumnError):
        data.risk.theta_by(INJECTION, 0.1)
