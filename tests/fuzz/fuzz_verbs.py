"""The same calls as methods of Microdata: in place where the table can be changed, else into another."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from fuzz_judge import comparable, fault_of, rows_of, texts
from fuzz_tables import at

from sdc_sql import Microdata
from sdc_sql.db.completion import TOLD
from sdc_sql.methods import Methods
from sdc_sql.microdata import call_method

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb
    from fuzz_calls import Call
    from fuzz_tables import Made

ROLES = ("keys", "weight", "household", "id", "stratum", "sampling_fraction", "nulls", "small_weights")
TABLES = ("released", "tbl", "sample")  # the first that is given is described
NAMED_OTHERWISE = {"column_name": "column"}
STEPS = {"temp": "temp.sdc_steps", "attached": "other.sdc_steps"}


def split(call: Call) -> tuple[object, dict[str, Any], dict[str, Any]]:
    """Return the table of a call, the roles that describe it, and the arguments of the method."""
    takes = inspect.signature(getattr(Methods, call.macro.verb, None) or getattr(Microdata, call.macro.verb)).parameters
    given = dict(call.arguments)
    table = next((given.pop(name) for name in TABLES if name in given), None)
    roles = {n: given.pop(n) for n in ROLES if n in given and n not in takes}
    named = {}
    for name, value in given.items():
        other = NAMED_OTHERWISE.get(name, name)
        if other not in takes and "columns" in takes and other == "column":
            other = "columns"
        if other in takes:
            named[other] = value
    if call.macro.switch and call.macro.switch in takes:
        named.setdefault(call.macro.switch, True)
    return table, roles, named


def fault_of_verb(con: duckdb.DuckDBPyConnection, folder: Path, call: Call, table: Made) -> str | None:  # noqa: PLR0911
    """Call the method; return what is wrong with its answer, with its error or with what it left behind."""
    described, roles, named = split(call)
    in_place = call.macro.is_step and described == table.tables["persons"] and table.place not in {"view", "parquet"}
    if call.macro.is_step and not in_place:
        named["into"] = "sdc_fuzz.masked"
        con.execute("DROP TABLE IF EXISTS sdc_fuzz.masked")
    before = rows_of(con, "FROM sdc_fuzz.base")
    here = rows_of(con, f"FROM query_table('{table.tables['persons'].replace(chr(39), chr(39) * 2)}')")
    there = _tables(con)
    try:
        found = call_method(Microdata(con, described, **roles), call.macro.verb, **named)  # type: ignore[arg-type]
        if hasattr(found, "fetchall"):
            found.fetchall()
    except Exception as error:  # noqa: BLE001 - whatever it is
        if isinstance(error, TypeError) and ("argument" in str(error) and call.macro.verb in str(error)):
            return None  # Python's own words on the arguments of a function
        fault = fault_of(error, call.arguments, table)
        if fault:
            return f"{fault}: {str(error)[:200]!r}"
        if comparable(_here(con, table)[1]) != comparable(here[1]):
            return "an error, and the table has changed"
        return None if _tables(con) == there else "an error, and a table is left behind"
    if comparable(rows_of(con, "FROM sdc_fuzz.base")[1]) != comparable(before[1]):
        return "another table has changed"
    if not in_place:
        return None
    fault = _kept(call, table, here, _here(con, table)) if call.macro.masks else None
    con.execute(f"DROP TABLE IF EXISTS {STEPS.get(table.place, 'sdc_fuzz.sdc_steps')}")
    at(con, table.place, folder)
    if table.place == "table":
        con.execute("CREATE OR REPLACE TABLE sdc_fuzz.persons AS FROM sdc_fuzz.base")
    return fault


def _here(con: duckdb.DuckDBPyConnection, table: Made) -> tuple[list[str], list[tuple[Any, ...]]]:
    return rows_of(con, f"FROM query_table('{table.tables['persons'].replace(chr(39), chr(39) * 2)}')")


def _tables(con: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    listed = "SELECT database_name, schema_name, table_name FROM duckdb_tables() WHERE table_name <> 'sdc_steps'"
    kept = f"(starts_with(table_name, 'sdc__') OR starts_with(table_name, '{TOLD}') AND temporary)"  # read again later
    return con.execute(f"{listed} AND NOT {kept} ORDER BY ALL").fetchall()


def _kept(call: Call, table: Made, before: Any, after: Any) -> str | None:
    """Return what was changed that was not asked for: rows, columns, values of other columns."""
    if before[0] != after[0] or len(before[1]) != len(after[1]):
        return "rows or columns were lost"
    asked = texts([v for n, v in call.arguments.items() if n not in {"tbl", "id"}])
    kept = [i for i, n in enumerate(before[0]) if n not in asked and n != table.columns["w"]]
    one, other = (comparable([tuple(row[i] for i in kept) for row in rows]) for rows in (before[1], after[1]))
    return None if one == other else "a column that was not asked for has changed"
