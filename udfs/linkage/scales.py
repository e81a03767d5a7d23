"""What the differences of numbers are divided by, or turned by, before they make a distance."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats, Integers

MAHALANOBIS = "mahalanobis"
LEAST = 1e-9  # eigenvalue of the correlations, that of all is 1 on average


def deviation(values: Floats, counts: Integers) -> float:
    """Return the standard deviation, with the divisor n - 1; the sums are exact, in whatever order records come."""
    records = int(counts.sum())
    off = values - fsum(values * counts) / records
    unit = 2.0 ** np.frexp(np.abs(off).max(initial=0))[1]  # the squares of tiny differences would be 0
    return float(unit * np.sqrt(fsum(np.square(off / unit) * counts) / max(records - 1, 1)))


SCALINGS: dict[str, Callable[[Floats, Integers], float]] = {
    "standardised": deviation,
    "range": lambda values, _: float(np.ptp(values)),
    "none": lambda _, __: 1.0,
}


def scale_variables(
    ranks: Floats, numbers: Floats, candidates: Integers, weights: Floats, scaling: str | None
) -> tuple[Floats, Floats]:
    """Return ranks and numbers, shape (rows, variables), and what their differences are divided by.

    ``weights`` are those of the numbers. NaN is what is missing.
    """
    if scaling not in SCALINGS and scaling != MAHALANOBIS:
        raise ValueError(f"scaling is {scaling!r}: it must be one of {', '.join([*SCALINGS, MAHALANOBIS])}")
    spans = [float(np.nanmax(values, initial=1)) - 1 for values in ranks]
    if scaling != MAHALANOBIS:
        known = (values[~np.isnan(values)] for values in numbers[:, candidates])
        spans += [SCALINGS[scaling](values, _count_each_once(values)) if len(values) else 0.0 for values in known]
    else:
        if len({*weights}) > 1:
            raise ValueError("weights of numbers differ, which count together with mahalanobis: give these one weight")
        numbers = _whiten_numbers(numbers, candidates)
        spans += [1.0] * len(numbers)
    # a variable that is constant in the other file is compared as it is
    return np.vstack([ranks, numbers]).T, np.array([span if span > 0 else 1.0 for span in spans])


def _whiten_numbers(numbers: Floats, candidates: Integers) -> Floats:
    """Return numbers whose squared distance is the Mahalanobis distance, by the covariances of the candidates."""
    if not np.isfinite(numbers).all():
        raise ValueError(
            "a number is missing (NULL), and mahalanobis compares all numbers of a record at once: leave these records "
            "or the column out, or take another scaling"
        )
    if not len(numbers):
        return numbers
    centred = numbers - np.array([[fsum(values) / len(values)] for values in numbers[:, candidates]])
    some = centred[:, candidates]
    sizes = np.abs(some).max(axis=1, keepdims=True)
    units = some / np.maximum(sizes, 1e-300)
    products = np.array([[fsum(a * b) for b in units] for a in units])
    spread = np.sqrt(np.diag(products))
    correlations = products / np.outer(spread, spread) if (spread > 0).all() else np.zeros_like(products)
    if np.linalg.eigvalsh(correlations)[0] < LEAST:
        raise ValueError(
            "the numbers have no Mahalanobis distance: one is constant in the other file, or follows from the rest; "
            "leave it out, or take another scaling"
        )
    turned = np.linalg.inv(np.linalg.cholesky(correlations))
    units = centred / (sizes * spread[:, None] / np.sqrt(max(len(candidates) - 1, 1)))
    # summed in this order for each record, so that equal records stay equal
    return np.array([sum((row[j] * units[j] for j in range(len(units))), np.zeros(units.shape[1])) for row in turned])


def compute_deviation(values: Floats) -> float:
    """Return the standard deviation of values, each of one record; 0 of none."""
    return deviation(values, _count_each_once(values)) if len(values) else 0.0


def _count_each_once(values: Floats) -> Integers:
    return np.ones(len(values), dtype=np.int64)
