"""Which cases are made up: by the seed and the number of a case, so that any one can be made again.

``SDC_FUZZ_SEED`` is the seed, ``SDC_FUZZ_CASES`` how many calls ``test_fuzz.py`` makes in all (the other files take
shares of it), ``SDC_FUZZ_CASE=17`` makes case 17 of the seed alone. What fails says how it is made again.
"""

from __future__ import annotations

import os
import random
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEED = os.environ.get("SDC_FUZZ_SEED", "1")
ALL = 10_000
CASES = int(os.environ.get("SDC_FUZZ_CASES", str(ALL)))
ENOUGH = 5  # faults of a kind
ONE = os.environ.get("SDC_FUZZ_CASE")


def numbers(cases: int) -> range | list[int]:
    """Return the numbers of the cases."""
    return range(cases) if ONE is None else [int(ONE)]


def share(cases: int) -> int:
    """Return of so many cases the share that was asked for, at least one."""
    return max(1, round(cases * CASES / ALL))


def seeded(door: str, number: int | str) -> random.Random:
    """Return the randomness of a case."""
    return random.Random(f"{SEED} {door} {number}")  # noqa: S311 - made-up cases


def made(door: str, cases: int) -> Iterator[tuple[int, random.Random]]:
    """Give each case its number and its randomness."""
    for number in numbers(cases):
        yield number, seeded(door, number)


def told(file: str, door: str, faults: list[str]) -> str:
    """Return what a failure says: each fault with its number, and how one is made again."""
    again = f"SDC_FUZZ_SEED={SEED} SDC_FUZZ_CASE=N pytest -m '' tests/fuzz/{file} -k {door}"
    return f"{len(faults)} faults; one again: {again}\n" + "\n".join(faults[:40])


def faults_of(door: str, cases: int, judged: Callable[[random.Random], str | None]) -> list[str]:
    """Judge cases until enough are wrong; return what is, each with its number."""
    found = ((number, judged(rng)) for number, rng in made(door, cases))
    return [*islice((f"{number}: {fault}" for number, fault in found if fault), ENOUGH)]
