"""The search over generalisations as DuckDB is given it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sdc_sql.udfs.adapters import TEXT, declare_function, require_given
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.generalisation.conditions import Outside, Sensitive
from sdc_sql.udfs.generalisation.lattice import best_generalisation, judge_generalisation, list_generalisations
from sdc_sql.udfs.generalisation.progress import Progress

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

_Table: TypeAlias = "tuple[list[Integers], Integers, list[Integers], int]"
_SLACK = 1e-9  # 0.29 of 100 records are 29, though 0.29 * 100 is 28.999...


def generalise(codes: Floats, counts: Floats, ladders: Floats, secret: Floats | None, outside: Floats | None,
               asked: dict[str, Any], loss: str) -> list[Floats]:  # fmt: skip
    """Return the cheapest generalisation: its loss, suppressed records and cells; its levels.

    Parameters
    ----------
    codes, counts
        The cells, the value of each key by the number of its leaf from 0, and their records.
    ladders
        A row for each key, leaf and level, all from 0, and the number of the label there.
    secret
        The number of each cell's sensitive value, from 0.
    outside
        A row for each cell outside: 0 in the population, 1 of weights; its codes; how many persons.
    asked
        k, the share of the records that may be suppressed, and the further conditions.
    """
    table, conditions = _problem(codes, counts, ladders, secret, outside, asked)
    with Progress() as progress:
        found = best_generalisation(*table, loss=loss, progress=progress, **conditions)
    return [np.array([found.loss, found.suppressed, found.cells]), np.array(found.levels, dtype=np.float64)]


def find_suppressed_cells(codes: Floats, counts: Floats, ladders: Floats, secret: Floats | None, outside: Floats | None,
                asked: dict[str, Any], levels: Floats) -> Floats:  # fmt: skip
    """Return the cells, from 1, that are suppressed at the levels of the keys."""
    table, conditions = _problem(codes, counts, ladders, secret, outside, asked)
    lost = judge_generalisation(*table, levels.astype(np.int64).tolist(), **conditions)
    return lost.astype(np.float64) + 1


def generalisations(codes: Floats, counts: Floats, ladders: Floats, secret: Floats | None, outside: Floats | None,
                    asked: dict[str, Any], loss: str | None) -> list[Floats]:  # fmt: skip
    """Return a list for every generalisation: loss, suppressed records, cells, whether it holds, and its levels.

    Without a loss: 0 in its place, and after the levels three numbers for each size of its cells: the size, how many
    there are, and whether it is that of the suppressed records.
    """
    table, conditions = _problem(codes, counts, ladders, secret, outside, asked)
    histograms: list[Integers] | None = [] if loss is None else None
    with Progress() as progress:
        found = list_generalisations(
            *table, loss=loss or "precision", progress=progress, histograms=histograms, **conditions
        )
    rows = [np.array([n.loss if loss else 0.0, n.suppressed, n.cells, n.holds, *n.levels]) for n in found]
    if histograms is not None:
        return [np.concatenate([row, sizes.ravel()]) for row, sizes in zip(rows, histograms, strict=True)]
    return rows


def _problem(codes: Floats, counts: Floats, ladders: Floats, secret: Floats | None, outside: Floats | None,
             asked: dict[str, Any]) -> tuple[_Table, dict[str, Any]]:  # fmt: skip
    """Return the cells, their hierarchies and k, and the other conditions."""
    sizes, rows = counts.astype(np.int64), ladders.astype(np.int64)
    hierarchies = []
    for key in range(codes.shape[1]):
        own = rows[rows[:, 0] == key]
        hierarchy = np.zeros((own[:, 1].max() + 1, own[:, 2].max() + 1), dtype=np.int64)
        hierarchy[own[:, 1], own[:, 2]] = own[:, 3]
        hierarchies.append(hierarchy)
    table = list(codes.astype(np.int64).T), sizes, hierarchies, int(require_given(asked["k"], "k"))
    return table, {
        "suppressed": _limit_suppression(asked["share"], sizes),
        "sensitive": _sensitive(secret, asked),
        "outside": _read_outside(outside, asked),
    }


def _sensitive(secret: Floats | None, asked: dict[str, Any]) -> Sensitive | None:
    if secret is None:
        if asked["l"] is not None or asked["t"] is not None:
            raise ValueError("l and t are asked of a sensitive variable: give its column as sensitive")
        return None
    if asked["l"] is None and asked["t"] is None:
        raise ValueError("a sensitive variable is given, and nothing is asked of it: give l, t or both")
    names = ("l", "diversity", "c", "t", "distance")
    return Sensitive(secret.astype(np.int64), **{name: asked[name] for name in names})


def _read_outside(rows: Floats | None, asked: dict[str, Any]) -> list[Outside]:
    found = []
    for kind, name in enumerate(("population_k", "threshold")):
        least, needs = asked[name], ("population", "weight")[kind]
        own = np.empty((0, 3)) if rows is None else rows[rows[:, 0] == kind]
        if (least is None) != (len(own) == 0):
            raise ValueError(f"{needs} and {name} go together: give both or neither")
        if least is None:
            continue
        if not 0 < least < np.inf:
            raise ValueError(f"{name} is {least}: it must be positive and finite")
        found.append(Outside(list(own[:, 1:-1].astype(np.int64).T), own[:, -1], float(least)))
    return found


def _limit_suppression(share: float | None, counts: Integers) -> int:
    if share is None or not 0 <= share <= 1:
        raise ValueError(f"suppression is {share}: it must be a share of the records, from 0 to 1")
    return math.floor(share * int(counts.sum()) + _SLACK)


_ASKED = (
    "STRUCT(k DOUBLE, share DOUBLE, l DOUBLE, diversity VARCHAR, c DOUBLE, t DOUBLE, distance VARCHAR, "
    "population_k DOUBLE, threshold DOUBLE)"
)
_PROBLEM = {
    "codes": TABLE, "counts": NUMBERS, "ladders": TABLE, "secret": NUMBERS, "outside": TABLE, "asked": _ASKED,
}  # fmt: skip
FUNCTIONS = (
    declare_function("generalise", generalise, TABLE, by_stratum=False, **_PROBLEM, loss=TEXT),
    declare_function("generalised", find_suppressed_cells, NUMBERS, by_stratum=False, **_PROBLEM, levels=NUMBERS),
    declare_function("generalisations", generalisations, TABLE, by_stratum=False, **_PROBLEM, loss=TEXT),
)
