"""Pairs of ranks at random, at most some distance apart, in linear time.

Which distances come out, away from the ends and for a great L: half of all places are unpaired in their turn; each
then takes one of M free ones with chance 1 / M. A place d after the one in turn has been in range for L - d places,
so that it is still free with chance exp(-(L - d) / 2M); that M is the sum of these gives M = L / (2 ln 2). The
distance of partners then has density (ln 2 / L) 2^(d/L) on (0, L]: its mean is (2 - 1 / ln 2) L = 0.557 L.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.swapping.free_places import FreePlaces

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

CHUNK = 65_536
FEW = 20_000  # free places up to which it is faster to pair one by one
# Beyond this a draw times a count may round up to the count.
LAST_DRAW = 1 - 2.0**-52


def pair_places(choices: Floats, reach: int) -> Integers:
    """Return for each of n places in order the place that it is paired with, at most `reach` away.

    From place 0 on, each place not yet paired is paired with one drawn evenly from those not yet paired within
    `reach` after it. Time is proportional to n: the free places in range are kept in a list without order, from which
    one is taken by putting the last in its stead. While that list is long, many places are paired at a time
    (`free_places`); the pairs are those of the loop below.

    Examples
    --------
    >>> pair_places(np.array([0.9, 0.9, 0.1, 0.5]), 2)
    array([1, 0, 3, 2])
    """
    places = FreePlaces(np.minimum(choices, LAST_DRAW), min(reach, choices.size))
    while places.count > FEW:
        places.pair()
    return _pair_remaining(places)


def _pair_remaining(places: FreePlaces) -> Integers:
    """Pair the places that are left."""
    n, reach = places.draws.size, places.reach
    write = memoryview(places.paired.data)
    taken = bytearray(places.taken)
    free = places.free[: places.count].tolist()
    cycle = reach + 1
    position = [0] * cycle  # a place stands here in `free`, by its remainder
    for at, place in enumerate(free):
        position[place % cycle] = at
    for start in range(places.turn, n, CHUNK):
        for place, draw in enumerate(places.draws[start : start + CHUNK].tolist(), start):
            entering = place + reach
            if taken[place]:
                if entering < n:
                    position[entering % cycle] = len(free)
                    free.append(entering)
                continue
            at = position[place % cycle]
            last = entering if entering < n else free.pop()
            if last != place:
                free[at] = last
                position[last % cycle] = at
            if not free:
                break  # the last of an odd number
            at = int(draw * len(free))
            partner, last = free[at], free.pop()
            if last != partner:
                free[at] = last
                position[last % cycle] = at
            taken[partner] = 1
            write[place], write[partner] = partner, place
    return places.paired
