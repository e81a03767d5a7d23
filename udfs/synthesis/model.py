"""A column's model, fitted once: what finds donors by the column's method, and what is released of their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.synthesis.by_regression import fit_class, fit_means, fit_scores
from sdc_sql.udfs.synthesis.by_table import fit_table
from sdc_sql.udfs.synthesis.by_tree import fit_tree
from sdc_sql.udfs.synthesis.columns import TIME, Before, Drawn
from sdc_sql.udfs.synthesis.donors import Groups, Uniforms
from sdc_sql.udfs.synthesis.smoothing import Smoothing
from sdc_sql.udfs.trees.codes import NOMINAL

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

METHODS = ("trees", "sample", "table", "logistic", "multinomial", "normal_scores", "predictive_mean")
OF_NUMBERS = ("normal_scores", "predictive_mean")
Find = Callable[[Drawn, Uniforms], "Integers"]  # donors, places among the records that are fitted to


@dataclass(frozen=True)
class Column:
    """A column: its name, its values (names are numbers from 1), its kind, and how it is drawn."""

    name: str
    values: Floats
    kind: int  # 0: a number, 1: a time, 2: a name
    method: str = "trees"


@dataclass(frozen=True)
class Fineness:
    """How finely models are fitted.

    Parameters
    ----------
    k
        The fewest records that have a value which is released as it is.
    leaf
        The fewest records of a leaf or cell.
    gain
        A tree is cut where that explains so many times what a cut by chance does.
    candidates
        So many are drawn for each record, of which one is chosen.
    """

    k: int
    leaf: int
    gain: float = 0.0
    candidates: int = 1


@dataclass(frozen=True)
class Model:
    """A column that can be drawn."""

    name: str
    values: Floats  # of the records that are fitted to
    again: Integers | None  # the places among them of a bootstrap sample
    find: Find
    smoothing: Smoothing | None

    def draw(self, drawn: Drawn, uniforms: Uniforms) -> Floats:
        """Return what is released of the column, given those that are drawn before it."""
        try:
            places = self.find(drawn, uniforms)
            places = places if self.again is None else self.again[places]
            released = self.values[places]
            if self.smoothing is not None:
                moved = self.smoothing.draw(places, uniforms.draw(1))
                released = np.where(np.isnan(moved), released, moved)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None
        return released


def fit_column(column: Column, values: Floats, again: Integers | None, before: Before, fineness: Fineness) -> Model:
    """Return the model of a column.

    Parameters
    ----------
    column
        Its name, kind and method.
    values
        Those of the records that are fitted to.
    again
        The places among these of a bootstrap sample, of which `before` holds the columns; None: all, once.
    before, fineness
        The columns before, and how finely it is fitted.
    """
    try:
        shared = _find_shared(values, column.kind, fineness.k)
        boot = values if again is None else values[again]
        may = shared if again is None or shared is None else shared[again]
        find = _fit(column, boot, before, fineness, may)
        # by all records, each once: a record that is drawn again is no other person
        moved = None if column.kind == NOMINAL else Smoothing(values, fineness.k, time=column.kind == TIME)
    except ValueError as error:
        raise ValueError(f"{column.name}: {error}") from None
    return Model(column.name, values, again, find, moved)


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


def _fit(column: Column, values: Floats, before: Before, fineness: Fineness, may: Truths | None) -> Find:
    """Return what finds donors, by the column's method."""
    method = column.method
    if method in OF_NUMBERS and column.kind == NOMINAL:
        raise ValueError(f"{method} draws numbers, and it holds names or codes: use trees, table or multinomial")
    if method in {"logistic", "multinomial"} and column.kind != NOMINAL:
        raise ValueError(f"{method} draws names and codes: name it among codes, or use trees or normal_scores")
    if method == "sample" or not before.count:
        everybody = Groups(np.zeros(len(values), dtype=np.int64), may)
        return lambda drawn, uniforms: everybody.draw(np.zeros(len(drawn), dtype=np.int64), uniforms.draw(0))
    if method == "trees":
        return fit_tree(before, values, column.kind, fineness.leaf, fineness.gain, may)
    if method == "table":
        return fit_table(before, values, column.kind, fineness.leaf, may)
    if method == "normal_scores":
        return fit_scores(before, values)
    if method == "predictive_mean":
        return fit_means(before, values, fineness.k)
    return fit_class(before, values, 2 if method == "logistic" else 0, may)
