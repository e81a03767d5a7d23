"""Which columns, and pairs of columns, may give hidden values of others back: a sieve, so that few are counted in full.

A rule is refuted by what a part of the records says; a cell that shows two values predicts nothing. What is left is
counted (`derivation_counts`): a rule without a contradiction is never lost here.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sdc_sql.udfs.derivation_cells import (
    code_cells,
    count_codes,
    find_likely_cells,
    find_places,
    flag_codes,
    hash_codes,
    shorten_codes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from sdc_sql.udfs.derivation_cells import Codes, Flags, Numbers

PARTS = (500, 4_000, 25_000)  # records, one after the other, that may refute a rule
SLACK, SHARE = 2, 0.005  # contradictions that are no refutation yet: near-rules have up to 0.1 %
NEAR = 0.001  # exceptions of its support that a rule may have: as in sql/linkage/derived_values.sql
FAR = 80  # contradictions that the last part does not have of such a rule
CELL = 10  # known values of a cell that predicts
HOPED = 15  # so many pairs of each variable are counted that predict in some cells by what a part shows
BEST = 5  # so many pairs of each variable are told that predict in some cells
_RUN = 1 << 18  # records whose cells are counted at a time, within the processor's cache, and cells that are counted so
WHOLE = 200_000  # about so many records, with all others of their values, are looked at before all are
_MOST = 20  # values of more records are not among them


@dataclass(frozen=True)
class Target:
    """Hidden values of a variable: ``known`` has the codes of its values (-1: none), ``hidden`` the records.

    ``own`` is 1 where a hidden value counts among the known ones of its cell (a coarsened one), else 0. ``givers`` are
    the columns, by their places, that may stand in a pair, ``alone`` those that may stand alone.
    """

    known: Numbers
    hidden: NDArray[np.intp]
    own: int
    alone: tuple[int, ...]
    givers: tuple[int, ...]
    kinds: int = field(init=False)

    def __post_init__(self) -> None:
        """Count the codes."""
        object.__setattr__(self, "kinds", int(self.known.max(initial=0)) + 1)


class _Picked(NamedTuple):
    """Which values of a column are picked, the last for a missing one; more contradictions refute a rule.

    More than ``far`` refute what the figures call a rule, with exceptions that are fewer than the sieve lets pass.
    """

    values: Flags
    refuting: float
    far: float


class Possible(NamedTuple):
    """A giver, the place of the target, whether its rule is not refuted, and how many values its cells predict.

    A rule is refuted by the known values of cells that hide one. ``far`` says that those of all cells refute a rule
    with some exceptions too.
    """

    giver: tuple[int, ...]
    target: int
    rule: bool
    predicted: int
    far: bool = False


def find_possible_givers(
    columns: Sequence[Numbers], targets: Sequence[Target], dimension: int = 2, draws: NDArray[np.float64] | None = None
) -> list[Possible]:
    """Return the givers that may give hidden values back, alone and in pairs, for each target.

    Parameters
    ----------
    columns
        The codes of the columns, from 0; -1 where a value is missing.
    targets
        The hidden values.
    dimension
        2 with pairs, 1 without.
    draws
        A number in [0, 1) of each record, by which the parts are chosen that are looked at first: where it is one of
        its id, what is found does not hang on the order of the records. By default parts are spread over the file.
    """
    counts = [np.bincount(column[column >= 0]) for column in columns]
    picked = {} if draws is None else _pick_values(columns, counts, draws)

    def find_for_target(place: int) -> list[Possible]:
        return _find_target_givers(_View(columns, counts, targets[place], draws, picked), place, dimension)

    longest_first = sorted(range(len(targets)), key=lambda place: -len(targets[place].hidden))
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # more of them would drive each other from the processors' caches
        found = dict(zip(longest_first, pool.map(find_for_target, longest_first), strict=True))
    return [one for place in range(len(targets)) for one in found[place]]


def _find_target_givers(view: _View, place: int, dimension: int) -> list[Possible]:
    alone = {i: view.try_giver((i,), place, 0) for i in view.target.alone}
    found = [one for one in alone.values() if one.rule or one.predicted]
    hoped: list[tuple[Possible, int]] = []
    for pair in combinations(view.target.givers, 2) if dimension > 1 else ():
        by_one = [alone[one] for one in pair if one in alone]
        if any(one.rule for one in by_one):  # the pair could tell nothing more surely
            continue
        least = max([one.predicted for one in by_one], default=0)
        one = view.try_giver(pair, place, least, hoped=True)
        if one.rule:
            found.append(one)
        elif one.predicted:
            hoped.append((one, least))
    hoped.sort(key=lambda one: -one[0].predicted)
    counted = [view.try_giver(one.giver, place, least) for one, least in hoped[:HOPED]]
    found += sorted((one for one in counted if one.predicted), key=lambda one: -one.predicted)[:BEST]
    return [one._replace(far=view.is_far_from_a_rule(one.giver)) for one in found]


class _View:
    """The columns as a target needs them: at its hidden records, and at some of its known ones."""

    def __init__(
        self,
        columns: Sequence[Numbers],
        counts: Sequence[Codes],
        target: Target,
        draws: NDArray[np.float64] | None = None,
        picked: Mapping[int, _Picked] | None = None,
    ) -> None:
        self.columns, self.target, self.picked = columns, target, picked or {}
        self.kinds = [max(len(its), 1) for its in counts]
        parts = _choose_parts(np.flatnonzero(target.known >= 0), draws)
        self.values = [target.known[part] for part in parts]
        self.hidden = [column[target.hidden] for column in columns]
        # a value of fewer records is in no cell that predicts: the hidden one, and as many as it takes besides
        self.common = [
            column if (its > CELL).all() else np.where(np.append(its > CELL, False)[column], column, -1)
            for column, its in zip(self.hidden, counts, strict=True)
        ]
        self.parts = [[column[part] for column in columns] for part in parts]
        # by column, which values a hidden record has, common ones or any
        self.near: dict[tuple[int, bool], Flags] = {}

    def try_giver(self, giver: tuple[int, ...], place: int, known: int, *, hoped: bool = False) -> Possible:
        """Return what is left of a giver after each part, and after all records where something is.

        Where its rule is refuted, ``hoped`` counts the hidden values of cells that the last part shows, of one value.
        """
        target, nothing = self.target, Possible(giver, place, rule=False, predicted=0)
        rule = True
        # once it is refuted: the cells of hidden values that have shown one value, and how many values each hides
        wanted = hidden = np.zeros(0, dtype=np.int64)
        for part, values in zip(self.parts, self.values, strict=True):
            if hidden.sum() <= known and not rule:
                return nothing
            cells = self._codes(part, giver)
            there = cells >= 0 if rule else find_likely_cells(cells, wanted)
            support, apart, mixed = _count_contradictions(cells[there], values[there], target.kinds)
            if rule and apart > SLACK + SHARE * support:
                rule = False
                if self._shows_all_cells_mixed(giver):
                    return nothing
                wanted, hidden = self._count_hidden(self.common, giver)
            if not rule:
                left = ~find_places(wanted, mixed)[1]
                wanted, hidden = wanted[left], hidden[left]
        if rule and self._is_refuted_by_whole_cells(giver):
            wanted, hidden = self._count_hidden(self.common, giver)
            return self._try_all_records(giver, place, wanted, hidden, rule=False) if len(wanted) else nothing
        if rule:
            wanted, hidden = self._count_hidden(self.hidden, giver)
        if hidden.sum() <= (0 if rule else known):
            return nothing
        if hoped and not rule and self.parts:
            of, there = find_places(cells, wanted)
            shown = np.zeros(len(wanted), dtype=np.bool_)
            shown[of[there]] = True
            return Possible(giver, place, rule=False, predicted=int(hidden[shown].sum()))
        return self._try_all_records(giver, place, wanted, hidden, rule=rule)

    def is_far_from_a_rule(self, giver: tuple[int, ...]) -> bool:
        """Return whether the records refute more than a rule: also one with exceptions, up to 0.1 % of its support.

        Of the exceptions of such a rule the last part has at most 25 on the average, as it has of 0.1 % of all records;
        more than `FAR` by chance with a probability below 1e-16 (Chernoff's bound).
        """
        if self.parts:
            cells, values = self._codes(self.parts[-1], giver), self.values[-1]
            _, apart, _ = _count_contradictions(cells[cells >= 0], values[cells >= 0], self.target.kinds)
            if apart > FAR:
                return True
        finest = max(giver, key=lambda i: self.kinds[i])
        return finest in self.picked and self._count_picked(giver, finest, hiding=False) > self.picked[finest].far

    def _is_refuted_by_whole_cells(self, giver: tuple[int, ...]) -> bool:
        """Return whether cells that are picked, each with all its records, refute a rule that no part has refuted.

        Of a column with few records a value a part shows hardly two of a cell.
        """
        finest = max(giver, key=lambda i: self.kinds[i])
        return finest in self.picked and self._count_picked(giver, finest, hiding=True) > self.picked[finest].refuting

    def _count_picked(self, giver: tuple[int, ...], finest: int, *, hiding: bool) -> int:
        """Return the contradictions of a column's picked values; with ``hiding`` in cells that hide a value."""
        flags = self.picked[finest].values
        records = np.flatnonzero(flags[self.columns[finest]])
        cells, values = self._codes({i: self.columns[i][records] for i in giver}, giver), self.target.known[records]
        there = (cells >= 0) & (values >= 0)
        if hiding:
            wanted = np.flatnonzero(flags[self.hidden[finest]])
            hides = self._codes({i: self.hidden[i][wanted] for i in giver}, giver)
            there &= np.isin(cells, hides[hides >= 0])
        return _count_contradictions(cells[there], values[there], self.target.kinds)[1]

    def _try_all_records(
        self, giver: tuple[int, ...], place: int, wanted: Codes, hidden: Codes, *, rule: bool
    ) -> Possible:
        """Return whether no record refutes a giver's rule or, where one has, what its cells predict."""
        target = self.target
        if not rule and self._count_kinds(giver) <= _RUN < len(target.known):
            sure = self._find_predicting_in_runs(giver, wanted)
            return Possible(giver, place, rule=False, predicted=int(hidden[sure].sum()))
        cells, values = self._find_likely_records(giver, wanted, common=not rule)
        if rule:
            sure = find_places(cells, wanted)[1]  # hashes hang on the numbers that the values have
            support, apart, _ = _count_contradictions(cells[sure], values[sure], target.kinds)
            rule = support > 0 and apart <= SLACK + SHARE * support
        sure = _find_predicting_cells(cells, values, target, wanted)
        return Possible(giver, place, rule=rule, predicted=int(hidden[sure].sum()))

    def _find_likely_records(self, giver: tuple[int, ...], wanted: Codes, *, common: bool) -> tuple[Codes, Numbers]:
        """Return the cells and values of the known records that may be in a wanted cell: few of many fine ones are."""
        for i in giver:
            if (i, common) not in self.near:
                there = np.zeros(self.kinds[i] + 1, dtype=np.bool_)
                there[(self.common if common else self.hidden)[i]] = True
                there[-1] = False  # (where it is missing, or rare)
                self.near[i, common] = there
        flags = flag_codes(wanted)
        finest, *others = sorted(giver, key=lambda i: -self.kinds[i])
        found: list[tuple[Codes, Numbers]] = []
        for run in cut_into_runs(max(len(self.target.known), 1)):
            values = self.target.known[run]
            near = np.flatnonzero(self.near[finest, common][self.columns[finest][run]])
            for i in others:
                near = near[self.near[i, common][self.columns[i][run][near]]]
            near = near[values[near] >= 0]
            cells, values = self._codes({i: self.columns[i][run][near] for i in giver}, giver), values[near]
            likely = flags[hash_codes(cells)]
            found.append((cells[likely], values[likely]))
        return np.concatenate([cells for cells, _ in found]), np.concatenate([values for _, values in found])

    def _shows_all_cells_mixed(self, giver: tuple[int, ...]) -> bool:
        """Return whether the last part shows two values of each cell that there can be; asked where many are hidden."""
        kinds = self._count_kinds(giver)
        if len(self.target.hidden) <= _RUN or CELL * kinds > len(self.values[-1]):
            return False
        cells = self._codes(self.parts[-1], giver)
        there = cells >= 0
        return len(_count_contradictions(cells[there], self.values[-1][there], self.target.kinds)[2]) == kinds

    def _count_kinds(self, giver: tuple[int, ...]) -> int:
        return math.prod(self.kinds[i] for i in giver)

    def _count_hidden(self, columns: Sequence[Numbers], giver: tuple[int, ...]) -> tuple[Codes, Codes]:
        """Return the different cells of the hidden records, in order, and how many of these each has."""
        kinds, records = self._count_kinds(giver), len(self.target.hidden)
        if kinds > _RUN or records <= _RUN:
            return count_codes(self._codes(columns, giver))
        counts = np.zeros(kinds, dtype=np.int64)
        for run in cut_into_runs(records):
            cells = self._codes({i: columns[i][run] for i in giver}, giver)
            counts += np.bincount(cells[cells >= 0], minlength=kinds)
        found = np.flatnonzero(counts)
        return found, counts[found]

    def _find_predicting_in_runs(self, giver: tuple[int, ...], wanted: Codes) -> Flags:
        """Return what `_find_predicting_cells` does, of all records, where the cells are few."""
        kinds, known = self._count_kinds(giver), self.target.known
        counts, one = np.zeros(kinds, dtype=np.int64), np.full(kinds, -1, dtype=known.dtype)
        left = np.zeros(kinds + 1, dtype=np.bool_)  # the wanted cells that have shown one value (the last: no cell)
        left[wanted] = True
        for run in cut_into_runs(len(known)):
            if not left.any():
                break
            cells = self._codes({i: self.columns[i][run] for i in giver}, giver)
            there = np.flatnonzero(left[cells])
            cells, values = cells[there], known[run][there]
            cells, values = cells[values >= 0], values[values >= 0]
            counts += np.bincount(cells, minlength=kinds)
            first = one[cells] < 0
            one[cells[first]] = values[first]  # of each cell one of its values
            left[cells[values != one[cells]]] = False
        sure: Flags = (counts[wanted] - self.target.own >= CELL) & left[wanted]
        return sure

    def _codes(self, columns: Sequence[Numbers] | Mapping[int, Numbers], giver: tuple[int, ...]) -> Codes:
        """Return the codes of a giver, of a pair whole numbers; -1 where one of it is missing."""
        return code_cells([columns[i] for i in giver], [self.kinds[i] for i in giver])


def _pick_values(
    columns: Sequence[Numbers], counts: Sequence[Codes], draws: NDArray[np.float64]
) -> dict[int, _Picked]:  # fmt: skip
    """Return some of the values of each column that has many of them; of those with few records each as likely.

    The sum of the draws of a value's records picks it, but for its whole part: that hangs neither on their number nor
    on their order. A rule has at most `SLACK` and a `SHARE` of its support of contradictions, and its support is at
    most that of the column. That the cells of the picked values show four times their share of these, and 500 more,
    happens by chance with a probability below 1e-20: Chernoff's bound, for values of up to `_MOST` records each. The
    same holds of a rule with `NEAR` of its support, and ``far``.
    """
    if len(draws) < 10 * WHOLE:
        return {}
    found, share = {}, WHOLE / len(draws)
    whole = np.floor(draws * 2.0**20)  # these are summed without rounding
    for i, (column, records) in enumerate(zip(columns, counts, strict=True)):
        if len(records) * _MOST > len(column):
            there = column >= 0
            sums = np.bincount(column[there], weights=whole[there]) % 2.0**20
            values = np.append((sums < share * 2.0**20) & (records <= _MOST), False)
            support = int(records.sum()) - np.count_nonzero(records)
            refuting, far = (4 * share * most + 500 for most in (SLACK + SHARE * support, NEAR * support))
            found[i] = _Picked(values, refuting, far)
    return found


def _choose_parts(rows: NDArray[np.intp], draws: NDArray[np.float64] | None) -> list[NDArray[np.intp]]:
    """Return the records of each part, of those that are given: those of the least draws, or all over the file."""
    sizes = [n for n in PARTS if n < len(rows)]
    if draws is None:
        return [rows[np.linspace(0, len(rows) - 1, n).astype(np.int64)] for n in sizes]
    its = draws[rows]
    low = np.flatnonzero(its * len(rows) < 4 * sum(sizes))  # all but surely enough
    least = low[np.argsort(its[low], kind="stable")]
    return np.split(rows[least], np.cumsum(sizes))[:-1]


def cut_into_runs(records: int) -> Iterator[slice]:
    """Return the places of so many records, as many at a time as the processor's cache holds."""
    for start in range(0, records, _RUN):
        yield slice(start, start + _RUN)


def _count_contradictions(cells: Codes, values: Numbers, kinds: int) -> tuple[int, int, Codes]:
    """Return what a rule was tried on, what contradicts it, and the cells that show several values."""
    if not len(cells):
        return 0, 0, cells
    cells, named = shorten_codes(cells, kinds)
    both = np.sort(cells * kinds + values)
    starts = np.flatnonzero(np.r_[True, both[1:] != both[:-1]])
    counts, of = np.diff(np.r_[starts, len(both)]), both[starts] // kinds
    first = np.flatnonzero(np.r_[True, of[1:] != of[:-1]])
    most, several = np.maximum.reduceat(counts, first), np.diff(np.r_[first, len(of)]) > 1
    mixed = of[first[several]]
    return len(cells) - len(first), len(cells) - int(most.sum()), mixed if named is None else named[mixed]


def _find_predicting_cells(cells: Codes, values: Numbers, target: Target, wanted: Codes) -> Flags:
    """Return which of the wanted cells have enough known values besides a hidden one, all equal."""
    of, exact = find_places(cells, wanted)
    of, values = of[exact], values[exact]
    counts = np.bincount(of, minlength=len(wanted))
    one = np.zeros(len(wanted), dtype=values.dtype)
    one[of] = values  # of each cell one of its values
    several = np.zeros(len(wanted), dtype=np.bool_)
    several[of[values != one[of]]] = True
    sure: Flags = (counts - target.own >= CELL) & ~several
    return sure
