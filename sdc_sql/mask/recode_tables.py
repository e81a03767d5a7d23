"""Mappings and hierarchies given as Python objects or files, as tables that the macros of recoding read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from sdc_sql.db.checks import text_for_message
from sdc_sql.db.table import Table
from sdc_sql.errors import ParameterError
from sdc_sql.mask.hierarchies import Hierarchy, read_hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.db.masking.apply import Maskable

TABLES = ("mapping", "hierarchy", "geography")


@contextmanager
def store_tables(data: Maskable, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield arguments with the names of tables in the place of mappings and hierarchies.

    Tables that are made here are gone afterwards.
    """
    found, made = dict(given), []
    try:
        for argument in TABLES:
            value = given.get(argument)
            if value is None:
                continue
            if isinstance(value, str) and (argument == "mapping" or not value.lower().endswith(".csv")):
                found[argument] = data.read_table(value) if isinstance(data, Table) else value
                continue
            columns = _split_mapping(value) if argument == "mapping" else _split_levels(argument, value)
            found[argument] = f"sdc_recode_{argument}"
            data.con.register(found[argument], _arrow(argument, columns))
            made.append(found[argument])
        yield found
    finally:
        for name in made:
            with suppress(duckdb.TransactionException):  # the caller's is aborted: the error that did it is to be seen
                data.con.unregister(name)


def _split_mapping(given: object) -> dict[str, list[Any]]:
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(
            f"mapping is {text_for_message(given)}: give a dict, as in {{'f': 'woman'}}, or the name of a table with "
            "the columns "
            "from and to."
        )
    return {"from": list(given.keys()), "to": list(given.values())}


def _split_levels(argument: str, given: object) -> dict[str, list[Any]]:
    hierarchy = read_hierarchy(given) if isinstance(given, (str, Path)) else given
    if not isinstance(hierarchy, Hierarchy):
        raise ParameterError(
            f"{argument} is {text_for_message(given)}: give a Hierarchy, a CSV file, or the name of a table."
        )
    return {name: [row[level] for row in hierarchy.rows] for level, name in enumerate(hierarchy.names)}


def _arrow(argument: str, columns: dict[str, list[Any]]) -> Any:  # noqa: ANN401 - imported where it is used
    import pyarrow as pa  # noqa: PLC0415 - an import takes longer than most measures

    try:
        return pa.table({name: pa.array(values) for name, values in columns.items()})
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):  # Arrow shows the value
        raise ParameterError(f"The values of the {argument} are of several types: give all as texts.") from None
