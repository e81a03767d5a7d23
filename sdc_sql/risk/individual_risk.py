"""Individual risk: the posterior mean of 1/F for each record (SDC handbook, 3.2 and 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


def cell_risk(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return the cells of the crossing of the keys with their frequencies and ``individual_risk``.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``population_frequency``, ``individual_risk``.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().cell_risk().order("individual_risk DESC").fetchall()[0][:4]
    (41, 'm', 1, 20.0)
    """
    return data.relation("sdc_cell_risk", data.table, data.keys, data.checked_weight(), nulls=data.nulls)


def individual_risk(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return every record with its frequencies and ``individual_risk``, E(1/F | f), exactly.

    Returns
    -------
    duckdb.DuckDBPyRelation
        Every column, ``sample_frequency``, ``population_frequency``, ``individual_risk`` in (0, 1].

    Raises
    ------
    ParameterError
        Where the table was described without a weight.
    WeightError
        Where the weights of a cell sum to less than its records.

    Notes
    -----
    SDC handbook, (3.2) and (3.3); Benedetti & Franconi (1998).

    Examples
    --------
    >>> import sdc_sql
    >>> round(sdc_sql.example().individual_risk().order("id").fetchall()[2][-1], 6)
    0.15767
    """
    weight = data.checked_weight()
    return data.relation("sdc_individual_risk", data.table, data.keys, weight, nulls=data.nulls)
