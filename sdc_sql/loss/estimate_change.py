# Written from sql/loss/estimate_change.sql by python -m sdc_sql.write: change that file.
"""What masking did to an estimate that users make: before and after, and how far its intervals overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import find_design_column, original_table, resolve_further_columns
from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class EstimateChange(Result):
    """An estimate before and after, and the overlap of its intervals.

    ``domain``: the values of the domains, NULL for all records; ``term``: the category or the coefficient;
    ``relative_change``, ``shift``: the size of the difference as a part of the estimate before, and of its standard
    error.
    """

    domain: str | None
    term: str | None
    records_before: int | None
    records_after: int | None
    before: float | None
    error_before: float | None
    after: float | None
    error_after: float | None
    difference: float | None
    relative_change: float | None
    shift: float | None
    overlap: float | None


def estimate_change(
    data: Roles,
    original: Described | str,
    statistic: Literal["total", "mean", "quantile", "count", "share", "regression"],
    variable: str,
    *,
    domains: str | Iterable[str] | None = None,
    predictors: str | Iterable[str] | None = None,
    quantile: float = 0.5,
    weight: str | None = None,
    strata: str | None = None,
    cluster: str | None = None,
    confidence: float = 0.95,
) -> Results[EstimateChange]:
    """Return an estimate that users make before and after masking, and how far its intervals overlap.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    statistic
        What is estimated.
    variable
        What it is estimated of: numbers, or of 'count' and 'share' categories; the response of a regression.
    domains
        An estimate for each combination of their values; None: one of all records.
    predictors
        The numeric variables that explain the response of a regression.
    quantile
        Which quantile: 0.5 is the median, strictly between 0 and 1.
    weight
        Of both tables; in Python that of the table by default; None: records count alike.
    strata
        Of both tables: the strata in which the sample was drawn; in Python that of the table by default.
    cluster
        Of both tables: the clusters that were drawn; in Python the table's households by default.
    confidence
        The probability of each interval, strictly between 0 and 1.

    Returns
    -------
    Results of EstimateChange
        One for each domain and term.

    Raises
    ------
    ParameterError
        Where ``quantile`` or ``confidence`` is out of its range.
    WeightError
        Where a weight is NULL, zero or negative.
    ColumnError
        Where a variable that has to be numeric is not.

    Notes
    -----
    What one of the files lacks has no figure there, and no change: limits on it do not hold.

    Karr, Kohnen, Oganian, Reiter & Sanil (2006), A framework for evaluating the utility of data altered to protect
    confidentiality, The American Statistician 60(3), section 3.1 (the overlap); of the estimates, see
    sdc_survey_estimate.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (0, 0), (1, 1), (2, 3), (3, 4)) AS t(x, y)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (0, 1), (1, 1), (2, 3), (3, 4)) AS t(x, y)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.estimate_change("original", "mean", "y")[0])
    EstimateChange
      domain           NULL
      term             NULL
      records before   4
      records after    4
      before           2
      error before     0.912871
      after            2.25
      error after      0.75
      difference       0.25
      relative change  0.125
      shift            0.273861
      overlap          0.910792
    """
    rows = data.rows(
        "sdc_estimate_change",
        original_table(data, original),
        data.table,
        require_choice("estimate_change", "statistic", statistic),
        data.spell_column("variable", variable),
        domains=resolve_further_columns(data, domains, "domain"),
        predictors=resolve_further_columns(data, predictors, "predictor"),
        quantile=require_number("estimate_change", "quantile", quantile),
        weight=find_design_column(data, "weight", weight),
        strata=find_design_column(data, "strata", strata),
        cluster=find_design_column(data, "cluster", cluster),
        confidence=require_number("estimate_change", "confidence", confidence),
    )
    return Results(EstimateChange(**row) for row in rows)
