"""The free places in range of the one in turn, and many turns at a time.

The list `free` has no order: an entry is taken out by putting the last one in its stead. A turn does, one after the
other: the place that comes into range goes to the entry of the place in turn (where none comes any more, the last
entry does); a partner is drawn from the list; the last entry goes to the partner's. The turn of a place that is taken
puts the one that comes into range at the end.

So the length of the list at each turn is known ahead, and with it what the draws choose, as long as no place is taken
and no entry written by an earlier turn of the same batch. Turns are done together up to the first that meets such an
entry; with M free places that are some square root of M turns.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers, Truths

AT_ONCE = 2.0  # square roots of the free places that are looked at together; for speed, the pairs are the same


class FreePlaces:
    """The places not yet paired, from the one in turn to `reach` after it.

    Attributes
    ----------
    turn : int
        The place in turn: those before it are paired.
    free, count : (reach + 1,) int array, int
        The free places in range, the first `count` entries.
    taken : (n,) bool array
        The places that an earlier one was paired with.
    paired : (n,) int array
        Of each place its partner, itself as long as it has none.
    """

    def __init__(self, draws: Floats, reach: int) -> None:
        self.draws, self.reach = draws, reach
        self.turn, self.count = 0, reach
        self.free = np.arange(reach + 1)
        self.taken: Truths = np.zeros(draws.size, dtype=bool)
        self.paired = np.arange(draws.size)
        self._entry = np.arange(draws.size)  # a place stands here in `free`
        self._order = np.empty(reach + 1, dtype=np.int64)
        self._numbers = np.arange(2 * self._choose_batch())
        self._entering_ends = draws.size - reach  # from this turn on no place comes into range

    def pair(self) -> None:
        """Do some turns, one at least."""
        begin = self.turn
        entering = begin < self._entering_ends
        stop = min(begin + self._choose_batch(), self._entering_ends if entering else self.draws.size)
        taken = self.taken[begin:stop]
        turns = (~taken).nonzero()[0]
        if entering:
            counts = self.count + np.where(taken, 1, -1).cumsum()  # how many are free after each turn
            last = counts[turns]  # the entry that is put in the partner's stead
            lowest = min(self.count, int(counts.min()))
        else:
            last = self.count - 2 - 2 * self._numbers[: turns.size]
            lowest = self.count - 2 * turns.size
        own = self._entry[begin:stop][turns]
        chosen = (self.draws[begin:stop][turns] * (last + 1)).astype(np.int64)
        meets = self._find_first_meeting(own, chosen, lowest)
        done = int(turns[meets]) if meets < turns.size else stop - begin
        turns, own, chosen, last = turns[:meets], own[:meets], chosen[:meets], last[:meets]
        partners = self.free[chosen]
        if entering:
            put_own = turns + (begin + self.reach)
            put_last = self._push_and_pop(counts[:done], taken[:done], lowest)[turns]
            self.count = int(counts[done - 1]) if done else self.count
        else:
            put_own, put_last = self.free[last + 1], self.free[last]
            self.count -= 2 * turns.size
        self._set_entries(put_own, own)
        self._set_entries(put_last, chosen)
        self._pair(turns + begin, partners)
        self.turn += done
        if self.turn < stop and not self.taken[self.turn]:
            self._turn_by_itself(entering=entering)

    def _choose_batch(self) -> int:
        return 2 + int(AT_ONCE * isqrt(self.count))

    def _find_first_meeting(self, own: Integers, chosen: Integers, lowest: int) -> int:
        """Return the first turn that meets an entry of an earlier one, or one that may be the last meanwhile."""
        entries = np.empty(2 * own.size, dtype=np.int64)
        entries[::2], entries[1::2] = own, chosen
        order = self._numbers[: entries.size]
        # the entries are written backwards, so that the first of several stays
        self._order[entries[::-1]] = order[::-1]
        meets = self._order[entries] != order
        meets |= entries >= lowest
        found = int(meets.argmax()) if entries.size else 0
        return found // 2 if entries.size and meets[found] else own.size

    def _push_and_pop(self, counts: Integers, taken: Truths, lowest: int) -> Integers:
        """Put places at the end of the list, and return for each turn what it takes from there.

        In the order of entries, and of turns within an entry, what is taken was put there just before, or was there.
        """
        entries = counts - taken
        order = (entries - lowest).astype(np.int16).argsort(kind="stable")
        ordered = entries[order]
        there = self.free[ordered]
        coming = self._numbers[: counts.size] + (self.turn + self.reach)
        again = (ordered[1:] == ordered[:-1]).nonzero()[0]
        there[again + 1] = coming[order[again]]
        found = np.empty_like(there)
        found[order] = there
        self._set_entries(coming[taken], entries[taken])
        return found

    def _set_entries(self, places: Integers | int, entries: Integers | int) -> None:
        self.free[entries] = places
        self._entry[places] = entries

    def _pair(self, places: Integers | int, partners: Integers | int) -> None:
        self.taken[partners] = True
        self.paired[places] = partners
        self.paired[partners] = places

    def _turn_by_itself(self, *, entering: bool) -> None:
        place, own = self.turn, self._entry[self.turn]
        self.count -= not entering
        self._set_entries(place + self.reach if entering else self.free[self.count], own)
        chosen = int(self.draws[place] * self.count)
        partner = self.free[chosen]
        self.count -= 1
        self._set_entries(self.free[self.count], chosen)
        self._pair(place, partner)
        self.turn += 1
