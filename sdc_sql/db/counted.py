"""Counted cells in the place of records: what is made of cells alone is measured of these, by its own macro."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.functions import CREATE
from sdc_sql.db.catalogue.load import TEMPORARY, load_macros
from sdc_sql.db.catalogue.macros import definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

GROUPED, ATTRIBUTES = "sdc__category_cells", "sdc__attribute_counts"
_COUNTED = {
    GROUPED: "(tbl, keys, weight) AS TABLE FROM sdc__counted_cells(tbl, keys, weight)",
    ATTRIBUTES: "(tbl, keys, sensitive, numbers := false) AS TABLE FROM sdc__counted_attributes(tbl, keys, sensitive)",
}


@contextmanager
def count_cells(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let the measures of a connection take a table of counted cells for its records."""
    load_macros(con, f"{GROUPED} {ATTRIBUTES} sdc__counted_cells sdc__counted_attributes")
    for macro, counted in _COUNTED.items():
        con.execute(f"{TEMPORARY} {macro}{counted}")
    try:
        yield
    finally:
        for macro in _COUNTED:
            con.execute(definition(macro).replace(CREATE, TEMPORARY, 1))
