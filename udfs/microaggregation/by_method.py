"""Microaggregation of a stratum by the name of its method, records with the same missing values grouped together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sdc_sql.udfs.microaggregation.centroids import aggregate
from sdc_sql.udfs.microaggregation.mdav import mdav
from sdc_sql.udfs.microaggregation.partitions import (
    individual_ranking,
    partition_by_blocks,
    projection,
    standardise_columns,
)
from sdc_sql.udfs.microaggregation.univariate import optimal_univariate
from sdc_sql.udfs.microaggregation.vmdav import vmdav

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

METHODS = ("mdav", "vmdav", "univariate", "individual_ranking", "principal_component", "sum_of_z")


def aggregate_groups(x: Floats, k: float, method: str, centroid: Literal["mean", "median"], blocks: float = 1,
                    gamma: float = 0.2) -> Floats:  # fmt: skip
    """Return the centroids of the groups in place of the values.

    Records that lack the same values form a part of their own, so that whatever is released of a record is shared by k.

    Parameters
    ----------
    x
        The values, (n, p), NaN where missing.
    k
        The least number of records in a group.
    method
        One of ``METHODS``.
    centroid
        ``"mean"`` or ``"median"``.
    blocks
        Of mdav, see `blocked`.
    gamma
        Of vmdav.

    Raises
    ------
    ValueError
        If the method is none of these, or k records of a kind are not there.

    Examples
    --------
    >>> aggregate_groups(np.array([[1.0], [2.0], [np.nan], [10.0], [20.0]]), 2, "univariate", "mean").ravel().tolist()
    [1.5, 1.5, nan, 15.0, 15.0]
    """
    size = _require_whole_number(k, "k")
    missing = np.isnan(x)
    if not missing.any():
        return aggregate(x, groups(x, size, method, blocks, gamma), centroid)
    result = x.copy()
    packed = np.packbits(missing, axis=1)
    kinds, kind_of = (
        np.unique(packed[:, 0], return_inverse=True)
        if packed.shape[1] == 1
        else np.unique(packed, axis=0, return_inverse=True)  # sorts rows, which takes its time
    )
    for number in range(len(kinds)):
        rows = np.flatnonzero(kind_of.ravel() == number)
        kind = missing[rows[0]]
        present = np.flatnonzero(~kind)
        if not present.size:
            continue
        part = x[np.ix_(rows, present)]
        if len(part) < size and kind.any():
            raise ValueError(
                f"{len(part)} records have values and NULL in the same columns, fewer than k = {size}: "
                "they would be released as they are; impute or remove the NULLs"
            )
        result[np.ix_(rows, present)] = aggregate(part, groups(part, size, method, blocks, gamma), centroid)
    return result


def groups(x: Floats, k: int, method: str, blocks: float = 1, gamma: float = 0.2) -> Integers:
    """Return the group of each record, (n,), or of each value, (n, p), for values without gaps.

    Examples
    --------
    >>> groups(np.array([[1.0], [2.0], [10.0], [20.0]]), 2, "mdav").tolist()
    [1, 1, 0, 0]
    """
    if method == "mdav":
        return partition_by_blocks(standardise_columns(x), k, _require_whole_number(blocks, "blocks"))
    if method == "vmdav":
        return vmdav(standardise_columns(x), k, gamma)
    if method == "univariate":
        if x.shape[1] != 1:
            raise ValueError(f"method 'univariate' takes one column, not {x.shape[1]}: use individual_ranking or mdav")
        return optimal_univariate(x[:, 0], k)
    if method == "individual_ranking":
        return individual_ranking(x, k)
    if method in {"principal_component", "sum_of_z"}:
        along: Any = method
        return projection(standardise_columns(x), k, along)
    raise ValueError(f"method is {method!r}: it must be one of {', '.join(METHODS)}")


def categorical_groups(codes: Integers, k: float, scale: str) -> Integers:
    """Return the group of each record by its categories.

    Ordinal: MDAV on standardised codes, or the optimal partition of one variable. Nominal: MDAV on indicators of the
    categories, whose squared distance is twice the number of variables that differ.

    Examples
    --------
    >>> categorical_groups(np.array([[1], [1], [3], [3]]), 2, "nominal").tolist()
    [0, 0, 1, 1]
    """
    size = _require_whole_number(k, "k")
    if scale == "ordinal":
        x = codes.astype(np.float64)
        return optimal_univariate(x[:, 0], size) if x.shape[1] == 1 else mdav(standardise_columns(x), size)
    indicators = [column[:, np.newaxis] == np.unique(column) for column in codes.T]
    return mdav(np.concatenate(indicators, axis=1).astype(np.float64), size)


def _require_whole_number(value: float, name: str) -> int:
    if value != int(value):
        raise ValueError(f"{name} is {value:g}: it must be a whole number")
    return int(value)
