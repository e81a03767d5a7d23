"""The keys whose values are to be suppressed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.targets import find_known_table
from sdc_sql.db.table import Table
from sdc_sql.errors import ColumnError, ParameterError
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from sdc_sql.db.masking.apply import Maskable


def list_suppressible(
    data: Maskable,
    keys: Iterable[str] | None,
    into: str | None,
    *,
    what: str = "Local suppression",
    suppressed: bool = True,
) -> tuple[str, ...]:
    """Return the keys, by default those of the table, as it spells them; `suppressed`: whether any is to be NULL.

    Raises
    ------
    ColumnError
        Where a key of the table that is to be changed must not be NULL.
    """
    chosen: tuple[str, ...] = data.keys if keys is None else resolve_columns(data, keys)
    if not chosen:
        raise ParameterError(f"{what} needs keys: give keys=[...] here or when describing the table.")
    if not isinstance(data, Table):  # a table of Spark's is not changed in place
        return chosen
    whole = data if data.part is None else data.part.whole
    target = find_known_table(whole, whole.table) if into is None and not whole.file else None
    if target is not None and suppressed:
        rows = data.con.execute(
            "SELECT column_name FROM duckdb_columns() "
            "WHERE (database_name, schema_name, table_name) = (?, ?, ?) AND NOT is_nullable",
            [target.catalog, target.db, target.name],
        ).fetchall()
        bound = [name for name in chosen if (name,) in rows]
        if bound:
            raise ColumnError(
                f"{', '.join(bound)} of {data.table} must not be NULL (a constraint of the table), and is to be "
                "suppressed: give into='name' to write a copy, or drop the constraint."
            )
    return chosen


def resolve_followers(
    data: Maskable, keys: tuple[str, ...], ghosts: Mapping[str, Iterable[str]] | None
) -> dict[str, list[str]] | None:
    """Return the columns that follow keys, of each key that has some, as the table spells them."""
    if ghosts is None:
        return None
    if not isinstance(ghosts, Mapping) or any(
        isinstance(g, str) or not isinstance(g, Iterable) for g in ghosts.values()
    ):
        raise ParameterError(
            f"ghosts is {text_for_message(ghosts)}: it must give a list of columns for keys, as in "
            f"{{'region': ['district']}}."
        )
    found: dict[str, list[str]] = {}
    for key, names in ghosts.items():
        spelled = data.spell_column("key variable", key)
        found.setdefault(spelled, []).extend(data.spell_column("ghost variable", name) for name in names)
        if spelled not in keys:
            raise ParameterError(f"ghosts names {spelled}, which is none of the keys {', '.join(keys)}.")
    both = [name for names in found.values() for name in names if name in {*keys, data.require_role("id")}]
    if both:
        raise ParameterError(f"{both[0]} is a ghost variable and also a key or the id: it can only be one of them.")
    return found or None


def list_followers(ghosts: Mapping[str, Iterable[str]] | None) -> tuple[str, ...]:
    """Return the columns that follow keys, each once."""
    return tuple(dict.fromkeys(name for names in (ghosts or {}).values() for name in names))
