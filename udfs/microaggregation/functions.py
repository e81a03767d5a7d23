"""Microaggregation as DuckDB is given it: a stratum at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function, keep_missing, require_given
from sdc_sql.udfs.arrow_function import TABLE
from sdc_sql.udfs.microaggregation.by_method import aggregate_groups, categorical_groups
from sdc_sql.udfs.microaggregation.centroids import aggregate_categorical

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

Centroid: TypeAlias = Literal["mean", "median"]
Scale: TypeAlias = Literal["ordinal", "nominal"]


def microaggregate(_stratum: str | None, x: Floats, k: float, method: str, centroid: Centroid, blocks: float,
                   gamma: float) -> Floats:  # fmt: skip
    """Replace the values of groups by their centroids."""
    return keep_missing(
        aggregate_groups(x, require_given(k, "k"), method, centroid, require_given(blocks, "blocks"), gamma), x
    ).T


def microaggregate_categorical(_stratum: str | None, codes: list[list[int]], labels: list[list[str | None]], k: float,
                               scale: Scale) -> list[list[str | None]]:  # fmt: skip
    """Replace the categories of groups by their median or most frequent one."""
    numbers = np.array(codes, dtype=np.int64)
    groups = categorical_groups(numbers, require_given(k, "k"), scale)
    chosen = aggregate_categorical(numbers, groups, scale)
    answer = []
    for j in range(numbers.shape[1]):
        first = dict(zip(numbers[::-1, j].tolist(), range(len(numbers) - 1, -1, -1), strict=True))
        answer.append([labels[first[code]][j] for code in chosen[:, j].tolist()])
    return answer


FUNCTIONS = (
    declare_function(
        "microaggregate",
        microaggregate,
        TABLE,
        x=TABLE,
        k=NUMBER,
        method=TEXT,
        centroid=TEXT,
        blocks=NUMBER,
        gamma=NUMBER,
    ),
    declare_function(
        "microaggregate_categorical",
        microaggregate_categorical,
        "VARCHAR[][]",
        codes="BIGINT[][]",
        labels="VARCHAR[][]",
        k=NUMBER,
        scale=TEXT,
    ),
)
