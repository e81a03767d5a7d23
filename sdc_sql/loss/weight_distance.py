"""What became of the records and their weights: deleted records, and weights that stand for another population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class WeightDistance(Result):
    """The records that are not released, and how far the weights are from the original ones.

    ``unreleased_share`` and ``unreleased_weight``: of the records, and of their original weights; ``changed``: the
    released records with another weight; ``total_change``: of the sum of all weights; ``mean_change``: of a weight.
    """

    records: int
    released: int
    unreleased_share: float
    unreleased_weight: float
    changed: int
    total_before: float
    total_after: float
    total_change: float
    mean_change: float


def weight_distance(data: Roles, original: Described | str, weight: str | None = None) -> WeightDistance:
    """Return how many records are not released, and how far the released weights are from the original ones.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    weight
        The column of weights, of both tables; by default the table's.

    Returns
    -------
    WeightDistance
        Shares are between 0 and 1; changes are relative to the original.

    Raises
    ------
    ParameterError
        Where there is no column of weights.

    Notes
    -----
    Horvitz & Thompson (1952): a sum of weights estimates the size of the population. The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute("CREATE TABLE released AS SELECT * REPLACE (3 * w AS w) FROM persons LIMIT 2")
    >>> found = sdc_sql.Microdata(data.con, "released", id="id").loss.weight_distance("persons", "w")
    >>> round(found.unreleased_share, 3), found.mean_change
    (0.333, 2.0)
    """
    given = data.weight if weight is None else weight
    if not isinstance(given, str):
        raise ParameterError(
            "weight_distance compares a column of weights: give weight='...', a column of both tables."
        )
    return WeightDistance(
        **data.row("sdc_weight_distance", original_table(data, original), data.table,
                   data.spell_column("weight", given), data.require_role("id"))
    )  # fmt: skip
