"""Weights calibrated to known totals (SDC handbook, 3.4.2.8, step 4; Deville & Särndal 1992)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db import query
from sdc_sql.db.masking.masked_values import NAME
from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.table import Table
from sdc_sql.errors import ColumnError, ParameterError, Unsupported
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.roles import Roles


def calibrate(
    data: Maskable,
    column: str,
    totals: str,
    *,
    margins: Iterable[str] | None = None,
    lower: float | None = None,
    upper: float | None = None,
    most: float | None = None,
    distance: Literal["raking", "logit", "linear"] = "raking",
    into: str | None = None,
) -> MaskingStep:
    """Bring weights to known totals of several margins, each by a factor within bounds, in place or in a copy.

    Parameters
    ----------
    column
        The sampling weights, which become DOUBLE.
    totals
        A table or file with the columns ``variable``, ``value`` and ``total``, a row for each category of each margin,
        as :func:`totals` gives it.
    margins
        The variables of which totals are known; by default all that the totals name. One over several variables is
        a column that crosses them.
    lower
        The least factor by which a weight is multiplied.
    upper
        The greatest one.
    most
        The greatest weight afterwards.
    distance
        In which the factors are nearest to 1: ``raking``; ``logit``, for which ``lower`` lies below 1 and ``upper``
        above; or ``linear`` (truncated), for which ``lower`` is above 0.
    into
        A new table for the copy. Without it the weights of the table itself are changed.

    Returns
    -------
    MaskingStep
        Its parameters have the ``least`` and the ``greatest`` weight, and ``weight_effect``: n times the sum of the
        squared weights over the square of their sum (Kish), 1 where all are equal.

    Raises
    ------
    InputError
        Where a category has no total, the totals of two margins do not add up to the same, or they cannot be met within
        the bounds: the message names the margin.

    Notes
    -----
    Deville & Särndal (1992), JASA 87, 376-382, cases 2, 6 and 7: of all factors within the bounds that meet the
    totals, those nearest to 1. Those of raking without bounds are those of iterative proportional fitting. Margins may
    overlap, such as age and year of birth.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute(
    ...     "CREATE TABLE known AS "
    ...     "FROM (VALUES ('sex', 'f', 70), ('sex', 'm', 60)) t(variable, value, total)"
    ... )
    >>> data.mask.calibrate("w", "known", into="calibrated").records
    3
    """
    if not isinstance(data, Table):
        raise Unsupported(
            "Weights are calibrated in DuckDB only: write the table as a Parquet file, and calibrate that."
        )
    chosen, table = resolve_columns(data, column), data.read_table(totals, ("total",))
    known = resolve_columns(data, _list_variables(data, table) if margins is None else margins)
    if len(chosen) != 1:
        raise ParameterError(f"Calibration takes one column of weights, not {len(chosen)}.")
    bounds = {"lower": lower, "upper": upper, "most": most, "distance": distance}
    arguments = {"columns": chosen, "totals": table, "id": data.require_role("id"), "margins": known, **bounds}
    effect = query.call_macro("sdc__weight_effect", f"temp.{NAME}", chosen[0])
    return data.masked(
        Masking("calibrate", chosen, arguments, retyped=True, kept={"applied": effect}, logged={"totals": totals}),
        into=into,
    )


def _list_variables(data: Table, totals: str) -> list[str]:
    rows = data.relation("sdc__rows", totals)
    if "variable" not in {c.lower() for c in rows.columns}:
        raise ColumnError("The totals have no column variable: give them with variable, value and total.")
    return sorted({str(name).lower() for (name,) in rows.select("variable").distinct().fetchall()})


def totals(data: Roles, columns: Iterable[str], weight: str | None = None) -> duckdb.DuckDBPyRelation:
    """Return the weighted totals of each category of some variables, as :func:`calibrate` takes them.

    Parameters
    ----------
    columns
        The variables.
    weight
        The column of sampling weights; by default the table's. Without one, records are counted.

    Returns
    -------
    duckdb.DuckDBPyRelation
        ``variable``, ``value`` (as text) and ``total``.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().mask.totals(["sex"]).fetchall()
    [('sex', 'f', 25.0), ('sex', 'm', 20.0)]
    """
    return data.relation(
        "sdc_totals", data.table, resolve_columns(data, columns), data.weight if weight is None else weight
    )
