"""Individual risk: the posterior mean of 1/F for each record (SDC handbook, 3.2 and 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.risk.many_uniques import require_estimating_weight
from sdc_sql.risk.risk_misclassified import select_after_pram

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles

_MORE = ("true_probability", "individual_risk_misclassified")


def cell_risk(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return the cells of the crossing of the keys with their frequencies and ``individual_risk``.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``population_frequency``, ``individual_risk``; after PRAM two more, as
        :func:`individual_risk` has them.

    Warns
    -----
    ManyUniquesWarning
        Where a fifth of the records or more are sample uniques: the risk may be far too low.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.cell_risk().order("individual_risk DESC").fetchall()[0][:4]
    (41, 'm', 1, 20.0)
    """
    weight = require_estimating_weight(data, checked=True)
    return data.reading(select_after_pram(data, "sdc_cell_risk", _MORE, data.table, data.keys, weight, **data.counting))


def individual_risk(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return every record with its frequencies and ``individual_risk``, E(1/F | f), exactly.

    Returns
    -------
    duckdb.DuckDBPyRelation
        Every column, ``sample_frequency``, ``population_frequency``, ``individual_risk`` in (0, 1]. Where the table's
        steps say that a key went through PRAM, also ``true_probability``, that the released cell is the true one, and
        ``individual_risk_misclassified``, their product: NULL where it cannot be told (``global_risk`` says why).
        They are as confidential as the steps.

    Raises
    ------
    ParameterError
        Where the table was described without a weight.
    WeightError
        Where the weights of a cell sum to less than its records.

    Warns
    -----
    ManyUniquesWarning
        Where a fifth of the records or more are sample uniques: the risk may be far too low.

    Notes
    -----
    SDC handbook, (3.2) and (3.3); Benedetti & Franconi (1998). After PRAM: ``sql/risk/risk_misclassified.sql``.

    Examples
    --------
    >>> import sdc_sql
    >>> round(sdc_sql.example().risk.individual_risk().order("id").fetchall()[2][-1], 6)
    0.15767
    """
    weight = require_estimating_weight(data, checked=True)
    return data.reading(
        select_after_pram(data, "sdc_individual_risk", _MORE, data.table, data.keys, weight, **data.counting)
    )
