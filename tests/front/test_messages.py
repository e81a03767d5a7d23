"""A message shows no value of a record: it stands in logs that everybody reads. One marker in each bad role."""

from __future__ import annotations

import re
import traceback

import duckdb
import pytest

from sdc_sql import Microdata, SdcError
from sdc_sql.cli import main
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.errors import hide_values

MARK = "Ann4711"
NUMBER = 7777.25  # of a record

BAD = f"""
    CREATE TABLE bad AS FROM (VALUES
        (1, '{MARK}', 30, -{NUMBER}, {NUMBER}, NULL, '{MARK}', 0.5, {NUMBER}),
        (1, '{MARK}', 30, 1, 1, '{MARK}', 'b', 0.4, 1),
        (2, '{MARK}', 41, 1, 1, 'h', 'b', 0.3, 1)
    ) AS t(nr, name, age, negative, large, household, sex, fraction, inhabitants);
    CREATE TABLE matrix AS FROM (VALUES ('b', 'b', 0.5), ('b', 'c', 0.5)) AS t("from", "to", probability);
    CREATE TABLE twice AS FROM (VALUES ('{MARK}', 'b', 0.5), ('{MARK}', 'b', 0.5), ('b', 'b', 1)) AS t("from", "to", probability);
    CREATE TABLE unsound AS FROM (VALUES ('{MARK}', 'b', 0.5), ('b', 'b', 1)) AS t("from", "to", probability);
    CREATE TABLE worded AS SELECT "from", "to", '{MARK}' AS probability FROM matrix;
    CREATE TABLE by_name AS SELECT '{MARK}x' AS name, * FROM matrix;
    CREATE TABLE enums AS SELECT DISTINCT nr AS id, 'b'::ENUM ('{MARK}', 'b') AS kind FROM bad;
    CREATE TABLE few AS FROM bad LIMIT 0; INSERT INTO few SELECT * REPLACE ('nobody' AS name) FROM bad;
"""  # noqa: E501 - rows

SQL = {
    "weight": "FROM sdc_frequencies('bad', ['age'], 'negative')",
    "weight of text": "FROM sdc_frequencies('bad', ['age'], 'name')",
    "weight of text in cells": "FROM sdc_threshold_rule('bad', ['age'], 2, weight := 'name', nulls := 'wildcard')",
    "weight of text in rules": "FROM sdc_public_use_file_rules('bad', ['age'], 'name', indirect_regions := ['age'])",
    "fraction of text": "FROM sdc_theta_by('bad', ['age'], 'sex', 'name')",
    "simulated by text": "FROM sdc_data_intrusion_simulation('bad', ['age'], 'name')",
    "inhabitants of text": "FROM sdc_research_file_rules('bad', ['sex'], 1, {'extremely': ['sex']}, inhabitants := 'name')",  # noqa: E501
    "probability of text": "FROM sdc_pram(identified, 'sex', 'worded', 'id')",
    "category of another type": "FROM sdc_pram(identified, 'age', 'twice', 'id')",
    "category in place of several": "FROM sdc_pram_crossing(identified, ['sex', 'age'], 'twice', 'id')",
    "matrix of another type": "FROM sdc_theta_misclassified('bad', ['age'], 0.1, ['age'], ['twice'])",
    "normalised": "FROM sdc_global_risk('bad', ['name'], 0.5)",
    "normalised rule": "FROM sdc_threshold_rule('bad', ['name'], 2, weight := 0.5)",
    "id twice": "FROM sdc_round('bad', ['age'], 5, 'name')",
    "household": "FROM sdc_household_risk('bad', ['name'], 9, 'household')",
    "fraction": "FROM sdc_theta_by('bad', ['age'], 'name', 'large')",
    "fraction varies": "FROM sdc_theta_by('bad', ['age'], 'name', 'fraction')",
    "simulated": "FROM sdc_data_intrusion_simulation('bad', ['age'], 'large')",
    "population": "FROM sdc_population_risk('bad', 'few', ['name'])",
    "posterior": "SELECT sdc_posterior_risk(large, negative) FROM bad",
    "category": "FROM sdc_pram(identified, 'sex', 'matrix', 'id')",
    "category of stratum": "FROM sdc_pram(identified, 'sex', 'by_name', 'id', stratum := 'name')",
    "matrix twice": "FROM sdc_pram(identified, 'sex', 'twice', 'id')",
    "matrix twice, inverted": "FROM sdc_pram_estimate('bad', 'sex', 'twice')",
    "matrix unsound": "FROM sdc_pram(identified, 'sex', 'unsound', 'id')",
    "lonely": "FROM sdc_pram_guaranteed(identified, ['name'], 0.8, 'id', within := ['sex'])",
    "several groups": "FROM sdc_pram_guaranteed(identified, ['name'], 0.8, 'id', within := ['age'])",
    "type of values": "FROM sdc_round('enums', ['kind'], 5, 'id')",
    "misclassified": "FROM sdc_theta_misclassified('bad', ['sex'], 0.1, ['sex'], ['matrix'])",
    "too few of a stratum": "FROM sdc_microaggregate(identified, ['age'], 9, 'id', stratum := 'name')",
    "probabilities": "SELECT sdc_category('s', nr, [name, sex], [negative, large]) FROM bad",
    "regions": "FROM sdc_research_file_rules('bad', ['name'], 1, {'extremely': ['name']}, inhabitants := 'inhabitants')",  # noqa: E501
}  # fmt: skip


@pytest.fixture
def bad(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute("SET VARIABLE sdc_key = ?", ["of these tests alone, 0123456789abcdef0123456789"])
    con.execute(BAD)
    return con.execute("CREATE TABLE identified AS SELECT row_number() OVER () AS id, * FROM bad")


def shows(text: str) -> bool:
    return MARK in text or "7777" in text


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", SQL)
def test_what_a_macro_raises(bad, case):
    with pytest.raises(duckdb.Error) as raised:
        bad.execute(SQL[case].replace("identified", "'identified'")).fetchall()
    text = str(raised.value).split("\n\nLINE ")[0]  # what follows is the statement
    assert re.search(r"(Table|Column|Weight|Parameter|Value)Error: ", text)
    assert not shows(text)


def complaint(con: duckdb.DuckDBPyConnection, query: str) -> str:
    """Return what is raised, without the statement; nothing where nothing is."""
    try:
        con.execute(query).fetchall()
    except duckdb.Error as error:
        return str(error).split("\n\nLINE ")[0]
    return ""


def texts(call: str) -> list[str]:
    """Return a call with a column of texts in the place of each of its texts, one after another."""
    return [call.replace(f"'{word}'", "'name'") for word in sorted(set(re.findall("'([^']*)'", call)) - {"persons"})]


@pytest.mark.one_in(24)
@pytest.mark.parametrize("name", [d.name for d in read_catalogue() if d.is_table])
def test_a_column_of_texts_in_every_place(bad, name):
    (call,) = [d.example for d in read_catalogue() if d.name == name]
    bad.execute("CREATE TABLE persons AS SELECT id, age, sex, name AS region, 1.5 AS w, household, age AS income, "
                "age AS hours, name FROM identified")  # fmt: skip
    for query in texts(call):
        assert not shows(complaint(bad, query))


def frame() -> object:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"nr": [1], "name": [MARK]})


TYPED = {
    "table": lambda con: Microdata(con, [NUMBER, MARK]),
    "keys": lambda con: Microdata(con, "bad", keys=[frame()]),
    "weight": lambda con: Microdata(con, "bad", keys=["age"], weight="negative"),
    "weight of text": lambda con: Microdata(con, "bad", keys=["age"], weight="name"),
    "weights": lambda con: Microdata(con, "bad", keys=["age"], weight=[NUMBER, MARK]),
    "weight a column": lambda con: Microdata(con, "bad", keys=["age"], weight=frame()["name"]),
    "id": lambda con: Microdata(con, "bad", id="name"),
    "ids": lambda con: Microdata(con, "bad", id=[MARK]),
    "household": lambda con: Microdata(con, "bad", keys=["name"], household="household"),
    "fraction": lambda con: Microdata(con, "bad", keys=["age"]).risk.theta_by("name", "large"),
    "fraction of text": lambda con: Microdata(con, "bad", keys=["age"]).risk.theta_by("age", "name"),
    "levels": lambda con: Microdata(con, "bad", keys=["age"]).risk.threshold_rule(2, levels=[MARK]),
    "population": lambda con: Microdata(con, "bad", keys=["name"]).risk.population_risk(frame()),
    "larger than the population": lambda con: Microdata(con, "bad", keys=["name"]).risk.population_risk("few"),
    "normalised": lambda con: Microdata(con, "bad", keys=["name"], weight=0.5).risk.individual_risk(),
    "matrix": lambda con: Microdata(con, "identified", id="id").mask.pram("sex", frame(), labels=[MARK]),
    "labels": lambda con: Microdata(con, "identified", id="id").mask.pram("sex", [[1, 0], [0, 1]], labels=[MARK, 1]),
    "matrix of no text": lambda con: Microdata(con, "bad").mask.pram_estimate_two_way("sex", "name", frame(), frame()),
    "category": lambda con: Microdata(con, "identified", id="id").mask.pram("sex", "matrix"),
    "type": lambda con: Microdata(con, "identified", id="id").mask.noise("name", 0.1),
    "into": lambda con: Microdata(con, "identified", id="id").mask.round("age", 5, into=frame()),
    "k": lambda con: Microdata(con, "identified", id="id").mask.microaggregate("age", frame()),
    "out of the type": lambda con: Microdata(con, "narrow", id="id").mask.round("x", 70),
    "view": lambda con: Microdata(con, "breaking", keys=["x"]),
    "csv": lambda con: Microdata(con, "ragged.csv", keys=["name"]).risk.k_anonymity(2),
    "json": lambda con: Microdata(con, "torn.json", keys=["nr"]).risk.k_anonymity(2),
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Stand in a folder of files with one bad line each, late, when their types are taken for known."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "torn.json").write_text('{"nr": 1}\n' * 30_000 + f'{{"nr": "{MARK}"}}\n{{"nr" {MARK}\n')
    (tmp_path / "ragged.csv").write_bytes(b"nr,name\n" + b"1,2\n" * 30_000 + f"2,{MARK}".encode() + b"\xff\n")
    (tmp_path / "weights.csv").write_text(f"nr,name,w\n1,{MARK},-{NUMBER}\n1,{MARK},{MARK}\n2,b,{NUMBER}\n")
    with duckdb.connect(str(tmp_path / "bad.duckdb")) as con:
        con.execute(f"CREATE TABLE bad AS SELECT 1 AS nr, 30 AS age, '{MARK}' AS name")
    return tmp_path


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("case", TYPED)
def test_what_python_raises(bad, case):
    bad.execute("CREATE TABLE narrow AS SELECT 1 AS id, 127::TINYINT AS x")
    bad.execute(f"CREATE VIEW breaking AS SELECT strptime('{MARK}', '%Y') AS x, error('{MARK}') AS y")
    with pytest.raises(SdcError) as raised:
        TYPED[case](bad)
    assert not shows("".join(traceback.format_exception(raised.value)).replace("pytest.raises", ""))


COMMANDS = {
    "weight": ["risk", "weights.csv", "--keys", "name", "--weight", "w"],
    "weight of text": ["risk", "weights.csv", "--keys", "nr", "--weight", "name"],
    "weight of text of a database": ["risk", "bad.duckdb", "--keys", "age", "--weight", "name"],
    "fraction of text": ["risk", "bad.duckdb", "--keys", "age", "--stratum", "nr", "--sampling-fraction", "name"],
    "torn": ["risk", "ragged.csv", "--keys", "name"],
    "id": ["mask", "round", "weights.csv", "--id", "name", "--columns", "nr", "--base", "5", "--output", "o.csv"],
    "type": ["mask", "noise", "weights.csv", "--id", "nr", "--columns", "w", "--alpha", "1", "--output", "o.csv"],
    "torn masked": ["mask", "round", "ragged.csv", "--id", "nr", "--columns", "nr", "--base", "5", "--output", "o.csv"],
    "rules": ["rules", "weights.csv", "--keys", "name", "--weight", "w", "--threshold", "2"],
}


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("case", COMMANDS)
def test_what_the_command_line_prints(capsys, case):
    assert main(COMMANDS[case]) == 2
    out, error = capsys.readouterr()
    assert not shows(out + error)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("value", [
    f"SELECT '{MARK}'::INTEGER", f"SELECT '{MARK}'::DATE", f"SELECT '{MARK}'::ENUM ('{MARK}b')", "SELECT 7777::TINYINT",
    f"SELECT '{MARK}'::INTEGER[]", "SELECT 7777.5::DECIMAL(3, 1)", "SELECT 7777::BIGINT * 9223372036854775807",
    f"SELECT '{MARK}'::JSON", f"SELECT '{MARK}'->'$.a'", f"SELECT strptime('{MARK}', '%Y')",
    "INSERT INTO keyed VALUES (7777), (7777)", f"SELECT '{MARK}'::STRUCT(a INTEGER)",
    "SELECT make_date(77770000, 1, 1)",
])  # fmt: skip
def test_duckdbs_own_words_for_a_value(con, value):
    con.execute("CREATE TABLE keyed (x BIGINT PRIMARY KEY)")
    with pytest.raises(duckdb.Error) as raised:
        con.execute(value).fetchall()
    told = hide_values(raised.value)
    assert told is not None
    assert not shows(str(told))


def test_a_table_that_is_no_table_is_told_by_its_kind(con):
    with pytest.raises(SdcError, match="table is a list of 2: it must be the name of a table"):
        Microdata(con, [NUMBER, MARK])
