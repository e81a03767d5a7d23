"""What the nearest of every record costs, beside the bare product of matrices that comparing every pair would be.

    python tests/benchmarks/nearest.py                  10,000 and 100,000 records, 1 and 2 threads
    python tests/benchmarks/nearest.py 1000             fewer

Four numbers and three variables of 5, 2 and 10 categories; the released file has noise of 0.3 standard deviations on
the numbers and one category in ten exchanged. Each row runs in a process of its own; processor time, of all threads.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.linkage.nearer import count_nearer
from sdc_sql.udfs.linkage.nearest import find_nearest, find_nearest_within
from sdc_sql.udfs.linkage.records import Records, Variables, compute_squared_distances

if TYPE_CHECKING:
    from collections.abc import Callable

CATEGORIES = (5, 2, 10)
ROWS, COLUMNS = 512, 8192  # of a block of the bare product: 17 MB
MOST = 20_000  # records of either file for which it is run; more pairs take in proportion


def files(records: int) -> tuple[Records, Records, Variables]:
    """Return an original and a released file."""
    draw = np.random.default_rng(3)
    numbers = draw.normal(size=(records, 4))
    codes = np.column_stack([draw.integers(0, k, records) for k in CATEGORIES])
    other = np.column_stack([draw.integers(0, k, records) for k in CATEGORIES])
    ones = np.ones(records, dtype=np.int64)
    original = Records(numbers, codes, ones)
    noise = 0.3 * draw.normal(size=numbers.shape)
    released = Records(numbers + noise, np.where(draw.random(codes.shape) < 0.1, other, codes), ones)
    return original, released, Variables(1 / numbers.std(axis=0), np.ones(3))


def bare(original: Records, released: Records) -> None:
    """Compare every pair in single precision, and take the least of each row: no second one, no ties, not exact."""
    parts = []
    for file in (original, released):
        indicators = [np.eye(k)[file.codes[:, j]] for j, k in enumerate(CATEGORIES)]
        parts.append(np.hstack([file.numbers, *indicators]).astype(np.float32))
    mine, other = parts
    sizes = (other**2).sum(axis=1)
    least = np.full(len(mine), np.inf, dtype=np.float32)
    for start in range(0, len(mine), ROWS):
        for at in range(0, len(other), COLUMNS):
            distances = mine[start : start + ROWS] @ (-2 * other[at : at + COLUMNS].T)
            distances += sizes[at : at + COLUMNS]
            np.minimum(least[start : start + ROWS], distances.min(axis=1), out=least[start : start + ROWS])


def seconds(task: Callable[[], object]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def run(records: int, threads: int) -> None:
    """Measure and print a row for each search."""
    original, released, variables = files(records)
    few = np.arange(min(records, MOST))
    peer = seconds(partial(bare, original.select(few), released.select(few))) * (records / len(few)) ** 2
    every = np.arange(records)
    most = compute_squared_distances(released, every, original, every, variables)
    searches = {
        "nearest of the released": partial(find_nearest, released, original, variables),
        "nearest within the original": partial(find_nearest_within, original, variables),
        "nearer than the true one": partial(count_nearer, released, original, most, variables),
    }
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name, search in searches.items():
        ours = seconds(search)
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e6
        print(
            f"| {records:,} | {threads} | {name} | {ours:.2f} s | {peer:.2f} s | {ours / peer:.2f} | {more:.2f} GB |",
            flush=True,
        )


def main() -> None:
    """Run every number of records on every number of threads, in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--alone", action="store_true")
    arguments = parser.parse_args()
    if arguments.alone:
        run(arguments.records[0], arguments.threads[0])
        return
    print("| records | threads | search | time | every pair | ratio | more memory |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for records in arguments.records:
        for threads in arguments.threads:
            command = [sys.executable, __file__, str(records), "--threads", str(threads), "--alone"]
            subprocess.run(command, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": str(threads)})


if __name__ == "__main__":
    main()
