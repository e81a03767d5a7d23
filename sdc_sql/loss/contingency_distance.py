"""How far the contingency tables of the released file are from the original ones, and which margins stay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ContingencyDistance(Result):
    """A table of these columns (None: all tables): its cells, those that changed, and CTBIL.

    ``distance`` is CTBIL, ``normalised`` divided by the cells, ``share`` by the records of both files, 0 to 1.
    """

    columns: list[str] | None
    cells: float
    changed: int
    distance: float
    normalised: float
    share: float


@dataclass(frozen=True)
class MarginKept(Result):
    """A published table: its cells, those that changed and their share, and the greatest difference of a cell."""

    columns: list[str]
    cells: int
    changed: int
    greatest: float
    share: float


def contingency_distance(
    data: Roles, original: Described | str, columns: str | Iterable[str], dimension: int = 2
) -> Results[ContingencyDistance]:
    """Return how far the tables of up to so many variables are from the original ones.

    Parameters
    ----------
    original
        The table before masking or recoding: a Microdata, or its name on this connection.
    columns
        The categorical variables.
    dimension
        The most variables of one table, at least 1.

    Returns
    -------
    Results of ContingencyDistance
        All tables together first, then each.

    Notes
    -----
    SDC handbook, section 3.5.2.2, (3.7).

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.local_suppression(2, into="released")
    >>> data.loss.contingency_distance(data, ["age", "sex"])[0].distance
    0.0
    """
    found = data.rows(
        "sdc_contingency_distance", original_table(data, original), data.table, resolve_columns_or_keys(data, columns),
        require_number("contingency_distance", "dimension", dimension),
    )  # fmt: skip
    return Results(ContingencyDistance(**row) for row in found)


def margins_kept(
    data: Roles, original: Described | str, margins: Iterable[str | Iterable[str]], total: str | None = None
) -> Results[MarginKept]:
    """Return which published tables the released file still gives.

    Parameters
    ----------
    original
        The table before masking or recoding: a Microdata, or its name on this connection.
    margins
        Lists of columns, each a table that was published.
    total
        The numeric variable whose sums were published; without it, counts.

    Returns
    -------
    Results of MarginKept

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> [(m.columns, m.changed) for m in data.loss.margins_kept("persons", [["sex"], ["age", "sex"]])]
    [(['sex'], 0), (['age', 'sex'], 0)]
    """
    if isinstance(margins, str) or not isinstance(margins, Iterable):
        raise ParameterError(
            f"margins is {text_for_message(margins)}: it must be a list of lists of columns, as in [['region']]."
        )
    lists = [resolve_columns_or_keys(data, margin) for margin in margins]
    found = data.rows(
        "sdc_margins_kept", original_table(data, original), data.table, lists,
        total=None if total is None else data.spell_column("total", total),
    )  # fmt: skip
    return Results(MarginKept(**row) for row in found)
