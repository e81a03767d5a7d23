"""What record linkage costs: the share of released records whose nearest original one is their own, in DuckDB.

    python tests/benchmarks/linkage.py                  10,000, 100,000 and 1,000,000 records
    python tests/benchmarks/linkage.py 1000             fewer

Four numbers and three variables of 5, 2 and 10 categories. By distance: noise of 0.3 standard deviations on the numbers
and one category in ten exchanged. By ranks: the four numbers, each rank-swapped within 5 percent. Each row runs in a
process of its own; processor time, of all threads, and by the clock; memory beyond that of the two tables.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import duckdb
import numpy as np
import pyarrow as pa
from sdc_sql.udfs.swapping.rank_swap import swap_places

import sdc_sql

CATEGORIES = (5, 2, 10)
NUMBERS = ["x1", "x2", "x3", "x4"]
CODES = ["c1", "c2", "c3"]
P = 5
CALLS = {
    "distance": (
        "SELECT rate FROM sdc_distance_linkage('original', 'noisy', $columns, 'id', continuous := $numbers)",
        {"columns": NUMBERS + CODES, "numbers": NUMBERS},
    ),
    "distance, mahalanobis": (
        (
            "SELECT rate FROM sdc_distance_linkage('original', 'noisy', $columns, 'id', continuous := $numbers,"
            " scaling := 'mahalanobis')"
        ),
        {"columns": NUMBERS + CODES, "numbers": NUMBERS},
    ),
    "distance of swapped ranks": (
        "SELECT rate FROM sdc_distance_linkage('original', 'swapped', $numbers, 'id', continuous := $numbers)",
        {"numbers": NUMBERS},
    ),
    "ranks within p": (
        f"SELECT rate FROM sdc_rank_linkage('original', 'swapped', $numbers, 'id', p := {P})",
        {"numbers": NUMBERS},
    ),
}


def tables(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the original and the released tables."""
    draw = np.random.default_rng(3)
    x = draw.normal(size=(records, 4))
    codes = np.column_stack([draw.integers(0, k, records) for k in CATEGORIES])
    other = np.column_stack([draw.integers(0, k, records) for k in CATEGORIES])
    swapped = x.copy()
    for j, column in enumerate(x.T):
        order = np.argsort(column)
        swapped[order, j] = column[order][swap_places(draw.random(records), P)]
    noisy = x + 0.3 * draw.normal(size=x.shape)
    exchanged = np.where(draw.random(codes.shape) < 0.1, other, codes)
    for name, numbers, kinds in (("original", x, codes), ("noisy", noisy, exchanged), ("swapped", swapped, codes)):
        columns = dict(zip(NUMBERS, numbers.T, strict=True)) | dict(zip(CODES, kinds.T, strict=True))
        made = pa.table({"id": np.arange(records), **{n: np.ascontiguousarray(v) for n, v in columns.items()}})
        con.register("made", made)
        con.execute(f"CREATE TABLE {name} AS FROM made")
        con.unregister("made")


def run(records: int, name: str) -> None:
    """Measure and print a row."""
    with duckdb.connect(config={"threads": 2}) as con:
        sdc_sql.load(con)
        tables(con, records)
        query, arguments = CALLS[name]
        con.execute("CREATE TABLE few AS FROM original LIMIT 10")
        con.execute(
            "SELECT rate FROM sdc_distance_linkage('few', 'few', $numbers, 'id', continuous := $numbers)",
            {"numbers": NUMBERS},
        ).fetchall()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        clock, start = time.perf_counter(), time.process_time()
        ((rate,),) = con.execute(query, arguments).fetchall()
        took, passed = time.process_time() - start, time.perf_counter() - clock
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e6
    print(f"| {records:,} | {name} | {rate:.4f} | {took:.1f} s | {passed:.1f} s | {more:.2f} GB |", flush=True)


def main() -> None:
    """Run every number of records with every call, in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--only", choices=[*CALLS])
    parser.add_argument("--alone", action="store_true")
    arguments = parser.parse_args()
    if arguments.alone:
        run(arguments.records[0], arguments.only)
        return
    print("| records | linkage | share linked | processor | clock | more memory |")
    print("|---|---|---|---|---|---|", flush=True)
    for records in arguments.records:
        for name in [arguments.only] if arguments.only else CALLS:
            subprocess.run([sys.executable, __file__, str(records), "--only", name, "--alone"], check=True)


if __name__ == "__main__":
    main()
