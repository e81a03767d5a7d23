"""Rounding to a base (SDC handbook, 3.4.2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.mask.columns import named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking import Maskable
    from sdc_sql.db.steps import MaskingStep


def round_to_base(
    data: Maskable,
    columns: str | Iterable[str],
    base: float,
    *,
    at_random: bool = False,
    stream: str | None = None,
    release: str = "",
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
    >>> data = sdc_sql.example()
    >>> _ = data.round_to_base("age", 25)
    >>> data.con.sql("SELECT age FROM persons ORDER BY id").fetchall()
    [(25,), (25,), (50,)]
    """
    chosen = named(data, columns)
    arguments = {"columns": chosen, "base": base, "id": data.required("id")}
    if at_random:
        return data.masked(
            "random_round", chosen, {**arguments, "stream": stream, "release": release}, into=into, measured=True
        )
    return data.masked("round", chosen, arguments, into=into, measured=True)
