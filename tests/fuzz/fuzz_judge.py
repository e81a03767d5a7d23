"""What must hold of every answer and of every error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import duckdb

from sdc_sql.errors import SdcError, hide_values, translate

if TYPE_CHECKING:
    from fuzz_calls import Call
    from fuzz_tables import Made


# What DuckDB says of an argument of the wrong type before a macro can speak: the type, and no value.
TYPED = (
    "No function matches the given name and argument types", "Cannot compare values of type",
    "Cannot concatenate lists", "Invalid LIST argument",
    "Cannot use NULL as function argument",
    "an explicit cast is required", "Cannot unify", "Failed to cast value",
    "Could not choose a best candidate", "Cannot combine types", "Cannot mix values of type",
)  # fmt: skip


def of_a_type(error: Exception) -> bool:
    """Return whether an error is DuckDB's own on the type of an argument."""
    if isinstance(error, duckdb.ParserException) and 'at or near "NULL"' in str(error):
        return True  # NULL for a name, where the SQL macro writes a query: told, if not in words of ours
    return isinstance(error, duckdb.BinderException) and any(words in str(error) for words in TYPED)


def ours(error: Exception) -> Exception:
    """Return the error of our tree that an error stands for, as the doors raise it; itself where it is none."""
    return (translate(error) or hide_values(error) or error) if isinstance(error, duckdb.Error) else error


def texts(value: Any) -> list[str]:
    """Return every text that stands in an argument, however deep."""
    if isinstance(value, dict):
        return [t for item in value.items() for v in item for t in texts(v)]
    return [t for v in value for t in texts(v)] if isinstance(value, list | tuple) else [str(value)]


def fault_of(error: Exception, given: dict[str, Any], table: Made, *, line: str | None = None) -> str | None:
    """Return what is wrong with an error: its class, its lines, a value of the data in it, nothing to go by."""
    found = ours(error)
    if isinstance(error, duckdb.ParserException) and given.get("rules") is not None:
        return None  # a rule is SQL of the caller's, and DuckDB says where it is none
    if not isinstance(found, SdcError):
        return f"not ours: {type(found).__name__}"
    message = str(found) if line is None else line
    known = [*texts(list(given.values())), *table.columns.values(), *table.tables.values()]
    for name in sorted((n for n in known if n), key=len, reverse=True):
        message = message.replace(name, "…").replace(" ".join(name.split()), "…").replace(repr(name)[1:-1], "…")
    shown = sorted(v for v in table.said if v in message)
    if shown:
        return f"shows the value {shown[0]}"
    if "\n" in message.strip():
        return "more than one line"
    return "says too little" if len(str(found)) < 25 else None


def rows_of(con: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the columns and the rows of a query."""
    result = con.execute(sql)
    return [d[0] for d in result.description or ()], result.fetchall()


def comparable(rows: list[tuple[Any, ...]]) -> list[str]:
    """Return rows in an order of their own, numbers to ten digits (sums may differ in the last ones)."""

    def plain(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [plain(v) for v in value]
        return float(f"{value:.10g}") + 0.0 if isinstance(value, float) else value

    return sorted(repr([plain(v) for v in row]) for row in rows)


def fault_of_rows(call: Call, table: Made, names: list[str], rows: list[tuple[Any, ...]], base: Any) -> str | None:
    """Return what is wrong with an answer: a figure out of its range, a record lost, a column changed."""
    for name, values in zip(names, zip(*rows, strict=True), strict=False):
        numbers = [v for v in values if isinstance(v, float)]
        if name in {"theta", "individual_risk", "household_risk", "upper_bound"} and any(
            math.isnan(v) or not -1e-12 <= v <= 1 + 1e-9 for v in numbers
        ):
            return f"{name} is no probability"
    if not call.macro.masks:
        return None
    masked = texts([v for n, v in call.arguments.items() if n not in {"tbl", "id"}])
    kept = [i for i, n in enumerate(names) if n not in masked and n != table.columns["w"]]
    names_before, before = base
    if names != names_before:
        return f"the columns are {names}"
    if len(rows) != len(before):
        return f"{len(rows)} records of {len(before)}"
    if comparable([tuple(r[i] for i in kept) for r in rows]) != comparable([tuple(r[i] for i in kept) for r in before]):
        return "a column that was not asked for has changed"
    return None
