"""How far the distribution of the released file is from that of the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, original_table, resolve_columns_or_keys
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class DistributionDistance(Result):
    """The distances of the distributions of these columns' crossing, 0 to 1, and the entropies in nats."""

    columns: list[str]
    hellinger: float
    total_variation: float
    entropy_before: float
    entropy_after: float
    entropy_change: float


def distribution_distance(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    weight: str | None = None,
    recoded: str | Iterable[str] | None = None,
) -> Results[DistributionDistance]:
    """Return the Hellinger and total variation distance of the distributions, and the change of entropy.

    Parameters
    ----------
    original
        The table before masking or recoding: a Microdata, or its name on this connection.
    columns
        The categorical variables.
    weight
        A column of both tables whose sums are the shares; without it the records are counted.
    recoded
        Those of the columns whose released values are labels of groups of the original ones: their records are spread
        evenly over the values that became the label, as a user would. It needs an id.

    Returns
    -------
    Results of DistributionDistance
        The crossing of all first, then each variable.

    Notes
    -----
    Karr & Sanil, (2).

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.loss.distribution_distance("persons", ["age", "sex"])[0].hellinger
    0.0
    """
    found = data.rows(
        "sdc_distribution_distance", original_table(data, original), data.table, resolve_columns_or_keys(data, columns),
        weight=None if weight is None else data.spell_column("weight", weight), recoded=list_or_none(recoded),
        id=None if recoded is None else data.require_role("id"),
    )  # fmt: skip
    return Results(DistributionDistance(**row) for row in found)
