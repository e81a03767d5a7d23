"""The table ``sdc_steps``: its form, what it was in version 0.1, and numbers that no two writers share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp

from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.table import fetch_rows
from sdc_sql.errors import TableError

if TYPE_CHECKING:
    import duckdb

STEPS, NUMBERS = "sdc_steps", "sdc_steps_number"
FORM = {
    "step": "BIGINT PRIMARY KEY", "masked_at": "TIMESTAMP", "version": "VARCHAR", "source": "VARCHAR",
    "source_id": "VARCHAR", "source_step": "BIGINT", "target": "VARCHAR", "target_id": "VARCHAR", "id": "VARCHAR",
    "method": "VARCHAR", "columns": "VARCHAR[]", "parameters": "VARCHAR", "release": "VARCHAR", "stream": "VARCHAR",
    "matrix": "VARCHAR", "counts": "VARCHAR", "digests": "VARCHAR", "confidential": "VARCHAR[]", "records": "BIGINT",
    "changed": "BIGINT", "sse_sst": "DOUBLE",
}  # fmt: skip
FIRST_FORM = {"step", "at", "target", "method", "columns", "parameters", "records", "changed", "sse_sst"}
FIRST = "0.1"
# The rows of the first form are read in the present one. Its numbers may occur twice.
_OF_FIRST = f"""
    SELECT row_number() OVER (ORDER BY "at", step) AS step, "at" AS masked_at, '{FIRST}' AS version, target, method, columns,
           parameters, json_extract_string(parameters, '$.stream') AS stream, records, changed, sse_sst
    FROM steps
"""  # noqa: E501, S608 - no value of anybody's


def name_step_table(table: exp.Table) -> exp.Table:
    """Return the table of steps that stands beside a table."""
    return exp.table_(STEPS, db=table.db, catalog=table.catalog, quoted=True)


def list_step_tables(con: duckdb.DuckDBPyConnection) -> list[exp.Table]:
    """Return all tables of steps there are, those of other programs left out."""
    rows = con.execute("SELECT database_name, schema_name FROM duckdb_tables() WHERE table_name = ?", [STEPS])
    found = [exp.table_(STEPS, db=schema, catalog=database, quoted=True) for database, schema in rows.fetchall()]
    return [table for table in found if _list_columns(con, table) >= set(FORM)]


def check_step_table(con: duckdb.DuckDBPyConnection, steps: exp.Table) -> bool | None:
    """Return whether the table of steps has the present form (False: that of version 0.1), None where there is none.

    Raises
    ------
    TableError
        Where something else of this name is there.
    """
    columns = _list_columns(con, steps)
    if not columns:
        return None
    view = con.execute(
        "SELECT 1 FROM duckdb_views() WHERE database_name = ? AND schema_name = ? AND lower(view_name) = ?",
        [steps.catalog, steps.db, STEPS],
    ).fetchall()
    if not view and columns >= set(FORM):
        return True
    if not view and columns == FIRST_FORM:
        return False
    raise TableError(
        f"{steps.sql('duckdb')} is {'a view' if view else 'a table'} of yours, with the columns "
        f"{', '.join(sorted(columns))}; masking writes its steps to a table of that name: rename yours first."
    )


def create_step_table(con: duckdb.DuckDBPyConnection, steps: exp.Table) -> None:
    """Create the table of steps, or bring one of version 0.1 into the present form, its rows kept."""
    form = check_step_table(con, steps)
    if form:
        return
    kept: list[dict[str, Any]] = [] if form is None else fetch_rows(con, _bind_step_table(_OF_FIRST, steps))
    if form is False:
        drop_step_table(con, steps)
    columns = ", ".join(f"{name} {kind}" for name, kind in FORM.items())
    temporary = "TEMP " if steps.catalog == "temp" else ""
    execute(con, _bind_step_table(f"CREATE {temporary}TABLE steps ({columns})", steps)).fetchall()
    for row in kept:
        insert_step(con, steps, row)


def drop_step_table(con: duckdb.DuckDBPyConnection, table: exp.Table) -> None:
    """Drop a table."""
    execute(con, _bind_step_table("DROP TABLE steps", table)).fetchall()


def insert_step(con: duckdb.DuckDBPyConnection, steps: exp.Table, row: dict[str, Any]) -> None:
    """Add a row, by the names of its columns."""
    sql = f"INSERT INTO steps ({', '.join(row)}) VALUES ({', '.join('?' for _ in row)})"  # noqa: S608 - names of FORM
    execute(con, _bind_step_table(sql, steps), list(row.values())).fetchall()


def draw_next_number(con: duckdb.DuckDBPyConnection, steps: exp.Table) -> int:
    """Return the next number: of a sequence, so that two writers at the same time never get the same."""
    ((last,),) = execute(con, _bind_step_table("SELECT coalesce(max(step), 0) FROM steps", steps)).fetchall()
    sequence = exp.table_(NUMBERS, db=steps.db, catalog=steps.catalog, quoted=True)
    temporary = "TEMP " if steps.catalog == "temp" else ""
    create = f"CREATE {temporary}SEQUENCE IF NOT EXISTS {sequence.sql('duckdb')}"
    con.execute(create).fetchall()
    following = "SELECT max(nextval(?)) FROM range(?)"
    ((found,),) = con.execute(following, [sequence.sql("duckdb"), 1]).fetchall()
    if found <= last:  # the table is of version 0.1, or was copied without its sequence
        ((found,),) = con.execute(following, [sequence.sql("duckdb"), last - found + 1]).fetchall()
    return int(found)


def read_step_rows(
    con: duckdb.DuckDBPyConnection, steps: exp.Table, condition: exp.Condition | None = None
) -> list[dict[str, Any]]:
    """Return the rows for which a condition holds, in their order, of either form."""
    form = check_step_table(con, steps)
    if form is None:
        return []
    select = exp.select("*").from_(_bind_step_table(_OF_FIRST, steps).subquery("s") if form is False else steps.copy())
    found = fetch_rows(con, (select.where(condition) if condition is not None else select).order_by("step"))
    return [{name: row.get(name) for name in FORM} | {"log": steps.sql("duckdb")} for row in found]


def _list_columns(con: duckdb.DuckDBPyConnection, steps: exp.Table) -> set[str]:
    found = con.execute(
        "SELECT lower(column_name) FROM duckdb_columns() "
        "WHERE database_name = ? AND schema_name = ? AND lower(table_name) = ?",
        [steps.catalog, steps.db, STEPS],
    )
    return {str(name) for (name,) in found.fetchall()}


def _bind_step_table(sql: str, steps: exp.Table) -> Any:  # noqa: ANN401 - a statement of any kind
    """Return a statement about ``steps`` as one about the table of steps."""
    return sqlglot.parse_one(sql, read="duckdb").transform(
        lambda node: steps.copy() if isinstance(node, exp.Table) and node.name == "steps" else node
    )
