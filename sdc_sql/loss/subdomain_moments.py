"""Means and covariances within subdomains, before and after masking."""

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
class SubdomainMoment(Result):
    """A mean, or a covariance of two variables, in a subdomain; None where a file has too few records there."""

    subdomain: list[str | None]
    statistic: str
    variable: str
    other: str | None
    before: float | None
    after: float | None
    difference: float | None


def subdomain_moments(
    data: Roles, original: Described | str, columns: str | Iterable[str], domains: str | Iterable[str]
) -> Results[SubdomainMoment]:
    """Return means and covariances within subdomains, before and after masking.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    domains
        The variables whose crossing makes the subdomains.

    Returns
    -------
    Results of SubdomainMoment
        Of each subdomain the means, then the covariances.

    Notes
    -----
    SDC handbook, section 3.5.1 (Winkler 1998).

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> [(m.subdomain, m.statistic, m.before) for m in data.loss.subdomain_moments("persons", ["w"], ["sex"])][:2]
    [(['f'], 'mean', 12.5), (['f'], 'covariance', 12.5)]
    """
    found = data.rows(
        "sdc_subdomain_moments", original_table(data, original), data.table, resolve_columns_or_keys(data, columns),
        resolve_columns_or_keys(data, domains),
    )  # fmt: skip
    return Results(SubdomainMoment(**row) for row in found)
