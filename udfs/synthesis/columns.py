"""The columns of a file as methods read them: of the records that are fitted to, and of those that are drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.trees.codes import NOMINAL, Codes, Coding, find_coding

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

TIME = 1
INDICATORS = 30  # of a column of names, in a regression: the most frequent, and the others together


@dataclass
class Before:
    """The columns that explain, of the records that are fitted to.

    ``codes`` are those of the columns, (columns, n), of which the first ``count`` are there; ``values`` their numbers.
    """

    codes: Codes
    codings: list[Coding] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)

    @classmethod
    def make(cls, columns: int, fitted: int) -> Before:
        """Return room for the codes of columns."""
        return cls(np.empty((columns, fitted), dtype=np.uint8))

    @property
    def count(self) -> int:
        """How many columns there are."""
        return len(self.codings)

    @property
    def widths(self) -> list[int]:
        """How many codes each column has."""
        return [coding.codes for coding in self.codings]

    @property
    def nominal(self) -> list[bool]:
        """Which columns are of names."""
        return [coding.nominal for coding in self.codings]

    def add(self, values: Floats, every: Floats, kind: int) -> None:
        """Add a column; `every`: its values in the whole file. Names of no fitted record get the rarest's code."""
        most = int(np.nanmax(np.r_[every, 1.0])) if kind == NOMINAL else 1
        coding = find_coding(values, kind, most=most)
        self.codes[self.count] = coding.encode(values)
        self.codings.append(coding)
        self.values.append(values)

    def choose(self, rows: Integers) -> Before:
        """Return the columns with some of the records."""
        return Before(self.codes[:, rows], list(self.codings), [v[rows] for v in self.values])


@dataclass
class Drawn:
    """The same columns of the records that are drawn, as far as they are."""

    codes: Codes
    codings: list[Coding]
    values: list[Floats] = field(default_factory=list)

    @classmethod
    def make(cls, before: Before, records: int) -> Drawn:
        """Return room for as many records."""
        return cls(np.empty((before.count, records), dtype=np.uint8), before.codings)

    def __len__(self) -> int:
        """Return how many records there are."""
        return int(self.codes.shape[1])

    def add(self, values: Floats) -> None:
        """Add the next column."""
        self.codes[len(self.values)] = self.codings[len(self.values)].encode(values)
        self.values.append(values)


@dataclass(frozen=True)
class Design:
    """What regressions are on: 1, numbers by their deviation, indicators of names.

    A missing number is the mean, with an indicator of its own.

    Examples
    --------
    >>> before = Before.make(1, 4)
    >>> before.add(np.array([1.0, 3.0, 3.0, np.nan]), np.array([1.0, 3.0]), 0)
    >>> Design.find(before).read(before.codes, before.values).round(2).tolist()
    [[1.0, -1.41, 0.0], [1.0, 0.71, 0.0], [1.0, 0.71, 0.0], [1.0, 0.0, 1.0]]
    """

    columns: tuple[tuple[int, int | None, float, float], ...]  # column, code, mean, deviation

    @classmethod
    def find(cls, before: Before, few: int = 0) -> Design:
        """Return the design of all columns; numbers of so few values are names in it."""
        found: list[tuple[int, int | None, float, float]] = []
        for j, coding in enumerate(before.codings):
            counts = np.bincount(before.codes[j], minlength=coding.codes)
            if coding.nominal or coding.codes <= few:
                most = np.argsort(-counts, kind="stable")[1:INDICATORS]
                found += [(j, int(code), 0.0, 1.0) for code in most[counts[most] > 0]]
                continue
            x, lacks = before.values[j], counts[0]
            deviation = np.nanstd(x) if lacks < len(x) else 0.0
            if deviation > 0:
                found.append((j, None, float(np.nanmean(x)), float(deviation)))
            if 0 < lacks < len(x):
                found.append((j, 0, 0.0, 1.0))
        return cls(tuple(found))

    @property
    def owners(self) -> Integers:
        """Return the column that each column of the matrix is of, without the first."""
        return np.array([j for j, *_ in self.columns], dtype=np.int64)

    def read(self, codes: Codes, values: list[Floats]) -> Floats:
        """Return the matrix, (n, 1 + columns)."""
        found = np.ones((codes.shape[1], 1 + len(self.columns)))
        for place, (j, code, mean, deviation) in enumerate(self.columns, 1):
            if code is None:
                found[:, place] = np.nan_to_num((values[j] - mean) / deviation)
            else:
                found[:, place] = codes[j] == code
        return found
