"""The search over generalisations as DuckDB is given it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, declared, given
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.generalisation.lattice import best_generalisation, every_generalisation, generalisation_at
from sdc_sql.udfs.generalisation.progress import Progress

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

_SLACK = 1e-9  # 0.29 of 100 records are 29, though 0.29 * 100 is 28.999...


def generalise(codes: Floats, counts: Floats, ladders: Floats, k: float, share: float, loss: str) -> list[Floats]:
    """Return the cheapest generalisation: its loss, suppressed records and cells; its levels.

    Parameters
    ----------
    codes, counts
        The cells, the value of each key by the number of its leaf from 0, and their records.
    ladders
        A row for each key, leaf and level, all from 0, and the number of the label there.
    share
        Of the records, those that may be suppressed.
    """
    numbers, sizes, hierarchies = _problem(codes, counts, ladders)
    with Progress() as progress:
        found = best_generalisation(
            numbers,
            sizes,
            hierarchies,
            int(given(k, "k")),
            suppressed=_most(share, sizes),
            loss=loss,
            progress=progress,
        )
    return [np.array([found.loss, found.suppressed, found.cells]), np.array(found.levels, dtype=np.float64)]


def generalised(codes: Floats, counts: Floats, ladders: Floats, k: float, share: float, levels: Floats) -> Floats:
    """Return the cells, from 1, that are suppressed at the levels of the keys."""
    numbers, sizes, hierarchies = _problem(codes, counts, ladders)
    at = levels.astype(np.int64).tolist()
    lost = generalisation_at(numbers, sizes, hierarchies, int(given(k, "k")), at, suppressed=_most(share, sizes))
    return lost.astype(np.float64) + 1


def generalisations(codes: Floats, counts: Floats, ladders: Floats, k: float, share: float,
                    loss: str | None) -> list[Floats]:  # fmt: skip
    """Return a list for every generalisation: loss, suppressed records, cells, whether it holds, and its levels.

    Without a loss: 0 in its place, and after the levels three numbers for each size of its cells: the size, how many
    there are, and whether it is that of the suppressed records.
    """
    numbers, sizes, hierarchies = _problem(codes, counts, ladders)
    histograms: list[Integers] = []
    with Progress() as progress:
        found = every_generalisation(
            numbers, sizes, hierarchies, int(given(k, "k")), suppressed=_most(share, sizes),
            loss=loss or "precision", progress=progress, histograms=histograms if loss is None else None,
        )  # fmt: skip
    rows = [np.array([n.loss if loss else 0.0, n.suppressed, n.cells, n.holds, *n.levels]) for n in found]
    if loss is None:
        return [np.concatenate([row, sizes.ravel()]) for row, sizes in zip(rows, histograms, strict=True)]
    return rows


def _problem(codes: Floats, counts: Floats, ladders: Floats) -> tuple[list[Integers], Integers, list[Integers]]:
    rows = ladders.astype(np.int64)
    hierarchies = []
    for key in range(codes.shape[1]):
        own = rows[rows[:, 0] == key]
        hierarchy = np.zeros((own[:, 1].max() + 1, own[:, 2].max() + 1), dtype=np.int64)
        hierarchy[own[:, 1], own[:, 2]] = own[:, 3]
        hierarchies.append(hierarchy)
    return list(codes.astype(np.int64).T), counts.astype(np.int64), hierarchies


def _most(share: float, counts: Integers) -> int:
    if not 0 <= given(share, "suppression") <= 1:
        raise ValueError(f"suppression is {share}: it must be a share of the records, from 0 to 1")
    return math.floor(share * int(counts.sum()) + _SLACK)


_PROBLEM = {"codes": TABLE, "counts": NUMBERS, "ladders": TABLE, "k": NUMBER, "share": NUMBER}
FUNCTIONS = (
    declared("generalise", generalise, TABLE, by_stratum=False, **_PROBLEM, loss=TEXT),
    declared("generalised", generalised, NUMBERS, by_stratum=False, **_PROBLEM, levels=NUMBERS),
    declared("generalisations", generalisations, TABLE, by_stratum=False, **_PROBLEM, loss=TEXT),
)
