"""Whether it shows who was in the file that a release was made from: by the distance to the closest released record.

Of a release made without the labels of original and holdout, every choice of as many units among both is as likely to
be the original, so that the rank sum of the original has a mean and a variance in closed form (Wilcoxon's, for units).
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.linkage.holdout import HELD, RELEASED, TRAINING, scale_files
from sdc_sql.udfs.linkage.nearest import find_nearest, find_nearest_within
from sdc_sql.udfs.linkage.records import group_records

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

OF_NONE = (np.nan,) * 3


def rank_midway(values: Floats) -> Floats:
    """Return the ranks of values from 1, those of equal ones their mean."""
    _, of, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[of]


def attack_members(score: Floats, member: Truths, unit: Integers) -> tuple[float, ...]:
    """Return the area under the curve, its error where labels are drawn by unit, and the greatest advantage.

    ``score`` is low for records that are taken for members.
    """
    n, mine = len(score), int(member.sum())
    if mine in (0, n):
        return OF_NONE
    centred = (n + 1) / 2 - rank_midway(score)
    order = np.lexsort((centred, unit))
    numbers, start = np.unique(unit[order], return_index=True)
    sums = np.add.reduceat(centred[order], start)
    of_members = member[order][start]
    units, chosen = len(numbers), int(of_members.sum())
    area = 0.5 + fsum(sums[of_members]) / (mine * (n - mine))
    error = np.sqrt(chosen * (units - chosen) / units * fsum(np.square(sums)) / (units - 1)) / (mine * (n - mine))
    _, of = np.unique(score, return_inverse=True)
    found = np.cumsum(np.bincount(of, member)) / mine - np.cumsum(np.bincount(of, ~member)) / (n - mine)
    return area, float(error), float(max(found.max(), 0.0))


def membership(  # noqa: PLR0917 - as DuckDB gives them
    columns: Floats,
    categories: float,
    ordinal: float,
    file: Floats,
    unit: Floats,
    weights: Floats,
    scaling: str | None,
    isolated: float,
) -> list[Floats]:
    """Return members, controls, area, error and advantage, of all records and of the most isolated ones.

    Arguments are those of the distance to a holdout; the unit of a released record is the number of its copy, and
    ``isolated`` is how many records are isolated. By the nearest record of any copy first, then by the mean over the
    copies of the distance to the nearest one.
    """
    files = scale_files(columns, int(categories), int(ordinal), file, weights, scaling)
    variables = files.variables
    every = files.file != RELEASED
    member, owner = (files.file[every] == TRAINING), unit[every].astype(np.int64)
    known, of = group_records(files.select(TRAINING, HELD))
    mine = np.bincount(of[member], minlength=len(known))
    if (2 * mine == known.counts).all():
        raise ValueError(
            "the holdout holds the very records of the original, and no one could be told from the others: give "
            "records from which nothing was made, as sdc_holdout draws them"
        )
    copies = [np.flatnonzero(~every & (unit == number)) for number in np.unique(unit[~every])]
    distances = [find_nearest(known, group_records(files.every.select(rows))[0], variables).first for rows in copies]
    total = np.array([fsum(d) for d in zip(*distances, strict=True)])
    alone = find_nearest_within(known, variables).first[of]
    at = max(len(alone) - int(isolated), 0)
    far = alone >= np.partition(alone, at)[at] if at < len(alone) else np.ones(len(alone), dtype=bool)
    found = []
    for score in (np.min(distances, axis=0)[of], total[of]):
        for some in (np.ones(len(score), dtype=bool), far):
            attacked = attack_members(score[some], member[some], owner[some])
            found.append([member[some].sum(), (~member[some]).sum(), *attacked])
    return [*np.array(found, dtype=float)]


FUNCTIONS = (
    declare_function(
        "membership", membership, TABLE, by_stratum=False, columns=TABLE, categories=NUMBER, ordinal=NUMBER,
        file=NUMBERS, unit=NUMBERS, weights=NUMBERS, scaling=TEXT, isolated=NUMBER,
    ),
)  # fmt: skip
