"""How much of the sum of squares of numeric columns masking took away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class SseSst(Result):
    """The number of columns that vary, the records compared, and the share of the sum of squares that was lost."""

    columns: int
    records: int
    sse_sst: float


def sse_sst(data: Roles, original: Described | str, columns: Iterable[str]) -> SseSst:
    """Return the share of the sum of squares that masking took away, over all columns.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The masked columns, numeric.

    Returns
    -------
    SseSst

    Notes
    -----
    SDC handbook, section 3.4.5. For microaggregation by means it is the share within groups, 0 (nothing lost) to 1. The
    table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> step = data.mask.microaggregate("w", 3, into="released")
    >>> found = sdc_sql.Microdata(data.con, "released", id="id").loss.sse_sst(data, ["w"])
    >>> found.records, round(found.sse_sst, 3) == round(step.sse_sst, 3)
    (3, True)
    """
    found = data.row(
        "sdc_sse_sst", original_table(data, original), data.table, columns_of(data, columns), data.required("id")
    )
    return SseSst(**found)
