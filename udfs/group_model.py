"""What an intruder expects of a group's sensitive values before the release, and how often a group must be redrawn.

The values of a group are draws from Polya's urn (a Dirichlet-multinomial distribution): each is, with the weight phi
per earlier record of the group, the value of one of these, and with the weight 1 - phi a new one from the file's
distribution p. phi is the intraclass correlation: the agreement within groups beyond that of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

SLACK = 1e-9
_MOST_EXACT = 4_000  # counts of the values of a group that are listed; of more a sample is drawn
_HOPELESS = 1e-3


@dataclass(frozen=True)
class Conditions:
    """What is asked of a group's values: a greatest share 1/l of the chosen ones, a greatest distance t."""

    l: float | None  # noqa: E741 - its name in the field
    t: float | None
    chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]
    ordered: bool = False

    def slacks(self, counts: Integers, p: Floats) -> Floats:
        """Return for each row of counts how far each condition is from being broken, as a share of it: (rows, c)."""
        shares = counts / counts.sum(axis=1, keepdims=True)
        found = [] if self.l is None else [1 - self.l * shares[:, self.chosen]]
        if self.t is not None:
            found.append((1 - self.distances(shares, p) / self.t)[:, None])
        return np.concatenate(found, axis=1)

    def distances(self, shares: Floats, p: Floats) -> Floats:
        """Return the distance of each row from p (Li, Li & Venkatasubramanian 2007, section 4), of values there are."""
        there = p > 0
        apart = (shares - p)[:, there]
        if not self.ordered:
            return np.asarray(np.abs(apart).sum(axis=1) / 2)
        return np.asarray(np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(int(there.sum()) - 1, 1))


@dataclass(frozen=True)
class Urn:
    """Polya's urn: the shares of the values in the file, and the intraclass correlation of groups."""

    p: Floats
    phi: float

    @cached_property
    def below(self) -> Floats:
        """Return the cumulated shares, the last value's left out."""
        return np.cumsum(self.p)[:-1]

    def draw(self, bits: np.random.Philox, times: int, n: int) -> Integers:
        """Return the values of so many groups of n: (times, n). The urn asks for no function that rounds."""
        new, which = uniforms(bits, 2 * times * n).reshape(2, times, n)
        values = np.searchsorted(self.below, which, side="right")
        if self.phi > 0:
            rows = np.arange(times)
            for i in range(1, n):
                earlier = new[:, i] * ((1 - self.phi) + self.phi * i) >= 1 - self.phi
                values[earlier, i] = values[rows, (which[:, i] * i).astype(np.int64)][earlier]
        return values

    def list_expected(self, n: int) -> tuple[Integers, Floats]:
        """Return counts of the values of a group of n, and their probabilities: all there are, or a sample."""
        kinds = self.p.size
        if comb(n + kinds - 1, kinds - 1) <= _MOST_EXACT:
            bars = np.array(list(combinations(range(n + kinds - 1), kinds - 1)), dtype=np.int64).reshape(-1, kinds - 1)
            edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, n + kinds - 1)))
            counts = np.diff(edges, axis=1) - 1
            return counts, self._probabilities(counts, n)
        times = int(np.clip(2_000_000 // n, 200, 4_000))
        drawn = self.draw(np.random.Philox(key=n), times, n)  # public: nothing of a record is drawn
        counts = np.stack([(drawn == v).sum(axis=1) for v in range(kinds)], axis=1)
        return counts, np.full(times, 1 / times)

    def _probabilities(self, counts: Integers, n: int) -> Floats:
        steps = np.arange(n)
        rising = np.log((1 - self.phi) * self.p[:, None] + self.phi * steps)  # the factor of a value's i-th record
        up_to = np.pad(np.cumsum(rising, axis=1), ((0, 0), (1, 0)))
        logs = np.pad(np.cumsum(np.log(steps + 1)), (1, 0))
        each = up_to[np.arange(self.p.size), counts].sum(axis=1) - logs[counts].sum(axis=1)
        return np.asarray(np.exp(each + logs[n] - np.log((1 - self.phi) + self.phi * steps).sum()))


def uniforms(bits: np.random.Philox, n: int) -> Floats:
    """Return uniform numbers from the generator's own bits, which no version of numpy may change."""
    return np.asarray((bits.random_raw(n) >> np.uint64(11)) * 2.0**-53)


def make_urn(groups: Integers, values: Integers, kinds: int) -> Urn:
    """Return the urn of a file: shares, and how much more often two records of a group agree than two of the file."""
    totals = np.bincount(values, minlength=kinds)
    sizes = np.bincount(groups)
    cells = np.unique(groups * kinds + values, return_counts=True)[1]
    of = np.unique(groups * kinds + values) // kinds
    n = values.size
    p = totals / n
    fellows = sizes[of] - 1
    counted = fellows > 0
    by_chance = float((totals * (totals - 1)).sum() / max(n * (n - 1), 1))
    paired = int(sizes[sizes > 1].sum())
    if not paired or by_chance >= 1:
        return Urn(p, 0.0)
    agreeing = float((cells[counted] * (cells[counted] - 1) / fellows[counted]).sum() / paired)
    return Urn(p, float(np.clip((agreeing - by_chance) / (1 - by_chance), 0, 0.9)))


def make_redraw_urn(urn: Urn, conditions: Conditions, n: int) -> tuple[Urn, float]:
    """Return the urn from which groups of n are redrawn, and the share of the good ones that is redrawn as well.

    A failing group becomes y with a probability in proportion to P(y) a(y), a(y) its least slack. Over what becomes y
    no condition is then broken on average, where F <= Z: F what failing groups go beyond it in expectation, Z the
    expectation of a. Otherwise a share rho of the good ones is redrawn, rho (G - Z) = F - Z, G their slack. Where no
    group has slack (two records with two values, and l = 2) all are, and any that is as asked may be drawn.
    """
    if conditions.t is None:  # all that is not chosen counts as one value, in an urn too
        kept = np.flatnonzero(conditions.chosen)
        rest = urn.p[~conditions.chosen].sum()
        lumped = Urn(np.append(urn.p[kept], rest) if rest > 0 else urn.p[kept], urn.phi)
        asked = Conditions(conditions.l, None, np.arange(lumped.p.size) < kept.size)
    else:
        lumped, asked = urn, conditions
    counts, weights = lumped.list_expected(n)
    slacks = asked.slacks(counts, lumped.p)
    least = slacks.min(axis=1)
    good = least >= -SLACK
    room = float((weights * np.maximum(least, 0)).sum())
    if room < _HOPELESS:
        return Urn(urn.p, 0.0), 1.0
    beyond = -(weights[~good, None] * slacks[~good]).sum(axis=0) - room
    slack = (weights[good, None] * slacks[good]).sum(axis=0) - room
    need = beyond > SLACK
    return urn, float(np.max(np.minimum(beyond[need] / np.maximum(slack[need], beyond[need]), 1), initial=0.0))
