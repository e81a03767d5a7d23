"""Cells, sample frequencies and sample uniques (Skinner & Elliot 2002, section 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.results import Result

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


def cells(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return the cells of the crossing of the keys: the key columns and ``sample_frequency``.

    Returns
    -------
    duckdb.DuckDBPyRelation
        One row for each combination that occurs.

    Examples
    --------
    >>> import sdc_sql
    >>> sorted(sdc_sql.example().cells().fetchall())
    [(30, 'f', 2), (41, 'm', 1)]
    """
    return data.relation("sdc_cells", data.table, data.keys, nulls=data.nulls)


def frequencies(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return every record with ``sample_frequency`` f_k and ``population_frequency`` F-hat_k (SDC handbook, 3.3).

    F-hat_k is the sum of the weights of the cell, NULL where the table has no weight.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().frequencies().order("id").fetchall()[2]
    (3, 41, 'm', 20.0, 2, 1, 20.0)
    """
    return data.relation("sdc_frequencies", data.table, data.keys, data.weight, nulls=data.nulls)


def sample_uniques(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return the records that are unique on the keys, with every column.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().sample_uniques().fetchall()
    [(3, 41, 'm', 20.0, 2)]
    """
    return data.relation("sdc_sample_uniques", data.table, data.keys, nulls=data.nulls)


@dataclass(frozen=True)
class FrequencySummary(Result):
    """Sample frequencies at a glance: ``uniques_rate`` is the share of records that are sample unique."""

    records: int
    cells: int
    sample_uniques: int
    uniques_rate: float
    pairs: int
    largest_cell: int


def frequency_summary(data: Roles) -> FrequencySummary:
    """Return the numbers of records, cells, sample uniques and pairs, and the largest frequency.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().frequency_summary().sample_uniques
    1
    """
    return FrequencySummary(**data.row("sdc_frequency_summary", data.table, data.keys, nulls=data.nulls))


def frequency_counts(data: Roles) -> dict[int, int]:
    """Return n_r, the number of cells with sample frequency r, by r.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().frequency_counts()
    {1: 1, 2: 1}
    """
    found = data.rows("sdc_frequency_counts", data.table, data.keys, nulls=data.nulls)
    return {row["frequency"]: row["cells"] for row in found}
