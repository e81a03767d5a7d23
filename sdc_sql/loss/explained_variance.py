"""The variance of estimated means and the share of variance that categories explain, before and after masking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table
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
    data: Roles, original: Described | str, columns: Iterable[str], domains: Iterable[str]
) -> Results[ExplainedVariance]:
    """Return the variance of the means and the share of variance that categories explain, before and after.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    domains
        The categorical variables that explain them, crossed.

    Returns
    -------
    list of ExplainedVariance
        One for each numeric variable.

    Notes
    -----
    SDC handbook, section 3.5.1, "Measures of impact on variance of estimation".

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> round(data.loss.explained_variance("persons", ["w"], ["sex"])[0].explained_after, 2)
    0.75
    """
    found = data.rows(
        "sdc_explained_variance", original_table(data, original), data.table, columns_of(data, columns),
        columns_of(data, domains),
    )  # fmt: skip
    return Results(ExplainedVariance(**row) for row in found)
