"""Resampling (SDC handbook, 3.4.2.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.masking.masking import Masking
from sdc_sql.errors import ParameterError
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep


def resample(
    data: Maskable,
    column: str,
    samples: int,
    *,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Replace each value by the average of the values of its rank in samples with replacement.

    Parameters
    ----------
    column
        A numeric column; NULL stays NULL.
    samples
        How many samples, at least 1; the more, the less is masked.
    stratum
        A column from within whose values samples are taken.
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
    >>> sdc_sql.example().mask.resample("w", 3, into="released").method
    'resample'
    """
    chosen = resolve_columns(data, column)
    if len(chosen) != 1:
        raise ParameterError(f"Resampling takes one column, not {len(chosen)}: call it once for each.")
    arguments = {
        "columns": chosen, "samples": require_number("resample", "samples", samples), "id": data.require_role("id"),
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
    }  # fmt: skip
    return data.masked(Masking("resample", chosen, arguments, measured=True), into=into)
