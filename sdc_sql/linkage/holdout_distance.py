# Written from sql/linkage/holdout_distance.sql by python -m sdc_sql.write: change that file.
"""Whether released records are closer to those they were made from than to a holdout, of which nothing was made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import list_or_none, name_household, original_table, resolve_columns_or_keys, resolve_table
from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class HoldoutDistance(Result):
    """The released records of a part, and the share of them that falls to the original.

    The parts are ``all``, the ``closest`` twentieth, and those next to ``isolated`` records; beside the ``share`` stand
    the one ``expected``, its interval, and the ``excess`` of the lower end over what is expected, 0 in a part without
    records, which has no share. ``copies`` are at distance 0.
    """

    part: str
    records: int
    closer: int
    as_close: int
    copies: int
    holdout_copies: int
    share: float | None
    expected: float | None
    error: float | None
    lower: float | None
    upper: float | None
    excess: float | None


def holdout_distance(
    data: Roles,
    original: Described | str,
    holdout: str,
    columns: str | Iterable[str],
    *,
    household: str | None = None,
    ordinal: str | Iterable[str] | None = None,
    continuous: str | Iterable[str] | None = None,
    scaling: Literal["standardised", "range", "none"] = "standardised",
    weights: float | list[float] | None = None,
    confidence: float = 0.99,
) -> Results[HoldoutDistance]:
    """Return the share of released records closer to the original than to a holdout, with its interval.

    Parameters
    ----------
    original
        The table from which the released one was made, without the holdout: a Microdata, or its name on this
        connection.
    holdout
        The name of records of the same population of which nothing was made.
    columns
        The variables; those that are neither continuous nor ordinal are categories.
    household
        The household numbers of original and holdout; without it each record is by itself.
    ordinal
        Those of them whose categories have an order.
    continuous
        Those of them that are numbers.
    scaling
        What a difference of numbers is divided by: the standard deviation ('standardised') or the 'range' in original
        and holdout, or nothing ('none').
    weights
        What each variable counts in the squared distance: one number, or one for each of the columns, at least 0.
    confidence
        Of the interval of the share, strictly between 0 and 1.

    Returns
    -------
    Results of HoldoutDistance
        One for each part.

    Raises
    ------
    ParameterError
        Where ``confidence`` is out of its range.
    ColumnError
        Where a household is in both the original and the holdout.
    InputError
        Where the holdout holds the very records of the original, a number is missing, or a weight is negative.

    Notes
    -----
    NULL of a category is one of them; a number is not NULL. No id is needed. Limit the excess to 0.

    Platzer & Reutterer (2021), Holdout-based empirical assessment of mixed-type synthetic data, Frontiers in Big Data
    4:679939 (the share closer to the training records than to as many others); the variance is that of a mean without
    replacement, Cochran (1977), Sampling techniques, theorem 2.2.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (0), (10), (20), (30)) AS t(x)")
    >>> _ = con.execute("CREATE TABLE holdout AS FROM (VALUES (1), (11), (21), (31)) AS t(x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (0), (10), (20), (30)) AS t(x)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.linkage.holdout_distance("original", "holdout", ["x"], continuous=["x"])[0])
    HoldoutDistance
      part            all
      records         4
      closer          4
      as close        0
      copies          4
      holdout copies  0
      share           1
      expected        0.5
      error           0.188982
      lower           0.513214
      upper           1.48679
      excess          0.013214
    """
    rows = data.rows(
        "sdc_holdout_distance",
        original_table(data, original),
        data.table,
        resolve_table(data, "holdout", holdout),
        resolve_columns_or_keys(data, columns),
        household=name_household(household),
        ordinal=list_or_none(ordinal),
        continuous=list_or_none(continuous),
        scaling=require_choice("holdout_distance", "scaling", scaling),
        weights=weights,
        confidence=require_number("holdout_distance", "confidence", confidence),
    )
    return Results(HoldoutDistance(**row) for row in rows)
