# Written from sql/loss/explained_variance.sql by python -m sdc_sql.write: change that file.
"""What masking did to the variance of estimated means, and to the share of variance that categories explain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ExplainedVariance(Result):
    """The variance of a variable's mean, its relative growth, and R squared of the categories, before and after."""

    variable: str
    mean_variance_before: float | None
    mean_variance_after: float | None
    growth: float | None
    explained_before: float | None
    explained_after: float | None
    difference: float | None


def explained_variance(
    data: Roles, original: Described | str, columns: str | Iterable[str], domains: str | Iterable[str]
) -> Results[ExplainedVariance]:
    """Return the variance of the means and the share of variance that categories explain, before and after.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    domains
        The categorical variables that explain them.

    Returns
    -------
    Results of ExplainedVariance
        One for each variable.

    Notes
    -----
    SDC handbook, section 3.5.1, "Measures of impact on variance of estimation".

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES ('f', 1), ('f', 3), ('m', 5), ('m', 6)) AS t(sex, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES ('f', 1), ('m', 3), ('m', 5), ('f', 6)) AS t(sex, x)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.explained_variance("original", ["x"], ["sex"]))
    ExplainedVariance
      variable  mean variance before  mean variance after  growth  explained before  explained after  difference
      x                      1.22917              1.22917       0          0.830508        0.0169492   -0.813559
    """
    rows = data.rows(
        "sdc_explained_variance",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        resolve_columns_or_keys(data, domains, "domain"),
    )
    return Results(ExplainedVariance(**row) for row in rows)
