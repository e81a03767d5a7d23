"""A described table: each role is checked when it is described, and each measure is the macro called by hand."""

from __future__ import annotations

import dataclasses
import decimal
import html
import importlib
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import sdc_sql
from sdc_sql import ColumnError, Microdata, ParameterError, TableError, WeightError
from sdc_sql.db.showing.results import Result, format_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROLES = {"weight": "weight", "household": "household", "id": "id", "stratum": "region", "sampling_fraction": 0.1}


@pytest.fixture(scope="module")
def db(connect) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with the macros and `persons`; only tables of other names are made on it."""
    with connect() as con:
        con.execute("""
            CREATE TABLE persons AS FROM (VALUES
                (1, 30, 'f', 'north', 10.0, 1), (2, 30, 'f', 'north', 15.0, 1), (3, 41, 'm', 'north', 20.0, 1),
                (4, 41, 'm', 'south', 20.0, 2), (5, 41, 'm', 'south', 12.5, 2), (6, NULL, 'f', 'south', 30.0, 3),
                (7, 67, NULL, 'south', 8.0, 3), (8, 25, 'm', NULL, 11.0, 3)
            ) AS t(id, age, sex, region, weight, household);
            CREATE TABLE few AS FROM persons WHERE age = 30;
        """)
        yield con


@pytest.fixture(scope="module", autouse=True)
def loaded_once(db):
    """Spare each description the loading of macros that are on the shared connection already."""
    with pytest.MonkeyPatch.context() as patch:
        roles = importlib.import_module("sdc_sql.roles")
        patch.setattr(roles, "load", lambda con: con if con is db else sdc_sql.load(con), raising=False)
        yield


def described(con: duckdb.DuckDBPyConnection, **roles: object) -> Microdata:
    return Microdata(con, **{"table": "persons", "keys": ["age", "sex"], **roles})


# --- the roles


@pytest.mark.slow
def test_the_roles_are_kept(db):
    data = described(db, **ROLES, nulls="wildcard")
    assert (data.table, data.keys, data.nulls) == ("persons", ("age", "sex"), "wildcard")
    assert {role: getattr(data, role) for role in ROLES} == ROLES
    assert data.columns == ("id", "age", "sex", "region", "weight", "household")


def test_names_are_kept_as_the_table_spells_them(db):
    given = {k: v.upper() if isinstance(v, str) else v for k, v in ROLES.items()}
    data = described(db, keys=["AGE", "Sex"], **given)
    assert data.keys == ("age", "sex")
    assert {role: getattr(data, role) for role in ROLES} == ROLES


@pytest.mark.parametrize("keys", [["age"], ("age",), iter(["age"]), (k for k in ["age"]), {"age": 1}.keys()])
def test_any_collection_of_keys(db, keys):
    data = described(db, keys=keys)
    assert data.keys == ("age",)
    assert data.risk.frequency_counts() == {1: 3, 2: 1, 3: 1}


def test_the_order_of_keys_is_kept(db):
    assert described(db, keys=["sex", "age"]).keys == ("sex", "age")


@pytest.mark.parametrize("keys", ["age", "age,sex", ""])
def test_keys_as_a_string_are_refused(db, keys):
    with pytest.raises(ColumnError, match="must be a list of column names"):
        described(db, keys=keys)


@pytest.mark.parametrize("keys", [[], (), iter([])])
def test_no_keys_are_refused(db, keys):
    with pytest.raises(ColumnError, match="empty"):
        described(db, keys=keys)


@pytest.mark.parametrize("keys", [1, [1], ["age", None], [["age"]], b"age"])
def test_keys_that_are_no_names_are_refused(db, keys):
    with pytest.raises(ColumnError, match="must be a list of column names"):
        described(db, keys=keys)


@pytest.mark.parametrize("keys", [["age", "age"], ["age", "AGE"], ["Age", "sex", "aGe"]])
def test_a_key_named_twice_is_refused(db, keys):
    with pytest.raises(ColumnError, match="named twice: age"):
        described(db, keys=keys)


@pytest.mark.parametrize("role", ["weight", "household", "id", "stratum", "sampling_fraction"])
def test_an_unknown_column_is_refused_with_what_there_is(db, role):
    with pytest.raises(ColumnError) as raised:
        described(db, **{role: "nothing_like_it"})
    message = str(raised.value)
    assert message.startswith(f"The {role.replace('_', ' ')} 'nothing_like_it' is not a column of persons")
    assert "id, age, sex, region, weight, household" in message
    assert "Did you mean" not in message


@pytest.mark.parametrize(("given", "meant"), [("aeg", "age"), ("regoin", "region"), ("house_hold", "household")])
def test_a_near_miss_is_hinted_at(db, given, meant):
    with pytest.raises(ColumnError, match=f"Did you mean '{meant}'"):
        described(db, keys=["sex", given])


def test_a_near_miss_in_capitals_is_hinted_at(db):
    with pytest.raises(ColumnError, match="Did you mean 'region'"):
        described(db, keys=["REGOIN"])


@pytest.mark.parametrize("role", ["household", "id", "stratum"])
@pytest.mark.parametrize("value", [3, ["age"], True])
def test_a_role_that_is_no_name_is_refused(db, role, value):
    with pytest.raises(ColumnError):
        described(db, **{role: value})


# --- weights


@pytest.mark.parametrize("bad", ["NULL", "'nan'", "'inf'", "'-inf'", "0", "-0.0", "-1"])
def test_weights_must_be_positive_and_finite(db, bad):
    db.execute(f"CREATE OR REPLACE TABLE w AS SELECT 1 AS age, 2.0::DOUBLE AS w UNION ALL SELECT 1, {bad}::DOUBLE")
    with pytest.raises(WeightError, match="positive and finite"):
        Microdata(db, "w", keys=["age"], weight="w")


def test_the_number_of_bad_weights_is_told(db):
    db.execute("CREATE OR REPLACE TABLE w AS SELECT 1 AS age, if(i < 1234, 0, 1) AS w FROM range(5000) AS r(i)")
    with pytest.raises(WeightError, match=r"1,234 records have a weight \(w\)"):
        Microdata(db, "w", keys=["age"], weight="w")


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("kind", ["TINYINT", "BIGINT", "HUGEINT", "DECIMAL(9, 3)", "FLOAT", "DOUBLE", "VARCHAR"])
def test_weights_of_any_numeric_type(db, kind):
    db.execute(f"CREATE OR REPLACE TABLE w AS SELECT 1 AS age, unnest([20, 5])::{kind} AS w")
    data = Microdata(db, "w", keys=["age"], weight="w")
    assert data.risk.cell_risk().fetchall()[0][:3] == (1, 2, 25.0)


@pytest.mark.parametrize("column", ["sex", "born"])
def test_a_weight_that_is_no_number_is_refused(db, column):
    db.execute("CREATE OR REPLACE TABLE w AS SELECT 1 AS age, 'f' AS sex, DATE '2020-01-01' AS born")
    with pytest.raises(WeightError, match=rf"1 records have a weight \({column}\) that is NULL, NaN, no number"):
        Microdata(db, "w", keys=["age"], weight=column)


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("number", [25, 25.0, np.float64(25), np.float32(25), np.int64(25), decimal.Decimal(25)])
def test_a_number_as_weight(db, number):
    data = described(db, weight=number)
    column = db.execute("FROM sdc_global_risk('persons', ['age', 'sex'], 25)").fetchone()
    assert tuple(data.risk.global_risk().to_dict().values()) == pytest.approx(column)


@pytest.mark.parametrize("number", [0, -1, 0.0, float("nan"), float("inf"), float("-inf"), True, False, np.nan])
def test_a_number_as_weight_must_be_positive_and_finite(db, number):
    with pytest.raises(WeightError, match="positive and finite"):
        described(db, weight=number)


@pytest.mark.parametrize("value", [["weight"], ("weight",), {"weight": 1}, b"weight", object()])
def test_a_weight_that_is_neither_name_nor_number_is_refused(db, value):
    with pytest.raises(WeightError):
        described(db, weight=value)


def test_weighing(db):
    data = described(db, **ROLES, nulls="wildcard")
    other = data.weighing(25)
    assert other.weight == 25
    assert data.weight == "weight"
    for role in ("table", "keys", "household", "id", "stratum", "sampling_fraction", "nulls", "columns"):
        assert getattr(other, role) == getattr(data, role)
    with pytest.raises(WeightError):
        data.weighing(-1)


# --- households, identifiers, strata, fractions, nulls


def test_a_household_of_null_is_refused(db):
    with pytest.raises(ColumnError, match=r"NULL for household \(region\)"):
        described(db, household="region")


def test_an_id_of_null_is_refused(db):
    with pytest.raises(ColumnError, match=r"NULL for id \(age\)"):
        described(db, id="age")


def test_an_id_must_be_unique(db):
    with pytest.raises(ColumnError, match=r"3 values of the id \(household\) occur in several records"):
        described(db, id="household")


def test_a_stratum_may_be_null(db):
    strata = described(db, stratum="region", sampling_fraction=0.1).risk.theta_by()
    assert [t.stratum for t in strata] == ["north", "south", None]


@pytest.mark.parametrize("fraction", [0, 1, -0.5, 2, float("nan"), float("inf"), True, [0.1]])
def test_a_sampling_fraction_out_of_range_is_refused(db, fraction):
    with pytest.raises(ParameterError):
        described(db, sampling_fraction=fraction).risk.theta()


@pytest.mark.parametrize("nulls", ["Wildcard", "", None, 1, True, ["category"]])
def test_nulls_is_one_of_two(db, nulls):
    with pytest.raises(ParameterError, match="must be one of category, wildcard"):
        described(db, nulls=nulls)


# --- tables


@pytest.mark.parametrize("table", ["nowhere", "nowhere.persons", "nowhere.parquet", "nowhere-*.csv", "(SELECT 1)", ""])
def test_a_missing_table(db, table):
    with pytest.raises(TableError):
        described(db, table=table)


@pytest.mark.parametrize("table", [None, 1, ["persons"], b"persons"])
def test_a_table_that_is_no_name(db, table):
    with pytest.raises(TableError, match="must be the name of a table"):
        described(db, table=table)


@pytest.mark.parametrize("make", ["TABLE", "VIEW", "TEMP TABLE"])
def test_an_empty_table(db, make):
    db.execute(f"CREATE {make} nobody AS FROM persons WHERE id > 100")
    with pytest.raises(TableError, match="The table nobody has no rows"):
        described(db, table="nobody")
    db.execute(f"DROP {make.split()[-1]} nobody")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file(db, tmp_path, ending):
    path = str(tmp_path / f"it's.{ending}")
    db.execute(f"COPY persons TO '{path.replace(chr(39), chr(39) * 2)}'")
    assert described(db, table=path).risk.frequency_counts() == {1: 3, 2: 1, 3: 1}


@pytest.mark.parametrize("table", ["main.persons", "memory.main.persons", '"persons"', "PERSONS", 'main."persons"'])
def test_spellings_of_a_table(db, table):
    assert described(db, table=table).risk.frequency_counts() == {1: 3, 2: 1, 3: 1}


def test_a_view_a_temporary_table_and_an_arrow_table(db):
    db.execute("CREATE VIEW seen AS FROM persons")
    db.execute("CREATE TEMP TABLE passing AS FROM persons")
    db.register("arrow_persons", db.sql("FROM persons").to_arrow_table())
    for table in ("seen", "passing", "arrow_persons"):
        assert described(db, table=table).risk.frequency_counts() == {1: 3, 2: 1, 3: 1}


def test_odd_names_of_columns_and_table(db):
    db.execute("""
        CREATE TABLE "it's a Table" AS
        SELECT id AS "i""d", age AS "Age, in years", sex AS "s'ex", region AS " ", weight AS "select",
               household AS "h.h"
        FROM persons
    """)
    keys = ["AGE, in years", "S'EX"]
    data = Microdata(
        db, '"it\'s a Table"', keys=keys, weight="SELECT", household="H.H", id='I"D', stratum=" ", sampling_fraction=0.1
    )
    plain = described(db, **ROLES)
    assert data.keys == ("Age, in years", "s'ex")
    assert data.risk.frequency_counts() == plain.risk.frequency_counts()
    assert data.risk.theta_by() == plain.risk.theta_by()
    assert data.risk.household_global_risk().to_dict() == pytest.approx(plain.risk.household_global_risk().to_dict())


def test_columns_that_differ_as_duckdb_compares_them_are_two_columns(db):
    # DuckDB folds the case of ASCII letters only
    db.execute('CREATE TABLE folded AS SELECT 1 AS "ü", unnest([1, 2]) AS "Ü"')
    assert Microdata(db, "folded", keys=["ü"]).risk.frequency_counts() == {2: 1}
    assert Microdata(db, "folded", keys=["Ü"]).risk.frequency_counts() == {1: 2}
    assert Microdata(db, "folded", keys=["Ü", "ü"]).risk.frequency_counts() == {1: 2}


def test_the_macros_are_loaded_where_they_were_not():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS a")
        assert Microdata(con, "t", keys=["a"]).risk.frequency_counts() == {1: 1}


def test_a_read_only_database(tmp_path):
    with duckdb.connect(tmp_path / "d") as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS a")
    with duckdb.connect(tmp_path / "d", read_only=True) as con:
        assert Microdata(con, "t", keys=["a"]).risk.frequency_counts() == {1: 1}


def test_other_relations_of_the_connection_stay_readable(db):
    cells = described(db).risk.cells()
    described(db).risk.theta(0.1)
    assert len(cells.fetchall()) == 5


def test_the_table_may_change_between_measures(con):
    con.execute("CREATE TABLE t AS SELECT 1 AS a")
    data = Microdata(con, "t", keys=["a"])
    con.execute("INSERT INTO t VALUES (1)")
    assert data.risk.frequency_counts() == {2: 1}


# --- the measures: the macro called by hand

Call = tuple["Callable[[Microdata], Any]", str]
RELATIONS: dict[str, Call] = {
    "cells": (lambda d: d.risk.cells(), "sdc_cells('persons', ['age', 'sex'])"),
    "frequencies": (lambda d: d.risk.frequencies(), "sdc_frequencies('persons', ['age', 'sex'], 'weight')"),
    "sample_uniques": (lambda d: d.risk.sample_uniques(), "sdc_sample_uniques('persons', ['age', 'sex'])"),
    "individual_risk": (lambda d: d.risk.individual_risk(), "sdc_individual_risk('persons', ['age', 'sex'], 'weight')"),
    "cell_risk": (lambda d: d.risk.cell_risk(), "sdc_cell_risk('persons', ['age', 'sex'], 'weight')"),
    "household_risk": (
        lambda d: d.risk.household_risk(household_threshold=0.1),
        "sdc_household_risk('persons', ['age', 'sex'], 'weight', 'household', 0.1)",
    ),
}
RESULTS: dict[str, Call] = {
    "theta": (lambda d: d.risk.theta(), "sdc_theta('persons', ['age', 'sex'], 0.1::DOUBLE)"),
    "theta given": (
        lambda d: d.risk.theta(0.2, confidence=0.9),
        "sdc_theta('persons', ['age', 'sex'], 0.2::DOUBLE, 0.9::DOUBLE)",
    ),
    "theta_by": (lambda d: d.risk.theta_by(), "sdc_theta_by('persons', ['age', 'sex'], 'region', 0.1::DOUBLE)"),
    "theta_by given": (
        lambda d: d.risk.theta_by("HOUSEHOLD", 0.2, confidence=0.9),
        "sdc_theta_by('persons', ['age', 'sex'], 'household', 0.2::DOUBLE, 0.9::DOUBLE)",
    ),
    "population_risk": (
        lambda d: Microdata(d.con, "few", keys=d.keys).risk.population_risk("persons"),
        "sdc_population_risk('few', 'persons', ['age', 'sex'])",
    ),
    "global_risk": (lambda d: d.risk.global_risk(), "sdc_global_risk('persons', ['age', 'sex'], 'weight')"),
    "risk_threshold": (
        lambda d: d.risk.risk_threshold(0.05),
        "sdc_risk_threshold('persons', ['age', 'sex'], 'weight', 0.05::DOUBLE)",
    ),
    "household_global_risk": (
        lambda d: d.risk.household_global_risk(),
        "sdc_household_global_risk('persons', ['age', 'sex'], 'weight', 'household')",
    ),
    "frequency_summary": (lambda d: d.risk.frequency_summary(), "sdc_frequency_summary('persons', ['age', 'sex'])"),
    "k_anonymity": (lambda d: d.risk.k_anonymity(), "sdc_k_anonymity('persons', ['age', 'sex'], 3)"),
    "k_anonymity given": (lambda d: d.risk.k_anonymity(4), "sdc_k_anonymity('persons', ['age', 'sex'], 4)"),
}
WITHOUT_NULLS = ("theta", "population_risk")


def same(left: list[tuple], right: list[tuple]) -> bool:
    """Say whether two results agree; sums of floats but for the last digits, since threads add in any order."""
    return len(left) == len(right) and all(
        [pytest.approx(v, rel=1e-12) if isinstance(v, float) else v for v in a] == list(b)
        for a, b in zip(left, right, strict=True)
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("nulls", ["category", "wildcard"])
@pytest.mark.parametrize("name", RELATIONS)
def test_records_equal_the_macro_called_by_hand(db, name, nulls):
    method, macro = RELATIONS[name]
    found = method(described(db, **ROLES, nulls=nulls))
    by_hand = db.sql(f"FROM {macro[:-1]}, nulls := '{nulls}')")
    assert isinstance(found, duckdb.DuckDBPyRelation)
    assert found.columns == by_hand.columns
    assert found.types == by_hand.types
    assert same(found.order("ALL").fetchall(), by_hand.order("ALL").fetchall())


@pytest.mark.one_in(4)
@pytest.mark.parametrize("nulls", ["category", "wildcard"])
@pytest.mark.parametrize("name", RESULTS)
def test_figures_equal_the_macro_called_by_hand(db, name, nulls):
    method, macro = RESULTS[name]
    found = method(described(db, **ROLES, nulls=nulls))
    found = found if isinstance(found, list) else [found]
    if not name.startswith(WITHOUT_NULLS):
        macro = f"{macro[:-1]}, nulls := '{nulls}')"
    by_hand = db.execute(f"FROM {macro}")
    names = [d[0] for d in by_hand.description]
    assert all(list(r.to_dict()) == names for r in found)
    assert same([tuple(r.to_dict().values()) for r in found], by_hand.fetchall())


@pytest.mark.parametrize("nulls", ["category", "wildcard"])
def test_frequency_counts_equal_the_macro_called_by_hand(db, nulls):
    macro = f"sdc_frequency_counts('persons', ['age', 'sex'], nulls := '{nulls}')"
    assert described(db, nulls=nulls).risk.frequency_counts() == dict(db.execute(f"FROM {macro}").fetchall())


def test_frequencies_without_a_weight(db):
    rows = described(db).risk.frequencies().fetchall()
    assert {row[-1] for row in rows} == {None}


@pytest.mark.parametrize(
    ("measure", "role"),
    [
        (lambda d: d.risk.theta(), "sampling_fraction"),
        (lambda d: d.risk.theta_by(), "stratum"),
        (lambda d: d.risk.theta_by("region"), "sampling_fraction"),
        (lambda d: d.risk.individual_risk(), "weight"),
        (lambda d: d.risk.cell_risk(), "weight"),
        (lambda d: d.risk.global_risk(), "weight"),
        (lambda d: d.risk.risk_threshold(0.1), "weight"),
        (lambda d: described(d.con, household="household").risk.household_risk(), "weight"),
        (lambda d: d.weighing(9).risk.household_risk(), "household"),
        (lambda d: d.weighing(9).risk.household_global_risk(), "household"),
    ],
)
def test_a_measure_says_which_role_it_lacks(db, measure, role):
    with pytest.raises(ParameterError, match=f"needs a {role.replace('_', ' ')}: give {role}="):
        measure(described(db))


def test_theta_of_the_whole_file_needs_one_number(db):
    with pytest.raises(ParameterError, match="use theta_by"):
        described(db, sampling_fraction="weight").risk.theta()


def test_theta_by_takes_its_fraction_from_a_column(db):
    db.execute("CREATE TABLE drawn AS SELECT *, if(household = 1, 0.1, 0.2) AS fraction FROM persons")
    found = Microdata(db, "drawn", keys=["age", "sex"]).risk.theta_by("household", "FRACTION")
    assert [(t.stratum, t.sampling_fraction) for t in found] == [(1, 0.1), (2, 0.2), (3, 0.2)]


# --- results


def test_relations_go_to_arrow(db):
    table = described(db, **ROLES).risk.individual_risk().order("id").to_arrow_table()
    assert isinstance(table, pa.Table)
    assert table.column("sample_frequency").to_pylist() == [2, 2, 3, 3, 3, 1, 1, 1]


def test_relations_go_to_pandas(db):
    pandas = pytest.importorskip("pandas")
    frame = described(db, **ROLES).risk.individual_risk().order("id").df()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["sample_frequency"].tolist() == [2, 2, 3, 3, 3, 1, 1, 1]


@pytest.mark.slow
def test_relations_go_to_polars(db):
    polars = pytest.importorskip("polars")
    frame = described(db, **ROLES).risk.individual_risk().order("id").pl()
    assert isinstance(frame, polars.DataFrame)
    assert frame["sample_frequency"].to_list() == [2, 2, 3, 3, 3, 1, 1, 1]


def test_relations_can_be_queried_further(db):
    risky = described(db, **ROLES).risk.individual_risk().filter("individual_risk > 0.2").aggregate("count(*)")
    assert risky.fetchall() == [(2,)]


def test_a_described_table_is_frozen_and_shows_its_roles(db):
    data = described(db, **ROLES)
    with pytest.raises(AttributeError):
        data.weight = 1
    assert repr(data) == (
        "Microdata(table='persons', keys=('age', 'sex'), weight='weight', household='household', id='id', "
        "stratum='region', sampling_fraction=0.1, nulls='category', small_weights='error')"
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [n for n in RESULTS if " " not in n])
def test_results_are_frozen_and_show_themselves(db, name):
    found = RESULTS[name][0](described(db, **ROLES))
    result = found[0] if isinstance(found, list) else found
    # not what stands beside in files that went through PRAM
    names = [f.name for f in dataclasses.fields(result) if not f.metadata]
    with pytest.raises(AttributeError):
        setattr(result, names[0], None)
    assert list(result.to_dict()) == names
    title, *lines = str(result).splitlines()
    assert title == type(result).__name__
    assert [line.split("  ")[1] for line in lines] == [n.replace("_", " ") for n in names]
    table = result._repr_html_()
    assert table.startswith("<table><caption style='white-space:nowrap")
    assert f">{title}</caption><tr>" in table
    assert table.count("<tr>") == table.count("</tr>") == len(names)
    assert result == dataclasses.replace(result)
    assert hash(result) == hash(dataclasses.replace(result))


def test_numbers_that_are_integers_in_sql_are_int(db):
    theta = described(db).risk.theta(0.1)
    assert [type(v) for v in theta.to_dict().values()] == [int] * 5 + [float] * 3
    assert {type(r) for r in described(db).risk.frequency_counts()} == {int}


@dataclasses.dataclass(frozen=True)
class Odd(Result):
    """A result with names and values that HTML could take for its own."""

    stratum: object
    a_b: float


def test_html_is_escaped():
    hostile = "<script>alert('x')</script>&amp;"
    table = Odd(hostile, 0.5)._repr_html_()
    assert "<script>" not in table
    assert html.escape(format_value(hostile)) in table


def test_a_stratum_is_escaped_too(con):
    con.execute("CREATE TABLE t AS SELECT 1 AS a, '<b>north</b>' AS s")
    assert "<b>" not in Microdata(con, "t", keys=["a"]).risk.theta_by("s", 0.1)[0]._repr_html_()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (0, "0"),
        (1234567, "1,234,567"),
        (-1234, "-1,234"),
        (0.1, "0.1"),
        (1 / 3, "0.333333"),
        (1e-10, "1e-10"),
        (1234.5678, "1,234.57"),
        (float("nan"), "nan"),
        (True, "True"),
        ("north", "north"),
    ],
)
def test_how_values_are_shown(value, text):
    assert format_value(value) == text


def test_the_example_is_a_fresh_one_each_time():
    one, other = sdc_sql.example(), sdc_sql.example()
    one.con.execute("DROP TABLE persons")
    assert other.risk.frequency_counts() == {1: 1, 2: 1}
