"""Rounding to a base (SDC handbook, 3.4.2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.masking.masking import Masking
from sdc_sql.errors import ParameterError
from sdc_sql.mask.columns import resolve_columns
from sdc_sql.mask.unit import resolve_draw_unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep


def round(  # noqa: A001 - the field's word for it
    data: Maskable,
    columns: str | Iterable[str],
    base: float,
    *,
    at_random: bool = False,
    x_max: float | None = None,
    stream: str | None = None,
    release: str = "",
    unit: Literal["record", "household"] = "record",
    household: str | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Round numeric columns to multiples of a base, in place or in a copy.

    Parameters
    ----------
    columns
        One column or several, numeric.
    base
        The distance of the rounding points, positive, in the units of the columns.
    at_random
        Up or down at random, so that the expectation is the value itself (needs the secret key); else to the nearest,
        halfway up.
    x_max
        The largest possible value: the last rounding point is the last multiple that is not above it, so that no
        released value is impossible. To the nearest only.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    unit
        Whose draws: ``"record"``, or at random ``"household"``: members with the same value then have the
        same masked value.
    household
        The column of household numbers, where ``unit`` is ``"household"``; by default the table's.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.round("age", 25)
    >>> data.con.sql("SELECT age FROM persons ORDER BY id").fetchall()
    [(25,), (25,), (50,)]
    """
    chosen = resolve_columns(data, columns)
    require_number("round", "base", base)
    arguments = {"columns": chosen, "base": base, "id": data.require_role("id")}
    # nothing is drawn where values go to the nearest: who shares a value goes on sharing it
    drawn = {"stream": stream, "release": release, **resolve_draw_unit(data, unit, household)}
    if at_random and x_max is not None:
        raise ParameterError("x_max goes with rounding to the nearest: at random, it would bias what lies near it.")
    if at_random:
        masking = Masking("round_at_random", chosen, {**arguments, **drawn}, measured=True)
    else:
        of_value = ("sdc__round_value", base, x_max)
        masking = Masking("round", chosen, {**arguments, "x_max": x_max}, measured=True, of_value=of_value)
    return data.masked(masking, into=into)
