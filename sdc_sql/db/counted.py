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

GROUPED, _COUNTED = "sdc__category_cells", "sdc__counted_cells"


@contextmanager
def count_cells(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let the measures of a connection take a table of counted cells for its records."""
    load_macros(con, f"{GROUPED} {_COUNTED}")
    ours = f"{TEMPORARY} {GROUPED}(tbl, keys, weight) AS TABLE FROM {_COUNTED}(tbl, keys, weight)"
    con.execute(ours)
    try:
        yield
    finally:
        con.execute(definition(GROUPED).replace(CREATE, TEMPORARY, 1))
