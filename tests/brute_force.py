"""Every measure once more in plain Python, straight from its definition.

All pairs of records, direct sums, exact fractions or fifty digits: slow and obvious on purpose, and
nothing here knows how the SQL goes about it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import mpmath

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Record = tuple[Any, ...]  # the values of the keys


def plain(values: Iterable[Any]) -> Record:
    """Return values that Python compares as the database does: NaN equals NaN."""
    return tuple("NaN" if isinstance(v, float) and math.isnan(v) else v for v in values)


def compatible(one: Record, other: Record, nulls: str) -> bool:
    """Do two records agree on every key? With wildcards, a missing value agrees with every value."""
    wildcard = nulls == "wildcard"
    return all(x == y or (wildcard and (x is None or y is None)) for x, y in zip(one, other, strict=True))


def sample_frequencies(records: Sequence[Record], nulls: str = "category") -> list[int]:
    """f of each record's cell: how many records agree with it."""
    return [sum(compatible(one, other, nulls) for other in records) for one in records]


def population_frequencies(records: Sequence[Record], weights: Sequence[float], nulls: str = "category") -> list[float]:
    """F-hat of each record's cell: what the agreeing records weigh together. SDC handbook, (3.3)."""
    return [
        sum(w for w, other in zip(weights, records, strict=True) if compatible(one, other, nulls)) for one in records
    ]


def cells(records: Sequence[Record], nulls: str = "category") -> dict[Record, int]:
    """f of each distinct combination."""
    return dict(zip(records, sample_frequencies(records, nulls), strict=True))


def frequency_counts(records: Sequence[Record], nulls: str = "category") -> Counter[int]:
    """n_r: how many cells have frequency r. Skinner & Elliot (2002), section 2.1."""
    return Counter(cells(records, nulls).values())


def theta(n1: int, n2: int, n3: int, pi: Fraction) -> tuple[Fraction, Fraction]:
    """Estimate and variance. Skinner & Elliot (2002), (7) and (9)."""
    if n1 == 0:
        return Fraction(0), Fraction(0)
    unique_matches = pi * n1 + 2 * (1 - pi) * n2
    estimate = pi * n1 / unique_matches
    variance = estimate**2 * 2 * (1 - pi) * (3 * (1 - pi) * n3 + (2 - pi) * n2) / unique_matches**2
    return estimate, variance


def data_intrusion(records: Sequence[Record], pi: Fraction) -> Fraction:
    """Limit of the data intrusion simulation, by enumerating its events. Skinner & Elliot (2002), (6).

    Remove one of the n units, copy it back with probability pi, look for records that match it; among
    the unique matches, the probability that it is the unit itself.
    """
    unique = correct = Fraction(0)
    for taken, unit in enumerate(records):
        for copied_back, probability in ((True, pi), (False, 1 - pi)):
            file = [i for i in range(len(records)) if i != taken or copied_back]
            matches = [i for i in file if records[i] == unit]
            if len(matches) == 1:
                unique += probability / len(records)
                correct += probability / len(records) * (matches == [taken])
    return correct / unique if unique else Fraction(0)


@cache
def posterior_risk(f: int, p: float) -> mpmath.mpf:
    """E(1/F | f) for F negative binomial with f successes, to about 50 digits; p is taken as the exact double.

    With a small p and f, from r_1 upward by q r_{f+1} + p r_f = p/f (integrate u^(f-1) by parts; an error
    shrinks with p/q < 1); else by the power series of the hypergeometric function. Both are held against
    posterior_risk_2f1 and posterior_risk_by_sum by a test.
    """
    with mpmath.workdps(60):
        exact = mpmath.mpf(p)
        q = 1 - exact
        if exact < mpmath.mpf(1) / 2 and f <= 100:
            risk = -exact / q * mpmath.log(exact)
            for n in range(1, f):
                risk = (exact / n - exact * risk) / q
            return risk
        total, term, j = mpmath.mpf(1), mpmath.mpf(1), 0
        while term > mpmath.mpf(10) ** -55:
            j += 1
            term *= q * j / (f + j)
            total += term
        return exact / f * total


def posterior_risk_2f1(f: int, p: float) -> mpmath.mpf:
    """The same by mpmath's hypergeometric function, in 50 digits.

    (3.2) of the SDC handbook is sum_{h >= f} (1/h) C(h-1, f-1) p^f q^(h-f); with h = f + j its terms are
    those of (p^f / f) 2F1(f, f; f+1; q), and Euler's transformation makes that (p/f) 2F1(1, 1; f+1; q).
    """
    with mpmath.workdps(50):
        return mpmath.mpf(p) / f * mpmath.hyp2f1(1, 1, f + 1, 1 - mpmath.mpf(p))


def posterior_risk_by_sum(f: int, p: Fraction, terms: int) -> mpmath.mpf:
    """Sum the first terms of (3.2) of the SDC handbook as it is printed."""
    with mpmath.workdps(50):
        exact = mpmath.mpf(p.numerator) / p.denominator
        return mpmath.fsum(
            mpmath.mpf(math.comb(h - 1, f - 1)) / h * exact**f * (1 - exact) ** (h - f) for h in range(f, f + terms)
        )


def individual_risks(records: Sequence[Record], weights: Sequence[float], nulls: str = "category") -> list[mpmath.mpf]:
    """r of each record."""
    f = sample_frequencies(records, nulls)
    population = population_frequencies(records, weights, nulls)
    return [posterior_risk(a, a / b) for a, b in zip(f, population, strict=True)]


def household_risks(risks: Sequence[mpmath.mpf], households: Sequence[Any]) -> list[mpmath.mpf]:
    """1 - prod(1 - r_i) over the members of each record's household. SDC handbook, section 3.3.5."""
    with mpmath.workdps(50):
        return [
            1 - mpmath.fprod(1 - r for r, other in zip(risks, households, strict=True) if other == own)
            for own in households
        ]


def bounded_rate(risks: Sequence[Any], threshold: float) -> float:
    """Mean of min(r_i, threshold): the rate once the records above are protected down to it. Handbook, 3.3.5."""
    return math.fsum(min(float(r), threshold) for r in risks) / len(risks)


def population_risk(sample: Sequence[Record], population: Sequence[Record]) -> dict[str, Fraction | int]:
    """Skinner & Elliot (2002), sections 2.1-2.3; tau1 and tau2 of the SDC handbook, section 3.3.3."""
    f, big_f = Counter(sample), Counter(population)
    uniques = [j for j in f if f[j] == 1]
    both = [j for j in uniques if big_f[j] == 1]
    matches = sum(big_f[j] for j in uniques)
    tau2 = sum((Fraction(1, big_f[j]) for j in uniques), Fraction(0))
    population_uniques = sum(count == 1 for count in big_f.values())
    return {
        "pr_pu": Fraction(population_uniques, len(population)),
        "pr_pu_given_su": Fraction(len(both), len(uniques)) if uniques else Fraction(0),
        "theta": Fraction(len(uniques), matches) if uniques else Fraction(0),  # (2)
        "p": tau2 / len(uniques) if uniques else Fraction(0),  # (3)
        "tau1": sum((Fraction(1, big_f[j]) for j in f), Fraction(0)),
        "tau2": tau2,
        "expected_correct_matches": sum((Fraction(f[j], big_f[j]) for j in f), Fraction(0)),
        "sample_records": len(sample),
        "population_records": len(population),
        "sample_cells": len(f),
        "population_cells": len(big_f),
        "sample_uniques": len(uniques),
        "population_uniques": population_uniques,
        "sample_and_population_uniques": len(both),
        "unique_matches": matches,
    }


def sse_sst(x: Iterable[Sequence[float]], groups: Iterable[Any]) -> float:
    """Return the share of the sum of squares within groups of records, or of each variable (SDC handbook, 3.4.5)."""
    columns: dict[Any, list[float]] = defaultdict(list)
    members: dict[Any, list[float]] = defaultdict(list)
    for record, group in zip(x, groups, strict=True):
        for j, value in enumerate(record):
            columns[j].append(value)
            members[j, group[j] if hasattr(group, "__len__") else group].append(value)

    def squares(values: list[float]) -> float:
        mean = math.fsum(values) / len(values)
        return math.fsum((v - mean) ** 2 for v in values)

    return math.fsum(map(squares, members.values())) / math.fsum(map(squares, columns.values()))
