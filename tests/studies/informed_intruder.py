"""An intruder who knows the source, written apart from the package: plain Python, no macro, no completion of ours."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Row = dict[str, Any]


def constant(rows: Sequence[Row], household: str, columns: Iterable[str]) -> list[str]:
    """Return the columns in which the members of no household show two values."""
    found = []
    for name in columns:
        shown = defaultdict(set)
        for row in rows:
            if row[household] is not None and row[name] is not None:
                shown[row[household]].add(row[name])
        if all(len(values) == 1 for values in shown.values()):
            found.append(name)
    return found


def completed(rows: Sequence[Row], household: str, columns: Sequence[str], size: str | None = None) -> list[Row]:
    """Return the records with what other members show; a size is counted, where its label is that of others as many."""
    members = defaultdict(list)
    for row in rows:
        members[row[household]].append(row)
    labels = {len(m): r[size] for m in members.values() for r in m if size is not None and r[size] is not None}
    found = []
    for number, those in members.items():
        shown = {c: {m[c] for m in those if m[c] is not None} for c in columns} if number is not None else {}
        for row in those:
            known = {c: next(iter(v)) for c, v in shown.items() if row[c] is None and len(v) == 1}
            if size is not None and row[size] is None:
                known[size] = labels.get(len(those))
            found.append({**row, **known})
    return found


def rare(rows: Sequence[Row], keys: Sequence[str], k: int) -> int:
    """Return the records whose values are those of fewer than k; NULL is a value of its own."""
    cells = Counter(tuple(row[key] for key in keys) for row in rows)
    return sum(number for number in cells.values() if number < k)


def few_fits(released: Sequence[Row], source: Sequence[Row], keys: Sequence[str], k: int) -> int:
    """Return the released records that agree, in what they keep, with fewer than k persons of the source."""
    persons = Counter(tuple(row[key] for key in keys) for row in source)
    by_kept: dict[tuple[int, ...], Counter[tuple[Any, ...]]] = {}
    few = 0
    for values, number in Counter(tuple(row[key] for key in keys) for row in released).items():
        kept = tuple(i for i, value in enumerate(values) if value is not None)
        if kept not in by_kept:
            counts: Counter[tuple[Any, ...]] = Counter()
            for person, many in persons.items():
                counts[tuple(person[i] for i in kept)] += many
            by_kept[kept] = counts
        few += number * (by_kept[kept][tuple(values[i] for i in kept)] < k)
    return few


def given_back(
    released: Sequence[Row], truth: Mapping[Any, Row], identifier: str, columns: Sequence[str], targets: Sequence[str]
) -> list[tuple[str, tuple[str, ...], int]]:
    """Return the columns, and pairs of them, that determine a suppressed one, and how many values they give rightly.

    A rule counts where at least ten groups confirm it: each of two known values and more, which all agree; and where
    the commonest value is not nearly all there is, which would be chance.
    """
    found = []
    for target in targets:
        known = Counter(row[target] for row in released if row[target] is not None)
        if sum(row[target] is None for row in released) == 0 or max(known.values()) > 0.9 * sum(known.values()):
            continue
        others = [c for c in columns if c not in {target, identifier}]
        for giver in [*((c,) for c in others), *combinations(others, 2)]:
            groups = defaultdict(list)
            for row in released:
                values = tuple(row[c] for c in giver)
                if None not in values:
                    groups[values].append(row)
            shown = {v: {r[target] for r in g if r[target] is not None} for v, g in groups.items()}
            if any(len(values) > 1 for values in shown.values()):
                continue
            confirming = sum(sum(r[target] is not None for r in g) > 1 for g in groups.values())
            hidden = [(r, shown[v]) for v, g in groups.items() for r in g if r[target] is None and shown[v]]
            right = sum(truth[row[identifier]][target] in values for row, values in hidden)
            if confirming >= 10 and right:
                found.append((target, giver, right))
    return found
