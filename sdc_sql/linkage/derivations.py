"""Which derivations of hidden values are worth counting: read from two tables, and sieved (`udfs/derivation.py`)."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from sdc_sql.compiler.columns import fold_case
from sdc_sql.db.registered import register_rows
from sdc_sql.errors import translate_errors
from sdc_sql.linkage.derivation_sides import is_id_whole, read_sides, show_bits
from sdc_sql.udfs.derivation import Target, find_possible_givers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.roles import Roles
    from sdc_sql.udfs.derivation_cells import Numbers

SUPPRESSED, COARSENED = 0, 1
_DIFFERENT = "sdc_different_values"
Codes = NDArray[np.int16] | NDArray[np.int32]
_SHORT = 2**15 - 1


@dataclass(frozen=True)
class Derivations:
    """Variables, givers, and what is to be counted: the place of a giver, of a variable, and how it was masked.

    ``most`` is the share of the hidden values that each of these may predict, or 0; infinite of what may be a rule.
    ``hidden`` are the numbers of suppressed and of coarsened values. By numbers in the place of the values: ``sides``
    of the variables, original and released; by a variable's place and how it was masked the ``known`` values, and the
    ``records`` that hide one; ``codes`` of the columns whose ``places`` the givers have. What the numbers of a variable
    stand for is in ``different``, until they are put in order.
    """

    columns: list[str]
    givers: list[list[str]]
    tasks: list[list[int]]
    most: list[float]
    hidden: tuple[int, int]
    places: list[tuple[int, ...]]
    sides: list[tuple[Codes, Codes]]
    different: dict[int, pa.Array]
    known: dict[tuple[int, int], Numbers]
    records: dict[tuple[int, int], NDArray[np.intp]]
    codes: dict[int, Codes]

    def put_in_order(self, data: Roles, place: int) -> None:
        """Give the values of a variable numbers in the order of their texts' bytes: the greatest of two is chosen."""
        if place not in self.different:
            return
        order = _find_order(data, self.different.pop(place))
        old, released = self.sides[place - 1]
        sides = self.sides[place - 1] = order[old], order[released]
        for masked in (SUPPRESSED, COARSENED):
            if (known := self.known.get((place, masked))) is not None:
                shown = next((new for new, its in zip(sides, (old, released), strict=True) if its is known), None)
                self.known[place, masked] = order[known] if shown is None else shown


def sieve_derivations(
    data: Roles, original: str, columns: Sequence[str], givers: Sequence[str]
) -> Derivations:  # fmt: skip
    """Return the derivations, alone and in pairs, that the records do not refute.

    Parameters
    ----------
    columns
        The variables whose hidden values are looked for.
    givers
        The released columns that may give them back.

    Notes
    -----
    The numbers of households mean nothing outside the file: what was made coarser they do not tell.
    """
    paired = "sdc__check_derived_alike" if is_id_whole(data, original) else "sdc__check_derived"
    data.rows(paired, original, data.table, data.id)  # refuses what is not paired, as the macro does
    names, shown, read = read_sides(data, original, columns, givers)
    lower = [fold_case(name) for name in givers]
    homes = _number_values(read.pop("home")) if data.household is not None else None
    draws = (read.pop("draw").to_numpy() >> np.uint64(11)) * 2.0**-53
    with ThreadPoolExecutor(max_workers=2) as pool:  # each holds a column's values twice for as long as it numbers them
        # fractions first, which differ most
        order = sorted(range(len(names)), key=lambda j: (not pa.types.is_floating(read[f"o_{j}"].type), j))
        numbered = pool.map(lambda j: _find_different(read.pop(f"o_{j}"), read.pop(f"r_{j}")), order)
        others = [i for i in range(len(givers)) if i not in shown]
        codes = dict(zip(others, pool.map(lambda i: _number_values(read.pop(f"g_{i}")), others), strict=True))
        different = [both for _, both in sorted(zip(order, numbered, strict=True), key=lambda one: one[0])]
    codes |= {i: _join_equal_numbers(*different[j]) for i, j in shown.items()}
    repeated = [_keep_repeated_codes(codes.pop(i)) for i in range(len(givers))]
    sides = [(codes[: len(codes) // 2], codes[len(codes) // 2 :]) for codes, _ in different]
    targets, of, hidden = [], [], [0, 0]
    for j, (name, (old, released)) in enumerate(zip(names, sides, strict=True)):
        own = lower.index(fold_case(name)) if fold_case(name) in lower else None
        for masked, (known, records) in enumerate((_find_suppressed(old, released), _find_coarsened(old, released))):
            hidden[masked] += len(records)
            if not len(records):
                continue
            tried = [i for i in range(len(givers)) if masked == SUPPRESSED or givers[i] != data.household]
            alone = tuple(i for i in tried if i != own)
            pairs = tuple(tried) if masked == COARSENED else alone
            if homes is not None and masked == SUPPRESSED:  # what a member's own household shows is the household's
                among = np.where(np.isin(homes, homes[records]), -1, known)
            else:
                among = known
            targets.append(Target(among, records, masked, alone, pairs))
            of.append((j, masked))
    found = find_possible_givers(repeated, targets, draws=draws)
    lists = list(dict.fromkeys(one.giver for one in found))
    tasks = [[1 + lists.index(one.giver), 1 + of[one.target][0], of[one.target][1]] for one in found]
    its = {(1 + j, masked): target for (j, masked), target in zip(of, targets, strict=True)}
    most = [one.predicted / len(targets[one.target].hidden) if one.far else math.inf for one in found]
    return Derivations(
        names, [[givers[i] for i in one] for one in lists], tasks, most, (hidden[0], hidden[1]), lists, sides,
        {1 + j: values for j, (_, values) in enumerate(different)},
        {task: target.known for task, target in its.items()}, {task: target.hidden for task, target in its.items()},
        {i: repeated[i] for one in lists for i in one},
    )  # fmt: skip


def _number_values(column: pa.ChunkedArray) -> Codes:
    """Return the places of the values among the different ones, -1 where it is missing."""
    return _find_different(column)[0]


def _find_different(*columns: pa.ChunkedArray) -> tuple[Codes, pa.Array]:
    """Return the places of the values of one column after the other among the different ones, and these."""
    values = pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)
    kind = values.type
    if pa.types.is_string(kind):
        values = values.cast(pa.large_string())  # the different ones of both sides may be too long for the other
    values = show_bits(values)
    found = values.dictionary_encode()  # (its chunks have one dictionary; joined before, they would be copied)
    different = found.chunk(0).dictionary if found.num_chunks else pa.array([], values.type)
    records, start = len(values), 0
    short = len(different) < _SHORT
    indices: Codes = np.empty(records, dtype=np.int16) if short else np.empty(records, dtype=np.int32)
    for chunk in found.chunks:
        its = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        indices[start : start + len(its)] = its
        start += len(its)
    return indices, different.view(kind) if pa.types.is_floating(kind) else different


def _find_order(data: Roles, different: pa.Array) -> Codes:
    """Return the places of values among themselves in the order of their texts' bytes, at the end that of no value."""
    numbers = pa.array(np.arange(len(different), dtype=np.int32))
    with register_rows(data.con, _DIFFERENT, pa.table({"number": numbers, "value": different})), translate_errors():
        text = exp.Anonymous(this="encode", expressions=[exp.cast(exp.column("value"), "VARCHAR")])
        ascending = exp.Ordered(this=text, desc=False)  # (the session may say DESC)
        ordered = exp.select("number").from_(exp.to_table(_DIFFERENT)).order_by(ascending)
        order = data.reading(ordered).to_arrow_table().column("number").to_numpy()
    places = _count_up(-1, len(different))
    places[order], places[-1] = _count_up(0, len(different)), -1
    return places


def _join_equal_numbers(indices: Codes, different: pa.Array) -> Codes:
    """Return the places of the released values; 0.0 and -0.0 have one, and NaN with either sign."""
    released = indices[len(indices) // 2 :]
    if pa.types.is_floating(different.type):
        values = different.to_numpy(zero_copy_only=False)
        for alike in (np.flatnonzero(values == 0), np.flatnonzero(np.isnan(values))):
            for other in alike[1:]:
                released = np.where(released == other, released.dtype.type(alike[0]), released)
    return released


def _keep_repeated_codes(codes: Codes) -> Codes:
    """Return the codes with -1 in the place of a value that no other record has: it gives nothing back."""
    records = np.bincount(codes + 1)
    numbers = _count_up(-1, len(records) - 1)
    numbers[records == 1] = -1
    return numbers[codes + 1]


def _count_up(start: int, stop: int) -> Codes:
    """Return the numbers from one to another, of two bytes each where these have room for one more."""
    return np.arange(start, stop, dtype=np.int16) if stop < _SHORT else np.arange(start, stop, dtype=np.int32)


def _find_suppressed(old: Codes, released: Codes) -> tuple[Codes, NDArray[np.intp]]:
    return released, np.flatnonzero((released < 0) & (old >= 0))


def _find_coarsened(old: Codes, released: Codes) -> tuple[Codes, NDArray[np.intp]]:
    """Return the codes of the original values, and the records whose released value stands for several of them."""
    least = np.full(int(released.max(initial=0)) + 2, np.iinfo(old.dtype).max)  # the last: where it is missing
    greatest = np.full(len(least), -1, dtype=old.dtype)
    np.minimum.at(least, released, np.where(old < 0, least[0], old))
    np.maximum.at(greatest, released, old)
    several = least < greatest
    several[-1] = False
    return old, np.flatnonzero(several[released] & (old >= 0)) if several.any() else np.zeros(0, dtype=np.intp)
