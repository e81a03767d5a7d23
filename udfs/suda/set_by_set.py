"""Minimal sample uniques set by set: sizes upward, each set from the groups of its prefix.

A cell (equal records) is alone on a set of keys if no other cell agrees with it there; it is then alone on every larger
set too. A set is its prefix and one key more, the last in the order of the keys, and the cells that are not alone on
the prefix are in groups. Of the last key only those cells are counted that do not have its most common value: the rest
of a group has it. Keys with many other values come first, so that what is counted is little.

A set that divides the cells no further than without one of its keys is left out with all its supersets: in each of them
that key adds nothing. Where few cells are alone on none of the smaller sets, only those are looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.suda.groups import Alone, Groups, Key, divide_groups
from sdc_sql.udfs.suda.partitions import SPARSE, find_alone, partition_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.arguments import Integers, Truths
    from sdc_sql.udfs.suda.work import Work


class SetBySet:
    """The cells that are not yet alone on every set of a size, and for each set which of them are."""

    def __init__(
        self, columns: Sequence[NDArray[np.integer]], single: Truths, *, zero_is_null: bool, work: Work
    ) -> None:
        keys = [Key(c, zero_is_null=zero_is_null) for c in columns]
        order = sorted(range(len(keys)), key=lambda p: -len(keys[p].places))
        self.keys, self.bits = [keys[p] for p in order], [1 << p for p in order]
        self.single, self.work, self.number = single, work, len(single)
        self.origin = np.arange(self.number)
        self.level: dict[tuple[int, ...], Alone] = {(): Alone(1, np.zeros(0, dtype=np.int64), self.number)}
        self._start()

    def _start(self) -> None:
        cells = len(self.single)
        self.scratch = np.zeros(cells, dtype=np.bool_)
        self.every = np.arange(cells, dtype=np.float64)
        self.chain = [Groups((), np.ones(cells, dtype=np.int32), np.array([0, cells]))]
        self.sums: tuple[Groups | None, NDArray[np.float64]] = None, self.every

    def list_sets(self, size: int, *, last: bool) -> Iterator[tuple[int, Integers]]:
        """Yield the sets of one size and the cells for which they are minimal; the last ones are not kept."""
        larger: dict[tuple[int, ...], Alone] = {}
        self.work.held = sum(a.nbytes for a in self.level.values())
        for prefix in sorted(self.level):
            for key in range(prefix[-1] + 1 if prefix else 0, len(self.keys)):
                positions = (*prefix, key)
                parts = (self.level.get(positions[:p] + positions[p + 1 :]) for p in range(size))
                smaller = [s for s in parts if s is not None]
                if len(smaller) < size:
                    continue
                few = self._is_few(positions, smaller)
                look = self._look_at_few if few else self._look_at_set
                found, all_alone = look(positions, smaller, last=last)
                if len(found):
                    yield sum(self.bits[p] for p in positions), self.origin[found]
                if all_alone is not None and all(all_alone.groups != s.groups for s in smaller):
                    self.work.hold(all_alone.nbytes)
                    larger[positions] = all_alone
        self.level = larger
        self._drop_alone()

    def _is_few(self, positions: tuple[int, ...], smaller: list[Alone]) -> bool:
        """Return whether it is less to look at the cells that are alone on no smaller set than at the groups."""
        cells, after = len(self.single), len(self.keys) - positions[-1]
        left = cells - max(s.number for s in smaller)
        return left * (4 * len(positions) + 8) + cells // 2 < 6 * cells // after + 8 * len(
            self.keys[positions[-1]].places
        )

    def _look_at_few(
        self, positions: tuple[int, ...], smaller: list[Alone], *, last: bool
    ) -> tuple[Integers, Alone | None]:
        all_alone = smaller[0].list_flags()
        for other in smaller[1:]:
            all_alone |= other.list_flags()
        cells = np.flatnonzero(~all_alone)
        self.work.add(len(cells) * len(positions))
        if not len(cells):
            return cells, None
        keys = [self.keys[p] for p in positions]
        unique, groups = partition_records([k.column[cells] for k in keys], [k.radix for k in keys])
        found = cells[unique]
        all_alone[found] = True
        groups += self.number - len(cells)
        if not self.single[cells[~unique]].any():  # no larger set is minimal for any
            last = True
        return self._select_usable(positions, found), None if last else Alone(
            groups, np.flatnonzero(all_alone), len(all_alone)
        )

    def _look_at_set(
        self, positions: tuple[int, ...], smaller: list[Alone], *, last: bool
    ) -> tuple[Integers, Alone | None]:
        found, groups = self._divide_cells(positions)
        all_alone = None if last else smaller[-1].add(groups, found)
        found = self._select_usable(positions, found)
        for other in smaller[:-1]:
            if len(found):
                found = found[~other.find_alone(found, self.scratch)]
        return found, all_alone

    def _select_usable(self, positions: tuple[int, ...], found: Integers) -> Integers:
        found = found[self.single[found]]
        for p in positions:
            found = self.keys[p].drop_missing(found)
        return found

    def _divide_cells(self, positions: tuple[int, ...]) -> tuple[Integers, int]:
        """Return the cells that are alone on a set and not on its prefix, and how many groups the set has."""
        prefix, key = self._find_groups(positions[:-1]), self.keys[positions[-1]]
        places, codes = key.places, key.codes
        self.work.add(len(places))
        packed = prefix.of.take(places).astype(np.int64)
        top = len(prefix.sizes) * key.radix
        in_table = top <= SPARSE * len(packed)
        if prefix.alone and not (in_table and 4 * prefix.alone < len(self.single)):
            within = np.flatnonzero(packed)
            places, codes, packed = places[within], codes[within], packed[within]
        groups = self.number - len(self.single) + prefix.alone
        found: list[NDArray[np.integer]] = [np.zeros(0, dtype=np.int64)]
        cells = packed * key.radix
        cells += codes
        if in_table:
            counts = np.bincount(cells, minlength=top)
            counts[: key.radix] = 0  # alone before
            others = counts.reshape(-1, key.radix).sum(axis=1)
            found.append(places[(counts == 1).take(cells)])
            groups += int(np.count_nonzero(counts))
        else:
            others = np.bincount(packed, minlength=len(prefix.sizes))
            if len(packed):
                once, more = find_alone(cells, top)
                found.append(places[once])
                groups += more
        rest = prefix.sizes - others  # these have the most common value
        groups += int(np.count_nonzero(rest))
        lone = np.flatnonzero(rest == 1)
        if len(lone):  # the places of its group summed, less those of the others
            sums = np.bincount(packed, weights=places, minlength=len(prefix.sizes))
            found.append((self._find_sums(prefix)[lone] - sums[lone]).astype(np.int64))
        return np.concatenate(found), groups

    def _find_groups(self, prefix: tuple[int, ...]) -> Groups:
        while self.chain[-1].keys != prefix[: len(self.chain[-1].keys)]:
            self.chain.pop()
        while len(self.chain[-1].keys) < len(prefix):
            position = prefix[len(self.chain[-1].keys)]
            self.work.add(len(self.single))
            self.chain.append(divide_groups(self.chain[-1], position, self.keys[position]))
        return self.chain[-1]

    def _find_sums(self, prefix: Groups) -> NDArray[np.float64]:
        """Return the sum of the places of each group: whole numbers, below 2^53."""
        if self.sums[0] is not prefix:
            sums = np.bincount(prefix.of.astype(np.int64), weights=self.every, minlength=len(prefix.sizes))
            self.sums = prefix, sums.astype(np.float64, copy=False)
        return self.sums[1]

    def _drop_alone(self) -> None:
        """Drop the cells that are alone on every set of this size, once they are half of all."""
        cells = len(self.single)
        if not self.level or any(2 * a.number < cells for a in self.level.values()):
            return
        left = np.zeros(cells, dtype=np.bool_)
        for a in self.level.values():
            left |= ~a.list_flags()
        if 2 * np.count_nonzero(left) < cells:
            self.level = {p: a.select(left) for p, a in self.level.items()}
            for key in self.keys:
                key.keep(left)
            self.single, self.origin = self.single[left], self.origin[left]
            self._start()
