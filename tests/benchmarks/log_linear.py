"""How long the log-linear models take over a million cells, and a fit over a crossing of half a million.

    python tests/benchmarks/log_linear.py                 1,000,000 cells of six keys
    python tests/benchmarks/log_linear.py 100000          less

The tree and independence beside the GROUP BY of the six keys; all two-way interactions over the whole crossing of a
sample whose keys have 9, 9, 99, 2, 8 and 4 categories. The least processor time after one warm-up.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import duckdb

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS = ["a", "b", "c", "d", "e", "f"]
BARE = f"SELECT sum(n), max(n) FROM (SELECT {', '.join(KEYS)}, count(*) AS n FROM cells GROUP BY ALL)"
# every record is a cell; later keys follow earlier ones, so that there is a tree to find
CELLS = """
    CREATE OR REPLACE TABLE cells AS
    SELECT DISTINCT h % 9 AS a, (h % 9 + h // 9 % 4) % 9 AS b, h // 64 % 99 AS c, h // 6400 % 9 AS d,
        (h // 6400 % 9 + h // 64000 % 5) % 12 AS e, h // 640000 % 40 AS f
    FROM (SELECT (hash(i) // 7)::BIGINT AS h FROM range(?) AS t(i))
"""
CROSSED = """
    CREATE OR REPLACE TABLE crossed AS
    SELECT h % 9 AS a, (h % 9 + h // 9 % 4) % 9 AS b, h // 64 % 99 AS c, h // 6400 % 2 AS d,
        h // 64 % 99 // 20 + h // 12800 % 4 AS e, h // 51200 % 4 AS f
    FROM (SELECT (hash(i) // 7)::BIGINT AS h FROM range(?) AS t(i))
"""


def least(task: Callable[[], object], repeats: int) -> float:
    def once() -> float:
        start = time.process_time()
        task()
        return time.process_time() - start

    once()
    return min(once() for _ in range(repeats))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cells", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with duckdb.connect() as con:
        sdc_sql.load(con)
        con.execute(CELLS, [arguments.cells * 3 // 2])
        con.execute("DELETE FROM cells WHERE rowid >= ?", [arguments.cells])
        con.execute(CROSSED, [max(100, arguments.cells // 20)])

        def run(sql: str) -> Callable[[], object]:
            return lambda: con.execute(sql).fetchall()

        (cells,) = con.execute("SELECT count(*) FROM cells").fetchone() or (0,)
        crossing = 9 * 9 * 99 * 2 * 8 * 4
        print("| cells | model | processor s |\n|--:|---|--:|")
        print(f"| {cells:,} | GROUP BY | {least(run(BARE), arguments.repeats):.2f} |", flush=True)
        for model in ("tree", "independence"):
            call = f"FROM sdc_log_linear_risk('cells', {KEYS}, 50, model := '{model}')"
            print(f"| {cells:,} | {model} | {least(run(call), arguments.repeats):.2f} |", flush=True)
        for model in ("two_way",):
            call = f"FROM sdc_log_linear_fit('crossed', {KEYS}, 50, model := '{model}')"
            print(f"| {crossing:,} | {model}, fit | {least(run(call), arguments.repeats):.2f} |", flush=True)


if __name__ == "__main__":
    main()
