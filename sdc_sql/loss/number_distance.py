# Written from sql/loss/number_distance.sql by python -m sdc_sql.write: change that file.
"""How far the distributions of numbers are apart before and after: Kolmogorov-Smirnov and Wasserstein."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import name_weight, original_table, resolve_columns_or_keys
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class NumberDistance(Result):
    """The distances of a variable's distributions, and the shares of missing values.

    The distances are None where all values of a file are missing. ``standardised`` is None too where the original is
    constant. ``missing_change`` is the size of the change.
    """

    variable: str
    kolmogorov_smirnov: float | None
    wasserstein: float | None
    standardised: float | None
    missing_before: float
    missing_after: float
    missing_change: float


def number_distance(
    data: Roles, original: Described | str, columns: str | Iterable[str], weight: str | None = None
) -> Results[NumberDistance]:
    """Return how far the distributions of numbers are apart, before and after.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    weight
        Of both tables, whose sums are the shares; None: the records are counted.

    Returns
    -------
    Results of NumberDistance
        One for each variable.

    Notes
    -----
    An infinite number is missing, as NaN is.

    Massey (1951), The Kolmogorov-Smirnov test for goodness of fit, JASA 46, 68-78; Vallender (1974), Calculation of the
    Wasserstein distance between probability distributions on the line, Theory of Probability and its Applications
    18(4), 784-786.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (0, 1), (1, 1), (3, 2)) AS t(x, w)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (0, 2), (2, 1), (3, 1)) AS t(x, w)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.number_distance("original", ["x"], "w"))
    NumberDistance
      variable  kolmogorov smirnov  wasserstein  standardised  missing before  missing after  missing change
      x                       0.25          0.5        0.3849               0              0               0
    """
    rows = data.rows(
        "sdc_number_distance",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        weight=name_weight(weight),
    )
    return Results(NumberDistance(**row) for row in rows)
