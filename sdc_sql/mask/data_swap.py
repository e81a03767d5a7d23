"""Data swapping (SDC handbook, 3.4.2.4; Karr & Sanil, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db import query
from sdc_sql.db.masking.masking import Masking
from sdc_sql.mask.columns import resolve_columns, resolve_optional_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import duckdb
    from sqlglot import exp

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value
    from sdc_sql.roles import Roles

CONFIDENTIAL = ("rate", "equal", "different", "asked", "swapped")


def data_swap(
    data: Maskable,
    columns: str | Iterable[str],
    rate: float,
    *,
    equal: Iterable[str] | None = None,
    different: Iterable[str] | None = None,
    shortfall: Literal["refuse", "report"] = "refuse",
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Exchange columns, as a whole, between pairs of records that are drawn, in place or in a copy.

    The joint table of the swapped columns and that of all others are kept exactly; those between them are not. After it
    a count of records below k takes every record for true: the risk that is left is that of :func:`swapping_risk`.

    Parameters
    ----------
    columns
        The columns that are swapped, all together.
    rate
        The share of the records that are swapped, above 0 and at most 1; rounded up to whole pairs.
    equal
        Other columns, in which two partners have the same values.
    different
        Columns in each of which two partners have different values; of a swapped one: each swap then changes it.
    shortfall
        Where fewer partners are found than the rate asks for: ``"refuse"`` is an error, ``"report"`` swaps as many as
        there are.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the records ``asked`` to be swapped and those that were (``swapped``). Where more were than
        ``changed``, the others have a partner like themselves, and what is released of them is true.

    Raises
    ------
    InputError
        Where too few partners are found, or an argument cannot be used. Nothing is changed then.

    Notes
    -----
    Karr & Sanil, section 3. Who exchanged with whom is told by :func:`data_swap_partners`, to the data holder.

    Examples
    --------
    >>> import sdc_sql
    >>> step = sdc_sql.example().mask.data_swap("sex", 0.5, different=["sex"], into="released")
    >>> step.parameters["swapped"], step.changed
    (2, 2)
    """
    chosen = resolve_columns(data, columns)
    arguments: dict[str, Value] = {
        "columns": chosen, "rate": rate, "id": data.require_role("id"), "equal": resolve_optional_columns(data, equal),
        "different": resolve_optional_columns(data, different), "shortfall": shortfall, "stream": stream,
        "release": release,
    }  # fmt: skip
    counted = {"applied": lambda given: _select_counts(data, given)}
    return data.masked(Masking("data_swap", chosen, arguments, kept=counted, confidential=CONFIDENTIAL), into=into)


def data_swap_partners(
    data: Roles,
    columns: str | Iterable[str],
    rate: float,
    *,
    equal: Iterable[str] | None = None,
    different: Iterable[str] | None = None,
    stream: str | None = None,
    release: str = "",
) -> duckdb.DuckDBPyRelation:
    """Return each record's partner in a data swap: its id, None where it is not swapped, and whether a value changed.

    To be taken of the original table, with the arguments of the swap. Confidential: whoever has it undoes the swap.

    Parameters
    ----------
    columns
        The columns that are swapped, all together.
    rate
        The share of the records that are swapped.
    equal
        Other columns, in which two partners have the same values.
    different
        Columns in each of which two partners have different values.
    stream
        The pass of draws, as the swap's step names it (``step.stream``).
    release
        The name of the release.

    Returns
    -------
    duckdb.DuckDBPyRelation

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().mask.data_swap_partners("sex", 1, different=["sex"]).filter("partner IS NOT NULL").shape
    (2, 3)
    """
    return data.relation(
        "sdc_data_swap_partners", data.table, resolve_columns(data, columns), rate, data.require_role("id"),
        equal=resolve_optional_columns(data, equal), different=resolve_optional_columns(data, different), stream=stream,
        release=release,
    )  # fmt: skip


def _select_counts(data: Maskable, given: Mapping[str, Value]) -> exp.Select:
    """Return the query of what was asked and what was found; where too few are an error, both are one."""
    if given["shortfall"] != "report":
        return query.call_macro("sdc__data_swap_asked", data.table, given["rate"])
    arguments = (value for name, value in given.items() if name != "shortfall")
    return query.call_macro("sdc__data_swap_counts", data.table, *arguments)
