"""The best generalisation over a lattice of hierarchies: every key as a whole at one level of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.generalisation.search import Node, Search
from sdc_sql.udfs.generalisation.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Integers
    from sdc_sql.udfs.generalisation.conditions import Outside, Sensitive
    from sdc_sql.udfs.generalisation.search import Progress


def best_generalisation(
    codes: Sequence[NDArray[np.integer]],
    counts: NDArray[np.integer],
    hierarchies: Sequence[NDArray[np.integer]],
    k: int,
    *,
    suppressed: int = 0,
    loss: str = "generalised_loss",
    progress: Progress | None = None,
    sensitive: Sensitive | None = None,
    outside: Sequence[Outside] = (),
) -> Node:
    """Return the cheapest generalisation with at most so many records in cells below k, and none or at least k.

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
        'precision', 'discernibility', 'average_class_size', 'entropy' or 'generalised_loss'.
    progress
        Called with the nodes that are settled and all nodes, now and then; what it raises ends the search.
    sensitive, outside
        What else is asked of each cell that is released, and of the suppressed records together (the first).

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
    Node(loss=0.154700538379, height=1, levels=(1, 0), suppressed=0, cells=2, holds=True)
    """
    table = Table(codes, counts, hierarchies)
    search = Search(
        table,
        k=k,
        suppressed=suppressed,
        loss=loss,
        progress=progress,
        found=None,
        sensitive=sensitive,
        outside=outside,
    )
    search.run()
    if search.best is None:
        top = [np.shape(hierarchy)[1] - 1 for hierarchy in hierarchies]
        still, otherwise = (
            search.find_node(top)[0].suppressed,
            " or otherwise than is asked" if sensitive or outside else "",
        )
        raise ValueError(
            f"on the highest level of every key {still:,} records are still in cells below k = {k}{otherwise} and "
            f"{suppressed:,} may be suppressed, none or at least k: allow more, or add levels on which more values are "
            "put together"
        )
    return search.best


def list_generalisations(
    codes: Sequence[NDArray[np.integer]],
    counts: NDArray[np.integer],
    hierarchies: Sequence[NDArray[np.integer]],
    k: int,
    *,
    suppressed: int = 0,
    loss: str = "generalised_loss",
    progress: Progress | None = None,
    sensitive: Sensitive | None = None,
    outside: Sequence[Outside] = (),
    histograms: list[Integers] | None = None,
) -> list[Node]:
    """Return every generalisation in the order of its levels, also where it does not hold; arguments as of the best.

    Parameters
    ----------
    histograms
        A list to which is added for each generalisation how many cells of which size it releases: a row for each size,
        with the number of such cells and 0; one with 1 for the suppressed records, where there are any.

    Examples
    --------
    >>> sex = np.array([[0, 0], [1, 0]])
    >>> nodes = list_generalisations([np.array([0, 1])], np.array([3, 1]), [sex], 2, loss="discernibility")
    >>> [(node.levels, node.loss, node.suppressed, node.holds) for node in nodes]
    [((0,), 13.0, 1, False), ((1,), 16.0, 0, True)]
    """
    found: list[Node] = []
    table = Table(codes, counts, hierarchies)
    search = Search(
        table,
        k=k,
        suppressed=suppressed,
        loss=loss,
        progress=progress,
        found=found,
        sensitive=sensitive,
        outside=outside,
    )
    search.sizes = None if histograms is None else []
    search.run()
    order = sorted(range(len(found)), key=lambda place: found[place].levels)
    if histograms is not None and search.sizes is not None:
        histograms += [search.sizes[place] for place in order]
    return [found[place] for place in order]


def judge_generalisation(
    codes: Sequence[NDArray[np.integer]],
    counts: NDArray[np.integer],
    hierarchies: Sequence[NDArray[np.integer]],
    k: int,
    levels: Sequence[int],
    *,
    suppressed: int = 0,
    sensitive: Sensitive | None = None,
    outside: Sequence[Outside] = (),
) -> Integers:
    """Return which cells are suppressed at given levels, by their places; arguments as of the best generalisation.

    Raises
    ------
    ValueError
        Where these are more than may be suppressed, or some but fewer than k.

    Examples
    --------
    >>> sex = np.array([[0, 0], [1, 0]])
    >>> judge_generalisation([np.array([0, 1])], np.array([3, 2]), [sex], 3, [0], suppressed=2)
    Traceback (most recent call last):
        ...
    ValueError: at these levels 2 records are to be suppressed, and 2 may be, none or at least k = 3: raise a level
    >>> judge_generalisation([np.array([0, 1])], np.array([4, 3]), [sex], 4, [1]).tolist()
    []
    """
    table = Table(codes, counts, hierarchies)
    search = Search(
        table,
        k=k,
        suppressed=suppressed,
        loss="precision",
        progress=None,
        found=None,
        sensitive=sensitive,
        outside=outside,
    )
    node, words = search.find_node(levels)
    if not node.holds:
        raise ValueError(
            f"at these levels {node.suppressed:,} records are to be suppressed, and {suppressed:,} may be, none or at "
            f"least k = {k}: raise a level"
        )
    return np.flatnonzero(words)
