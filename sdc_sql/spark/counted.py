"""Measures that are made of cells alone: Spark counts the cells, and the macro itself is asked of them, in DuckDB."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import load_macros
from sdc_sql.db.catalogue.macros import definition, index_catalogue, list_macros
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.counted import COUNTED, count_cells
from sdc_sql.db.table import spell_column
from sdc_sql.errors import ColumnError, ParameterError, TableError
from sdc_sql.spark import cells
from sdc_sql.spark.frame import raised, resolve_frame
from sdc_sql.spark.worker import arrow, registered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLE = "sdc_counted"
_BESIDE = {"hierarchies", "margins"}  # small tables that a measure may read besides
# What reads the rows of whatever table it is given: of `tbl` these are the records.
_READERS = ("sdc__rows", "sdc__exact_rows", "sdc__unasked", "sdc__refused", "sdc__with_id", "sdc__identified")
_READS = re.compile(rf"\b(query_table|{'|'.join(_READERS)})\(\s*(sdc__one_name\(\s*)?tbl\b")
_CALLED = re.compile(r"\bsdc_\w+(?=\()")


@cache
def is_of_cells(macro: str) -> bool:
    """Return whether a measure is made of the cells of one table, and reads none of its records.

    Examples
    --------
    >>> [is_of_cells(f"sdc_{name}") for name in ("theta", "suda_summary", "suda", "theta_by", "k_map")]
    [True, True, False, False, False]
    """
    declared = index_catalogue()[macro]
    tables = {p.name for p in declared.parameters if p.type in {"table", "tables"}}
    if declared.masks or not declared.is_table or str(declared.scope) != "cells" or "tbl" not in tables:
        return False
    if not tables <= {"tbl", *_BESIDE}:
        return False
    ours, seen, waiting = {*list_macros()} - {*COUNTED, *_READERS}, set[str](), [macro]
    while waiting:
        name = waiting.pop()
        text = re.sub(r"--.*", "", definition(name))
        if _READS.search(text):
            return False
        seen.add(name)
        waiting += ({*_CALLED.findall(text)} & ours) - seen
    return True


def measure_cells(spark: SparkSession, macro: str, given: dict[str, Any], most: int) -> DataFrame | None:
    """Return the answer of a macro of counted cells, DuckDB's to the bit; None where Spark's own query is to say it.

    Raises
    ------
    InputError
        In the words of the macro. Where it is not compiled for Spark, also where there are more cells than `most`.
    """
    declared = index_catalogue()[macro]
    kinds = {p.name: p.type for p in declared.parameters}
    if given.keys() - kinds.keys() or {p.name for p in declared.required} - given.keys():
        if declared.not_compiled:
            raise ParameterError(f"{macro} is given {', '.join(given)}: call it as {declared.signature}.")
        return None
    frame = resolve_frame(spark, given["tbl"])
    columns, weight = tuple(frame.columns), given.get("weight")
    try:
        names = [
            spell_column("the table", columns, "column", name)
            for parameter, kind in kinds.items()
            if kind in {"columns", "column"} and given.get(parameter) is not None
            for name in _list_names(parameter, given[parameter])
        ]
        named = spell_column("the table", columns, "weight", weight) if isinstance(weight, str) else None
        keys = [spell_column("the table", columns, "key variable", name) for name in _list_names("keys", given["keys"])]
    except ColumnError:
        if declared.not_compiled:
            raise
        return None
    try:
        with raised():
            counted = cells.count_cells(frame, tuple(c for c in columns if c in names), most, named, one_form=keys)
    except cells.TooManyCellsError:
        if declared.not_compiled:
            raise
        return None
    if not counted.num_rows:
        raise TableError("The table has no rows: there is nothing to measure.")
    tables = {TABLE: counted}
    asked = {**given, "tbl": TABLE}
    for name in _BESIDE & given.keys():
        if given[name] is not None:
            tables[f"sdc_{name}"], asked[name] = resolve_frame(spark, given[name]).toArrow(), f"sdc_{name}"
    with duckdb.connect() as con:
        load_macros(con, macro)
        with registered(con, tables), count_cells(con, COUNTED):
            return spark.createDataFrame(arrow(con, query.call_macro(macro, **asked)))


def _list_names(parameter: str, given: Any) -> list[str]:  # noqa: ANN401 - what a caller gives
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) for name in names):
        raise ColumnError(f"{parameter} is {text_for_message(given)}: give a list of columns, as in ['age', 'sex'].")
    return [*names]
