r"""Data shuffling: values drawn by the relations of ranks, and replaced by the original ones of their rank.

Of the confidential columns x and those given, s, the normal scores :math:`x^*`, :math:`s^*` are taken; drawn is
:math:`y^* = s^* B + e`, with B by least squares and the covariances of e those of the residuals; the r-th smallest
:math:`y^*` takes the r-th smallest x (Muralidhar & Sarathy 2006, Management Science 52, 658-670).

A record's own x enters its :math:`y^*` by B alone, with the weight of its leverage; that has a bound here.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.adapters import TEXT, declare_function
from sdc_sql.udfs.arguments import Floats, Integers, Truths, require_columns, require_normals
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE, WHOLE_TABLE, WHOLES
from sdc_sql.udfs.noise.root import noise_root
from sdc_sql.udfs.regression import EXPLAINED, LEVERAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 65_536  # rows of the design at a time
MANY = 1_000  # indicators and scores
COLLINEAR = 1e-9  # an eigenvalue below it, of products whose diagonal is 1, is none


@dataclass(frozen=True)
class Relations:
    """What is drawn from: the predictions of all records, (n, p), the root of the residual covariances, (p, p).

    And the share of each column's variance that the given columns explain, (p,).
    """

    predictions: Floats
    root: Floats
    explained: Floats


def compute_normal_scores(values: npt.ArrayLike) -> Floats:
    """Return the normal quantile of (r - 1/2) / n for each value, r its mid-rank; NaN where it is missing.

    Examples
    --------
    >>> compute_normal_scores([7.0, 3.0, 3.0]).round(4).tolist()
    [0.9674, -0.4307, -0.4307]
    """
    column = np.asarray(values, dtype=np.float64)
    found = np.full(column.size, np.nan)
    there = ~np.isnan(column)
    if there.any():
        _, code, times = np.unique(column[there], return_inverse=True, return_counts=True)
        middle = np.cumsum(times) - times / 2
        quantile = NormalDist().inv_cdf
        found[there] = np.array([quantile(p) for p in (middle / times.sum()).tolist()])[code]
    return found


def relations(x: npt.ArrayLike, given: Integers, nominal: Integers, names: list[str]) -> Relations:
    """Return what the confidential columns are drawn from.

    Parameters
    ----------
    x
        The confidential columns, (n, p); NaN where missing. Relations are those of the records with all of them.
    given
        Those given, (n, m): ranks, or codes of nominal ones.
    nominal
        Of each given column 1 where it is nominal, (m,).
    names
        Of the confidential columns, for messages.

    Raises
    ------
    ValueError
        Where there are too few records for the given columns, or a column is a function of them.
    """
    matrix = require_columns(x)
    scores = np.column_stack([compute_normal_scores(column) for column in matrix.T])
    whole = np.asarray(~np.isnan(scores).any(axis=1))
    design = _Design(given, nominal)
    n, p = int(whole.sum()), scores.shape[1]
    if n < design.width + p + 1 or n * LEVERAGE < design.width:
        raise ValueError(
            f"{n} records have all columns, and {design.width - 1} scores and indicators are given; expected at least "
            f"{max(design.width + p + 1, int(np.ceil(design.width / LEVERAGE)))} records: "
            "give fewer columns, join their categories, or join strata"
        )
    predictions, leverage = design.fit(scores, whole)
    own = int((leverage[whole] > LEVERAGE * (1 + 1e-9)).sum())
    if own:
        raise ValueError(
            f"{own} records have a value of a given column that few have, so that more than a quarter of what is "
            "predicted for them is their own value; expected 4 records or more of each: join categories, or code the "
            "top and bottom of the given columns"
        )
    centred = scores[whole] - scores[whole].mean(axis=0)
    rest = scores[whole] - predictions[whole]
    covariances, variances = rest.T @ rest / n, (centred**2).mean(axis=0)
    explained = np.maximum(1 - np.diag(covariances) / np.where(variances > 0, variances, np.inf), 0.0)
    explained[variances == 0] = 0
    for name, share in zip(names, explained, strict=True):
        if share > EXPLAINED:
            raise ValueError(
                f"the given columns explain {share:.4f} of {name} by rank, and what is released would nearly be its "
                f"own values; expected at most {EXPLAINED}: leave out the column that gives it, or mask it as well"
            )
    root = np.array(noise_root(covariances.tolist(), np.sqrt(np.diag(covariances)).tolist()))
    return Relations(predictions, root, explained)


def shuffle_places(
    x: npt.ArrayLike, given: Integers, nominal: Integers, normals: npt.ArrayLike, names: list[str]
) -> Integers:
    """Return for each record and column the place, from 0, of the record whose value it takes, (n, p).

    Parameters
    ----------
    x, given, nominal, names
        As of :func:`relations`. What is missing stays.
    normals
        Standard normal draws, (n, p).

    Examples
    --------
    >>> x, draws = [[10.0], [30], [20], [40]], [[0.5], [-1], [2], [0]]
    >>> none = np.empty((4, 0), dtype=np.int64)
    >>> shuffle_places(x, none, np.empty(0, dtype=np.int64), draws, ["x"]).ravel().tolist()
    [1, 0, 3, 2]
    """
    matrix = require_columns(x)
    found = relations(matrix, given, nominal, names)
    drawn = found.predictions + require_normals(normals, matrix) @ found.root.T
    places = np.tile(np.arange(len(matrix))[:, np.newaxis], matrix.shape[1])
    for j, column in enumerate(matrix.T):
        there = np.flatnonzero(~np.isnan(column))
        by_draw, by_value = (there[np.argsort(v[there], kind="stable")] for v in (drawn[:, j], column))
        places[by_draw, j] = by_value
    return places


class _Design:
    """A constant, the scores of ranked columns and the indicators of nominal ones, some records at a time."""

    def __init__(self, given: Integers, nominal: Integers) -> None:
        self.records = len(given)
        self.scores: list[Floats] = []
        self.codes: list[tuple[Integers, int]] = []
        for column, names in zip(given.T, nominal, strict=True):
            if names:
                values, code = np.unique(column, return_inverse=True)
                self.codes.append((code, len(values)))
            else:
                self.scores.append(compute_normal_scores(column))
        self.width = 1 + len(self.scores) + sum(size - 1 for _, size in self.codes)
        if self.width > MANY:
            raise ValueError(
                f"the given columns make {self.width - 1:,} scores and indicators; expected fewer than {MANY:,}: join "
                "categories, or shuffle within strata"
            )

    def parts(self) -> Iterator[tuple[slice, Floats]]:
        """Return the rows of the design, (., width), each part with the records it is of."""
        for first in range(0, self.records, ROWS):
            part = slice(first, min(first + ROWS, self.records))
            rows = np.zeros((part.stop - part.start, self.width))
            rows[:, 0] = 1
            for j, scores in enumerate(self.scores):
                rows[:, 1 + j] = scores[part]
            at = 1 + len(self.scores)
            for code, size in self.codes:
                there = np.flatnonzero(code[part])
                rows[there, at + code[part][there] - 1] = 1
                at += size - 1
            yield part, rows

    def fit(self, y: Floats, whole: Truths) -> tuple[Floats, Floats]:
        """Return the least squares predictions of y for all records, and their leverages; of those that are whole."""
        products, with_y = np.zeros((self.width, self.width)), np.zeros((self.width, y.shape[1]))
        for part, rows in self.parts():
            used = rows[whole[part]]
            products += used.T @ used
            with_y += used.T @ y[part][whole[part]]
        scale = 1 / np.sqrt(np.where(np.diag(products) > 0, np.diag(products), 1))
        values, vectors = np.linalg.eigh(products * scale * scale[:, np.newaxis])
        kept = values > COLLINEAR
        half = scale[:, np.newaxis] * vectors[:, kept] / np.sqrt(values[kept])
        coefficients = half @ (half.T @ with_y)
        predictions, leverage = np.empty(y.shape), np.empty(self.records)
        for part, rows in self.parts():
            predictions[part] = rows @ coefficients
            leverage[part] = ((rows @ half) ** 2).sum(axis=1)
        return predictions, leverage


def _data_shuffling(
    _stratum: str | None, x: Floats, given: Integers, nominal: Integers, normals: Floats, names: str
) -> list[Floats]:
    """Shuffle as DuckDB asks: one list a column, of places from 1."""
    places = shuffle_places(x, given, nominal, normals, names.split("\n"))
    return [column + 1.0 for column in places.T]


def _compute_explained(_stratum: str | None, x: Floats, given: Integers, nominal: Integers, names: str) -> Floats:
    return relations(x, given, nominal, names.split("\n")).explained


FUNCTIONS = (
    declare_function(
        "data_shuffling", _data_shuffling, TABLE, x=TABLE, given=WHOLE_TABLE, nominal=WHOLES, normals=TABLE, names=TEXT
    ),
    declare_function("explained", _compute_explained, NUMBERS, x=TABLE, given=WHOLE_TABLE, nominal=WHOLES, names=TEXT),
)
