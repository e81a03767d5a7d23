"""The measures of risk on Spark: each is one query, expanded from its macro."""

from __future__ import annotations

import inspect
import re
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.compiler import compile_call
from sdc_sql.compiler.definitions import load_definitions
from sdc_sql.db import query
from sdc_sql.db.catalogue.macros import index_catalogue
from sdc_sql.errors import ParameterError, TableError
from sdc_sql.spark.counted import is_of_cells, measure_cells
from sdc_sql.spark.frame import resolve_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

_NUMBER = count(1)
_PLAIN = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")  # a name that Spark and DuckDB read alike: a measure may tell it


def compute_measure(
    spark: SparkSession, macro: str, most_cells: int, arguments: tuple[Any, ...], named: dict[str, Any]
) -> DataFrame:
    """Return the answer of a macro: of the cells, counted at once, where they are enough and no more than so many.

    Any other is a query of Spark's, computed when it is read.
    """
    parameters = index_catalogue()[macro].parameters
    names = [p.name for p in parameters]
    if len(arguments) > len(parameters):
        raise ParameterError(f"{macro} takes {len(parameters)} arguments ({', '.join(names)}), not {len(arguments)}.")
    given = dict(zip(names, arguments, strict=False))
    if twice := sorted(given.keys() & named.keys()):
        raise ParameterError(f"{macro} is given {', '.join(twice)} twice.")
    given |= named
    found = measure_cells(spark, macro, given, most_cells) if is_of_cells(macro) else None
    return _compute_compiled(spark, macro, given) if found is None else found


def _compute_compiled(spark: SparkSession, macro: str, given: dict[str, Any]) -> DataFrame:
    """Return the answer of a macro's own query, computed on Spark when it is read.

    The tables are put under names of their own while the query is made: the answer holds on to what they are.
    """
    parameters = {p.name: p.type for p in index_catalogue()[macro].parameters}
    views: dict[str, DataFrame] = {}
    columns: dict[str, list[str]] = {}

    def view(table: str | DataFrame, *, is_told: bool = False) -> str:
        frame = resolve_frame(spark, table)
        _check_once(frame)
        if is_told and isinstance(table, str) and _PLAIN.fullmatch(table):
            columns[table] = frame.columns
            return table
        name = f"sdc_measured_{next(_NUMBER)}"
        frame.createOrReplaceTempView(name)
        views[name], columns[name] = frame, frame.columns
        return name

    try:
        for parameter in given.keys() & parameters.keys():
            if parameters[parameter] == "table":
                given[parameter] = view(given[parameter])
            elif parameters[parameter] == "tables":
                given[parameter] = [
                    view(table, is_told=True) for table in _require_list(macro, parameter, given[parameter])
                ]
        # not `compile` itself: a macro may have arguments of the same names as those of its own
        call = query.call_macro(macro, **given).find(exp.Anonymous)
        assert call is not None  # noqa: S101 - for the type checker: it was just made
        return spark.sql(compile_call(call, "spark", columns.__getitem__))
    finally:
        for name in views:
            spark.catalog.dropTempView(name)


def _require_list(macro: str, parameter: str, given: Any) -> list[Any]:  # noqa: ANN401
    if isinstance(given, list | tuple):
        return list(given)
    raise ParameterError(
        f"{macro} is given {parameter} = {type(given).__name__}: it must be a list of tables or DataFrames."
    )


def _check_once(frame: DataFrame) -> None:
    folded = [c.lower() for c in frame.columns]
    twice = sorted({c for c in frame.columns if folded.count(c.lower()) > 1})
    if twice:
        raise TableError(f"The table has several columns called {', '.join(twice)}: rename them first.")


def _convert_default(value: exp.Expression) -> Any:  # noqa: ANN401
    """Return a macro's default as Python's: 'category', 3, 0.01, None."""
    if isinstance(value, exp.Null):
        return None
    said = value.to_py()
    return float(said) if isinstance(said, Decimal) else said


def bind_macro(macro: str) -> Callable[..., DataFrame]:
    """Return a macro as a method that takes its arguments, tables as names or DataFrames."""

    def on_spark(self: Any, *arguments: Any, **named: Any) -> DataFrame:  # noqa: ANN401
        return compute_measure(self._spark, macro, self._most_cells, arguments, named)

    definition = load_definitions()[macro]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = [
        inspect.Parameter(p, own.kind, default=_convert_default(definition.defaults[p]))
        if p in definition.defaults
        else inspect.Parameter(p, own.kind)
        for p in definition.parameters
    ]
    on_spark.__signature__ = inspect.Signature([own, *taken], return_annotation="DataFrame")  # type: ignore[attr-defined]
    told = ", ".join(f"{p}=..." if p in definition.defaults else p for p in definition.parameters)
    on_spark.__name__ = on_spark.__qualname__ = macro.removeprefix("sdc_")
    summary = index_catalogue()[macro].summary
    on_spark.__doc__ = (
        f"{summary[0].upper()}{summary[1:]}\n\n``{on_spark.__name__}({told})``, as {macro}; returns a DataFrame."
    )
    return on_spark
