"""PRAM by the cells of the table: by a retention probability, and with guaranteed protection (Nayak)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from sdc_sql.db.catalogue.arguments import list_choices
from sdc_sql.db.checks import is_number, text_for_message
from sdc_sql.db.masking.masking import Masking
from sdc_sql.errors import ParameterError
from sdc_sql.mask.columns import resolve_columns
from sdc_sql.mask.pram import pram
from sdc_sql.mask.pram_log import category_counts
from sdc_sql.mask.unit import resolve_draw_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.roles import Roles

_ALONE = (
    "unit is household, and guaranteed PRAM draws for each record by itself: its bound xi, by (8) of Nayak, holds for "
    "records that move independently. Take pram with a matrix, or pram_retention."
)


def pram_retention(
    data: Maskable,
    columns: str | Iterable[str],
    retention: float,
    *,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    unit: Literal["record", "household"] = "record",
    household: str | None = None,
    categories: Sequence[Any] | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Keep each record's category with a probability, or change it to any other with equal probability.

    Parameters
    ----------
    columns
        One variable, or several whose crossing is changed. Records with NULL in one stay as they are.
    retention
        The probability that a category is kept, in [0, 1].
    stratum
        A column within whose values categories are changed.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    unit
        Whose draws: ``"record"``, or ``"household"``: members with the same value then have the same masked value.
    household
        The column of household numbers, where ``unit`` is ``"household"``; by default the table's.
    categories
        Of one column: all categories that there may be, whichever of them the table has. The step is then ``pram`` by
        one matrix, and may be repeated, as in a series of releases; a category that is not among them is an error.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().mask.pram_retention("sex", 1.0, into="released").changed
    0
    """
    chosen = resolve_columns(data, columns)
    if not (is_number(retention) and 0 <= retention <= 1):
        raise ParameterError(f"The retention is {text_for_message(retention)}: it must be a probability, from 0 to 1.")
    if categories is not None:
        labels = _check_categories(categories, chosen, stratum)
        other = (1 - retention) / (len(labels) - 1)
        matrix = [[retention if a == b else other for b in labels] for a in labels]
        return pram(
            data, chosen, matrix, labels=labels, stream=stream, release=release, unit=unit, household=household,
            into=into,
        )  # fmt: skip
    arguments = {
        "columns": chosen, "retention": retention, "id": data.require_role("id"),
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
        **resolve_draw_unit(data, unit, household),
    }  # fmt: skip
    kept = {"counts": category_counts(data.table, chosen, [arguments["stratum"]] if stratum else [])}
    return data.masked(Masking("pram_retention", chosen, arguments, kept=kept, confidential=("counts",)), into=into)


def _check_categories(categories: Sequence[Any], columns: tuple[str, ...], stratum: str | None) -> list[str]:
    """Return the declared categories as texts, as they are converted to the type of the column."""
    if len(columns) > 1 or stratum is not None:
        raise ParameterError(
            "categories are those of one column, without a stratum: mask each column by its own categories."
        )
    if isinstance(categories, str) or not isinstance(categories, Iterable):
        raise ParameterError(f"categories is {text_for_message(categories)}: it must be a list of texts.")
    listed = [*categories]
    if len(listed) < 2 or None in listed or len({*map(str, listed)}) < len(listed):  # noqa: PLR2004 - one has no other
        raise ParameterError("categories must be two or more, each of them once, and none of them None.")
    return [str(c) for c in listed]


def pram_guaranteed(
    data: Maskable,
    xi: float,
    *,
    keys: Iterable[str] | None = None,
    within: Iterable[str] | None = None,
    stream: str | None = None,
    release: str = "",
    unit: Literal["record", "household"] = "record",
    into: str | None = None,
) -> MaskingStep:
    """Change the keys at random so that no match to any record is correct with a probability above xi.

    Parameters
    ----------
    xi
        The greatest probability of a correct match, in [3/7, 1); usually 0.75 to 0.90.
    keys
        The key variables whose crossing is changed; by default those of the table.
    within
        Columns whose values a record keeps: keys (their counts are then kept), or columns constant in each cell.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    unit
        ``"record"`` only: the bound holds for records that move independently (Nayak, (8)).
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Raises
    ------
    InputError
        Where xi is out of range, below 1/2 with fewer than three cells in a group, or a group has one cell.

    Notes
    -----
    Nayak, Results 1 and 2. Keep :func:`pram_proof`, computed before masking, with the documentation of the release.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().mask.pram_guaranteed(0.8, into="released").columns
    ('age', 'sex')
    """
    chosen = data.require_role("keys", data.keys) if keys is None else resolve_columns(data, keys)
    if unit != "record":
        reason = (
            f"unit is {text_for_message(unit)}: it must be 'record'."
            if unit not in list_choices("pram_guaranteed", "unit")
            else _ALONE
        )
        raise ParameterError(reason)
    arguments = {
        "columns": chosen, "xi": xi, "id": data.require_role("id"),
        "within": None if within is None else resolve_columns(data, within), "stream": stream, "release": release,
        "unit": unit,
    }  # fmt: skip
    kept = {"counts": category_counts(data.table, chosen, arguments["within"] or [])}
    return data.masked(Masking("pram_guaranteed", chosen, arguments, kept=kept, confidential=("counts",)), into=into)


def pram_proof(
    data: Roles,
    xi: float,
    *,
    keys: Iterable[str] | None = None,
    within: Iterable[str] | None = None,
    most: int = 5,
) -> duckdb.DuckDBPyRelation:
    """Return the proof of a guaranteed release: the exact probability of a correct match for every cell.

    Compute it on the original table. Each row has a cell's keys, its frequency T, the cells of its group, theta, the
    probability to stay, the bound psi(T, theta), the largest probability found, and P(CM | S = a, T) for one a.

    Parameters
    ----------
    xi
        As of :func:`pram_guaranteed`.
    keys
        The key variables; by default those of the table.
    within
        As of :func:`pram_guaranteed`.
    most
        The largest a; beyond it the probability is at most 1/a.

    Returns
    -------
    duckdb.DuckDBPyRelation

    Notes
    -----
    Nayak, (8) and (10).

    Examples
    --------
    >>> import sdc_sql
    >>> proof = sdc_sql.example().mask.pram_proof(0.8, most=1).order("frequency").fetchall()
    >>> [round(row[-1], 3) for row in proof]
    [0.763, 0.464]
    """
    chosen = data.require_role("keys", data.keys) if keys is None else resolve_columns(data, keys)
    inside = None if within is None else resolve_columns(data, within)
    return data.relation("sdc_pram_proof", data.table, chosen, xi, data.require_role("id"), within=inside, most=most)
