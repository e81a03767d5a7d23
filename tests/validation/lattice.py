"""The best node of a lattice of hierarchies by looking at every node: another way than ours, and other readings."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Cell = tuple[str, ...]


class Lattice:
    """A file of keys and a sensitive value last, by cells, and the hierarchies of the keys.

    Examples
    --------
    >>> ladder = {"age": [("30", "20 to 39"), ("25", "20 to 39"), ("41", "40 to 59")]}
    >>> file = Lattice([("30", "flu"), ("25", "flu"), ("41", "flu"), ("41", "flu")], ladder)
    >>> round(file.find_best(2, 0, file.measure_loss), 6)  # of half of the records, two of three values are one
    0.25
    >>> file.find_best(2, 0.5, file.measure_entropy)  # two records lose their ages, which were two
    2.0
    """

    def __init__(self, rows: Iterable[Sequence[Any]], hierarchies: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self.cells = Counter((tuple(map(str, row[:-1])), row[-1]) for row in rows)
        self.records = self.cells.total()
        self.counted: dict[tuple[int, ...], defaultdict[Cell, Counter[Any]]] = {}
        self.ladders = [{row[0]: row for row in hierarchies[key]} for key in hierarchies]
        self.values = [Counter[str]() for _ in self.ladders]
        self.secrets = Counter[Any]()
        for (cell, secret), n in self.cells.items():
            self.secrets[secret] += n
            for counts, value in zip(self.values, cell, strict=True):
                counts[value] += n

    def find_best(self, k: int, suppression: float, loss: Any, *, t: float | None = None,
                  population: tuple[Lattice, int] | None = None) -> float:  # fmt: skip
        """Return the least loss of a node that suppresses no more than a share; nothing is asked of these records."""
        nodes = itertools.product(*(range(len(next(iter(ladder.values())))) for ladder in self.ladders))
        losses = []
        for node in nodes:
            groups = self.count_groups(node)
            kept = {label for label, values in groups.items() if values.total() >= k}
            if t is not None:
                kept = {label for label in kept if self._distance(groups[label]) <= t}
            if population is not None:
                of_all = population[0].count_groups(node)
                kept = {label for label in kept if of_all[label].total() >= population[1]}
            lost = {label: values for label, values in groups.items() if label not in kept}
            if sum(values.total() for values in lost.values()) <= suppression * self.records:
                losses.append(loss(node, lost))
        return min(losses)

    def count_groups(self, node: tuple[int, ...]) -> defaultdict[Cell, Counter[Any]]:
        """Return how many records have each combination of labels at a node, by their sensitive values."""
        if node in self.counted:
            return self.counted[node]
        groups = self.counted[node] = defaultdict(Counter)
        for (cell, secret), n in self.cells.items():
            groups[self._label(cell, node)][secret] += n
        return groups

    def measure_loss(self, node: Sequence[int], lost: Mapping[Cell, Counter[Any]]) -> float:
        """Return the geometric mean over keys of 1 + the mean share of the domain that a record's label has, less 1."""
        suppressed, product = Counter[Cell](), 1.0
        for label, values in lost.items():
            suppressed[label] += values.total()
        for place, (level, ladder) in enumerate(zip(node, self.ladders, strict=True)):
            sizes = Counter(row[level] for row in ladder.values())
            labels = Counter[str]()
            for value, n in self.values[place].items():
                labels[ladder[value][level]] += n
            for label, n in suppressed.items():
                labels[label[place]] -= n
            shares = sum(n * (sizes[label] - 1) for label, n in labels.items()) / (len(ladder) - 1)
            product *= 1 + (shares + suppressed.total()) / self.records
        return product ** (1 / len(self.ladders)) - 1

    def measure_entropy(self, node: Sequence[int], lost: Mapping[Cell, Counter[Any]]) -> float:
        """Return the sum of log2(with its label / with its value), and of log2(suppressed / with its label)."""
        total, suppressed = 0.0, sum(values.total() for values in lost.values())
        for place, (level, ladder) in enumerate(zip(node, self.ladders, strict=True)):
            labels, gone = Counter[str](), Counter[str]()
            for value, n in self.values[place].items():
                labels[ladder[value][level]] += n
            for label, values in lost.items():
                gone[label[place]] += values.total()
            total += sum(n * math.log2(labels[ladder[v][level]] / n) for v, n in self.values[place].items())
            total += sum(n * math.log2(suppressed / n) for n in gone.values())
        return total

    def _label(self, cell: Cell, node: Sequence[int]) -> Cell:
        return tuple(ladder[value][level] for ladder, value, level in zip(self.ladders, cell, node, strict=True))

    def _distance(self, values: Counter[Any]) -> float:
        """Return half of the sum of the differences between the shares of the sensitive values here and in the file."""
        here = values.total()
        return sum(abs(values[secret] / here - n / self.records) for secret, n in self.secrets.items()) / 2
