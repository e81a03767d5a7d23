"""A file drawn anew, column by column, each given those before it (SDC handbook, sections 3.4.7.2 and 3.4.7.6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.synthesis.by_regression import draw_by_classes, draw_by_means, draw_by_scores
from sdc_sql.udfs.synthesis.by_table import draw_by_table
from sdc_sql.udfs.synthesis.by_tree import draw_by_tree
from sdc_sql.udfs.synthesis.columns import TIME, Before
from sdc_sql.udfs.synthesis.donors import Donors
from sdc_sql.udfs.synthesis.smoothing import Smoothing
from sdc_sql.udfs.trees.codes import NOMINAL

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.synthesis.draws import Draws

METHODS = ("trees", "sample", "table", "logistic", "multinomial", "normal_scores", "predictive_mean")
PROPER = 10**6  # the draw of the bootstrap sample, behind those of all columns
OF_NUMBERS = ("normal_scores", "predictive_mean")


@dataclass(frozen=True)
class Column:
    """A column: its name, its values (names are numbers from 1), its kind, and how it is drawn."""

    name: str
    values: Floats
    kind: int  # 0: a number, 1: a time, 2: a name
    method: str = "trees"


def synthesise(
    columns: list[Column], given: list[Column], draws: Draws, k: int, *, fitted: Truths | None = None,
    drawn: Truths | None = None, proper: bool = False,
) -> list[Floats]:  # fmt: skip
    """Return the columns with values drawn anew, each given those that stay and those before it.

    Parameters
    ----------
    columns, given
        Those to draw, in this order, and those that stay.
    draws
        Those of the records.
    k
        The fewest records of a leaf or cell, and the fewest that have a value which is released as it is.
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
    if len(from_) < 2 * k:
        raise ValueError(
            f"{len(from_)} records; expected at least {2 * k}, twice the fewest of a leaf: take a smaller k"
        )
    own = draws if len(to) == n else draws.choose(to)
    again = None
    if proper:
        again = (draws.choose(from_).draw(PROPER) * len(from_)).astype(np.int64)
    before = Before.make(len(columns) + len(given), len(from_), len(to))
    for column in given:
        before.add(_take(column.values, from_, again), column.values[to], column.kind)
    found = []
    for j, column in enumerate(columns):
        released = draw_column(column, _take(column.values, from_), again, before, k, Donors(own, j))
        before.add(_take(column.values, from_, again), released, column.kind)
        if len(to) < n:
            whole = column.values.copy()
            whole[to] = released
            released = whole
        found.append(released)
    return found


def _take(values: Floats, places: Integers, again: Integers | None = None) -> Floats:
    """Return the values at these places, or of them those that are drawn again."""
    whole = len(places) == len(values)  # places ascend
    found = values if whole else values[places]
    return found if again is None else found[again]


def draw_column(  # noqa: PLR0917 - the column, what it is fitted to, and how
    column: Column, values: Floats, again: Integers | None, before: Before, k: int, donors: Donors
) -> Floats:  # fmt: skip
    """Return what is released of a column.

    Parameters
    ----------
    column
        Its name, kind and method.
    values
        Those of the records that are fitted to.
    again
        The places among these of a bootstrap sample, of which `before` holds the columns; None: all, once.
    before, k, donors
        The columns before, the fewest records, and the draws.
    """
    try:
        shared = _find_shared(values, column.kind, k)
        boot = values if again is None else values[again]
        may = shared if again is None or shared is None else shared[again]
        places = _draw_places(column, boot, before, k, replace(donors, may=may))
        places = places if again is None else again[places]
        released = values[places]
        if column.kind != NOMINAL:  # by all records, each once: a record that is drawn again is no other person
            moved = Smoothing(values, k, time=column.kind == TIME).draw(places, donors.uniforms(1))
            released = np.where(np.isnan(moved), released, moved)
    except ValueError as error:
        raise ValueError(f"{column.name}: {error}") from None
    return released


def _find_shared(values: Floats, kind: int, k: int) -> Truths | None:
    """Return the records whose name k of them have at least; missing is no name."""
    if kind != NOMINAL:
        return None
    there = ~np.isnan(values)
    numbers = np.where(there, values, 0).astype(np.int64)
    found = ~there | (np.bincount(numbers)[numbers] >= k)
    if 2 * found.sum() < len(values):
        raise ValueError(
            f"{len(values) - int(found.sum())} of {len(values)} records have a name that fewer than k = {k} have; no "
            "such name is released: recode it, or leave it out of the file"
        )
    return found


def _draw_places(column: Column, values: Floats, before: Before, k: int, donors: Donors) -> Integers:
    """Return the donors, places among the records that are fitted to."""
    method = column.method
    if method in OF_NUMBERS and column.kind == NOMINAL:
        raise ValueError(f"{method} draws numbers, and it holds names or codes: use trees, table or multinomial")
    if method in {"logistic", "multinomial"} and column.kind != NOMINAL:
        raise ValueError(f"{method} draws names and codes: name it among codes, or use trees or normal_scores")
    if method == "sample" or not before.count:
        zeros = np.zeros(before.new.shape[1], dtype=np.int64)
        return donors.draw(np.zeros(len(values), dtype=np.int64), zeros)
    if method == "trees":
        return draw_by_tree(before, values, column.kind, k, donors)
    if method == "table":
        return draw_by_table(before, values, column.kind, k, donors)
    if method == "normal_scores":
        return draw_by_scores(before, values, donors)
    if method == "predictive_mean":
        return draw_by_means(before, values, k, donors)
    return draw_by_classes(before, values, 2 if method == "logistic" else 0, donors)
