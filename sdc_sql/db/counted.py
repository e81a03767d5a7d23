"""Counted cells in the place of records: what is made of cells alone is measured of these, by its own macro."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.functions import CREATE
from sdc_sql.db.catalogue.load import TEMPORARY, load_macros
from sdc_sql.db.catalogue.macros import definition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

GROUPED = "sdc__category_cells"
# The macros that count records, and what stands in their place where a table of cells has what they read.
COUNTED = {
    GROUPED: "(tbl, keys, weight, asked := true) AS TABLE FROM sdc__counted_cells(tbl, keys, weight)",
    "sdc__attribute_counts": (
        "(tbl, keys, sensitive, numbers := false) AS TABLE FROM sdc__counted_attributes(tbl, keys, sensitive)"
    ),
    "sdc__population_cells": "(tbl, keys) AS TABLE FROM sdc__counted_population(tbl, keys)",
    "sdc__least_weight": "(tbl, weight) AS TABLE FROM sdc__least_counted(tbl, weight)",
}
_INSTEAD = "sdc__counted_cells sdc__counted_attributes sdc__counted_population sdc__least_counted"


@contextmanager
def count_cells(con: duckdb.DuckDBPyConnection, macros: Iterable[str] = (GROUPED,)) -> Iterator[None]:
    """Let the measures of a connection take a table of counted cells for its records."""
    chosen = [*macros]
    load_macros(con, " ".join([*chosen, _INSTEAD]))
    for macro in chosen:
        con.execute(f"{TEMPORARY} {macro}{COUNTED[macro]}")
    try:
        yield
    finally:
        for macro in chosen:
            con.execute(definition(macro).replace(CREATE, TEMPORARY, 1))
