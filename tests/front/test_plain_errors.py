"""What DuckDB or Python would say of a table, a file or an argument, in words that say what to do."""

from __future__ import annotations

import duckdb
import pytest

import sdc_sql
from sdc_sql import Microdata
from sdc_sql.cli import main
from sdc_sql.errors import ColumnError, InputError, ParameterError, TableError

TABLES = """
    CREATE TABLE checked (id INTEGER, income INTEGER CHECK (income < 2600));
    CREATE TABLE made (id INTEGER, age INTEGER, twice INTEGER GENERATED ALWAYS AS (2 * age));
    CREATE TABLE parents (id INTEGER PRIMARY KEY, age INTEGER UNIQUE);
    CREATE TABLE alone (id INTEGER, age INTEGER UNIQUE);
    CREATE TABLE children (id INTEGER, age INTEGER REFERENCES parents (age));
    INSERT INTO checked SELECT i, 2550 + i FROM range(50) t(i);
    INSERT INTO made SELECT i, 20 + i FROM range(50) t(i);
    INSERT INTO parents SELECT i, 20 + i FROM range(50) t(i);
    INSERT INTO alone SELECT i, 20 + i FROM range(50) t(i);
    INSERT INTO children SELECT i, 20 + i FROM range(50) t(i);
"""


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("table", "column", "base", "said"),
    [
        ("checked", "income", 5000, r"violates a constraint of the table checked, CHECK.*Nothing was changed"),
        ("made", "twice", 5, "twice is generated from others and cannot be masked"),
        ("children", "age", 500, "violates the FOREIGN KEY of a table.*Nothing was changed"),
        ("parents", "age", 500, "violates the (FOREIGN KEY|PRIMARY KEY OR UNIQUE)"),
        ("alone", "age", 500, "violates the PRIMARY KEY OR UNIQUE of a table"),
    ],
)
def test_a_table_that_forbids_the_values(con, table, column, base, said):
    con.execute(TABLES)
    before = con.execute(f"FROM {table} ORDER BY id").fetchall()
    with pytest.raises(ColumnError, match=said):
        Microdata(con, table, id="id").mask.round(column, base)
    assert con.execute(f"FROM {table} ORDER BY id").fetchall() == before
    con.execute("DROP TABLE children")  # it stands in the way of the others


@pytest.mark.slow
def test_a_database_that_is_read_only(tmp_path):
    """It is refused before the work: where the values would be an error too, the database is what is told of."""
    path = str(tmp_path / "k.duckdb")
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE persons AS SELECT i AS id, i AS age FROM range(9) t(i)")
    with duckdb.connect(path, read_only=True) as con:
        data = Microdata(con, "persons", id="id")
        with pytest.raises(TableError, match="The database k is read-only"):
            data.mask.round("age", 5, x_max=1)
        with pytest.raises(TableError, match="The database k is read-only"):
            data.mask.round("age", 5, into="released")
        data.mask.round("age", 5, into="temp.released")
        assert con.execute("SELECT count(*) FROM temp.released").fetchall() == [(9,)]


def test_arguments_of_another_kind():
    data = sdc_sql.example()
    for call in (lambda: data.mask.noise(None, 0.1), lambda: data.mask.round(5, 5)):
        with pytest.raises(ColumnError, match=r"The columns to mask are (None|5): give one, or a list"):
            call()
    with pytest.raises(ParameterError, match="others is 5: it must be"):
        data.mask.recode("sex", mapping={"f": "x"}, others=5)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda d: d.mask.massc(0.1, float("nan"), into="o"),
            "variance is nan: it must be a finite number, at least 0",
        ),
        (lambda d: d.mask.massc(None, 0.1, into="o"), "bias is None: it must be a finite number"),
        (lambda d: d.mask.massc(0.1, -1, into="o"), "variance is -1: it must be"),
        (
            lambda d: d.mask.multiplicative_noise("age", float("nan")),
            "size is nan: it must be a finite number, at least 0",
        ),
        (lambda d: d.mask.multiplicative_noise("age", -1), "size is -1: it must be"),
        (lambda d: d.mask.multiplicative_noise("age", None), "size is None: it must be"),
        (
            lambda d: d.mask.multiplicative_noise("age", 0.1, method="x"),
            "method is 'x': it must be one of plain, hoehne",
        ),
        (lambda d: d.mask.microaggregate(["age"], k=3, method="x"), "method is 'x': it must be one of mdav"),
        (lambda d: d.mask.noise("age", 0.1, method="x"), "method is 'x': it must be one of uncorrelated"),
        (lambda d: d.mask.noise("age", 0.1, lower=70, upper=5), "lower is 70 and upper 5: give a lower bound below"),
        (lambda d: d.mask.noise("age", 0.1, lower=[None], upper="x"), "upper is 'x': it must be a finite number"),
        (lambda d: d.mask.noise("age", 1e308), "alpha is 1e\\+308: it must be a finite number, at least 0 and below"),
        (lambda d: d.mask.noise("age", standard_deviation=[-1]), "standard_deviation is -1: it must be"),
        (lambda d: d.mask.noise("age", 0.1, method=None), "method is None: it must be one of uncorrelated"),
        (lambda d: d.mask.rank_swap("age", 0), "p is 0: it must be a finite number, above 0 and at most 100"),
        (lambda d: d.mask.pram_guaranteed(0.1), "xi is 0.1: it must be a finite number, at least 3/7"),
        (lambda d: d.mask.record_swap("age", 2, household="id", risk_keys=["age"], k=3), "rate is 2: it must be"),
        (lambda d: d.mask.recode("age", keep_first=0), "keep_first is 0: it must be a whole number of at least 1"),
        (
            lambda d: d.mask.rank_swap("age", correlation=1),
            "correlation is 1: it must be a finite number, strictly between 0 and 1",
        ),
        (
            lambda d: d.mask.massc(0.1, 0.1, most_substituted=2, into="o"),
            "most_substituted is 2: it must be a finite number, from 0",
        ),
        (lambda d: d.mask.recode("age", classes=1), "classes is 1: it must be a whole number of at least 2"),
        (lambda d: d.mask.recode("age", mapping={1: "a"}, label="b"), "others is 'error': it is for others='label'"),
        (lambda d: d.mask.recode("age", mapping={1: "a"}, others="label"), "there is none: give it"),
        (lambda d: d.mask.noise("age", 0.1, rounded="x"), "rounded is 'x': it must be True or False"),
        (lambda d: d.mask.local_suppression(3, importance=1e308), "for each of the keys, age, from 1e-9 to 1e9"),
        (lambda d: d.mask.suppress_risky(0.1, weight=-1), "The weight is -1: it must be positive and finite"),
        (lambda d: d.mask.suppress_combinations([0], weight=1), "The threshold is a list of 1: it must be a positive"),
        (lambda d: d.mask.pram("age", "nowhere"), "Table with name nowhere does not exist"),
        (lambda d: d.mask.pram("age", "persons"), "from"),
        (lambda d: d.mask.noise("age", 0.1, into="persons"), "There is a table or view persons already"),
        (lambda d: d.mask.recode("age", mapping="nowhere"), "Table with name nowhere does not exist"),
        (lambda d: d.loss.distribution_distance("nowhere", ["age"]), "Table with name nowhere does not exist"),
        (lambda d: d.risk.k_map("nowhere", 3), "Table with name nowhere does not exist"),
    ],
)
def test_a_bad_argument_does_not_cost_the_open_transaction(con, call, said):
    con.execute("CREATE TABLE persons AS SELECT i AS id, i AS age FROM range(60) t(i)")
    con.execute("SET VARIABLE sdc_key = 'aB3xKq9LmZ0pWv7TnRy2UcHs5EgDj8Fo'")
    con.begin()
    con.execute("CREATE TABLE mine AS SELECT 1 AS x")
    with pytest.raises(InputError, match=said):
        call(Microdata(con, "persons", keys=["age"], id="id"))
    con.commit()
    assert con.execute("FROM mine").fetchall() == [(1,)]


def test_an_error_of_the_data_is_not_lost_in_the_cleaning_up(con):
    con.execute("CREATE TABLE persons AS SELECT i AS id, i AS age FROM range(60) t(i)")
    con.begin()
    with pytest.raises(InputError, match="others"):  # values that no mapping lists
        Microdata(con, "persons", id="id").mask.recode("age", mapping={1: "a"})
    con.rollback()


@pytest.mark.parametrize(("key", "said"), [(None, "No secret key is set"), ("aaaa", "can be guessed")])
def test_a_key_that_is_none_does_not_cost_the_open_transaction(con, monkeypatch, key, said):
    monkeypatch.delenv("SDC_KEY", raising=False)
    con.execute("CREATE TABLE persons AS SELECT i AS id, i AS age FROM range(60) t(i)")
    con.execute("SET VARIABLE sdc_key = $key", {"key": key})
    data = Microdata(con, "persons", keys=["age"], id="id")
    for call in (
        lambda: data.mask.noise("age", 0.1),
        lambda: data.mask.sample(fraction=0.5, in_place=True),
        lambda: data.mask.renumber(release="x"),
    ):
        con.begin()
        con.execute("CREATE TABLE mine AS SELECT 1 AS x")
        with pytest.raises(ParameterError, match=said):
            call()
        con.commit()
        con.execute("DROP TABLE mine")


def test_a_text_for_a_list_of_keys(con):
    con.execute("CREATE TABLE persons AS SELECT 1 AS age")
    with pytest.raises(ColumnError, match="no list: write"), sdc_sql.errors.translate_errors():
        con.execute("FROM sdc_k_anonymity('persons', 'age', 3)").fetchall()


@pytest.mark.parametrize(
    "call",
    [
        "sdc_noise('persons', NULL, 0.1, 'id')",
        "sdc_pram_retention('persons', NULL, 0.9, 'id')",
        "sdc_round_at_random('persons', NULL, 5, 'id')",
        "sdc_round('persons', NULL, 5, 'id')",
    ],
)
def test_no_list_of_columns_to_mask(con, call):
    con.execute("CREATE TABLE persons AS SELECT i AS id, i AS age FROM range(9) t(i)")
    con.execute("SET VARIABLE sdc_key = 'aB3xKq9LmZ0pWv7TnRy2UcHs5EgDj8Fo'")
    with pytest.raises(ColumnError, match="the list of columns is empty"), sdc_sql.errors.translate_errors():
        con.execute(f"FROM {call}").fetchall()


def test_an_array_among_the_keys_of_massc(con):
    """DuckDB fails of it in a window, and the connection with it: it is refused before."""
    con.execute("CREATE TABLE persons AS SELECT i AS id, [i % 3, i % 2]::INTEGER[2] AS arr FROM range(60) t(i)")
    con.execute("SET VARIABLE sdc_key = 'aB3xKq9LmZ0pWv7TnRy2UcHs5EgDj8Fo'")
    with pytest.raises(ColumnError, match="A key is an ARRAY, of a fixed length"), sdc_sql.errors.translate_errors():
        con.execute("FROM sdc_massc('persons', ['arr'], 0.1, 0.2, 'id')").fetchall()
    assert con.execute("SELECT count(*) FROM persons").fetchall() == [(60,)]


def test_files_that_are_none(tmp_path):
    (tmp_path / "text.parquet").write_text("a text, not a Parquet file, although its name says so\n" * 9)
    (tmp_path / "short.parquet").write_text("id")
    for name, said in (
        (f"{tmp_path}/text.parquet", "no Parquet file"),
        (f"{tmp_path}/short.parquet", "no Parquet file"),
        (str(tmp_path), "is a directory: name a file in it"),
        ("/dev/null", "no file that is read by its name"),
    ):
        with duckdb.connect() as con, pytest.raises(TableError, match=said):
            Microdata(con, name, keys=["age"])


def test_a_file_elsewhere_without_the_extension():
    """In DuckDB's own words, as it gives them where it cannot fetch an extension."""
    text = (
        "An error occurred while trying to automatically install the required extension 'httpfs':\nFailed to download"
    )
    found = sdc_sql.errors.translate(duckdb.IOException(f"IO Error: {text}"))
    assert "DuckDB needs its extension httpfs" in str(found)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of some small files, which is where the commands run."""
    (tmp_path / "p.csv").write_text("id,age,5\n" + "".join(f"{i},{20 + i % 3},2\n" for i in range(30)))
    (tmp_path / "text.parquet").write_text("a text, not a Parquet file, although its name says so\n" * 9)
    (tmp_path / "nul.csv").write_bytes(bytes(2000))
    monkeypatch.chdir(tmp_path)
    # nothing is fetched here
    monkeypatch.setattr(duckdb, "connect", lambda *a, of=duckdb.connect, **k: of(*a, **_OFFLINE | k))
    return tmp_path


_OFFLINE = {"config": {"autoinstall_known_extensions": "false"}}
DEEP = "(" * 3000 + "1" + ")" * 3000
SWEEP = ["--id", "id", "--risk", "k_anonymity.2.records", "--loss", "distribution_distance.hellinger"]
ROUND = ["mask", "round", "p.csv", "--id", "id", "--columns", "age", "--output", "o.csv"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("command", "said"),
    [
        *[
            ([name, *before, file, *after], said)
            for name, before, after in (
                ("risk", [], ["--keys", "age"]),
                ("rules", [], ["--keys", "age", "--threshold", "3"]),
                ("mask", ["round"], ["--id", "id", "--columns", "age", "--base", "5", "--output", "o.csv"]),
                ("measure", ["k_anonymity"], ["age", "3"]),
                ("compare", ["p.csv"], ["--keys", "age"]),
                ("release", ["--init"], []),
            )
            for file, said in (("text.parquet", "is no Parquet file, whatever"), (".", "is a directory: name a file"))
        ],
        ([*ROUND[:-1], "/dev/stdout.csv", "--base", "5"], "/dev/stdout.csv is among the devices: name a file"),
        ([*ROUND[:-1], "/dev/fd/1.csv", "--base", "5"], "/dev/fd/1.csv is among the devices: name a file in a folder"),
        ([*ROUND[:-1], "", "--base", "5"], "No file to write is named: the path is empty"),
        (["risk", "p.csv", "--keys", "age", "--html", ""], "No file to write is named: the path is empty"),
        (["risk", "nul.csv", "--keys", "age"], "nul.csv holds NUL bytes, and is no CSV file in UTF-8"),
        (["measure", "k_anonymity", "nul.csv", "age", "3"], "nul.csv holds NUL bytes, and is no CSV file in UTF-8"),
        (["risk", "", "--keys", "age"], "No file is named: the path is empty"),
        (["compare", "p.csv", "", "--keys", "age"], "No file is named: the path is empty"),
        (["risk", "https://example.org/p.parquet", "--keys", "age"], "DuckDB needs its extension httpfs"),
        (["measure", "k_anonymity", "s3://bucket/p.csv", "age", "3"], "DuckDB needs its extension httpfs"),
        (["compile", "cells", "p", "age", "--dialect", "spark", "--like", "https://example.org/p"], "extension httpfs"),
        ([*ROUND, "--base", "5", "--where", DEEP], "where cannot be read as a condition"),
        ([*ROUND, "--base", "-5"], "base is -5.0: it must be a finite number, above 0"),
        ([*ROUND, "--base", "nan"], "base is nan: it must be a finite number, above 0"),
        (
            ["frontier", "p.csv", "--keys", "age", *SWEEP, "--steps", "[[]]", "--max-risk", "nan"],
            "max_risk is nan: it must be a finite number",
        ),
        (["frontier", "p.csv", "--keys", "age", *SWEEP, "--steps", "[" * 3000], "text of 3,000 characters is no JSON"),
        (["frontier", "p.csv", "--keys", "age", *SWEEP, "--steps", "[[]]", "--utility", DEEP], "a text of 6,001 char"),
        (["preview", "p.csv", "--keys", "age", "--hierarchies", ".", "--candidates", "[" * 3000], "is not 'all' or"),
        (
            ["mask", "local_suppression", *ROUND[2:], "--k", "3", "--ghosts", "{"],
            "argument --ghosts: '{' is no JSON",
        ),
        (["mask", "local_suppression", *ROUND[2:], "--k", "3", "--ghosts", "5"], "'5' is no JSON object of lists"),
        (["rules", "p.csv", "--keys", "age", "--for", "public", "--looked-at", "1,99"], "names 99, which is no rule"),
        (["rules", "p.csv", "--keys", "age", "--for", "public", "--reference-date", "2020-13-01"], "is no date, as in"),
        (["measure", "global_risk", "p.csv", "age", "5"], "weight 5 is a number, and 5 is also a column"),
        (
            ["compile", "global_risk", "p", "age", "weight=5", "--dialect", "postgres", "--columns", "age,5"],
            "weight 5 is a number, and 5 is also a column",
        ),
        (["risk", "p.csv", "--keys", "age", "--fail-if", "k_anonymity.records > 1"], "write it first, as in k_ano"),
        (["risk", "p.csv", "--keys", "age", "--fail-if", "k_anonimity.3.records > 1"], "did you mean k_anonymity?"),
        (["risk", "p.csv", "--keys", "age", "--fail-if", "x" * 500], "The limit a text of 500 characters cannot be"),
    ],
)  # fmt: skip
def test_a_command_says_it_in_one_line(capsys, folder, command, said):
    try:
        code = main(command)
    except SystemExit as left:
        code = left.code
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert "Traceback" not in err
    assert {p.name for p in folder.iterdir()} == {"p.csv", "text.parquet", "nul.csv"}


@pytest.mark.usefixtures("folder")
def test_a_number_that_is_a_column_in_quotes(capsys):
    """In double quotes it is the column, of measure and compile as of the other commands."""
    assert main(["measure", "global_risk", "p.csv", "age", '"5"', "--numbers", "5"]) == 0
    assert "expected_reidentifications" in capsys.readouterr().out
