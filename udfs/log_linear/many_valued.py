"""The risk of sample uniques with keys of many values, or with margins that are known: see margins.py.

One key gives M, the persons of the value beyond the sample; of any other, what its persons are of those that the
records stand for (ratio) is a factor of p. The figures are means over both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.log_linear.margins import FINE, Margin, compute_margin_variance, unique_by_persons

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

SURE = 0.1  # the standard error of a figure that is given, by the figure
ANYWAY = 0.0025  # or by the sample uniques
NODES = 24  # so many nodes are kept of the product of several keys' ratios
AT_ONCE = 2_000_000
ONE = (np.ones(1), np.ones(1))

Nodes = tuple["Floats", "Floats"]


def read_margins(frequencies: Floats, keys: list[int], fraction: float) -> dict[int, Margin]:
    """Return the margins of keys (from 0), of rows with key (from 1), records of a value, values."""
    found = {}
    for key in keys:
        sizes, values = frequencies[1:, frequencies[0] == key + 1]
        order = np.argsort(sizes)
        found[key] = Margin(sizes[order], values[order], fraction)
    return found


def multiply_ratios(first: Nodes, second: Nodes) -> Nodes:
    """Return the nodes and weights of a product of two ratios, at most `NODES` of those above 0."""
    at, weight = np.multiply.outer(first[0], second[0]).ravel(), np.multiply.outer(first[1], second[1]).ravel()
    if len(at) <= NODES:
        return at, weight
    none = at <= 0
    logs = np.log(at[~none])
    bins = np.minimum(((logs - logs.min()) / max(np.ptp(logs), 1e-12) * NODES).astype(np.int64), NODES - 1)
    weights = np.bincount(bins, weights=weight[~none], minlength=NODES)
    means = np.bincount(bins, weights=(weight * at)[~none], minlength=NODES)
    held = weights > 0
    lost = weight[none].sum()
    return (
        np.concatenate([means[held] / weights[held], [0.0] * int(lost > 0)]),
        np.concatenate([weights[held], [lost] * int(lost > 0)]),
    )


@dataclass(frozen=True)
class Uniques:
    """The sample uniques: p within the value of the first key, its known M, what they are alike in, 1 / alpha."""

    p: Floats
    m: Floats | None
    own: Floats
    sizes: Floats  # the records of the unique's value, for each sparse key
    margins: tuple[Margin, ...]  # the margin of each, in that order; the first one gives M unless m does
    dispersion: float

    def group_alike(self) -> list[tuple[Floats, Integers]]:
        """Return the numbers of records by sparse key that occur together, and the uniques that have them."""
        if not self.margins:
            return [(np.empty(0), np.arange(len(self.p)))]
        kinds, which = np.unique(self.sizes.T, axis=0, return_inverse=True)
        order = np.argsort(which.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(which.ravel(), minlength=len(kinds)))[:-1]
        return list(zip(kinds, np.split(order, ends), strict=True))

    def nodes(self, kind: Floats, but: int | None = None, doubted: int | None = None) -> tuple[Nodes, Nodes]:
        """Return M of the first key (none where it is known), and the ratio of the others, but for one.

        doubted: the key whose values seen once may have more persons than the fit says.
        """
        first: Nodes = ONE
        others = [ONE]
        for place, margin in enumerate(self.margins):
            if place == but:
                continue
            ratio, chance = margin.ratios(kind[place])
            if place == doubted and kind[place] == 1:
                ratio = ratio + margin.doubt
            if place == 0 and self.m is None:
                first = ratio * kind[place] * (1 / margin.fraction - 1), chance
            else:
                others.append((ratio, chance))
        return first, reduce(multiply_ratios, others)

    def risks(self, doubted: int | None = None) -> tuple[Floats, Floats]:
        """Return the risks of each unique."""
        both = np.zeros((2, len(self.p)))
        for kind, who in self.group_alike():
            (m, of_m), (ratio, of_ratio) = self.nodes(kind, doubted=doubted)
            step = max(1, AT_ONCE // (len(m) * len(ratio)))
            for start in range(0, len(who), step):
                some = who[start : start + step]
                there = m[None, :, None] if self.m is None else self.m[some][:, None, None]
                found = unique_by_persons(
                    self.p[some][:, None, None] * ratio, there, self.own[some][:, None, None], self.dispersion
                )
                shape = len(some), len(m), len(ratio)
                both[:, some] = [np.einsum("pmr,m,r->p", np.broadcast_to(h, shape), of_m, of_ratio) for h in found]
        return both[0], both[1]

    def variances(self) -> Floats:
        """Return the variances of both sums, of all sparse keys together: by the fit, or by what it leaves out."""
        total = np.zeros(2)
        grouped = [(kind, *self._group_near(who)) for kind, who in self.group_alike()]
        for place, margin in enumerate(self.margins):

            def sum_hits(size: float, persons: Floats, place: int = place, margin: Margin = margin) -> Floats:
                summed = np.zeros((2, len(persons)))
                beyond = np.maximum(persons - size, 0)
                for kind, p, m, own, count in grouped:
                    if kind[place] != size:
                        continue
                    (first, of_first), (ratio, of_ratio) = self.nodes(kind, but=place)
                    if place == 0 and self.m is None:
                        steps = [(beyond, np.ones(len(persons)), 1.0)]
                    else:
                        by = beyond / (size * (1 / margin.fraction - 1))
                        steps = [(node, by, w) for node, w in zip(first, of_first, strict=True)]
                    for number in range(len(p)):
                        for node, by, w in steps:
                            there = node if self.m is None else m[number]
                            found = unique_by_persons(
                                p[number] * by[:, None] * ratio, np.broadcast_to(there, persons.shape)[:, None],
                                np.full((1, 1), own[number]), self.dispersion,
                            )  # fmt: skip
                            summed += count[number] * w * np.array([h @ of_ratio for h in found])
                return summed

            left_out = [np.sum(h - d) / 2 for h, d in zip(self.risks(), self.risks(doubted=place), strict=True)]
            total += np.maximum(
                compute_margin_variance(margin, np.unique(self.sizes[place]), sum_hits), np.square(left_out)
            )
        return total

    def _group_near(self, who: Integers) -> tuple[Floats, Floats, Floats, Floats]:
        """Return p, M and 1 - 1 / weight of uniques that are as good as the same, and how many they are."""
        log_p = np.log(np.maximum(self.p[who], 1e-12))
        columns = [np.round(log_p / FINE), np.round(self.own[who], 2)]
        if self.m is not None:
            columns.append(np.round(np.log1p(self.m[who]) / FINE))
        _, first, count = np.unique(np.array(columns), axis=1, return_index=True, return_counts=True)
        some = who[first]
        m = np.zeros(len(some)) if self.m is None else self.m[some]
        return self.p[some], m, self.own[some], count.astype(np.float64)


def unique_risks(  # noqa: PLR0917 - as SQL calls it
    expected: Floats, own: Floats, records: Floats, known: Floats, frequencies: Floats, sparse: Floats,
    fraction: float, dispersion: float,
) -> list[Floats]:  # fmt: skip
    """Return both risks of each sample unique; then whether each sum is given, and its standard error by itself.

    Parameters
    ----------
    expected
        The persons that the model expects in the cell of each.
    own
        1 - 1 / weight of each, 0 at least.
    records, known
        For each key (rows) the records of the unique's value, and its persons, NaN where they are not known.
    frequencies
        Key (from 1), records of a value, and how many values have them, of the keys of many values.
    sparse
        The keys of many values, from 1.
    fraction
        The sampling fraction of the file.
    dispersion
        1 / alpha, 0 for none.

    Raises
    ------
    ValueError
        Where a value has more records than persons.
    """
    given = [key for key in range(len(known)) if not np.isnan(known[key]).all()]
    for key in given:
        if not (known[key] >= records[key]).all():
            raise ValueError("a value of the known margins has fewer persons than the file has records of it")
    if not len(expected):
        return [expected, expected, np.array([1.0, 1.0, 0.0, 0.0])]
    unknown = [int(key) - 1 for key in sparse if int(key) - 1 not in given]
    values = {key: float(frequencies[2, frequencies[0] == key + 1].sum()) for key in unknown}
    unknown.sort(key=lambda key: (-values[key], key))
    fitted = read_margins(frequencies, unknown, fraction)
    first = given[0] if given else unknown[0]
    beyond = 1 / fraction - 1
    p = expected * own / (records[first] * beyond)
    for key in given[1:]:
        p = p * known[key] / (records[key] / fraction)
    m = known[first] - records[first] if given else None
    those = Uniques(p, m, own, records[unknown], tuple(fitted[key] for key in unknown), dispersion)
    both = those.risks()
    errors = np.sqrt(those.variances())
    sums = np.array([float(h.sum()) for h in both])
    relative = np.divide(errors, sums, out=np.zeros(2), where=sums > 0)
    sure = (relative <= SURE) | (errors <= ANYWAY * len(expected))
    return [*both, np.concatenate([sure.astype(np.float64), relative])]
