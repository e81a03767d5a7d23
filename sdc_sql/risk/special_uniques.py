"""The search for special uniques behind each measure: its arguments, and the temporary table of its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import checked_choice, checked_number
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.db.query import Value
    from sdc_sql.roles import Roles


def _treatment(data: Roles, nulls: str | None) -> str:
    """Return how NULL is treated; a NULL that agrees with every value makes no record unique on a set of keys."""
    if nulls is None and data.nulls == "wildcard":
        raise ParameterError(
            "nulls is 'wildcard' for this table: SUDA does not support wildcards; give nulls='excluded' (no minimal "
            "sample unique uses a NULL) or nulls='category' (NULL is a value of its own)."
        )
    return checked_choice("suda", "nulls", "category" if nulls is None else nulls)


def _size(max_msu: int | None) -> int | None:
    return None if max_msu is None else checked_number("suda", "max_msu", max_msu)


def measured(data: Roles, macro: str, max_msu: int | None, nulls: str | None, *scores: Value) -> list[dict[str, Any]]:
    """Return the few rows of a measure of special uniques, by column name."""
    from sdc_sql.risk.suda_search import searched  # noqa: PLC0415 - with numpy and pyarrow, which no other measure needs

    with searched(data, _size(max_msu), _treatment(data, nulls)) as (cells, found):
        return data.rows(macro, data.keys, cells, found, *scores)


def of_records(
    data: Roles, macro: str, max_msu: int | None, nulls: str | None, *scores: Value
) -> duckdb.DuckDBPyRelation:
    """Store a measure of each record: it holds for the records as they are now, not after a change."""
    from sdc_sql.risk.suda_search import searched, stored  # noqa: PLC0415 - with numpy and pyarrow, which no other measure needs

    with searched(data, _size(max_msu), _treatment(data, nulls)) as (cells, found):
        name = stored(data, query.call(macro, data.table, data.keys, cells, found, *scores))
    return data.con.table(name)
