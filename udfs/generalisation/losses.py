"""What a generalisation costs, and the least that any further one can cost.

Each loss has one formula for both. It is given a node of the lattice of which some keys are settled and the others at
level 0, and the records that are below k on the settled keys alone: those are suppressed at every node that can still
be reached. With all keys settled this is the loss of the node itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.generalisation.cells import Ladder


@dataclass(frozen=True)
class View:
    """A node of the lattice.

    Parameters
    ----------
    levels
        The level of each key, those not settled 0.
    counts
        The records of each cell at these levels.
    small
        Gives for a settled key its numbers in the cells that are below k on the settled keys.
    small_counts
        The records in each of those cells.
    suppressed
        The records in all of them.
    released
        Where all keys are settled, the records of each cell that is released; None elsewhere.
    alike
        Whether those suppressed, who look alike, are together as is asked.
    """

    levels: Sequence[int]
    counts: Integers
    small: Callable[[int], Integers]
    small_counts: Integers
    suppressed: int
    released: Integers | None
    alike: bool


class Loss(Protocol):
    """A loss: what the levels cost at least, and what a view costs at least."""

    def floor(self, levels: Sequence[int]) -> float:
        """Return what these levels, or higher ones, cost at least, whoever is suppressed."""

    def measure(self, view: View) -> float:
        """Return what the nodes cost at least that can be reached from a view; of a settled one, what it costs."""


class Problem:
    """What every loss is made from: the hierarchies, how often each value occurs, k and the most to suppress."""

    def __init__(self, ladders: Sequence[Ladder], leaves: Sequence[Integers], k: int, most: int) -> None:
        self.ladders, self.k, self.most = ladders, k, most
        self.records = int(leaves[0].sum())
        self.counts = []  # how often each number occurs, for each key and level
        for ladder, counts in zip(ladders, leaves, strict=True):
            of_key = [counts]
            for level, up in enumerate(ladder.up):
                of_key.append(np.bincount(up, weights=of_key[level]).astype(np.int64))
            self.counts.append(of_key)


class Precision:
    """The mean over records and keys of level / height, 1 where suppressed.

    Sweeney (2002), Int. J. Uncertain. Fuzz. 10(5), 571-588, definition 5, as 1 - Prec.
    """

    def __init__(self, problem: Problem) -> None:
        self.heights = [max(ladder.height, 1) for ladder in problem.ladders]
        self.records = problem.records

    def floor(self, levels: Sequence[int]) -> float:
        """Return the loss where nothing is suppressed."""
        return self._add_suppressed(levels, 0)

    def measure(self, view: View) -> float:
        """Return the loss with those suppressed that must be."""
        return self._add_suppressed(view.levels, view.suppressed)

    def _add_suppressed(self, levels: Sequence[int], suppressed: int) -> float:
        mean = math.fsum(level / height for level, height in zip(levels, self.heights, strict=True)) / len(levels)
        return (mean * (self.records - suppressed) + suppressed) / self.records


class Entropy:
    """The non-uniform entropy in bits: the sum over records and keys of log2(how many have its label / its value).

    De Waal & Willenborg (1999), Information loss through global recoding and local suppression, Netherlands Official
    Statistics 14, 17-20; as a sum over all records, the suppressed ones too.
    """

    def __init__(self, problem: Problem) -> None:
        self.totals = [_totals(of_key) for of_key in problem.counts]

    def floor(self, levels: Sequence[int]) -> float:
        """Return the loss, which no suppression changes."""
        return math.fsum(totals[level] for totals, level in zip(self.totals, levels, strict=True))

    def measure(self, view: View) -> float:
        """Return the loss."""
        return self.floor(view.levels)


def _totals(of_key: list[Integers]) -> list[float]:
    """Return the entropy of a key at each level: sum of F log2 F over labels less sum of f log2 f over values."""
    sums = [math.fsum(f * math.log2(f) for f in counts.tolist() if f > 0) for counts in of_key]
    return [total - sums[0] for total in sums]


class Generalised:
    """The geometric mean over keys of 1 + the mean share of a record, less 1.

    The share of a label is (m - 1) / (M - 1) for m of the M values of the hierarchy, 1 where suppressed. Iyengar
    (2002), Transforming data to satisfy privacy constraints, KDD, 279-288, for one key; joined as ARX does.
    """

    def __init__(self, problem: Problem) -> None:
        self.shares: list[list[Floats]] = [ladder.share for ladder in problem.ladders]
        self.totals = [
            [float((share * counts).sum()) for share, counts in zip(ladder.share, of_key, strict=True)]
            for ladder, of_key in zip(problem.ladders, problem.counts, strict=True)
        ]
        self.records = problem.records

    def floor(self, levels: Sequence[int]) -> float:
        """Return the loss where nothing is suppressed."""
        return self._mean([totals[level] for totals, level in zip(self.totals, levels, strict=True)])

    def measure(self, view: View) -> float:
        """Return the loss with those suppressed that must be; keys not settled have a share of 0 elsewhere."""
        counts = view.small_counts.astype(np.float64)
        sums = []
        for key, level in enumerate(view.levels):
            total, share = self.totals[key][level] + view.suppressed, self.shares[key][level]
            if len(share) == 1:
                total -= view.suppressed * float(share[0])
            elif level > 0:
                total -= float((share * np.bincount(view.small(key), counts, len(share))).sum())
            sums.append(total)
        return self._mean(sums)

    def _mean(self, sums: Sequence[float]) -> float:
        return math.prod(1 + total / self.records for total in sums) ** (1 / len(sums)) - 1


class Discernibility:
    """The sum over records of the size of their cell; of a suppressed one, all records.

    Bayardo & Agrawal (2005), Data privacy through optimal k-anonymization, ICDE, equation for C_DM. A record costs at
    least k, as its cell is no smaller where it is released.
    """

    def __init__(self, problem: Problem) -> None:
        self.records, self.k = problem.records, problem.k

    def floor(self, levels: Sequence[int]) -> float:  # noqa: ARG002 - the levels alone say nothing
        """Return what k-anonymity costs at least."""
        return float(self.records * self.k)

    def measure(self, view: View) -> float:
        """Return the sum; where keys are left, cells below k are counted as k but for those that must be suppressed."""
        if view.released is not None:
            return float(int((view.released**2).sum()) + view.suppressed * self.records)
        sizes = np.maximum(view.counts, self.k)
        # it is not known here in which cells the records are that must be suppressed for another reason than k
        largest = self.k if _is_all_small(view, self.k) else int(sizes.max())
        return float(int((view.counts * sizes).sum()) + view.suppressed * (self.records - largest))


class AverageClass:
    """Records by released cells, all that is suppressed being one more.

    LeFevre, DeWitt & Ramakrishnan (2006), Mondrian, ICDE, C_AVG before it is divided by k.
    """

    def __init__(self, problem: Problem) -> None:
        self.records, self.k, self.most = problem.records, problem.k, problem.most

    def floor(self, levels: Sequence[int]) -> float:  # noqa: ARG002 - the levels alone say nothing
        """Return the average of the most cells that there can be."""
        return self.records / (self.records // self.k + (self.most > 0))

    def measure(self, view: View) -> float:
        """Return the average where every k records below k that need not be suppressed make one cell more."""
        if view.released is not None:
            return self.records / (len(view.released) + (view.suppressed > 0))
        large = view.counts >= self.k
        below = self.records - int(view.counts[large].sum()) - view.suppressed * _is_all_small(view, self.k)
        cells = int(np.count_nonzero(large)) + below // self.k
        return self.records / max(min(cells, (self.records - view.suppressed) // self.k) + (self.most > 0), 1)


def _is_all_small(view: View, k: int) -> bool:
    """Return whether all that must be suppressed is in cells below k."""
    return bool((view.small_counts < k).all())


LOSSES: dict[str, type[Precision | Entropy | Generalised | Discernibility | AverageClass]] = {
    "precision": Precision,
    "entropy": Entropy,
    "generalised_loss": Generalised,
    "discernibility": Discernibility,
    "average_class_size": AverageClass,
}
