"""The neighbourhood of a record in continuous keys: with how many others an intruder confuses it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ColumnError

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Neighbourhood(Result):
    """How many records have few others about them: none but themselves (``alone``), or fewer than k (``below_k``).

    ``share``: that of ``below_k`` of the records; ``population_below_k``: records whose neighbours stand for fewer than
    k of the population, None without a weight; ``expected_correct_matches``: the sum of 1 / neighbours, ``rate`` its
    share of the records.
    """

    records: int
    alone: int
    k: int
    below_k: int
    share: float
    population_below_k: int | None
    expected_correct_matches: float
    rate: float


def neighbourhood(
    data: Roles,
    continuous: str | Iterable[str],
    keys: str | Iterable[str] | None = None,
    *,
    width: float | list[float] = 0.1,
    scaling: Literal["relative", "standardised", "range", "none"] = "relative",
    k: int = 3,
) -> Neighbourhood:
    """Return how many records have few others in their neighbourhood in continuous keys, within their categories.

    Parameters
    ----------
    continuous
        The continuous keys, numeric: what an intruder knows about, not exactly.
    keys
        The categorical keys, in which neighbours agree; without it the keys of this table that are not continuous. NULL
        is a value of its own, however the table is described.
    width
        How far a neighbour may be, at least 0: one number, or one for each of the continuous keys.
    scaling
        What the width is a part of: the record's own value (``'relative'``), the standard deviation
        (``'standardised'``), the ``'range'``, or nothing (``'none'``).
    k
        The number of neighbours, the record itself among them, that is enough, at least 2.

    Returns
    -------
    Neighbourhood

    Notes
    -----
    SDC handbook, sections 3.2.3 and 3.8.2 (Ichim 2006). The weight of the table tells of the population.

    Examples
    --------
    >>> import sdc_sql
    >>> found = sdc_sql.example().risk.neighbourhood(["age"], ["sex"], width=0.3, k=2)
    >>> found.records, found.alone, found.below_k
    (3, 1, 1)
    """
    names = resolve_names(data, continuous)
    return Neighbourhood(
        **data.row("sdc_neighbourhood", data.table, names, keys=_categorical(data, names, keys), width=width,
                   scaling=scaling, weight=data.weight, k=require_number("neighbourhood", "k", k))
    )  # fmt: skip


def neighbourhood_records(
    data: Roles,
    continuous: str | Iterable[str],
    keys: str | Iterable[str] | None = None,
    *,
    width: float | list[float] = 0.1,
    scaling: Literal["relative", "standardised", "range", "none"] = "relative",
) -> duckdb.DuckDBPyRelation:
    """Return each record's id, its ``neighbours``, itself among them, and with a weight ``population_neighbours``.

    Parameters
    ----------
    continuous
        The continuous keys, numeric: what an intruder knows about, not exactly.
    keys
        The categorical keys, in which neighbours agree; without it the keys of this table that are not continuous.
    width
        How far a neighbour may be, at least 0: one number, or one for each of the continuous keys.
    scaling
        What the width is a part of: ``'relative'``, ``'standardised'``, ``'range'`` or ``'none'``.

    Returns
    -------
    DuckDBPyRelation
        A row a record.

    Notes
    -----
    SDC handbook, sections 3.2.3 and 3.8.2 (Ichim 2006). The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.neighbourhood_records(["age"], ["sex"], width=0.3).order("id").fetchall()[0][:2]
    (1, 2)
    """
    names = resolve_names(data, continuous)
    return data.relation(
        "sdc_neighbourhood_records", data.table, names, data.require_role("id"), keys=_categorical(data, names, keys),
        width=width, scaling=scaling, weight=data.weight,
    )  # fmt: skip


def resolve_names(data: Roles, columns: str | Iterable[str]) -> list[str]:
    """Return the names of columns as the table spells them.

    Raises
    ------
    ColumnError
        Where there are none, or one is not a column.
    """
    names = [columns] if isinstance(columns, str) else list(columns) if isinstance(columns, Iterable) else []
    if not names:
        raise ColumnError(
            f"columns is {text_for_message(columns)}: it must be a list of column names, as in ['turnover']."
        )
    return [data.spell_column("column", name) for name in names]


def _categorical(data: Roles, continuous: list[str], keys: str | Iterable[str] | None) -> list[str] | None:
    if keys is not None:
        return resolve_names(data, keys)
    return [key for key in data.keys if key not in continuous] or None
