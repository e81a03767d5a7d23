"""How far the released numbers are from the original ones, in standard deviations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table, weight_of
from sdc_sql.db.catalogue.arguments import checked_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Il1(Result):
    """The values compared and those suppressed, IL1 and its bounded form; variable None: all of them."""

    variable: str | None
    values: int
    suppressed: int
    il1: float | None
    bounded: float | None


def il1(
    data: Roles, original: Described | str, columns: Iterable[str], *, most: float = 1, weight: str | None = None
) -> Results[Il1]:
    """Return IL1 and its bounded form, over all variables and of each.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    most
        The most that a term counts in the bounded form, above 0.
    weight
        A column of the original, what each record counts for (whole weights: as many records each); by default the
        records are counted.

    Returns
    -------
    list of Il1
        All variables together first.

    Notes
    -----
    SDC handbook, section 3.5.3; Yancey, Winkler & Creecy (2002); the bound: Trottini (2003). The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.noise(["w"], 0.1, into="released")
    >>> 0 < sdc_sql.Microdata(data.con, "released", id="id").loss.il1(data, ["w"])[0].il1 < 1
    True
    """
    found = data.rows(
        "sdc_il1", original_table(data, original), data.table, columns_of(data, columns), data.required("id"),
        most=checked_number("il1", "most", most), weight=weight_of(weight),
    )  # fmt: skip
    return Results(Il1(**row) for row in found)
