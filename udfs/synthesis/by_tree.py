"""The leaves of a tree on the columns before, in which donors are drawn (Reiter 2005)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.trees.codes import NOMINAL, Codes, find_coding
from sdc_sql.udfs.trees.grow import grow_tree

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.synthesis.columns import Before
    from sdc_sql.udfs.synthesis.donors import Donors

CLASSES = 8  # that a tree tells apart: the most frequent ones, and the others together


def draw_by_tree(before: Before, values: Floats, kind: int, k: int, donors: Donors) -> Integers:
    """Return donors of the leaf of each record that is drawn."""
    coding = find_coding(values, kind)
    classes, scores = explain(coding.encode(values), coding.codes, nominal=kind == NOMINAL)
    old, new = before.old[: before.count], before.new[: before.count]
    tree = grow_tree(old, before.widths, before.nominal, classes, scores, k)
    return donors.draw(tree.grown_on, tree.find_leaves(new))


def explain(codes: Codes, width: int, *, nominal: bool) -> tuple[Integers, Floats]:
    """Return the class of each record and the scores of classes: codes are numbers, or names with indicators."""
    if not nominal:
        return codes.astype(np.int64), np.arange(float(width))[:, np.newaxis]
    most = np.argsort(-np.bincount(codes, minlength=width), kind="stable")[: CLASSES - 1]
    number = np.full(width, len(most))
    number[most] = np.arange(len(most))
    indicators = np.eye(len(most) + 1)
    found = number[codes]
    return found, indicators[:, 1:2] if found.max(initial=0) <= 1 else indicators  # two classes have one indicator
