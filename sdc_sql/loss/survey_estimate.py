# Written from sql/loss/survey_estimate.sql by python -m sdc_sql.write: change that file.
"""Estimates as users of the file make them, with standard errors: totals, quantiles, tables, regressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import find_design_column, resolve_further_columns
from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class SurveyEstimate(Result):
    """An estimate by domain and term, with its standard error and interval.

    ``domain``: the values of the domains, NULL for all records; ``term``: the category or the coefficient.
    """

    domain: str | None
    term: str | None
    records: int
    estimate: float | None
    standard_error: float | None
    lower: float | None
    upper: float | None


def survey_estimate(
    data: Roles,
    statistic: Literal["total", "mean", "quantile", "count", "share", "regression"],
    variable: str,
    *,
    domains: str | Iterable[str] | None = None,
    predictors: str | Iterable[str] | None = None,
    quantile: float = 0.5,
    strata: str | None = None,
    cluster: str | None = None,
    confidence: float = 0.95,
) -> Results[SurveyEstimate]:
    """Return an estimate that a user of the file makes, with its standard error and interval.

    Parameters
    ----------
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
    strata
        The strata in which the sample was drawn; in Python that of the table by default.
    cluster
        The clusters that were drawn; in Python the table's households by default.
    confidence
        The probability of each interval, strictly between 0 and 1.

    Returns
    -------
    Results of SurveyEstimate
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
    An estimate is None where a regression cannot be made in a domain: too few records, or a predictor that follows from
    others.

    Binder (1983), On the variances of asymptotically normal estimators from complex surveys, International Statistical
    Review 51, 279-292; Woodruff (1952), Confidence intervals for medians and other position measures, JASA 47, 635-646;
    Lumley (2010), Complex Surveys, chapters 2 and 5 (domains; the stratum of one cluster as its option "adjust").

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE firms AS FROM (VALUES ('a', 's', 1, 2), ('a', 'l', 3, 2), ('b', 's', 4, 3), "
    ...     "('b', 'l', 8, 3)) AS t(area, size, turnover, w)"
    ... )
    >>> data = sdc_sql.Microdata(con, "firms", weight="w")
    >>> print(data.loss.survey_estimate("total", "turnover", strata="area"))
    SurveyEstimate
      domain  term  records  estimate  standard error    lower    upper
        NULL  NULL        4        44         12.6491  19.2082  68.7918
    """
    rows = data.rows(
        "sdc_survey_estimate",
        data.table,
        require_choice("survey_estimate", "statistic", statistic),
        data.spell_column("variable", variable),
        domains=resolve_further_columns(data, domains, "domain"),
        predictors=resolve_further_columns(data, predictors, "predictor"),
        quantile=require_number("survey_estimate", "quantile", quantile),
        weight=data.weight,
        strata=find_design_column(data, "strata", strata),
        cluster=find_design_column(data, "cluster", cluster),
        confidence=require_number("survey_estimate", "confidence", confidence),
    )
    return Results(SurveyEstimate(**row) for row in rows)
