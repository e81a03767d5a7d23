"""How close released records are to original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table, some_of
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
    columns: Iterable[str],
    *,
    ordinal: Iterable[str] | None = None,
    continuous: Iterable[str] | None = None,
    scaling: str = "standardised",
    weights: float | list[float] | None = None,
) -> DistanceToClosest:
    """Return how close released records are to original ones, beside how close these are to one another.

    Parameters
    ----------
    original
        The table before masking, or from which a synthetic one was made: a Microdata, or its name on this connection.
    columns
        The variables; those that are neither continuous nor ordinal are categories, NULL one of them.
    ordinal
        Those of them whose categories have an order.
    continuous
        Those of them that are numbers, without NULL.
    scaling
        What a difference of numbers is divided by: the original's standard deviation (``'standardised'``) or its
        ``'range'``, or nothing (``'none'``).
    weights
        What each variable counts in the squared distance, at least 0: one number, or one for each of the columns.

    Returns
    -------
    DistanceToClosest

    Raises
    ------
    InputError
        Where a number is missing, or a weight is negative.

    Notes
    -----
    Zhao, Kunar, Birke & Chen (2021), CTAB-GAN, section 4.2. No id is needed.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> found = data.linkage.distance_to_closest("persons", ["age", "sex"], continuous=["age"])
    >>> found.copies == found.records, found.dcr_mean
    (True, 0.0)
    """
    return DistanceToClosest(
        **data.row("sdc_distance_to_closest", original_table(data, original), data.table, columns_of(data, columns),
                   ordinal=some_of(ordinal), continuous=some_of(continuous), scaling=scaling, weights=weights)
    )  # fmt: skip
