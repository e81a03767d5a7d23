r"""One of several candidates for each record, by how much likelier it is in the source than among the candidates.

A logistic regression on all columns and their pairs tells the source from candidates; its odds :math:`w(x)` are the
ratio of the two densities there, and one of the candidates of a record is chosen with probability
:math:`w(x_i) / \sum_j w(x_j)` (Rubin 1987, sampling importance resampling). What trees miss of single columns and of
pairs of columns, because no cut of one node finds it, is so put right; nothing of more than two columns is fitted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.synthesis.columns import Before, Design, Drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy.typing as npt
    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.synthesis.draws import Draws
    from sdc_sql.udfs.trees.codes import Codes

    Features = npt.NDArray[np.float32]
    Draw = Callable[[Integers, int], Drawn]  # of records to draw and a candidate, all columns

RECORDS, TIMES = 25_000, 3  # that the regression is fitted to: of the source, and candidates for each
PRODUCTS = 300  # of two columns: those that differ most
LEAST = 50  # records of which a product is not 0
FEW = 20  # numbers of so few values are names in the regression
RIDGE = 1.0
STEPS = 8
NEAR, TINY = 1e-3, 1e-300
GRID = 2.0**20
BOUND = 3.0  # of the logarithm of the odds
CHUNK, UNITS = 5_000, 200_000  # records, and units, that are in memory at once
CHOICE = 10**8  # the draws of the choice, behind those of all columns and candidates


@dataclass(frozen=True)
class Odds:
    """The logarithm of the odds of a unit, a record or a household: a constant, and x' q x summed over its records."""

    design: Design
    constant: float
    q: Floats

    def weigh(self, drawn: Drawn, unit: Integers, units: int) -> Floats:
        """Return the odds of each unit; `unit`: that of each record."""
        score = np.empty(len(drawn))
        for part in _list_chunks(len(drawn)):
            base = self.design.read(drawn.codes[:, part], [v[part] for v in drawn.values])
            score[part] = ((base @ self.q) * base).sum(1)
        total = self.constant + np.bincount(unit, weights=score, minlength=units)
        found: Floats = np.exp(np.clip(total, -BOUND, BOUND))
        return found


@dataclass(frozen=True)
class Fit:
    """A regression on a sample, and what is needed to move it to where the means of the whole files are."""

    design: Design
    pairs: tuple[Integers, Integers]
    beta: Floats
    information: Floats
    weight: float
    means: tuple[Floats, Floats]  # of a unit of the source and of the candidates

    def make_odds(self) -> Odds:
        """Return the odds; the last bits of sums, which hang on the machine, are in none of the coefficients."""
        singles, beta = 1 + len(self.design.columns), _drop_last_bits(self.beta)
        q = np.zeros((singles, singles))
        q[0] = beta[1 : 1 + singles]
        q[self.pairs] = beta[1 + singles :]
        return Odds(self.design, float(beta[0]), q)

    def move(self, source: Floats, candidates: Floats) -> Fit:
        """Return the regression one step on, for means of the whole files: a sample errs by more than a large file."""
        apart = (source - self.means[0]) - (candidates - self.means[1])
        step = np.linalg.solve(self.information, np.r_[0.0, self.weight / 2 * apart])
        return replace(self, beta=self.beta + step)

    def compute_means(self, parts: Iterable[tuple[Codes, list[Floats]]], units: int) -> Floats:
        """Return the means of the features, of a unit."""
        p = 1 + len(self.design.columns)
        sums = np.zeros((p, p))
        for codes, values in parts:
            for part in _list_chunks(codes.shape[1]):
                base = self.design.read(codes[:, part], [v[part] for v in values])
                sums += base.T @ base
        found: Floats = np.r_[sums[0], sums[self.pairs]] / units
        return found


def fit_odds(before: Before, unit: Integers, drawn: Drawn, unit_drawn: Integers) -> Fit:
    """Return the regression that tells the source, of units of records, from candidates.

    Examples
    --------
    >>> before = Before.make(1, 1000)
    >>> source, other = np.repeat([1.0, 2.0], [400, 600]), np.repeat([1.0, 2.0], [600, 400])
    >>> before.add(source, source, 2)
    >>> drawn = Drawn.make(before, 1000)
    >>> drawn.add(other)
    >>> alone = np.arange(1000)
    >>> odds = fit_odds(before, alone, drawn, alone).make_odds()
    >>> odds.weigh(drawn, alone, 1000)[[0, 999]].round(1).tolist()  # 4/6, 6/4
    [0.7, 1.5]
    """
    design = Design.find(before, FEW)
    files = (before.codes, before.values), (drawn.codes, drawn.values)
    source, candidates = (_Moments.find(design, *file) for file in files)
    pairs = _choose_products(source, candidates, design.owners)
    units = int(unit.max()) + 1, int(unit_drawn.max()) + 1
    x = np.zeros((sum(units), 2 + len(design.columns) + len(pairs[0])), dtype=np.float32)
    x[:, 0] = 1
    for (codes, values), own in zip(files, (unit, units[0] + unit_drawn), strict=True):
        for part in _list_chunks(len(own)):
            base = design.read(codes[:, part], [v[part] for v in values])
            np.add.at(x, own[part], np.c_[np.zeros(len(base)), base, base[:, pairs[0]] * base[:, pairs[1]]])
    weights = np.repeat([1 / units[0], 1 / units[1]], units) * min(units)
    beta, information = _fit_logistic(x, np.repeat([1.0, 0.0], units), weights)
    means = [
        np.r_[m.mean[0], m.mean[pairs]] * (m.records / count)
        for m, count in zip((source, candidates), units, strict=True)
    ]
    return Fit(design, pairs, beta, information, float(min(units)), (means[0], means[1]))


def _drop_last_bits(x: Floats) -> Floats:
    found: Floats = np.rint(x * GRID) / GRID
    return found


def _list_chunks(records: int) -> Iterator[slice]:
    return (slice(start, min(start + CHUNK, records)) for start in range(0, records, CHUNK))


@dataclass(frozen=True)
class _Moments:
    """Of the products of two features their mean, the mean of their squares, and the records where they are not 0."""

    records: int
    mean: Floats
    square: Floats
    there: Floats

    @classmethod
    def find(cls, design: Design, codes: Codes, values: list[Floats]) -> _Moments:
        """Return the moments, each (features, features)."""
        n, p = codes.shape[1], 1 + len(design.columns)
        sums = np.zeros((3, p, p))
        for part in _list_chunks(n):
            base = design.read(codes[:, part], [v[part] for v in values])
            for place, x in enumerate((base, np.square(base), (base != 0) * 1.0)):
                sums[place] += x.T @ x
        return cls(n, sums[0] / n, sums[1] / n, sums[2])


def _choose_products(old: _Moments, new: _Moments, owners: Integers) -> tuple[Integers, Integers]:
    """Return the products of features of two columns whose means differ most, beside their standard errors."""
    owner = np.r_[-1, owners]
    a, b = np.triu_indices(len(owner), 1)
    error = sum((m.square - np.square(m.mean)) / m.records for m in (old, new))
    z = np.abs(old.mean - new.mean) / np.sqrt(np.maximum(error, TINY))
    may = (a > 0) & (owner[a] != owner[b]) & (old.there[a, b] >= LEAST) & (new.there[a, b] >= LEAST)
    a, b = a[may], b[may]
    best = np.sort(np.argsort(-_drop_last_bits(z[a, b]), kind="stable")[:PRODUCTS])
    return a[best], b[best]


def _fit_logistic(x: Features, y: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the coefficients, by Newton's steps, and their information."""
    beta = np.zeros(x.shape[1])
    for _ in range(STEPS):
        information = np.diag(np.full(len(beta), RIDGE))
        gradient = -RIDGE * beta
        for part in _list_chunks(len(x)):
            own = x[part].astype(np.float64)
            p = 1 / (1 + np.exp(-np.clip(own @ beta, -BOUND, BOUND)))
            information += (own * (weights[part] * p * (1 - p))[:, np.newaxis]).T @ own
            gradient += (weights[part] * (y[part] - p)) @ own
        step = np.linalg.solve(information, gradient)
        beta += step
        if np.abs(step).max() < NEAR:
            break
    return beta, information


def choose(  # noqa: PLR0917 - the source, what is drawn, and how often
    before: Before, unit_of_fitted: Integers, unit: Integers, draws: Draws, draw: Draw, candidates: int
) -> list[Floats]:
    """Return the values of all columns, of each unit those of the candidate that is chosen.

    Parameters
    ----------
    before, unit_of_fitted
        The columns of the records that are fitted to, and the units of these, from 0 in an order by chance.
    unit
        Those of the records that are drawn, likewise.
    draws
        Of the units that are drawn.
    draw
        Draws a candidate of some records, whole units, given in the order of the records.
    candidates
        How many.
    """
    odds = _fit(before, unit_of_fitted, unit, draw, candidates) if candidates > 1 else None
    found = [np.empty(len(unit)) for _ in before.values]
    for place, rows in enumerate(_list_parts(unit)):
        of = slice(place * UNITS, (place + 1) * UNITS)
        chosen = _choose_some(odds, rows, unit[rows] - of.start, draws.choose(of), draw, candidates)
        for values, new in zip(found, chosen, strict=True):
            values[rows] = new
    return found


def _choose_some(  # noqa: PLR0917 - as of `choose`
    odds: Odds | None, rows: Integers, unit: Integers, draws: Draws, draw: Draw, candidates: int
) -> list[Floats]:
    """Return the values of some records, whole units."""
    first = draw(rows, 0)
    if odds is None:
        return first.values
    units = int(unit.max()) + 1
    found, total = first.values, odds.weigh(first, unit, units)
    for candidate in range(1, candidates):  # each takes the place of those before with its share of the odds so far
        other = draw(rows, candidate)
        own = odds.weigh(other, unit, units)
        total += own
        taken = (draws.draw(CHOICE + candidate) * total < own)[unit]
        for values, new in zip(found, other.values, strict=True):
            values[taken] = new[taken]
    return found


def _fit(before: Before, unit_of_fitted: Integers, unit: Integers, draw: Draw, candidates: int) -> Odds:
    """Return the odds by a sample of units, with all their records; of a large file moved to the means of all."""
    source, drawn = _choose_first(unit_of_fitted), _choose_first(unit)
    several = [draw(drawn, candidate) for candidate in range(min(candidates, TIMES))]
    joined = Drawn(
        np.concatenate([d.codes for d in several], axis=1), before.codings,
        [np.concatenate(v) for v in zip(*(d.values for d in several), strict=True)],
    )  # fmt: skip
    own = unit[drawn]
    numbers = np.concatenate([own + (int(own.max()) + 1) * candidate for candidate in range(len(several))])
    fit = fit_odds(before.choose(source), unit_of_fitted[source], joined, numbers)
    del several, joined
    means = list(fit.means)
    if len(source) < len(unit_of_fitted):
        means[0] = fit.compute_means([(before.codes[: before.count], before.values)], int(unit_of_fitted.max()) + 1)
    if len(drawn) < len(unit):
        parts = ((part.codes, part.values) for part in (draw(rows, 0) for rows in _list_parts(unit)))
        means[1] = fit.compute_means(parts, int(unit.max()) + 1)
    return fit.move(*means).make_odds()


def _list_parts(unit: Integers) -> Iterator[Integers]:
    """Return the records of some units after the other."""
    return (np.flatnonzero((unit >= start) & (unit < start + UNITS)) for start in range(0, int(unit.max()) + 1, UNITS))


def _choose_first(unit: Integers) -> Integers:
    """Return the records of the first units, RECORDS or a few more: units are numbered in the order of their draws."""
    last = np.searchsorted(np.cumsum(np.bincount(unit)), RECORDS)
    found: Integers = np.flatnonzero(unit <= last)
    return found
