"""The holdout: half of the records, by whole households, set aside before a synthetic file is made of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


def holdout(
    data: Roles, *, household: str | None = None, stream: str = "", release: str = ""
) -> duckdb.DuckDBPyRelation:
    """Return every record, and whether it is ``held``: in the half that is set aside before a synthetic file is made.

    Parameters
    ----------
    household
        Draws whole households, by this column; without it that of the described table, or each record by itself.
    stream
        Names the draws: another one gives another holdout.
    release
        Names the release: another one gives independent draws.

    Returns
    -------
    DuckDBPyRelation
        The table's columns and ``held``.

    Notes
    -----
    Both halves have as many households of each size, or one more. Nothing but the records that are not held may have a
    part in the fit.

    Platzer & Reutterer (2021), Frontiers in Big Data 4:679939, section 2.1.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> held = data.risk.holdout()
    >>> held.aggregate("held, count(*)").order("held").fetchall()
    [(False, 1), (True, 2)]
    """
    named = data.household if household is None else data.spell_column("household", household)
    return data.relation(
        "sdc_holdout", data.table, data.require_role("id"), household=named, stream=str(stream), release=str(release)
    )
