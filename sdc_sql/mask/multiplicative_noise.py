"""Multiplicative noise (SDC handbook, 3.4.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db.masking.masking import Masking
from sdc_sql.mask.columns import resolve_columns
from sdc_sql.mask.one_release import refuse_second_release
from sdc_sql.mask.unit import resolve_draw_unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep


def multiplicative_noise(
    data: Maskable,
    columns: str | Iterable[str],
    size: float,
    *,
    method: Literal["plain", "hoehne", "hoehne_sum"] = "plain",
    spread: float = 0,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    unit: Literal["record", "household"] = "record",
    household: str | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Multiply numeric columns by random factors near 1, in place or in a copy.

    Parameters
    ----------
    columns
        One column or several, numeric.
    size
        The standard deviation of the factors (``"plain"``), or the distance of the main factors from 1.
    method
        ``"plain"``; ``"hoehne"`` (a record goes up or down as a whole, means and variances restored);
        ``"hoehne_sum"`` (values go up and down in turn, sums kept; for one release only).
    spread
        The standard deviation of the noise on the factors of Höhne's methods; of ``"hoehne_sum"`` from a tenth to a
        third of the size.
    stratum
        A column within whose values moments and sums are kept.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    unit
        Whose draws: ``"record"``, or of ``"plain"`` ``"household"``: members with the same value then have the
        same masked value.
    household
        The column of household numbers, where ``unit`` is ``"household"``; by default the table's.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Raises
    ------
    InputError
        Where an argument cannot be used; of ``"hoehne_sum"`` also where ``sdc_steps`` shows that the column was masked
        by it under another stratum, condition or set of records: the midpoint of two such releases is the original.

    Notes
    -----
    SDC handbook, section 3.4.2.2.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().mask.multiplicative_noise("w", 0.1, into="released").method
    'multiplicative_noise'
    """
    chosen = resolve_columns(data, columns)
    arguments = {
        "columns": chosen, "size": size, "id": data.require_role("id"), "method": method, "spread": spread,
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
        **resolve_draw_unit(data, unit, household),
    }  # fmt: skip
    if method == "hoehne_sum":
        refuse_second_release(data, chosen, arguments)
    return data.masked(Masking("multiplicative_noise", chosen, arguments, measured=True), into=into)
