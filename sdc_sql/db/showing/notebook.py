"""DuckDB relations as HTML tables in a notebook; results have their own."""

from __future__ import annotations

import html
import sys
from typing import TYPE_CHECKING

import duckdb

from sdc_sql.db.showing.results import html_table

if TYPE_CHECKING:
    from typing import Any

MOST = 20


def relation_html(relation: duckdb.DuckDBPyRelation) -> str:
    """Return the first rows of a relation as an HTML table, the types of its columns below their names.

    Examples
    --------
    >>> import duckdb
    >>> "<td style='text-align:left'>&lt;b&gt;</td>" in relation_html(duckdb.sql("SELECT '<b>' AS x"))
    True
    """
    rows = relation.limit(MOST + 1).fetchall()
    names = [f"{name} ({kind})" for name, kind in zip(relation.columns, relation.types, strict=True)]
    more = f"<p>the first {MOST} rows; there are more</p>" if len(rows) > MOST else f"<p>rows: {len(rows)}</p>"
    return html_table("", names, rows[:MOST]) + more


def _show_relation(relation: duckdb.DuckDBPyRelation) -> str:
    """Return the table, or the error message of a query that fails when it is read."""
    try:
        return relation_html(relation)
    except duckdb.Error as error:
        return f"<pre>{html.escape(str(error))}</pre>"


def show_relations() -> None:
    """Make IPython show relations as HTML where a notebook is running; elsewhere do nothing."""
    ipython: Any = sys.modules.get("IPython")
    running = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if running is not None:
        running.display_formatter.formatters["text/html"].for_type(duckdb.DuckDBPyRelation, _show_relation)
