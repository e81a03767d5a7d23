"""What DuckDB or Python would say of a table, a file or an argument, in words that say what to do."""

from __future__ import annotations

import duckdb
import pytest

import sdc_sql
from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError, TableError

TABLES = """
    CREATE TABLE checked (id INTEGER, income INTEGER CHECK (income < 2600));
    CREATE TABLE made (id INTEGER, age INTEGER, twice INTEGER GENERATED ALWAYS AS (2 * age));
    CREATE TABLE parents (id INTEGER PRIMARY KEY, age INTEGER UNIQUE);
    CREATE TABLE children (id INTEGER, age INTEGER REFERENCES parents (age));
    INSERT INTO checked SELECT i, 2550 + i FROM range(50) t(i);
    INSERT INTO made SELECT i, 20 + i FROM range(50) t(i);
    INSERT INTO parents SELECT i, 20 + i FROM range(50) t(i);
    INSERT INTO children SELECT i, 20 + i FROM range(50) t(i);
"""


@pytest.mark.parametrize(
    ("table", "column", "base", "said"),
    [
        ("checked", "income", 5000, r"violates a constraint of the table checked, CHECK.*Nothing was changed"),
        ("made", "twice", 5, "twice is generated from others and cannot be masked"),
        ("children", "age", 500, "violates the FOREIGN KEY of a table.*Nothing was changed"),
        ("parents", "age", 500, "violates the (FOREIGN|PRIMARY) KEY|violates the UNIQUE"),
    ],
)
def test_a_table_that_forbids_the_values(con, table, column, base, said):
    con.execute(TABLES)
    before = con.execute(f"FROM {table} ORDER BY id").fetchall()
    with pytest.raises(ColumnError, match=said):
        Microdata(con, table, id="id").round_to_base(column, base)
    assert con.execute(f"FROM {table} ORDER BY id").fetchall() == before
    con.execute("DROP TABLE children")  # it stands in the way of the others


def test_a_database_that_is_read_only(tmp_path):
    """It is refused before the work: where the values would be an error too, the database is what is told of."""
    path = str(tmp_path / "k.duckdb")
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE persons AS SELECT i AS id, i AS age FROM range(9) t(i)")
    with duckdb.connect(path, read_only=True) as con:
        data = Microdata(con, "persons", id="id")
        with pytest.raises(TableError, match="The database k is read-only"):
            data.round_to_base("age", -1)
        with pytest.raises(TableError, match="The database k is read-only"):
            data.round_to_base("age", 5, into="released")
        data.round_to_base("age", 5, into="temp.released")
        assert con.execute("SELECT count(*) FROM temp.released").fetchall() == [(9,)]


def test_arguments_of_another_kind():
    data = sdc_sql.example()
    for call in (lambda: data.noise(None, 0.1), lambda: data.round_to_base(5, 5)):
        with pytest.raises(ColumnError, match=r"The columns to mask are (None|5): give one, or a list"):
            call()
    with pytest.raises(ParameterError, match="others is 5: it must be"):
        data.recode("sex", mapping={"f": "x"}, others=5)


def test_a_text_for_a_list_of_keys(con):
    con.execute("CREATE TABLE persons AS SELECT 1 AS age")
    with pytest.raises(ColumnError, match="no list: write"), sdc_sql.errors.translated():
        con.execute("FROM sdc_k_anonymity('persons', 'age', 3)").fetchall()


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
