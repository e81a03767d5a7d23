"""Sample and population frequencies of the records (SDC handbook, 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


def frequencies(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return every record with ``sample_frequency`` f_k and ``population_frequency`` F-hat_k (SDC handbook, 3.3).

    F-hat_k is the sum of the weights of the cell, NULL where the table has no weight.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.frequencies().order("id").fetchall()[2]
    (3, 41, 'm', 20.0, 2, 1, 20.0)
    """
    return data.relation("sdc_frequencies", data.table, data.keys, data.weight, nulls=data.nulls)
