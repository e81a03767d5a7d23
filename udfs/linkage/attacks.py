"""Three attacks on a released file: singling out, linkability and inference, tried on the original and on a holdout.

Giomi, Boenisch, Wehmeyer & Tasnadi (2022), A unified framework for quantifying privacy risk in synthetic data. What the
paper draws at random is tried for all records, or for records at even steps of the file put in order, and ties are not
drawn but shared: a success is then a probability. So the figures do not depend on the order of the records.
"""

from __future__ import annotations

from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, TABLE
from sdc_sql.udfs.linkage.holdout import HELD, RELEASED, TRAINING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sdc_sql.udfs.arguments import Floats, Integers, Truths

ROUNDING = 1e-9
ELEMENTS = 2_000_000  # distances at a time
MOST_SETS = 1_000  # sets of columns
TRIES = 20_000  # records looked at for guesses of several variables


class Files:
    """The records of the three files, (columns, n) each, in an order by their values."""

    def __init__(self, columns: Floats, categories: int, file: Floats) -> None:
        self.categories = categories
        self.original, self.held, self.released = (
            _sort_records(columns[:, file == which]) for which in (TRAINING, HELD, RELEASED)
        )
        if np.array_equal(self.original, self.held, equal_nan=True):
            raise ValueError(
                "the holdout holds the very records of the original, and no attack would seem to succeed for any other "
                "reason: give records from which nothing was made"
            )

    def is_category(self, column: int) -> bool:
        """Return whether a column holds the numbers of categories."""
        return column < self.categories


def _sort_records(columns: Floats) -> Floats:
    found: Floats = columns[:, np.lexsort(columns[::-1])]
    return found


def _choose_evenly(n: int, most: int) -> Integers:
    """Return the places of at most so many of n records, at even steps."""
    return np.arange(n) if n <= most else np.arange(most) * n // most


def single_out(columns: Floats, categories: float, file: Floats, width: float, guesses: float) -> list[Floats]:
    """Return guesses and successes in the original and the holdout: by one value, then by several together.

    Parameters
    ----------
    columns
        Of each variable the numbers of its categories, then of each its numbers (NaN: missing), (columns, n).
    categories
        How many variables have categories, the first ones.
    file
        0: a record of the original, 1: of the holdout, 2: a released one.
    width
        How many variables a guess of several has.
    guesses
        The most guesses.
    """
    files = Files(columns, int(categories), file)
    size, other = files.original.shape[1], files.held.shape[1]
    if abs(size - other) > 0.1 * size:
        raise ValueError(
            f"the holdout has {other:,} records and the original {size:,}: what is true of one record of a file "
            "depends on how many there are; give a holdout of about as many"
        )
    alone = list(_guess_values(files))
    alone = [alone[i] for i in _choose_evenly(len(alone), int(guesses))]
    together = list(islice(_guess_sets(files, min(int(width), len(columns))), int(guesses)))
    return [np.array([_count_right(found, files)], dtype=float).ravel() for found in (alone, together)]


Predicate = tuple[int, str, float]


def _holds(values: Floats, predicate: Predicate) -> Truths:
    """Return for each record whether a predicate is true of it."""
    _, relation, value = predicate
    found: Truths
    if np.isnan(value):
        found = np.isnan(values)
    elif relation == "=":
        found = values == value
    else:
        found = values >= value if relation == ">" else values <= value
    return found


class Index:
    """The records of a file, and of each variable their order, missing values last."""

    def __init__(self, records: Floats) -> None:
        self.records = records
        self.orders = [np.argsort(values, kind="stable") for values in records]
        self.values = [values[order] for values, order in zip(records, self.orders, strict=True)]
        self.there = [int((~np.isnan(values)).sum()) for values in records]

    def find_span(self, predicate: Predicate) -> tuple[int, int]:
        """Return from where to where in its variable's order the records are that a predicate is true of."""
        j, relation, value = predicate
        there, values = self.there[j], self.values[j]
        if np.isnan(value):
            return there, len(values)
        first = 0 if relation == "<" else int(np.searchsorted(values[:there], value, "left"))
        last = there if relation == ">" else int(np.searchsorted(values[:there], value, "right"))
        return first, last

    def count_matches(self, guess: tuple[Predicate, ...]) -> int:
        """Return of how many records a guess is true: looked for among those of its rarest predicate."""
        spans = [self.find_span(predicate) for predicate in guess]
        rarest = min(range(len(guess)), key=lambda i: spans[i][1] - spans[i][0])
        first, last = spans[rarest]
        found = self.orders[guess[rarest][0]][first:last]
        for i, predicate in enumerate(guess):
            if i != rarest:
                found = found[_holds(self.records[predicate[0]][found], predicate)]
        return len(found)


def _count_right(guesses: list[tuple[Predicate, ...]], files: Files) -> tuple[int, int, int]:
    """Return how many guesses there are, and of how many just one record is true, in the original and the holdout."""
    mine, other = (
        sum(index.count_matches(guess) == 1 for guess in guesses)
        for index in (Index(files.original), Index(files.held))
    )
    return len(guesses), mine, other


def _guess_values(files: Files) -> Iterator[tuple[Predicate, ...]]:
    """Guess with one variable: what a single released record has, and that a number is the least or the greatest."""
    for j, values in enumerate(files.released):
        found, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        if np.isnan(values).sum() == 1:
            yield ((j, "=", np.nan),)
        if not files.is_category(j) and len(found):
            for relation, place in (("<", 0), (">", -1)):
                if counts[place] == 1:
                    yield ((j, relation, found[place]),)
        for value in found[counts == 1]:
            yield ((j, "=", value),)


def _guess_sets(files: Files, width: int) -> Iterator[tuple[Predicate, ...]]:
    """Guess with several variables of a released record, where it is the only released one that they are true of."""
    p, n = files.released.shape
    sets = list(islice(combinations(range(p), width), MOST_SETS))
    middle = [
        np.nan if f else _find_median(v) for f, v in zip(map(files.is_category, range(p)), files.released, strict=True)
    ]
    made, index = set(), Index(files.released)
    # each record with another set than the one before; again, with the next set, until all were tried
    for turn in range(len(sets)):
        for record in range(n):
            guess = tuple(
                _describe(files, j, files.released[j, record], middle[j]) for j in sets[(record + turn) % len(sets)]
            )
            key = tuple((j, relation, None if np.isnan(value) else value) for j, relation, value in guess)
            if key not in made and index.count_matches(guess) == 1:
                made.add(key)
                yield guess
        if n * (turn + 1) >= TRIES:
            return


def _find_median(values: Floats) -> float:
    return float(np.median(values[~np.isnan(values)])) if not np.isnan(values).all() else np.nan


def _describe(files: Files, j: int, value: float, median: float) -> Predicate:
    """Return what is said of a variable: the category, or that a number is at least, or at most, what it is."""
    if files.is_category(j) or np.isnan(value):
        return j, "=", float(value)
    return j, ">" if value > median else "<", float(value)


class Distances:
    """Gower's distance of records to the released ones: of numbers by their range, of categories 0 or 1."""

    def __init__(self, files: Files) -> None:
        self.files = files
        every = np.hstack([files.original, files.held, files.released])
        spans = [0.0 if np.isnan(v).all() else float(np.nanmax(v) - np.nanmin(v)) for v in every]
        self.spans = [span if span > 0 else 1.0 for span in spans]

    def find_nearest(self, records: Floats, columns: Integers) -> Truths:
        """Return which released records are nearest to each of some records, (records, released)."""
        total = np.zeros((records.shape[1], self.files.released.shape[1]))
        for j in columns:
            mine, other = records[j][:, np.newaxis], self.files.released[j][np.newaxis]
            if self.files.is_category(j):
                total += mine != other
            else:
                apart = np.abs(mine - other) / self.spans[j]
                total += np.where(np.isnan(mine) | np.isnan(other), np.isnan(mine) != np.isnan(other), apart)
        found: Truths = total <= total.min(axis=1, keepdims=True) * (1 + ROUNDING) + ROUNDING * len(columns)
        return found


def _try_records(files: Files, most: int, chance_of: Callable[[Floats], Floats]) -> Floats:
    """Return how many records were attacked and the sum of the chances: of the original, then of the holdout."""
    figures: list[float] = []
    for records in (files.original, files.held):
        chosen = records[:, _choose_evenly(records.shape[1], most)]
        step = max(1, ELEMENTS // max(files.released.shape[1], 1))
        pieces = [chosen[:, i : i + step] for i in range(0, chosen.shape[1], step)]
        figures += [chosen.shape[1], sum(float(chance_of(piece).sum()) for piece in pieces)]
    return np.array(figures)


def link(columns: Floats, categories: float, file: Floats, second: Floats, guesses: float) -> Floats:
    """Return records and successes: two parts of a record whose nearest released record is the same.

    Parameters
    ----------
    columns, categories, file, guesses
        As of `single_out`; guesses are records.
    second
        Of each variable 1 where it is in the second part, 0 where it is in the first.
    """
    files = Files(columns, int(categories), file)
    distances = Distances(files)
    first, other = np.flatnonzero(second == 0), np.flatnonzero(second == 1)
    if not (len(first) and len(other)):
        raise ValueError("one of the two parts has no column, and nothing would be linked: name columns and others")

    def chance_of(records: Floats) -> Floats:
        a, b = distances.find_nearest(records, first), distances.find_nearest(records, other)
        found: Floats = (a & b).sum(axis=1) / (a.sum(axis=1) * b.sum(axis=1))
        return found

    return _try_records(files, int(guesses), chance_of)


def infer(  # noqa: PLR0917 - the files, what is guessed, and how
    columns: Floats, categories: float, file: Floats, secret: float, tolerance: float, guesses: float
) -> Floats:
    """Return records and successes: the secret of the nearest released record, by the other variables, is the true one.

    Parameters
    ----------
    columns, categories, file, guesses
        As of `single_out`; guesses are records.
    secret
        The place of the variable that is guessed, from 0.
    tolerance
        How far a guessed number may be from the true one, as a share of it.
    """
    files = Files(columns, int(categories), file)
    distances = Distances(files)
    at = int(secret)
    known = np.delete(np.arange(len(columns)), at)
    told = files.released[at][np.newaxis]

    def chance_of(records: Floats) -> Floats:
        near, true = distances.find_nearest(records, known), records[at][:, np.newaxis]
        right = (told == true) | (np.isnan(told) & np.isnan(true))
        if not files.is_category(at):
            right |= np.abs(told - true) <= tolerance * np.abs(true) * (1 + ROUNDING)
        found: Floats = (near & right).sum(axis=1) / near.sum(axis=1)
        return found

    return _try_records(files, int(guesses), chance_of)


FUNCTIONS = (
    declare_function(
        "single_out", single_out, TABLE, by_stratum=False, columns=TABLE, categories=NUMBER, file=NUMBERS, width=NUMBER,
        guesses=NUMBER,
    ),
    declare_function(
        "link_parts", link, NUMBERS, by_stratum=False, columns=TABLE, categories=NUMBER, file=NUMBERS, second=NUMBERS,
        guesses=NUMBER,
    ),
    declare_function(
        "infer_secret", infer, NUMBERS, by_stratum=False, columns=TABLE, categories=NUMBER, file=NUMBERS, secret=NUMBER,
        tolerance=NUMBER, guesses=NUMBER,
    ),
)  # fmt: skip
