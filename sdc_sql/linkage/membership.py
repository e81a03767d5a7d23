# Written from sql/linkage/membership.sql by python -m sdc_sql.write: change that file.
"""Whether a release shows who was in the file that it was made from: membership inference with a control."""

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
class Membership(Result):
    """How well members are told from controls: the area under the curve, its interval, and the greatest advantage.

    The parts are ``all`` records and the ``isolated`` ones, each by the closest record of any copy, and by the mean
    over the ``copies``; ``excess`` is the lower end of the interval over 0.5. None where a part has no member or no
    control.
    """

    part: str
    members: int
    controls: int
    area: float | None
    error: float | None
    lower: float | None
    upper: float | None
    advantage: float | None
    excess: float | None


def membership(
    data: Roles,
    original: Described | str,
    holdout: str,
    columns: str | Iterable[str],
    *,
    household: str | None = None,
    copy: str | None = None,
    ordinal: str | Iterable[str] | None = None,
    continuous: str | Iterable[str] | None = None,
    scaling: Literal["standardised", "range", "none"] = "standardised",
    weights: float | list[float] | None = None,
    isolated: int = 100,
    confidence: float = 0.99,
) -> Results[Membership]:
    """Return how well the distance to a release tells those it was made from apart from a holdout.

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
    copy
        The number of the copy of a released record; without it there is one.
    ordinal
        Those of them whose categories have an order.
    continuous
        Those of them that are numbers.
    scaling
        What a difference of numbers is divided by: the standard deviation ('standardised') or the 'range' in original
        and holdout, or nothing ('none').
    weights
        What each variable counts in the squared distance: one number, or one for each of the columns, at least 0.
    isolated
        How many records of original and holdout together are isolated, at least 1.
    confidence
        Of the interval of the area, strictly between 0 and 1.

    Returns
    -------
    Results of Membership
        One for each part.

    Raises
    ------
    ParameterError
        Where ``isolated`` or ``confidence`` is out of its range.
    ColumnError
        Where a household is in both the original and the holdout.
    InputError
        Where the holdout holds the very records of the original, a number is missing, or a weight is negative.

    Notes
    -----
    NULL of a category is one of them; a number is not NULL. No id is needed. Limit the excess to 0.

    Yeom, Giacomelli, Fredrikson & Jha (2018), Privacy risk in machine learning, CSF 2018, definition 4 (advantage);
    Chen, Yu, Zhang & Fritz (2020), GAN-leaks, CCS 2020, section 4.2 (the distance to the closest released record);
    Wilcoxon's rank sum for the error.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (0), (10), (20), (30)) AS t(x)")
    >>> _ = con.execute("CREATE TABLE holdout AS FROM (VALUES (1), (12), (23), (34)) AS t(x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (0), (10), (21)) AS t(x)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.linkage.membership("original", "holdout", ["x"], continuous=["x"]))
    Membership
      part             members  controls     area     error     lower    upper  advantage     excess
      all                    4         4  0.78125  0.212605  0.233616  1.32888        0.5  -0.266384
      isolated               4         4  0.78125  0.212605  0.233616  1.32888        0.5  -0.266384
      all copies             4         4  0.78125  0.212605  0.233616  1.32888        0.5  -0.266384
      isolated copies        4         4  0.78125  0.212605  0.233616  1.32888        0.5  -0.266384
    """
    rows = data.rows(
        "sdc_membership",
        original_table(data, original),
        data.table,
        resolve_table(data, "holdout", holdout),
        resolve_columns_or_keys(data, columns),
        household=name_household(household),
        copy=None if copy is None else data.spell_column("copy", copy),
        ordinal=list_or_none(ordinal),
        continuous=list_or_none(continuous),
        scaling=require_choice("membership", "scaling", scaling),
        weights=weights,
        isolated=require_number("membership", "isolated", isolated),
        confidence=require_number("membership", "confidence", confidence),
    )
    return Results(Membership(**row) for row in rows)
