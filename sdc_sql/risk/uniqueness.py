"""Sample uniques and frequencies of frequencies (Skinner & Elliot 2002, section 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


def sample_uniques(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return the records that are unique on the keys, with every column.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.sample_uniques().fetchall()
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
    >>> sdc_sql.example().risk.frequency_summary().sample_uniques
    1
    """
    return FrequencySummary(**data.row("sdc_frequency_summary", data.table, data.keys, nulls=data.nulls))


def frequency_counts(data: Roles) -> dict[int, int]:
    """Return n_r, the number of cells with sample frequency r, by r.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.frequency_counts()
    {1: 1, 2: 1}
    """
    found = data.rows("sdc_frequency_counts", data.table, data.keys, nulls=data.nulls)
    return {row["frequency"]: row["cells"] for row in found}
