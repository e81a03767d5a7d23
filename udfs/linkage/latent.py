"""Matched and unmatched pairs told apart by their patterns of agreement: the EM algorithm of Fellegi & Sunter's model.

Jaro (1989), JASA 84(406), 414-420: a pair is matched with probability p, and agrees in variable j with probability m_j
if it is, u_j if it is not, independently of the other variables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

VARIABLES = 3  # the least number: p, m and u are seven numbers, and the shares of eight patterns are as many
STEPS = 20_000  # of few variables some dozen are enough, since every third goes by the information
EXACT = 1e-9  # the largest change of a last step: of m and u, and of p as a share of it
GAIN = 0.01  # a smaller gain of the log-likelihood, over one kind of pairs, is none
LEAST = 1e-12  # m and u are so far from 0 and 1, so that weights are finite
PATTERNS = 1 << 16  # with more the information is not made: many variables need few steps
NEAR = 18.0  # the log odds from which on m and u are as good as 0 and 1
FURTHEST = 1.0  # so much the log odds change in a leap, or one may end where m is 1, which EM does not leave
FAR = 27.7  # and their log odds so far from 0, at the most
NONE = (
    "the patterns of agreement do not tell matched pairs from others: they are those of variables that agree "
    "independently; name more variables, or other ones"
)


class Estimate(NamedTuple):
    """The share p of matched pairs, the probabilities m and u of each variable, and the number of steps."""

    p: float
    m: Floats
    u: Floats
    steps: int


def patterns(variables: int) -> Integers:
    """Return of each pattern, by its number, which variables agree (1) or not (0); shape (2^k, k)."""
    found: Integers = np.arange(2**variables)[:, None] >> np.arange(variables) & 1
    return found


def probabilities(agreeing: Integers | Floats, of_each: Floats) -> Floats:
    """Return the probability of each pattern, for variables that agree independently."""
    found: Floats = np.exp(agreeing @ np.log(of_each) + (1 - agreeing) @ np.log1p(-of_each))
    return found


def weights(m: Floats, u: Floats) -> Floats:
    """Return the weight of each pattern, the log2 of its likelihood ratio: Fellegi & Sunter (1969), section 3.3."""
    agreeing = patterns(len(m)).astype(np.float64)
    m, u = np.clip(m, LEAST, 1 - LEAST), np.clip(u, LEAST, 1 - LEAST)
    found: Floats = agreeing @ np.log2(m / u) + (1 - agreeing) @ np.log2((1 - m) / (1 - u))
    return found


def shares(counts: Floats, true: Floats) -> Estimate:
    """Return p, m and u as they are where it is known which pairs are the true ones."""
    agreeing = patterns(len(counts).bit_length() - 1)
    pairs, others = true.sum(), max((counts - true).sum(), 1.0)  # a single pair has no others
    return Estimate(float(pairs / counts.sum()), true @ agreeing / pairs, (counts - true) @ agreeing / others, 0)


def estimate_latent(counts: Floats, p: float) -> Estimate:
    """Return the maximum likelihood estimate for the numbers of pairs with each pattern; p: where to begin.

    Matched pairs are those that agree more: m_j >= u_j holds in each step (where it would not, both are what they are
    together), so that the two kinds of pairs cannot change places. After two steps of the EM algorithm one by the
    expected information (Fisher's scoring) is tried, and kept where the likelihood is no less than without.
    """
    variables = len(counts).bit_length() - 1
    if variables < VARIABLES:
        raise ValueError(
            f"{variables} variables do not tell matched pairs from others, since patterns of agreement in two have "
            "fewer counts than there are probabilities: name three or more"
        )
    together = np.clip(counts @ patterns(variables) / counts.sum(), LEAST, 1 - LEAST)
    pairs = _Pairs(counts, together)
    place, damping = pairs.take_log_odds(p, np.maximum(0.9, together), together), 1.0
    for steps in range(2, STEPS + 1, 3):
        first = pairs.step(place)
        place = pairs.step(first)
        if _change(first, place) <= EXACT:
            return pairs.estimate(place, steps)
        if len(counts) > PATTERNS:
            continue
        ahead = pairs.leap(place, damping)
        good = pairs.is_likelier(ahead, place)
        place, damping = (ahead, max(damping / 10, 1e-12)) if good else (place, min(damping * 10, 1e12))
    raise ValueError(
        f"the EM algorithm has not converged in {STEPS:,} steps: the patterns of agreement hardly tell matched "
        "pairs from others; name more variables, or other ones"
    )


class _Pairs:
    """The numbers of pairs of each pattern; p, m and u stand in one list, as their log odds."""

    def __init__(self, counts: Floats, together: Floats) -> None:
        self.counts, self.total, self.together = counts, float(counts.sum()), together
        self.agreeing = patterns(len(together)).astype(np.float64)
        self.agreed = counts @ self.agreeing

    def take_log_odds(self, p: float, m: Floats, u: Floats) -> Floats:
        """Return the list of these."""
        chances = np.concatenate([[p], m, u])
        return _clip(np.log(chances) - np.log1p(-chances))

    def split(self, place: Floats) -> tuple[float, Floats, Floats]:
        """Return p, m and u."""
        chances, m = _chances(place), len(self.together) + 1
        return float(chances[0]), chances[1:m], chances[m:]

    def step(self, place: Floats) -> Floats:
        """Return where a step of the EM algorithm leads."""
        m, u = np.split(place[1:], 2)
        # the log odds that a pair is matched: those of all, and of each variable as it agrees or not
        apart = (np.logaddexp(0, u) - np.logaddexp(0, m)).sum()
        odds = place[0] + apart + self.agreeing @ (m - u)
        linked = self.counts / (1 + np.exp(-np.clip(odds, -700, 700)))
        pairs = float(linked.sum())
        if not 0 < pairs < self.total:
            raise ValueError(NONE)
        agreed = linked @ self.agreeing
        m, u = agreed / pairs, (self.agreed - agreed) / (self.total - pairs)
        apart = m >= u
        m, u = np.where(apart, m, self.together), np.where(apart, u, self.together)
        return self.take_log_odds(pairs / self.total, np.clip(m, LEAST, 1 - LEAST), np.clip(u, LEAST, 1 - LEAST))

    def leap(self, place: Floats, damping: float) -> Floats:
        """Return where a damped step by the expected information leads (Levenberg and Marquardt)."""
        p, m, u = self.split(place)
        matched, others = p * probabilities(self.agreeing, m), (1 - p) * probabilities(self.agreeing, u)
        likelihood, alone = matched + others, matched * (1 - p) - others * p
        # the slopes of each pattern's probability by the log odds of p, m and u
        slopes = np.column_stack([alone, matched[:, None] * (self.agreeing - m), others[:, None] * (self.agreeing - u)])
        slopes[:, 1:] *= np.tile(m > u, 2)  # what is held together stays
        slopes *= np.abs(place) < NEAR
        information = self.total * (slopes / likelihood[:, None]).T @ slopes
        held = np.diag(information) * damping + 1e-300
        held[np.diag(information) == 0] = 1.0
        change = np.linalg.solve(information + np.diag(held), slopes.T @ (self.counts / likelihood))
        return _clip(place + np.clip(change, -FURTHEST, FURTHEST))

    def likelihood(self, place: Floats) -> Floats:
        """Return the probability of each pattern."""
        p, m, u = self.split(place)
        return np.asarray(p * probabilities(self.agreeing, m) + (1 - p) * probabilities(self.agreeing, u))

    def is_likelier(self, place: Floats, other: Floats) -> bool:
        """Return whether matched pairs agree more, and the pairs are no less likely than at the other place."""
        _, m, u = self.split(place)
        return bool((m >= u).all()) and bool(self.counts @ np.log(self.likelihood(place) / self.likelihood(other)) >= 0)

    def estimate(self, place: Floats, steps: int) -> Estimate:
        """Return what is found, where it tells more than one kind of pairs."""
        alone = probabilities(self.agreeing, self.together)
        if self.counts @ np.log(self.likelihood(place) / alone) <= GAIN:
            raise ValueError(NONE)
        return Estimate(*self.split(place), steps)


def _clip(place: Floats) -> Floats:
    found: Floats = np.clip(place, -FAR, FAR)
    return found


def _chances(place: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-place))
    return found


def _change(place: Floats, other: Floats) -> float:
    """Return the largest change of m and u, and of p as a share of it."""
    before, after = _chances(place), _chances(other)
    return float(max(np.abs(before[1:] - after[1:]).max(), abs(after[0] / before[0] - 1)))
