"""Minimal sample uniques (Elliot et al. 2005)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.risk.special_uniques import store_record_measure

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


def minimal_sample_uniques(
    data: Roles, max_msu: int | None = 3, *, nulls: Literal["category", "excluded"] | None = None
) -> duckdb.DuckDBPyRelation:
    """Return a row for each minimal sample unique of each record: every column, ``size`` and ``columns``.

    Computed when it is called, into a temporary table of the connection.

    Parameters
    ----------
    max_msu
        The largest size to look for; None for every size.
    nulls
        ``"category"``: NULL is a value of its own; ``"excluded"``: no minimal sample unique uses one.

    Examples
    --------
    >>> import sdc_sql
    >>> sorted(row[0:3] + row[-2:] for row in sdc_sql.example().risk.minimal_sample_uniques().fetchall())
    [(3, 41, 'm', 1, ['age']), (3, 41, 'm', 1, ['sex'])]
    """
    return store_record_measure(data, "sdc__minimal_sample_uniques", max_msu, nulls)
