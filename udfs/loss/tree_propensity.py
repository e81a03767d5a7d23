"""The propensity score by a classification tree, and what it is by chance: the labels permuted, the tree grown again.

Snoke, Raab, Nowok, Dibben & Slavkovic (2018), JRSS A 181(3), sections 2 and 3. Records of one kind, and of one weight,
are one row with two counts; of permuted labels the released ones of each kind are a multivariate hypergeometric draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.trees.codes import NOMINAL, find_coding
from sdc_sql.udfs.trees.grow import grow_by_sums

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.trees.grow import Sums

DEPTH = 12
PERMUTED = 2018  # public: the draws protect nothing, and the figure is to be the same each time


class Kinds:
    """The kinds of records in codes, how many there are of each, and what one weighs."""

    def __init__(self, columns: Floats, categories: int, weights: Floats, counts: Integers) -> None:
        codings = [
            find_coding(np.repeat(column, counts), NOMINAL, most=int(column.max()))
            if j < categories
            else find_coding(np.repeat(column, counts), 0)
            for j, column in enumerate(columns)
        ]
        self.codes = np.array([coding.encode(column) for coding, column in zip(codings, columns, strict=True)])
        self.widths, self.nominal = [coding.codes for coding in codings], [coding.nominal for coding in codings]
        self.counts, self.weights = counts, weights
        self.mass = weights * counts

    def score(self, released: Floats | Integers, size: int) -> tuple[float, float, int]:
        """Return pMSE where so many of each kind are released, the share of these, and the leaves of the tree."""
        ours = self.weights * released

        def take(active: Integers) -> Sums:
            counts, sums, mass = self.counts[active], ours[active], self.mass[active]
            return lambda cells, number: (
                np.bincount(cells, counts, number).astype(np.int64),
                np.bincount(cells, sums, number).astype(np.float64),
                np.bincount(cells, mass, number),
            )

        tree = grow_by_sums(self.codes, self.widths, self.nominal, take, size, depth=DEPTH, even=True)
        mass = np.bincount(tree.grown_on, self.mass, tree.leaves)
        p = np.bincount(tree.grown_on, ours, tree.leaves) / mass
        share = float(ours.sum() / self.mass.sum())
        return float(mass @ (p - share) ** 2 / mass.sum()) if tree.leaves > 1 else 0.0, share, tree.leaves


def tree_propensity(  # noqa: PLR0917 - DuckDB passes arguments by place
    columns: Floats, categories: float, weights: Floats, before: Floats, after: Floats, size: float, permutations: float
) -> Floats:
    """Return the number of records and of leaves, pMSE, its mean and deviation by chance, and the released share.

    Parameters
    ----------
    columns
        Of each variable the numbers of its categories, 1 and more, or its numbers (NaN: missing), shape (p, kinds).
    categories
        How many variables have categories, the first ones.
    weights
        What a record of each kind weighs.
    before, after
        How many records of either file each kind has.
    size
        The fewest records of a leaf.
    permutations
        How often labels are permuted.
    """
    order = np.lexsort(np.vstack([columns, weights])[::-1])
    columns, weights, before, after = columns[:, order], weights[order], before[order], after[order]
    counts = (before + after).astype(np.int64)
    # a tree does not depend on the unit of weights, what it takes for rounding does
    kinds = Kinds(columns, int(categories), weights * (counts.sum() / (weights @ counts)), counts)
    pmse, share, leaves = kinds.score(after, int(size))
    generator = np.random.default_rng([PERMUTED, int(before.sum()), int(after.sum())])
    null = np.array([
        kinds.score(generator.multivariate_hypergeometric(counts, int(after.sum()), method="marginals"), int(size))[0]
        for _ in range(int(permutations))
    ])  # fmt: skip
    return np.array([counts.sum(), leaves, pmse, null.mean(), null.std(ddof=1), share])


FUNCTIONS = (
    declare_function(
        "tree_propensity", tree_propensity, NUMBERS, by_stratum=False, columns=TABLE, categories=NUMBER,
        weights=NUMBERS, before=NUMBERS, after=NUMBERS, size=NUMBER, permutations=NUMBER,
    ),
)  # fmt: skip
