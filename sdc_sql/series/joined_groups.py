"""Microaggregation in a series: the groups of the first release stay, and a new value joins the nearest of them.

Each original value enters one published average at the most: two releases are no two equations of it. A record that
comes, or changes, joins by all its columns, so that no value is placed more exactly than by the first release. Of one
that changes the columns that did not stand there as they were released, and keep that: of them nothing more is told,
however often another column changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdc_sql.errors import ColumnError
from sdc_sql.udfs.microaggregation.joined import find_nearest_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from sdc_sql.series.kept_values import Known, Place

Numbers = Any  # arrays of float64
_Rows: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]"


def collect_groups(own: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return the groups that were released: of each its stratum, the texts of its averages, and its records."""
    names = ["sdc__stratum", *(f"sdc__r{j}" for j in range(len(columns)))]
    counted = own.select(names).group_by(names).aggregate([([], "count_all")])
    return counted.rename_columns([*names, "records"]).sort_by([(name, "ascending") for name in names])


class JoinedGroups:
    """Microaggregation: who waits, and what is released of the values that are new.

    A record waits where no published average is there for it: the first release had none of its stratum, or no record
    with NULL in the same of these columns.
    """

    def __init__(self, place: Place, arguments: Mapping[str, Any], fixed: Mapping[str, pa.Table]) -> None:
        self._place = place
        self._alone = arguments.get("method") == "individual_ranking" or len(place.columns) == 1
        self._groups = fixed.get(f"groups {place.step}")
        self._found: tuple[Known, NDArray[np.bool_], _Rows] | None = None

    def freeze(self, own: pa.Table) -> dict[str, pa.Table]:
        """Return what the first release fixes: the groups."""
        return {f"groups {self._place.step}": collect_groups(own, self._place.columns)}

    def find_waiting(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the records wait."""
        at, _, without = self._find_rows(own, known, present)
        waits = np.zeros(len(own), dtype=bool)
        waits[at] = without
        return waits

    def mask(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> tuple[list[pa.Array], dict[str, Any]]:
        """Return by column what is released of each record, as texts; nothing further is fixed."""
        at, row, _ = self._find_rows(own, known, present)
        if not len(at):
            return [*known.released], {}
        found = []
        assert self._groups is not None  # noqa: S101 - the first release had them
        for j in range(len(self._place.columns)):
            here = row[:, j] >= 0
            rows = np.full(len(own), -1, dtype=np.int64)
            rows[at[here]] = row[here, j]
            place = pa.array(np.where(rows >= 0, rows, 0), mask=rows < 0)
            texts = self._groups[f"sdc__r{j}"].combine_chunks().take(place)
            found.append(pc.if_else(known.missing[j], texts, known.released[j]))
        return found, {}

    def _find_rows(self, own: pa.Table, known: Known, present: NDArray[np.bool_]) -> _Rows:
        """Return who has a new value; by column the group that it joins, -1 where there is none; and who has none.

        Who waits and what is released are asked of the same records, one after the other: it is found once.
        """
        if self._found is not None and self._found[0] is known and (self._found[1] == present).all():
            return self._found[2]
        columns, groups = self._place.columns, self._groups
        assert groups is not None  # noqa: S101 - the first release had them
        m = len(columns)
        missing = known.stack_missing()
        at = np.flatnonzero(missing.any(axis=1) & present)
        missing, some = missing[at], own.take(pa.array(at))
        x = np.column_stack([_numbers(some[f"sdc__x{j}"], columns[j]) for j in range(m)])
        row = np.full(missing.shape, -1, dtype=np.int64)
        if len(at):
            texts = [groups[f"sdc__r{j}"].cast(pa.float64()).to_numpy() for j in range(m)]
            centres = np.column_stack(texts)
            weights = groups["records"].to_numpy().astype(float)
            released = [column.take(pa.array(at)) for column in known.released]
            given = x if self._alone else np.where(missing, x, _read_numbers(released))
            strata, of_groups = _encode_strata(some["sdc__stratum"], groups["sdc__stratum"])
            for code in np.unique(strata):
                here, theirs = np.flatnonzero(strata == code), np.flatnonzero(of_groups == code)
                join = _join_alone if self._alone else _join_together
                row[here] = join(given[here], missing[here], centres[theirs], weights[theirs], theirs)
        found = at, row, (missing & ~np.isnan(x) & (row < 0)).any(axis=1)
        self._found = known, present, found
        return found


def _join_alone(
    x: Numbers, missing: NDArray[np.bool_], centres: Numbers, _: Numbers, rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return by column the group that each missing value joins, -1 where there is none: of one stratum."""
    found = np.full(x.shape, -1, dtype=np.int64)
    for j in range(x.shape[1]):
        some, there = np.flatnonzero(missing[:, j] & ~np.isnan(x[:, j])), np.flatnonzero(~np.isnan(centres[:, j]))
        if len(some) and len(there):
            found[some, j] = rows[there[find_nearest_group(x[some, j : j + 1], centres[there, j : j + 1])]]
    return found


def _join_together(
    x: Numbers, missing: NDArray[np.bool_], centres: Numbers, weights: Numbers, rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the one group that the missing values of a record join: of one stratum.

    It is one with NULL where the record has it. By fewer columns than a group was formed of, the nearest of all groups
    would be a value nearly as it is: a record with NULL elsewhere waits.
    """
    found = np.full(x.shape, -1, dtype=np.int64)
    lacks, without = np.isnan(x), np.isnan(centres)
    for pattern in {tuple(p) for p in lacks}:
        use = np.flatnonzero(~np.array(pattern))
        alike = (without == np.array(pattern)).all(axis=1)
        there = np.flatnonzero(alike)
        some = np.flatnonzero((lacks == np.array(pattern)).all(axis=1))
        if len(use) and len(there):
            unit = _spread(centres[there][:, use], weights[there])
            nearest = find_nearest_group(x[some][:, use] / unit, centres[there][:, use] / unit)
            found[np.ix_(some, use)] = rows[there[nearest]][:, None]
    return np.where(missing, found, -1)


def _read_numbers(texts: Sequence[pa.Array]) -> Numbers:
    """Return numbers that are given as texts, by column."""
    return np.column_stack([column.cast(pa.float64()).to_numpy(zero_copy_only=False) for column in texts])


def _spread(centres: Numbers, weights: Numbers) -> Numbers:
    """Return the deviations of the published averages, which anybody can compute; 1 where there is none."""
    mean = np.average(centres, axis=0, weights=weights)
    deviation = np.sqrt(np.average((centres - mean) ** 2, axis=0, weights=weights))
    return np.where(deviation > 0, deviation, 1.0)


def _numbers(column: Any, name: str) -> Numbers:  # noqa: ANN401 - of Arrow
    numbers: Numbers = column.to_numpy().astype(float)
    known = ~column.combine_chunks().is_null().to_numpy(zero_copy_only=False)
    if not np.isfinite(numbers[known]).all():
        raise ColumnError(
            f"The column {name} has a value that is NaN or infinite, and no nearest average: mend it first."
        )
    return numbers


def _encode_strata(own: Any, groups: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # noqa: ANN401 - of Arrow
    """Return whole numbers for the strata of records and groups, one for each."""
    names = pa.array(dict.fromkeys([*pc.unique(groups).to_pylist(), *pc.unique(own).to_pylist()]), pa.string())
    texts = (column.combine_chunks().cast(pa.string()) for column in (own, groups))
    mine, theirs = (pc.index_in(t, value_set=names).to_numpy(zero_copy_only=False).astype(np.int64) for t in texts)
    return mine, theirs
