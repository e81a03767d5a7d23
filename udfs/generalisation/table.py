"""The table of cells that is generalised, with a hierarchy for each key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Table:
    """Cells and hierarchies.

    Parameters
    ----------
    codes
        For each key the row of its value in the hierarchy, (n,), one for each cell.
    counts
        The records of each cell, (n,); 1 everywhere for records themselves.
    hierarchies
        For each key the number of the label of each value at each level, (values, levels), level 0 first.

    Raises
    ------
    ValueError
        Where they do not fit together.
    """

    codes: Sequence[NDArray[np.integer]]
    counts: NDArray[np.integer]
    hierarchies: Sequence[NDArray[np.integer]]

    def __post_init__(self) -> None:
        """Check that they fit together."""
        codes, counts, hierarchies = self.codes, self.counts, self.hierarchies
        if not codes or len(codes) != len(hierarchies):
            raise ValueError(f"there are {len(codes)} keys and {len(hierarchies)} hierarchies: give one for each key")
        if np.ndim(counts) != 1 or any(np.shape(code) != np.shape(counts) for code in codes):
            raise ValueError("the codes of each key must have the shape (n,) of the counts, one number for each cell")
        for code, hierarchy in zip(codes, hierarchies, strict=True):
            if np.ndim(hierarchy) != 2 or 0 in np.shape(hierarchy):  # noqa: PLR2004 - values by levels
                raise ValueError(f"a hierarchy has the shape {np.shape(hierarchy)}; expected (values, levels)")
            if np.any(code < 0) or np.any(code >= len(hierarchy)):
                raise ValueError("a code is no row of its hierarchy: rows are counted from 0")
        if np.any(np.asarray(counts) < 1):
            raise ValueError("the count of a cell is below 1: leave out cells of no record")
