"""Rank swapping and resampling (SDC handbook, 3.4.2.4 and 3.4.2.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.masking.masking import Masking
from sdc_sql.errors import ParameterError
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep


def rank_swap(
    data: Maskable,
    column: str,
    p: float | None = None,
    *,
    correlation: float | None = None,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Exchange the values of a column between records of near rank, in place or in a copy.

    The values as a whole are kept exactly. NULL and NaN stay where they are.

    Parameters
    ----------
    column
        A column of any type that can be ordered.
    p
        The greatest difference in rank of two swapped values, in percent of the values, in (0, 100].
    correlation
        In place of p: the least correlation between the original and the swapped column (a numeric one), in (0, 1).
    stratum
        A column within whose values values are swapped.
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

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().mask.rank_swap("w", 70, into="released").records
    3
    """
    if (p is None) == (correlation is None):
        raise ParameterError("Rank swapping needs either p (in percent) or a correlation: give one of them.")
    if correlation is not None:
        require_number("rank_swap_correlated", "correlation", correlation)
    chosen = resolve_columns(data, column)
    if len(chosen) != 1:
        raise ParameterError(
            f"Rank swapping takes one column, not {len(chosen)}: call it once for each, with its own p."
        )
    arguments = {
        "columns": chosen, "id": data.require_role("id"), "p": p, "correlation": correlation,
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
    }  # fmt: skip
    return data.masked(Masking("rank_swap", chosen, arguments), into=into)
