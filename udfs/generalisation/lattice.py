"""The best generalisation over a lattice of hierarchies: every key as a whole at one level of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.generalisation.search import Node, Search
from sdc_sql.udfs.generalisation.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.generalisation.search import Progress


def best_generalisation(
    codes: Sequence[NDArray[np.integer]],
    counts: NDArray[np.integer],
    hierarchies: Sequence[NDArray[np.integer]],
    k: int,
    *,
    suppressed: int = 0,
    loss: str = "generalised",
    progress: Progress | None = None,
) -> Node:
    """Return the cheapest generalisation with at most so many records in cells below k.

    Parameters
    ----------
    codes
        For each key the row of its value in the hierarchy, (n,), one for each cell.
    counts
        The records of each cell, (n,); 1 everywhere for records themselves.
    hierarchies
        For each key the number of the label of each value at each level, (values, levels), level 0 first.
    k
        The least number of records of a cell that is released.
    suppressed
        The most records that may be suppressed: those in cells below k.
    loss
        'precision', 'discernibility', 'average_class', 'entropy' or 'generalised'.
    progress
        Called with the nodes that are settled and all nodes, now and then; what it raises ends the search.

    Raises
    ------
    ValueError
        Where an argument is out of its range, or where no generalisation has so few records below k.

    Notes
    -----
    Losses are compared to twelve digits. Of equal ones the least sum of levels is taken, then the first levels in the
    order of the keys.

    References
    ----------
    Kohlmayer, Prasser, Eckert, Kemper & Kuhn (2012), Flash: efficient, stable and optimal k-anonymity, PASSAT, 708-717,
    for the lattice and its roll-up; the losses: ``losses.py``.

    Examples
    --------
    Ages 30, 31, 40, 41 by ten years and all together, and two sexes:

    >>> age = np.array([[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 1, 0]])
    >>> sex = np.array([[0, 0], [1, 0]])
    >>> codes = [np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1])]
    >>> best_generalisation(codes, np.ones(4, dtype=np.int64), [age, sex], 2)
    Node(loss=0.154700538379, height=1, levels=(1, 0), suppressed=0, cells=2)
    """
    table = Table(codes, counts, hierarchies)
    search = Search(table, k=k, suppressed=suppressed, loss=loss, progress=progress, found=None)
    search.run()
    if search.best is None:
        raise ValueError(
            f"on the highest level of every key {search.least():,} records are still in cells below k = {k} and "
            f"{suppressed:,} may be suppressed: allow more, or add levels on which more values are put together"
        )
    return search.best


def every_generalisation(
    codes: Sequence[NDArray[np.integer]],
    counts: NDArray[np.integer],
    hierarchies: Sequence[NDArray[np.integer]],
    k: int,
    *,
    loss: str = "generalised",
    progress: Progress | None = None,
) -> list[Node]:
    """Return every generalisation in the order of its levels, whatever it suppresses; arguments as of the best one.

    Examples
    --------
    >>> sex = np.array([[0, 0], [1, 0]])
    >>> nodes = every_generalisation([np.array([0, 1])], np.array([3, 1]), [sex], 2, loss="discernibility")
    >>> [(node.levels, node.loss, node.suppressed) for node in nodes]
    [((0,), 13.0, 1), ((1,), 16.0, 0)]
    """
    found: list[Node] = []
    table = Table(codes, counts, hierarchies)
    search = Search(table, k=k, suppressed=int(np.sum(counts)), loss=loss, progress=progress, found=found)
    search.run()
    return sorted(found, key=lambda node: node.levels)
