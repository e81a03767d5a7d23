"""Every small table in a header is what the macro gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import sdc_sql
from sdc_sql.db import query
from sdc_sql.db.catalogue.headers import HeaderError
from sdc_sql.db.catalogue.macros import example_tables, file_texts, index_catalogue, read_catalogue
from sdc_sql.db.catalogue.worked import is_drawn_value, read_worked_examples

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.worked import Worked


@pytest.fixture(scope="module")
def tables():
    """Return a connection with the macros, and the tables of the examples."""
    with duckdb.connect() as con:
        yield sdc_sql.load(con).execute(example_tables())


def problems(con: duckdb.DuckDBPyConnection, example: Worked) -> list[str]:
    """Return what is otherwise than drawn."""
    con.execute("BEGIN")
    try:
        for name, drawn in example.tables.items():
            rows = exp.select("*").from_(exp.values(drawn.values(), "t", drawn.names))
            con.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {query.write_sql(rows)}")
        try:
            columns = [exp.column(c, quoted=True) for c in example.result.columns]
            asked = exp.select(*columns, *(exp.cast(c, "VARCHAR") for c in columns))
            found = con.execute(query.write_sql(asked.from_(sqlglot.parse_one(example.call, read="duckdb")))).fetchall()
        except duckdb.Error as error:
            return [f"{example.file}: {example.call}: {str(error).splitlines()[0]}"]
    finally:
        con.execute("ROLLBACK")
    left = [(row[: len(columns)], row[len(columns) :]) for row in found]
    missing = []
    for row in example.rows:
        same = [n for n, (values, said) in enumerate(left) if all(map(is_drawn_value, row, values, said))]
        if same:
            left.pop(same[0])
        else:
            missing.append(row)
    if missing or (left and example.whole):
        others = [said for _, said in left][:12]
        return [f"{example.file}:{example.result.line}: {example.call} gives no {missing}, but {others}"]
    return []


@pytest.mark.slow
def test_every_small_table_is_what_the_macro_gives(tables):
    """(What a secret key gives is drawn, and not run.)"""
    wrong, drawn = [], set()
    for file, text in file_texts().items():
        try:
            examples = read_worked_examples(file, text)
        except HeaderError as error:
            wrong.append(str(error))
            continue
        for example in examples:
            drawn.add(example.macro)
            if not index_catalogue()[example.macro].needs_key:
                wrong += problems(tables, example)
    assert not wrong, "\n".join(wrong)
    files = {d.file for d in read_catalogue() if d.is_table and d.file.startswith(("risk/", "linkage/", "loss/"))}
    missing = sorted(files - {index_catalogue()[macro].file for macro in drawn})
    assert not missing, (
        f"No small table stands in the header of {missing}: draw one (sdc_sql/db/catalogue/worked.py says how)."
    )
