"""How far the released categories are from the original ones, record by record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table, some_of, weight_of
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class DirectDistance(Result):
    """The records, those whose category changed, and the mean distance, 0 to 1; variable None: all of them."""

    variable: str | None
    records: int
    changed: int
    distance: float


def direct_distance(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    ordinal: Iterable[str] | None = None,
    weight: str | None = None,
) -> Results[DirectDistance]:
    """Return how far the released categories are from the original ones, over all variables and of each.

    Parameters
    ----------
    original
        The table before masking or recoding: a Microdata, or its name on this connection.
    columns
        The categorical variables.
    ordinal
        Those of them whose categories have an order.
    weight
        A column of the original, what each record counts for (whole weights: as many records each); by default the
        records are counted.

    Returns
    -------
    list of DirectDistance
        All variables together first.

    Notes
    -----
    SDC handbook, section 3.5.2.1, (3.6). The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.local_suppression(2, into="released")
    >>> released = sdc_sql.Microdata(data.con, "released", id="id")
    >>> released.loss.direct_distance(data, ["age", "sex"])[0].changed
    6
    """
    found = data.rows(
        "sdc_direct_distance", original_table(data, original), data.table, columns_of(data, columns),
        data.required("id"), ordinal=some_of(ordinal), weight=weight_of(weight),
    )  # fmt: skip
    return Results(DirectDistance(**row) for row in found)
