"""Every mask on Spark, by the example of its header; the table of its README is written from what ran.

``SDC_WRITE_ENGINES=1 pytest -m slow tests/integration/test_spark_every_mask.py`` writes it anew; without that the test
compares.
"""

from __future__ import annotations

import inspect
import os
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
import sqlglot
from spark_sessions import MARKS, open_session
from sqlglot import exp

import sdc_sql
from sdc_sql import SdcError
from sdc_sql.db.catalogue.elsewhere import ON_SPARK, find_scope
from sdc_sql.db.catalogue.macros import example_tables, read_catalogue
from sdc_sql.methods import Methods

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from sdc_sql.db.catalogue.functions import Declaration

pytestmark = MARKS

README = Path(__file__).resolve().parents[2] / "sdc_sql" / "spark" / "README.md"
FIRST, LAST = "<!-- every mask: written from what ran -->", "<!-- end of every mask -->"
KEY = "k7Q-92hbnSxvE4tLw0zRmYp8dUc3aGfJ"
ALIKE, OTHERWISE, FAILS = "as in DuckDB, to the bit", "otherwise than in DuckDB", "does not run"
HOW = {"record": "each record by itself", "cells": "the cells of all records"}
# where the verb has other arguments than the macro of the example
OTHERS: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "rank_swap_correlated": ("rank_swap", ["income"], {"correlation": 0.5}),
    "round_at_random": ("round", [["income"], 50], {"at_random": True}),
    "sample": ("sample", [], {"fraction": 0.5}),
}
STRATA = "the strata, a task for each; without them one task"


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[SparkSession]:
    with open_session(tmp_path_factory) as session:
        yield session


@pytest.fixture(scope="module")
def con(spark) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return DuckDB with the tables of the examples, which Spark has under the same names."""
    with duckdb.connect() as connection:
        sdc_sql.load(connection).execute(example_tables())
        connection.execute("SET VARIABLE sdc_key = ?", [KEY])
        for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall():
            spark.createDataFrame(connection.table(name).to_arrow_table()).createOrReplaceTempView(name)
        yield connection


def read_example(con: duckdb.DuckDBPyConnection, mask: Declaration) -> tuple[str, list[Any], dict[str, Any]]:
    """Return the verb's call that is the macro's of the example: its arguments have the names of the macro's."""
    call = sqlglot.parse_one(f"SELECT * {mask.example}", read="duckdb").find(exp.Anonymous)
    assert call is not None
    given = {}
    for parameter, part in zip(mask.parameters, call.expressions, strict=False):
        named = isinstance(part, exp.PropertyEQ)
        sql = (part.expression if named else part).sql("duckdb")
        ((value,),) = con.execute(f"SELECT {sql}").fetchall()
        value = float(value) if isinstance(value, Decimal) else value
        given[part.this.name if named else parameter.name] = value
    assert given.pop("tbl") == "persons"
    assert given.pop("id") == "id"
    known = inspect.signature(getattr(Methods, mask.verb)).parameters
    first = [] if "keys" in given and "keys" in known else [given.pop(next(iter(given)))]
    return mask.verb, first, {name: value for name, value in given.items() if value is not None}


def try_mask(spark: SparkSession, con: duckdb.DuckDBPyConnection, mask: Declaration) -> str:
    """Return what became of the example on Spark."""
    from sdc_sql.spark import load  # noqa: PLC0415 - pyspark is an extra

    name = mask.name.removeprefix("sdc_")
    verb, given, named = OTHERS.get(name) or read_example(con, mask)
    con.execute("DROP TABLE IF EXISTS masked_here")
    step = getattr(sdc_sql.Microdata(con, "persons", id="id").mask, verb)(*given, into="masked_here", **named)
    assert step.method in {name, verb}
    expected = con.execute("FROM masked_here").fetchall()
    try:
        masked = getattr(load(spark, key=KEY).mask, verb)("persons", *given, id="id", **named).collect()
    except Exception as error:  # noqa: BLE001 - whatever ends it, it did not run
        said = str(error) if isinstance(error, SdcError | AttributeError) else type(error).__name__
        return f"{FAILS}: {said.removeprefix(f'{verb} does not run on Spark: ').partition(': ')[0].rstrip('.')}"
    found = sorted(repr(tuple(row)) for row in masked)
    return ALIKE if found == sorted(map(repr, expected)) else OTHERWISE


def tell_how(mask: Declaration) -> str:
    """Return what a task is given to mask a record."""
    if mask.scope is not None and mask.scope.parameter:
        kinds = dict.fromkeys(w.kind for w in (mask.scope, *mask.scope.also))
        return ", or ".join(dict.fromkeys(HOW.get(kind, STRATA) for kind in (*kinds, mask.scope.otherwise)))
    scope = find_scope(mask, {})
    if scope in ON_SPARK:
        return HOW[scope]
    return STRATA if mask.effect.strata.kind == "apart" else "one task, which has all records"


def test_every_mask_by_its_example(spark, con):
    masks = sorted((d for d in read_catalogue() if d.is_step), key=lambda d: d.name)
    found = [(mask, try_mask(spark, con, mask)) for mask in masks]
    rows = [
        f"| `{m.name.removeprefix('sdc_')}` | {'' if said.startswith(FAILS) else tell_how(m)} | {said} |"
        for m, said in found
    ]
    table = "\n".join(["| mask | a task is given | released values |", "|---|---|---|", *rows])
    text = README.read_text(encoding="utf-8")
    head, _, rest = text.partition(FIRST)
    written = f"{head}{FIRST}\n\n{table}\n\n{LAST}{rest.partition(LAST)[2]}"
    if os.environ.get("SDC_WRITE_ENGINES"):
        README.write_text(written, encoding="utf-8")
        text = written
    assert text == written
