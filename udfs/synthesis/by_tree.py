"""The leaves of a tree on the columns before, in which donors are drawn (Reiter 2005)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.synthesis.donors import Groups
from sdc_sql.udfs.trees.codes import NOMINAL, Codes, find_coding
from sdc_sql.udfs.trees.grow import grow_tree

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths
    from sdc_sql.udfs.synthesis.columns import Before, Drawn
    from sdc_sql.udfs.synthesis.donors import Uniforms
    from sdc_sql.udfs.synthesis.model import Find

CLASSES = 8  # that a tree tells apart: the most frequent ones, and the others together


def fit_tree(before: Before, values: Floats, kind: int, leaf: int, gain: float, may: Truths | None) -> Find:  # noqa: PLR0917 - what a leaf is
    """Return what finds donors in the leaf of each record that is drawn."""
    coding, count = find_coding(values, kind), before.count
    classes, scores = explain(coding.encode(values), coding.codes, nominal=kind == NOMINAL)
    tree = grow_tree(before.codes[:count], before.widths, before.nominal, classes, scores, leaf, gain=gain)
    leaves, tree.grown_on = Groups(tree.grown_on, may), np.empty(0, dtype=np.int64)

    def find(drawn: Drawn, uniforms: Uniforms) -> Integers:
        return leaves.draw(tree.find_leaves(drawn.codes[:count]), uniforms.draw(0))

    return find


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
