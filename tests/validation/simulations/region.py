"""What a simulation says of one measure under one kind of population and sample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

LOW, HIGH = 0.8, 1.25  # between these, of the truth on average, an estimate is called sound


@dataclass(frozen=True)
class Region:
    """A measure beside the truth, over repetitions.

    ratio: the sum of the estimates by the sum of the truths; lower, upper: the 5th and the 95th percentile of single
    ratios; uniques: the mean share of the sample that is unique on the keys; coverage: the share of the bounds or
    intervals that hold the truth, nominal what they promise.
    """

    function: str
    figure: str
    population: str
    sample: str
    repetitions: int
    truth: float
    ratio: float
    lower: float
    upper: float
    uniques: float | None = None
    coverage: float | None = None
    nominal: float | None = None

    @property
    def verdict(self) -> str:
        """What a user is told: sound, too low, too high, or that bounds do not cover."""
        if self.ratio < LOW:
            return "too low: do not use"
        if self.coverage is not None and self.nominal is not None:
            chance = 3 * math.sqrt(self.nominal * (1 - self.nominal) / self.repetitions)
            if self.coverage < self.nominal - chance:
                return "bounds too narrow: do not use them"
        return "too high" if self.ratio > HIGH else "sound"


class Told(NamedTuple):
    """What a region is of: the function and its figure, the population and the sample."""

    function: str
    figure: str
    population: str
    sample: str


def sum_up(
    told: Told,
    pairs: Sequence[tuple[float, float]],
    *,
    uniques: Sequence[float] = (),
    covered: Sequence[bool] = (),
    nominal: float | None = None,
) -> Region:
    """Return the region of pairs of (estimate, truth), one a repetition; a truth of 0 has no ratio."""
    estimates, truths = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    single = estimates[truths > 0] / truths[truths > 0]
    if not len(single):
        msg = f"{told.function}, {told.population}: no repetition has anything to estimate"
        raise ValueError(msg)
    lower, upper = np.percentile(single, [5, 95])
    return Region(
        *told,
        repetitions=len(pairs),
        truth=float(truths.mean()),
        ratio=float(estimates.sum() / truths.sum()),
        lower=float(lower),
        upper=float(upper),
        uniques=float(np.mean(uniques)) if len(uniques) else None,
        coverage=float(np.mean(covered)) if len(covered) else None,
        nominal=nominal,
    )
