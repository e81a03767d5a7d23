"""The columns of a file as methods read them: those drawn already, old values and new."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.trees.codes import NOMINAL, Codes, find_coding

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

TIME = 1
INDICATORS = 30  # of a column of names, in a regression: the most frequent, and the others together


@dataclass
class Before:
    """The columns that explain: of the records that are fitted to, and of those that are drawn, as far as they are.

    ``old`` and ``new`` are codes, (columns, n) each, of which the first ``count`` are there; ``old_values`` and
    ``new_values`` the numbers.
    """

    old: Codes
    new: Codes
    widths: list[int] = field(default_factory=list)
    nominal: list[bool] = field(default_factory=list)
    old_values: list[Floats] = field(default_factory=list)
    new_values: list[Floats] = field(default_factory=list)

    @classmethod
    def make(cls, columns: int, fitted: int, drawn: int) -> Before:
        """Return room for the codes of columns."""
        return cls(np.empty((columns, fitted), dtype=np.uint8), np.empty((columns, drawn), dtype=np.uint8))

    @property
    def count(self) -> int:
        """How many columns there are."""
        return len(self.widths)

    def add(self, old: Floats, new: Floats, kind: int) -> None:
        """Add a column; new values of names are among the old ones, or have the code of the rarest."""
        most = int(np.nanmax(np.r_[old, new, 1.0])) if kind == NOMINAL else 1
        coding = find_coding(old, kind, most=most)
        self.old[self.count], self.new[self.count] = coding.encode(old), coding.encode(new)
        self.widths.append(coding.codes)
        self.nominal.append(coding.nominal)
        self.old_values.append(old)
        self.new_values.append(new)

    def choose(self, rows: npt.NDArray[np.int64]) -> Before:
        """Return the columns with some of the records that are fitted to."""
        return Before(
            self.old[:, rows], self.new, list(self.widths), list(self.nominal), [v[rows] for v in self.old_values],
            list(self.new_values),
        )  # fmt: skip

    def design(self) -> tuple[Floats, Floats]:
        """Return what regressions are on: 1, numbers by their deviation, indicators; of old and new records.

        A missing number is the mean, with an indicator of its own.
        """
        old: list[Floats] = [np.ones(self.old.shape[1])]
        new: list[Floats] = [np.ones(self.new.shape[1])]
        for j in range(self.count):
            if self.nominal[j]:
                counts = np.bincount(self.old[j], minlength=self.widths[j])
                most = np.argsort(-counts, kind="stable")[1:INDICATORS]
                for code in most[counts[most] > 0]:
                    old.append((self.old[j] == code) * 1.0)
                    new.append((self.new[j] == code) * 1.0)
                continue
            x, z = self.old_values[j], self.new_values[j]
            lacks, lack = np.isnan(x), np.isnan(z)
            mean, deviation = (np.nanmean(x), np.nanstd(x)) if not lacks.all() else (0.0, 1.0)
            if deviation > 0:
                old.append(np.where(lacks, 0, (x - mean) / deviation))
                new.append(np.where(lack, 0, (z - mean) / deviation))
            if lacks.any() and not lacks.all():
                old.append(lacks * 1.0)
                new.append(lack * 1.0)
        return np.array(old).T, np.array(new).T
