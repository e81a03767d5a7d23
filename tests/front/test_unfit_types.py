"""An argument of a type that no macro can speak of first is told in our words, at every method."""

from __future__ import annotations

import pytest

from sdc_sql import Microdata
from sdc_sql.cli import main
from sdc_sql.errors import ColumnError, ParameterError, TableError, translate_errors


def test_a_list_where_a_number_is_expected(persons):
    data = Microdata(persons, "persons", keys=["age", "sex"], id="id")
    with pytest.raises(ParameterError, match="has a type that does not fit"):
        data.mask.record_swap_partners("region", 0.5, household="id", k=[[]])


@pytest.mark.parametrize("table", ["1", "true", "2.5e0"])
def test_a_table_whose_name_is_no_text(persons, table):
    with pytest.raises(TableError, match="give its name in quotes"), translate_errors():
        persons.execute(f"FROM sdc_k_anonymity({table}, ['age'], 3)")


def test_a_name_that_is_too_long_for_a_path(con):
    with pytest.raises(TableError, match="does not exist"):
        Microdata(con, "x" * 5000)


def test_a_suggestion_stands_on_the_same_line(persons):
    with pytest.raises(TableError) as raised:
        Microdata(persons, "person", keys=["age"])
    assert "\n" not in str(raised.value)


def test_a_truth_value_that_is_a_text_is_no_sql(persons):
    persons.execute("CREATE TABLE canary AS SELECT 'secret' AS x")
    call = "FROM sdc_threshold_rule_records('persons', ['age', 'sex'], 20, weight := 'weight', inclusive := {})"
    with pytest.raises(ParameterError, match="BOOL"), translate_errors():
        persons.execute(call.format("'(SELECT x FROM canary) = ''secret'''")).fetchall()
    assert persons.execute(call.format("'true'")).fetchall() == persons.execute(call.format("true")).fetchall()


@pytest.mark.parametrize("command", [["risk", "x" * 5000, "--keys=age"], ["mask", "round", "y" * 5000, "--id=i"]])
def test_a_file_whose_name_is_too_long_is_told_in_one_line(capsys, command):
    more = ["--columns=x", "--base=5", "--output=out.parquet"] if command[0] == "mask" else []
    assert main([*command, *more]) != 0
    said = capsys.readouterr().err
    assert said.startswith("sdc-sql: A file cannot be read or written: ")
    assert "a text of 5,000 characters" in said
    assert said.count("\n") == 1


def test_a_date_and_a_number_averaged_together(persons):
    persons.execute(
        "CREATE TABLE dated AS SELECT id, DATE '2000-01-01' + id AS born, weight::INTEGER AS w FROM persons"
    )
    with pytest.raises(ParameterError, match="has a type that does not fit"):
        Microdata(persons, "dated", id="id").mask.microaggregate(["born", "w"], 3, method="principal_component")


def test_an_array_as_a_key_of_massc(con):
    """Within DuckDB it would be a fatal error, after which a database in memory is lost."""
    con.execute("SET VARIABLE sdc_key = 'aB3xKq9LmZ0pWv7TnRy2UcHs5EgDj8Fo'")
    con.execute("CREATE TEMP TABLE vectors AS SELECT i AS id, [i % 3, i]::INTEGER[2] AS v FROM range(30) AS r(i)")
    with pytest.raises(ColumnError, match="A key is an ARRAY, of a fixed length"):
        Microdata(con, "vectors", keys=["v"], id="id").mask.massc(0.1, 0.1, into="temp.o")


@pytest.mark.slow
def test_a_time_with_zone_as_a_key_of_massc(con):
    """Its text, of which draws are made, is another one in each time zone: the same release would be two."""
    con.execute("SET VARIABLE sdc_key = 'aB3xKq9LmZ0pWv7TnRy2UcHs5EgDj8Fo'")
    con.execute("CREATE TABLE k AS SELECT range AS id, TIMESTAMPTZ '2020-01-01 00:00:00+00' AS f FROM range(30)")
    with pytest.raises(ColumnError, match="A key is of the type TIMESTAMP WITH TIME ZONE"):
        Microdata(con, "k", keys=["f"], id="id").mask.massc(0.1, 0.25, in_place=True)
    con.execute("ALTER TABLE k ALTER f TYPE TIMESTAMP")
    Microdata(con, "k", keys=["f"], id="id").mask.massc(0.1, 0.25, in_place=True)
