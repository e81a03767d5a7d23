"""A file drawn anew, column by column, each given those before it (SDC handbook, sections 3.4.7.2 and 3.4.7.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.synthesis.candidates import choose
from sdc_sql.udfs.synthesis.columns import Before, Drawn
from sdc_sql.udfs.synthesis.donors import Uniforms
from sdc_sql.udfs.synthesis.model import Column, Fineness, fit_column

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.synthesis.draws import Draws

PROPER = 10**7  # the draw of the bootstrap sample, behind those of all columns and candidates


def synthesise(
    columns: list[Column], given: list[Column], draws: Draws, fineness: Fineness, *, fitted: Truths | None = None,
    drawn: Truths | None = None, proper: bool = False,
) -> list[Floats]:  # fmt: skip
    """Return the columns with values drawn anew, each given those that stay and those before it.

    Parameters
    ----------
    columns, given
        Those to draw, in this order, and those that stay.
    draws
        Those of the records.
    fineness
        How finely models are fitted, and how many candidates are drawn for a record.
    fitted, drawn
        Which records tell how columns hang together, and which get new values; all by default.
    proper
        Whether models are fitted to a bootstrap sample of the records, so that copies vary as estimates do.

    Raises
    ------
    ValueError
        Where fewer than 2 k records are fitted to, or a column cannot be drawn by its method.
    """
    n = len((columns + given)[0].values)
    from_ = np.arange(n) if fitted is None else np.flatnonzero(fitted)
    to = np.arange(n) if drawn is None else np.flatnonzero(drawn)
    require_records(len(from_), "records", fineness)
    again = (draws.choose(from_).draw(PROPER) * len(from_)).astype(np.int64) if proper else None
    before = Before.make(len(columns) + len(given), len(from_))
    for column in given:
        before.add(_take(column.values, from_, again), column.values, column.kind)
    models = []
    for column in columns:
        models.append(fit_column(column, _take(column.values, from_), again, before, fineness))
        before.add(_take(column.values, from_, again), column.values, column.kind)
    if not len(to):
        return [column.values for column in columns]

    def draw(rows: Integers, candidate: int) -> Drawn:
        new, own = Drawn.make(before, len(rows)), draws.choose(to[rows])
        for column in given:
            new.add(column.values[to[rows]])
        for j, model in enumerate(models):
            new.add(model.draw(new, Uniforms(own, j, candidate)))
        return new

    alone = np.arange(len(from_)), np.arange(len(to))
    found = choose(before, *alone, draws.choose(to), draw, fineness.candidates)[len(given) :]
    return [_put(column.values, to, released) for column, released in zip(columns, found, strict=True)]


def require_records(records: int, of: str, fineness: Fineness) -> None:
    """Require enough records, or households."""
    if records < 2 * fineness.k:
        raise ValueError(
            f"{records} {of}; expected at least {2 * fineness.k}, twice the fewest that share a value: take a smaller k"
        )


def _take(values: Floats, places: Integers, again: Integers | None = None) -> Floats:
    """Return the values at these places, or of them those that are drawn again."""
    whole = len(places) == len(values)  # places ascend
    found = values if whole else values[places]
    return found if again is None else found[again]


def _put(values: Floats, places: Integers, released: Floats) -> Floats:
    """Return the values with those released at these places."""
    if len(places) == len(values):
        return released
    found = values.copy()
    found[places] = released
    return found
