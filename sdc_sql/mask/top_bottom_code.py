"""Top and bottom coding (SDC handbook, 3.4.3.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from sdc_sql.db import query
from sdc_sql.db.checks import is_number
from sdc_sql.db.masking.masking import Designed, Masking
from sdc_sql.errors import ParameterError
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from datetime import date

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep


def top_bottom_code(
    data: Maskable,
    column: str,
    unit: Literal["value", "quantile", "count"],
    *,
    top: float | str | date | None = None,
    bottom: float | str | date | None = None,
    replacement: Literal["threshold", "mean", "median"] = "threshold",
    top_label: str | None = None,
    bottom_label: str | None = None,
    weight: str | float | None = None,
    stratum: str | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Replace the values above a threshold, or below another, by one, in place or in a copy.

    Equal values are all coded or none. NULL and NaN stay as they are.

    Parameters
    ----------
    column
        A column of numbers, dates, times, or of an ENUM, which is taken in its own order.
    unit
        ``"value"``, ``"quantile"`` or ``"count"``. Beyond a value or a quantile lies what is above, or below; of a
        quantile never more than its share of the records. By count the records of the largest, or smallest, values.
    top
        The upper threshold, by ``unit``: a value of the column's type, a quantile in (0, 1), or how many records at
        least are coded, 2 or more. None: no top coding.
    bottom
        The lower threshold likewise; of the two one is enough.
    replacement
        ``"threshold"`` (by count the coded value nearest to the others), ``"mean"`` or ``"median"``: of numbers, and
        of three coded records at least, rounded to the type of the column. A mean times the number of coded records is
        their total, which tells a value that is most of it.
    top_label
        A text that the values above become instead. The column then becomes text.
    bottom_label
        A text that the values below become instead.
    weight
        A column of weights, or a number, by which records count in quantiles, means and medians.
    stratum
        A column within whose values thresholds, means and medians are found.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the records ``coded_top`` and ``coded_bottom`` and, of a mean, ``total_moved``: how much
        more the (weighted) total of the column is for its rounding.

    Raises
    ------
    InputError
        Where a threshold is no value of the column, the bottom one lies above the top one, a stratum has fewer values
        than are to be coded, or a mean or median would be of fewer than three.

    Notes
    -----
    SDC handbook, section 3.4.3.3.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> step = data.mask.top_bottom_code("age", "value", top=35)
    >>> step.parameters["coded_top"], data.con.sql("SELECT age FROM persons ORDER BY id").fetchall()
    (1, [(30,), (30,), (35,)])
    """
    chosen = resolve_columns(data, column)
    if len(chosen) != 1:
        raise ParameterError(f"Top and bottom coding takes one column, not {len(chosen)}: call it once for each.")
    arguments = {
        "columns": chosen, "unit": unit, "id": data.require_role("id"), "top": _require_threshold(top),
        "bottom": _require_threshold(bottom), "replacement": replacement, "top_label": top_label,
        "bottom_label": bottom_label,
        "weight": data.spell_column("weight", weight) if isinstance(weight, str) else weight,
        "stratum": stratum and data.spell_column("stratum", stratum),
    }  # fmt: skip
    counted = query.call_macro("sdc__top_bottom_counts", data.table, *arguments.values())
    labelled = top_label is not None or bottom_label is not None
    masking = Masking("top_bottom_code", chosen, arguments, kept={"applied": counted}, retyped=labelled)
    found = unit != "value" or replacement != "threshold"
    if found and getattr(data, "series", None) is not None:  # what was found in the first release stays
        rows = query.call_macro("sdc__top_bottom_design", data.table, *list(arguments.values())[:-1])
        designed = Designed(rows, masks="sdc__top_bottom_designed", applied="sdc__top_bottom_applied")
        masking = replace(masking, kept={}, designed=designed)
    return data.masked(masking, into=into)


def _require_threshold(given: float | str | date | None) -> float | str | None:
    """Return a threshold as a literal can say it: what is no number by its text."""
    return given if given is None or is_number(given) else str(given)  # type: ignore[return-value]
