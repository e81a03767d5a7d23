"""The sensitive values of groups that are not diverse, or not close to the file, drawn anew.

Wong, Fu, Wang & Pei (2007), Minimality attack in privacy preserving data publishing, VLDB, section 6 (MASK): the groups
are there before anybody looks at a sensitive value, and failing ones show what a group that does not fail could show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sdc_sql.udfs.adapters import declare_function
from sdc_sql.udfs.arrow_function import NUMBERS
from sdc_sql.udfs.group_model import SLACK, Conditions, Urn, make_redraw_urn, make_urn, uniforms

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

_ROUNDS, _DRAWS, _AT_ONCE = 30, 200_000, 2_000_000


def redraw_groups(groups: Integers, values: Integers, draws: Integers, conditions: Conditions) -> Integers:
    """Return the values, those of redrawn groups anew.

    Parameters
    ----------
    groups, values
        Of each record the number of its group and of its value, from 0: (n,).
    draws
        Of each record a whole number that is secret and its own; those of a group are the seed of its draws.
    conditions
        What is asked of each group.

    Raises
    ------
    ValueError
        Where the file itself breaks what is asked, or a group is too small for it.
    """
    kinds = conditions.chosen.size
    urn = make_urn(groups, values, kinds)
    greatest = float(np.max(urn.p[conditions.chosen], initial=0))
    if conditions.l is not None and conditions.l * greatest > 1 + SLACK:
        raise ValueError(
            f"a value has {greatest:.4g} of the file's records, and l = {conditions.l:g} allows 1/l of a group's: "
            "no groups could be so; take a smaller l, or name the values that are sensitive (chosen)"
        )
    order = np.argsort(groups, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    asked = conditions
    for _ in range(_ROUNDS):
        masked = _redraw_group(members, values, draws, urn, asked)
        if conditions.t is None:
            return masked
        # the distribution of the released file, from which t is counted
        p = np.bincount(masked, minlength=kinds) / masked.size
        counts = _count_values(members, masked, kinds)
        if (conditions.distances(counts / counts.sum(axis=1, keepdims=True), p) <= conditions.t).all():
            return masked
        moved = float(conditions.distances(p[None, :], urn.p)[0])
        asked = Conditions(conditions.l, max(min(asked.t or 0, conditions.t - moved) * 0.98, 1e-6), conditions.chosen,
                           ordered=conditions.ordered)  # fmt: skip
    raise ValueError(f"no draws were found with which every group is within t = {conditions.t:g}: take a greater t")


def _count_values(members: list[Integers], values: Integers, kinds: int) -> Integers:
    return np.array([np.bincount(values[of], minlength=kinds) for of in members])


def _redraw_group(
    members: list[Integers], values: Integers, draws: Integers, urn: Urn, conditions: Conditions
) -> Integers:
    """Return the values with those of failing groups, and of a share of the others, anew."""
    masked = values.copy()
    fails = conditions.slacks(_count_values(members, values, conditions.chosen.size), urn.p).min(axis=1) < -SLACK
    of_size: dict[int, tuple[Urn, float]] = {}
    for of, failing in zip(members, fails, strict=True):
        if of.size not in of_size:
            of_size[of.size] = make_redraw_urn(urn, conditions, of.size)
        model, share = of_size[of.size]
        if not failing and share == 0:
            continue
        seed = np.random.SeedSequence([int(draw) for draw in draws[of]])
        bits = np.random.Philox(key=seed.generate_state(2, np.uint64))
        also = uniforms(bits, 1)[0] < share
        if failing or also:
            masked[of] = _draw_values(model, conditions, bits, of.size, whatever=share == 1)
    return masked


def _draw_values(urn: Urn, conditions: Conditions, bits: np.random.Philox, n: int, *, whatever: bool) -> Integers:
    """Return n values from the urn, accepted with the probability of their least slack, or whatever it is."""
    kinds = conditions.chosen.size
    tried, at_once = 0, int(np.clip(_AT_ONCE // n, 1, 32))
    while tried < _DRAWS:
        drawn = urn.draw(bits, at_once, n)
        counts = np.stack([(drawn == v).sum(axis=1) for v in range(kinds)], axis=1)
        least = conditions.slacks(counts, urn.p).min(axis=1)
        accepted = np.flatnonzero(least >= -SLACK if whatever else uniforms(bits, at_once) < least)
        if accepted.size:
            return np.asarray(drawn[accepted[0]])
        tried += at_once
    raise ValueError(
        f"a group has {n} records, and no {n} values that could be drawn are as asked: make the "
        "groups larger (coarser keys, a greater k), take a smaller l or a greater t, or name the values (chosen)"
    )


def distort_lists(
    groups: Floats | None, values: Floats | None, draws: Floats | None, chosen: Floats | None, asked: dict[str, Any]
) -> Floats:
    """Return the numbers of the values, from 1, as DuckDB gives and takes them."""
    if groups is None or values is None or draws is None or chosen is None:
        raise ValueError("the groups, the values, their draws and the chosen values are NULL: give a list of each")
    if asked["l"] is None and asked["t"] is None:
        raise ValueError("neither l nor t is given: say what a group's values must be")
    if asked["l"] is not None and not asked["l"] >= 1:
        raise ValueError(f"l is {asked['l']!r}: it must be a number, at least 1")
    if asked["t"] is not None and not 0 < asked["t"] <= 1:
        raise ValueError(f"t is {asked['t']!r}: it must be a number above 0 and at most 1")
    conditions = Conditions(asked["l"], asked["t"], chosen > 0, ordered=asked["distance"] == "ordered")
    of, members, secret = (given.astype(np.int64) for given in (groups, values, draws))
    return redraw_groups(of, members, secret, conditions).astype(np.float64) + 1


_ASKED = "STRUCT(l DOUBLE, t DOUBLE, distance VARCHAR)"
FUNCTIONS = (
    declare_function("distort", distort_lists, NUMBERS, by_stratum=False,
             groups=NUMBERS, members=NUMBERS, draws=NUMBERS, chosen=NUMBERS, asked=_ASKED),
)  # fmt: skip
