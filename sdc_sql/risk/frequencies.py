# Written from sql/core/frequencies.sql by python -m sdc_sql.write: change that file.
"""The frequencies of each record's cell, beside the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


def frequencies(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return every record with the sample frequency and the population frequency of its cell.

    Returns
    -------
    duckdb.DuckDBPyRelation
        Every column, ``sample_frequency`` and ``population_frequency``, the sum of the weights of the cell (NULL where
        the table has no weight).

    Notes
    -----
    Skinner & Elliot (2002), section 2.1; F-hat_k of the SDC handbook, (3.3).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (1, 30, 'f', 10), (2, 30, 'f', 15), (3, 41, 'm', 20)) "
    ...     "AS t(id, age, sex, w)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"], weight="w")
    >>> for row in data.risk.frequencies().order("ALL").fetchall():
    ...     print(row)
    (1, 30, 'f', 10, 2, 25.0)
    (2, 30, 'f', 15, 2, 25.0)
    (3, 41, 'm', 20, 1, 20.0)
    """
    return data.relation("sdc_frequencies", data.table, data.keys, weight=data.weight, nulls=data.nulls)
