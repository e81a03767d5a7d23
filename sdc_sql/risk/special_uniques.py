"""The search for special uniques behind each measure: its arguments, and the temporary table of its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import require_choice, require_number
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
    return require_choice("suda", "nulls", "category" if nulls is None else nulls)


def _require_size(max_msu: int | None) -> int | None:
    return None if max_msu is None else require_number("suda", "max_msu", max_msu)


def measure_special_uniques(
    data: Roles, macro: str, max_msu: int | None, nulls: str | None, *scores: Value
) -> list[dict[str, Any]]:
    """Return the few rows of a measure of special uniques, by column name."""
    from sdc_sql.risk.suda_search import search_uniques  # noqa: PLC0415 - with numpy and pyarrow, which no other measure needs

    with search_uniques(data, _require_size(max_msu), _treatment(data, nulls)) as (cells, found):
        return data.rows(macro, data.keys, cells, found, *scores)


def store_record_measure(
    data: Roles, macro: str, max_msu: int | None, nulls: str | None, *scores: Value
) -> duckdb.DuckDBPyRelation:
    """Store a measure of each record: it holds for the records as they are now, not after a change."""
    from sdc_sql.risk.suda_search import search_uniques, store_query  # noqa: PLC0415 - with numpy and pyarrow, which no other measure needs

    with search_uniques(data, _require_size(max_msu), _treatment(data, nulls)) as (cells, found):
        name = store_query(data, query.call_macro(macro, data.table, data.keys, cells, found, *scores))
    return data.con.table(name)
