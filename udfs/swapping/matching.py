"""As many units with a partner as can be: alternating paths, and odd cycles shrunk (Edmonds 1965).

A path from a unit without partner along pairs that could be and pairs that are, in turn, gives it a partner where it
ends at another unit without one (all pairs of the path are changed over), or at a unit that may lose its own. Where no
path is, there is none later either: what was reached in vain is left out from then on, in the same call. Units of one
kind may exchange with the same others, so each kind looks round once a search.

Source: Edmonds (1965), Paths, trees, and flowers, Canadian J. of Mathematics 17, 449-467. That the units that can be
covered at once are a matroid, so that those asked first lose nothing by those that follow: Edmonds & Fulkerson (1965),
Transversals and matroid partition, J. Research NBS 69B, 147-153.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.udfs.swapping.kinds import Kinds

NONE, NEVER = -1, 1 << 30
OUTER, INNER = 1, 2


class Matching:
    """Pairs of units, the partner of each in `mate`."""

    def __init__(self, kinds: Kinds) -> None:
        self.kinds = kinds
        self.mate = [NONE] * len(kinds.of)
        # the turn in which a unit asked for a partner: one that asked later gives way
        self.asked = [NEVER] * len(kinds.of)
        self.turns = 0

    def ask(self, units: list[int], level: int) -> None:
        """Note that units need a partner, and that those without look for one who is apart at a level."""
        self.turns += 1
        for unit in units:
            self.asked[unit] = self.turns
            if self.mate[unit] < 0:
                self.kinds.move(unit, level)

    def resign(self, unit: int, level: int) -> None:
        """Note that a unit that finds no partner may serve others as one, apart at a level."""
        self.asked[unit] = NEVER
        self.kinds.move(unit, level)

    def cover(self, units: list[int], most: int | None = None) -> None:
        """Give partners to as many of these units as can have one, at most to so many.

        No unit that asked for a partner earlier, or as early, is without one for it. Who has a partner by `ask` keeps
        one that is apart at its level.
        """
        search: _Search | None = None
        found, vain = 0, set[int]()
        for unit in units:
            if most is not None and found >= most:
                break
            if self.mate[unit] < 0 and self.kinds.of[unit] not in vain:
                search = search or _Search(self)
                if search.augment(unit):
                    found += 1
                else:
                    vain.add(self.kinds.of[unit])


class _Search:
    """The units that are not yet reached in vain, by their kinds, and the tree of paths from one of them."""

    def __init__(self, match: Matching) -> None:
        self.kinds, self.mate, self.asked = match.kinds, match.mate, match.asked
        self.out = [False] * len(self.mate)  # reached in vain
        self.free: dict[int, list[int]] = {}
        self.paired: dict[int, dict[int, list[int]]] = {}  # the paired units by their own kind and their partner's
        self.giving: dict[int, list[int]] = {}
        for unit in reversed(range(len(self.mate))):  # the first are taken first, from the end
            self._list(unit)

    def augment(self, root: int) -> bool:
        """Give a partner to a unit; return whether that can be."""
        self.state: dict[int, int] = {root: OUTER}
        # an inner unit was reached from here; for one in an odd cycle this is the way round it
        self.parent: dict[int, int] = {}
        self.base: dict[int, int] = {}
        self.looked: set[int] = set()  # kinds from one of whose units paths go on
        self.fresh: dict[int, Iterator[int]] = {}
        self.left: dict[int, list[int]] = {}
        self.new: dict[int, Iterator[int]] = {}
        self.all: dict[int, Iterator[int]] = {}
        self.passed: dict[tuple[int, int], int] = {}  # how many of such units were looked at
        self.outer: dict[int, list[int]] = {self.kinds.of[root]: [root]}
        self.witness: dict[int, int] = {}
        self.around: set[int] = set()
        self.stack, self.later = [root], list[int]()
        while self.stack or self.later:
            unit = self.stack[-1] if self.stack else self.later[-1]
            kind = self.kinds.of[unit]
            if kind not in self.looked:
                self.looked.add(kind)
                self.new[kind], self.all[kind] = self._list_new_kinds(kind), self._list_unseen(kind)
                end = self._find_partner_at_once(kind, self.asked[root])
                if end is not None:
                    self.parent[end] = unit
                    self._end_at(self.mate[end], end)
                    return True
            if self.asked[unit] > self.asked[root]:
                self._end_at(unit, self.mate[unit])
                return True
            # first to kinds from which no path goes on yet: one unit of each nearly always finds what there is
            inner = next(self.new[kind] if self.stack else self.all[kind], None)
            if inner is not None:
                self.parent[inner], self.state[inner] = unit, INNER
                self._reach(self.mate[inner])
            elif self.stack:
                self.later.append(self.stack.pop())
            else:
                self.later.pop()
                self._look_round(unit)
        for unit in self.state:
            self.out[unit] = True
        return False

    def _list(self, unit: int) -> None:
        """List a unit among those of its kind without a partner, or with one, also with one that may give way."""
        kind, mate = self.kinds.of[unit], self.mate[unit]
        if mate < 0:
            self.free.setdefault(kind, []).append(unit)
            return
        self.paired.setdefault(kind, {}).setdefault(self.kinds.of[mate], []).append(unit)
        if self.asked[mate] == NEVER:
            self.giving.setdefault(kind, []).append(unit)

    def _find_partner_at_once(self, kind: int, turn: int) -> int | None:
        """Return a unit that a kind may exchange with, without partner or with one that need not have any."""
        for listed, free in ((self.free, True), *([] if turn == NEVER else [(self.giving, False)])):
            for other in self.kinds.fitting(kind):
                units = listed.get(other, [])
                for at in range(len(units) - 1, -1, -1):
                    unit = units[at]
                    holds = (
                        self.mate[unit] < 0 if free else self.mate[unit] >= 0 and self.asked[self.mate[unit]] == NEVER
                    )
                    if self.out[unit] or not holds:
                        del units[at]
                    elif unit not in self.state and (free or self.mate[unit] not in self.state):
                        return unit
        return None

    def _end_at(self, loser: int, end: int) -> None:
        """Change over the pairs of the path to a unit, whose partner, if it has one, loses it."""
        if loser >= 0:
            self.mate[loser] = NONE
        self._change_over(end)
        if loser >= 0:
            self._list(loser)

    def _list_new_kinds(self, kind: int) -> Iterator[int]:
        """Yield units that a kind may exchange with, from whose partners paths go on to others than so far."""
        for other in self.kinds.fitting(kind):
            if other in self.paired:
                for of_mate in self.fresh.setdefault(other, iter([*self.paired[other]])):
                    unit = None if of_mate in self.looked else self._find_unseen(other, of_mate)
                    if unit is not None:
                        yield unit

    def _list_unseen(self, kind: int) -> Iterator[int]:
        """Yield units with a partner that a kind may exchange with, and that no path has reached."""
        for other in self.kinds.fitting(kind):
            left = self.left.setdefault(other, [*self.paired.get(other, ())])
            while left:
                unit = self._find_unseen(other, left[-1])
                if unit is None:
                    left.pop()
                else:
                    yield unit

    def _find_unseen(self, kind: int, of_mate: int) -> int | None:
        """Return a unit of a kind with a partner of a kind that no path has reached."""
        units, at = self.paired[kind][of_mate], self.passed.get((kind, of_mate), 0)
        while at < len(units):
            unit, mate = units[at], self.mate[units[at]]
            if self.out[unit] or mate < 0 or self.kinds.of[mate] != of_mate:
                units[at] = units[-1]
                units.pop()
            elif unit in self.state:
                at += 1
            else:
                break
        self.passed[kind, of_mate] = at
        return units[at] if at < len(units) else None

    def _reach(self, unit: int) -> None:
        """Let paths go on from a unit."""
        self.state[unit] = OUTER
        self.outer.setdefault(self.kinds.of[unit], []).append(unit)
        self.stack.append(unit)

    def _look_round(self, unit: int) -> None:
        """Shrink the odd cycles that a unit closes with others from which paths go on."""
        kind = self.kinds.of[unit]
        if kind in self.around:
            if kind in self.witness:
                self._shrink(unit, self.witness[kind])
            return
        self.around.add(kind)
        for other in self.kinds.fitting(kind):
            for met in self.outer.get(other, ())[:]:
                if met != unit:
                    self.witness[kind], self.witness[other] = met, unit
                    self._shrink(unit, met)
            if other in self.outer:
                self.outer[other] = self.outer[other][-1:]  # all in one cycle now

    def _find_base(self, unit: int) -> int:
        """Return the base of the cycle that a unit was shrunk into, or itself."""
        root = unit
        while root in self.base:
            root = self.base[root]
        while unit in self.base:
            self.base[unit], unit = root, self.base[unit]
        return root

    def _shrink(self, one: int, another: int) -> None:
        """Make the cycle that two outer units close one: all its units are outer from then on."""
        if self._find_base(one) == self._find_base(another):
            return
        meeting = self._find_meeting(one, another)
        for unit, across in ((one, another), (another, one)):
            self._go_round(unit, across, meeting)

    def _go_round(self, unit: int, across: int, meeting: int) -> None:
        while self._find_base(unit) != meeting:
            self.parent[unit] = across
            across = self.mate[unit]
            if self.state[across] == INNER:
                self._reach(across)
            for each in (unit, across):
                if self._find_base(each) == each and each != meeting:
                    self.base[each] = meeting
            unit = self.parent[across]

    def _find_meeting(self, one: int, another: int) -> int:
        """Return where the ways of two units back to the root meet."""
        seen: set[int] = set()
        ways = [self._find_base(one), self._find_base(another)]
        while True:
            here = ways.pop(0)
            if here in seen:
                return here
            seen.add(here)
            if self.mate[here] >= 0:  # not yet back at the root
                ways.append(self._find_base(self.parent[self.mate[here]]))

    def _change_over(self, unit: int) -> None:
        """Change the pairs of a path over, from its end back to the root."""
        changed = []
        while unit >= 0:
            before = self.parent[unit]
            following = self.mate[before]
            self.mate[unit], self.mate[before] = before, unit
            changed += [unit, before]
            unit = following
        for each in changed:
            self._list(each)
