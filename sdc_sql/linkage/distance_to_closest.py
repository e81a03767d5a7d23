# Written from sql/linkage/distance_to_closest.sql by python -m sdc_sql.write: change that file.
"""How close released records are to original ones, beside how close these are to one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import list_or_none, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_choice
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class DistanceToClosest(Result):
    """DCR and NNDR of the released records, and of the original ones among themselves; None where there are too few.

    ``copies`` are at distance 0; ``close`` is the share of released records as close to an original one as the closest
    twentieth of the original ones are to one another.
    """

    records: int
    copies: int
    close: float | None
    dcr_minimum: float | None
    dcr_p5: float | None
    dcr_median: float | None
    dcr_mean: float | None
    nndr_minimum: float | None
    nndr_p5: float | None
    nndr_median: float | None
    nndr_mean: float | None
    original_copies: int
    original_dcr_minimum: float | None
    original_dcr_p5: float | None
    original_dcr_median: float | None
    original_dcr_mean: float | None
    original_nndr_minimum: float | None
    original_nndr_p5: float | None
    original_nndr_median: float | None
    original_nndr_mean: float | None


def distance_to_closest(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    ordinal: str | Iterable[str] | None = None,
    continuous: str | Iterable[str] | None = None,
    scaling: Literal["standardised", "range", "none"] = "standardised",
    weights: float | list[float] | None = None,
) -> DistanceToClosest:
    """Return how close released records are to original ones (DCR, NNDR), beside these among themselves.

    Parameters
    ----------
    original
        The table before masking, or from which a synthetic one was made: a Microdata, or its name on this connection.
    columns
        The variables; those that are neither continuous nor ordinal are categories.
    ordinal
        Those of them whose categories have an order.
    continuous
        Those of them that are numbers.
    scaling
        What a difference of numbers is divided by: the original's standard deviation ('standardised') or its 'range',
        or nothing ('none').
    weights
        What each variable counts in the squared distance: one number, or one for each of the columns, at least 0.

    Returns
    -------
    DistanceToClosest

    Raises
    ------
    InputError
        Where a number is missing, or a weight is negative.

    Notes
    -----
    NULL of a category is one of them; a number is not NULL. No id is needed.

    Zhao, Kunar, Birke & Chen (2021), CTAB-GAN: effective table data synthesizing, ACML 157, 97-112, section 4.2 (DCR,
    NNDR, their 5th percentiles and those within the original); Gower (1971), Biometrics 27, 857-871 (numbers and
    categories in one distance).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (0), (1), (3), (7)) AS t(x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (0), (2), (6)) AS t(x)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.linkage.distance_to_closest("original", ["x"], continuous=["x"], scaling="none"))
    DistanceToClosest
      records                3
      copies                 1
      close                  1
      dcr minimum            0
      dcr p5                 0.1
      dcr median             1
      dcr mean               0.666667
      nndr minimum           0
      nndr p5                0.0333333
      nndr median            0.333333
      nndr mean              0.444444
      original copies        0
      original dcr minimum   1
      original dcr p5        1
      original dcr median    1.5
      original dcr mean      2
      original nndr minimum  0.333333
      original nndr p5       0.358333
      original nndr median   0.583333
      original nndr mean     0.541667
    """
    row = data.row(
        "sdc_distance_to_closest",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        ordinal=list_or_none(ordinal),
        continuous=list_or_none(continuous),
        scaling=require_choice("distance_to_closest", "scaling", scaling),
        weights=weights,
    )
    return DistanceToClosest(**row)
