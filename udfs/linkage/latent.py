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
STEPS = 100_000
EXACT = 1e-9  # the largest change of a last step: of m and u, and of p as a share of it
GAIN = 0.01  # a smaller gain of the log-likelihood, over one kind of pairs, is none
LEAST = 1e-12  # m and u are so far from 0 and 1, so that weights are finite


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


def probabilities(agreeing: Integers, of_each: Floats) -> Floats:
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
    together), so that the two kinds of pairs cannot change places.
    """
    variables = len(counts).bit_length() - 1
    if variables < VARIABLES:
        raise ValueError(
            f"{variables} variables do not tell matched pairs from others, since patterns of agreement in two have "
            "fewer counts than there are probabilities: name three or more"
        )
    agreeing = patterns(variables)
    total = counts.sum()
    together = np.clip(counts @ agreeing / total, LEAST, 1 - LEAST)
    m, u = np.maximum(0.9, together), together
    for step in range(1, STEPS + 1):
        matched = p * probabilities(agreeing, m)
        linked = counts * matched / (matched + (1 - p) * probabilities(agreeing, u))
        pairs = linked.sum()
        if not 0 < pairs < total:
            break
        new_m, new_u = linked @ agreeing / pairs, (counts - linked) @ agreeing / (total - pairs)
        apart = new_m >= new_u
        new_m, new_u = np.where(apart, new_m, together), np.where(apart, new_u, together)
        new_m, new_u = np.clip(new_m, LEAST, 1 - LEAST), np.clip(new_u, LEAST, 1 - LEAST)
        change = max(np.abs(new_m - m).max(), np.abs(new_u - u).max(), abs(pairs / total / p - 1))
        p, m, u = float(pairs / total), new_m, new_u
        if change <= EXACT:
            likelihood = p * probabilities(agreeing, m) + (1 - p) * probabilities(agreeing, u)
            if counts @ np.log(likelihood / probabilities(agreeing, together)) <= GAIN:
                break
            return Estimate(p, m, u, step)
    else:
        raise ValueError(
            f"the EM algorithm has not converged in {STEPS:,} steps: the patterns of agreement hardly tell matched "
            "pairs from others; name more variables, or other ones"
        )
    raise ValueError(
        "the patterns of agreement do not tell matched pairs from others: they are those of variables that agree "
        "independently; name more variables, or other ones"
    )
