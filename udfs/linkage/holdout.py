"""Whether released records are nearer to the records they were made from than to as many others: the holdout.

The original and the holdout are told apart by a label that a release made without either could not know. So, given the
records of both together, every choice of as many units (records, or households) is as likely to be the original, and
the share of released records that fall to it has a mean and a variance in closed form, those of a sample without
replacement.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.linkage.nearest import find_nearest, find_nearest_within
from sdc_sql.udfs.linkage.records import Records, Variables, group_records
from sdc_sql.udfs.linkage.scales import SCALINGS

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

TRAINING, HELD, RELEASED = 0, 1, 2
TAIL = 0.05


@dataclass(frozen=True)
class Files:
    """The records of three files as Records, and what each column counts in a distance."""

    every: Records
    file: Integers
    variables: Variables

    def select(self, *files: int) -> Records:
        """Return the records of some of the files."""
        return self.every.select(np.flatnonzero(np.isin(self.file, files)))


def scale_files(  # noqa: PLR0917 - as the kernel is given them
    columns: Floats, categories: int, ordinal: int, file: Floats, weights: Floats, scaling: str | None
) -> Files:
    """Return the files; a difference of numbers is divided by the spread of original and holdout together."""
    if scaling not in SCALINGS:
        raise ValueError(f"scaling is {scaling!r}: it must be one of {', '.join(SCALINGS)}")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise ValueError("weights must be numbers of at least 0, one of them above 0: give one, or one for each column")
    then = categories + ordinal
    every = Records(columns[categories:].T, columns[:categories].T.astype(np.int64), np.ones(len(file), dtype=np.int64))
    known = every.select(np.flatnonzero(file != RELEASED))
    scales = [float(values.max()) - 1 for values in columns[categories:then]]
    scales += [SCALINGS[scaling](values, known.counts) for values in known.numbers.T[ordinal:]]
    factors = np.sqrt(weights[categories:]) / np.array([s if s > 0 else 1.0 for s in scales])
    return Files(every, file.astype(np.int64), Variables(factors, weights[:categories]))


def find_tail(values: Floats, counts: Integers) -> float:
    """Return the largest of the twentieth of the records with the smallest values."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(counts[order])
    return float(values[order][np.searchsorted(reached, max(1.0, np.floor(TAIL * reached[-1])))])


def share_of_units(nearest: Floats, training: Truths) -> tuple[float, float]:
    """Return the share that falls to the units of the original, and its standard error where labels are drawn."""
    total, units, mine = fsum(nearest), len(training), int(training.sum())
    if total == 0 or mine in (0, units):
        return np.nan, np.nan
    spread = fsum(np.square(nearest - total / units)) / (units - 1)
    return fsum(nearest[training]) / total, float(np.sqrt(mine * (units - mine) / units * spread)) / total


def holdout_distance(  # noqa: PLR0917 - as DuckDB gives them
    columns: Floats,
    categories: float,
    ordinal: float,
    file: Floats,
    unit: Floats,
    weights: Floats,
    scaling: str | None,
) -> list[Floats]:
    """Return the figures of all released records, of the closest twentieth, and of those next to isolated records.

    Parameters
    ----------
    columns
        Of each variable the numbers of its categories, the ranks of its categories from 1, or its numbers, in this
        order; shape (variables, records).
    categories, ordinal
        How many variables have categories, the first ones, and how many have ranks, the next ones.
    file
        0: a record of the original, 1: of the holdout, 2: a released one.
    unit
        The number of the household or record, from 1 within original and holdout together; of a released record 0.
    weights
        Of each variable, at least 0.
    scaling
        What the difference of two numbers is divided by: the standard deviation or range of original and holdout
        together, or nothing.

    Returns
    -------
    list
        For each of the three groups its records, those closer to the original, those as close to both, the copies of
        the original and of the holdout, the share, the share expected, and the standard error of the share.
    """
    files = scale_files(columns, int(categories), int(ordinal), file, weights, scaling)
    variables = files.variables
    labels = files.file[files.file != RELEASED] == TRAINING
    released, _ = group_records(files.select(RELEASED))
    known, of = group_records(files.select(TRAINING, HELD))
    mine = np.bincount(of[labels], minlength=len(known))
    if (2 * mine == known.counts).all():
        raise ValueError(
            "the holdout holds the very records of the original, and everything would seem to be as close to either: "
            "give records from which nothing was made, as sdc_holdout draws them"
        )
    near = find_nearest(released, known, variables)
    first, second = (find_nearest(released, files.select(f), variables).first for f in (TRAINING, HELD))
    alone = find_nearest_within(known, variables).first
    far = max(-find_tail(-alone, known.counts), np.nextafter(0.0, 1.0)) if len(known) > 1 else np.inf
    groups = (
        np.ones(len(released), dtype=bool),
        near.first <= find_tail(near.first, released.counts),
        (alone[near.place] >= far) & (near.first <= alone[near.place] / 2),
    )
    owner = unit[files.file != RELEASED].astype(np.int64) - 1
    of_training = np.zeros(int(owner.max()) + 1, dtype=bool)
    of_training[owner[labels]] = True
    found = []
    for group in groups:
        n = released.counts * group
        # what falls to records that are equal is shared by them
        falling = (np.bincount(near.place, weights=n, minlength=len(known)) / known.counts)[of]
        order = np.lexsort((falling, owner))  # so that sums do not hang on the order of the records
        share, error = share_of_units(np.bincount(owner[order], weights=falling[order]).astype(np.float64), of_training)
        found.append([
            n.sum(), n[first < second].sum(), n[first == second].sum(), n[first == 0].sum(), n[second == 0].sum(),
            share, of_training.mean(), error,
        ])  # fmt: skip
    return [*np.array(found, dtype=float)]


FUNCTIONS = (
    declare_function(
        "holdout_distance", holdout_distance, TABLE, by_stratum=False, columns=TABLE, categories=NUMBER,
        ordinal=NUMBER, file=NUMBERS, unit=NUMBERS, weights=NUMBERS, scaling=TEXT,
    ),
)  # fmt: skip
