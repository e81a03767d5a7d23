"""What a call on a small table costs: the example of each function, on the tables that the examples are about.

    python tests/benchmarks/calls.py                  the twenty that take the longest, and all together
    python tests/benchmarks/calls.py --most 300       every function
    python tests/benchmarks/calls.py --runs 1

Milliseconds by the clock, the least of the runs, of DuckDB alone: binding a call, and the whole call with it. The bare
query beside them groups a table of three records by two columns.
"""

from __future__ import annotations

import argparse
import secrets
import time
from typing import TYPE_CHECKING

import duckdb

import sdc_sql
from sdc_sql.db.catalogue.macros import example_tables, read_catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

BARE = "SELECT age, sex, count(*) FROM persons GROUP BY ALL"


def find_least(task: Callable[[], object], runs: int) -> float:
    """Return the least time of some runs, in milliseconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def measure(con: duckdb.DuckDBPyConnection, call: str, runs: int) -> tuple[float, float]:
    """Return what it costs to bind a call, and the whole."""
    con.execute(call).fetchall()  # the first one is parsed, and warms what is kept
    return find_least(lambda: con.sql(call), runs), find_least(lambda: con.execute(call).fetchall(), runs)


def main() -> None:
    """Print a line for each of the functions that take the longest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    with duckdb.connect() as con:
        sdc_sql.load(con)
        con.execute(example_tables())
        con.execute("SET VARIABLE sdc_key = ?", [secrets.token_urlsafe(32)])
        found = {entry.name: measure(con, entry.example, given.runs) for entry in read_catalogue()}
        bare = measure(con, BARE, given.runs)
    print("| example of | binding | call | beside the bare query |\n|---|---|---|---|")
    for name, (bound, whole) in sorted(found.items(), key=lambda one: -one[1][1])[: given.most]:
        print(f"| `{name}` | {bound:.0f} ms | {whole:.0f} ms | {whole / bare[1]:.0f} times |")
    bound, whole = (sum(times) for times in zip(*found.values(), strict=True))
    print(f"| all {len(found)} | {bound / 1e3:.2f} s | {whole / 1e3:.2f} s | |")
    print(f"| a bare GROUP BY | {bare[0]:.1f} ms | {bare[1]:.1f} ms | 1 |")


if __name__ == "__main__":
    main()
