"""How much the measures cost over the bare DuckDB query, in one run, as ratios.

    python tests/benchmarks/risk.py                     the whole table: 1e5, 1e6, 1e7 records, 1 and 2 threads
    python tests/benchmarks/risk.py 100000 --threads 1  less

Every pair is run alternately after one warm-up, and the least time of each counts; queries return aggregates
of real columns or write a table. Keys: eight, of a generated population. The peer is pandas, which does the
frequencies (group by and transform) in memory with the data already there.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
KEYS = ["age", "sex", "marital_status", "ethnic_group", "economic_status", "country_of_birth", "region", "size"]
LIST = ", ".join(KEYS)
BARE_GROUP = f"SELECT sum(n), max(n) FROM (SELECT {LIST}, count(*) AS n FROM persons GROUP BY {LIST})"
BARE_WINDOW = f"CREATE OR REPLACE TABLE result AS SELECT *, count(*) OVER (PARTITION BY {LIST}) AS f FROM persons"
PAIRS = {
    "sdc_theta / GROUP BY": (f"FROM sdc_theta('persons', {KEYS}, 0.02)", BARE_GROUP),
    "sdc_global_risk / GROUP BY": (f"FROM sdc_global_risk('persons', {KEYS}, 'weight')", BARE_GROUP),
    "sdc_k_anonymity / GROUP BY": (f"FROM sdc_k_anonymity('persons', {KEYS}, 5)", BARE_GROUP),
    "sdc_individual_risk to a table / window count to a table": (
        f"CREATE OR REPLACE TABLE result AS FROM sdc_individual_risk('persons', {KEYS}, 'weight')",
        BARE_WINDOW,
    ),
    "sdc_household_risk to a table / window count to a table": (
        f"CREATE OR REPLACE TABLE result AS FROM sdc_household_risk('persons', {KEYS}, 'weight', 'household')",
        BARE_WINDOW,
    ),
}


def seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def compared(ours: Callable[[], object], bare: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Return the least time of each, run alternately."""
    ours(), bare()
    times = [(seconds(ours), seconds(bare)) for _ in range(repeats)]
    return min(t for t, _ in times), min(t for _, t in times)


def population(con: duckdb.DuckDBPyConnection, records: int) -> None:
    con.execute((ROOT / "fixtures" / "population.sql").read_text(encoding="utf-8"))
    # (household_size is also a result of sdc_household_risk)
    rows = "SELECT * RENAME (household_size AS size) FROM synthetic_population(?, 'benchmark')"
    con.execute(f"CREATE OR REPLACE TABLE persons AS {rows}", [records])


def line(records: int, setting: str, name: str, ours: float, other: float) -> None:
    print(f"{records:>12,} {setting:>12} {ours:>9.2f} s {other:>9.2f} s {ours / other:>7.2f}  {name}", flush=True)


def against_duckdb(con: duckdb.DuckDBPyConnection, records: int, threads: int, repeats: int) -> None:
    con.execute(f"SET threads = {threads:d}")
    for name, (ours, bare) in PAIRS.items():
        times = compared(lambda q=ours: con.execute(q).fetchall(), lambda q=bare: con.execute(q).fetchall(), repeats)
        line(records, f"{threads} thread{'s' * (threads > 1)}", name, *times)


def against_pandas(con: duckdb.DuckDBPyConnection, records: int, repeats: int) -> None:
    frame = con.execute(f"SELECT {LIST}, weight FROM persons").df()
    query = f"CREATE OR REPLACE TABLE result AS FROM sdc_frequencies('persons', {KEYS}, 'weight')"

    def peer() -> object:
        grouped = frame.groupby(KEYS, dropna=False, sort=False)["weight"]
        return grouped.transform("size"), grouped.transform("sum")

    times = compared(lambda: con.execute(query).fetchall(), peer, repeats)
    line(records, "all threads", "sdc_frequencies to a table / pandas in memory", *times)


def within_memory(con: duckdb.DuckDBPyConnection, records: int, limit: str) -> None:
    con.execute(f"SET memory_limit = '{limit}'")
    for name, (ours, _) in PAIRS.items():
        spent = seconds(lambda q=ours: con.execute(q).fetchall())
        print(f"{records:>12,} {limit + ' limit':>12} {spent:>9.2f} s {'':>19}  {name.split(' /')[0]}", flush=True)
    con.execute("RESET memory_limit")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--threads", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory-limit", default="2GB", help="then once more under this limit, at the most records")
    arguments = parser.parse_args()
    print(f"duckdb {duckdb.__version__}, sdc-sql {sdc_sql.__version__}")
    print(f"{'records':>12} {'setting':>12} {'ours':>11} {'other':>11} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for records in arguments.records:
            # a file, not memory: a table that is written goes where a table goes
            with duckdb.connect(str(Path(folder) / f"{records}.duckdb")) as con:
                sdc_sql.load(con)
                population(con, records)
                for threads in arguments.threads:
                    against_duckdb(con, records, threads, arguments.repeats)
                if records <= 1_000_000:
                    against_pandas(con, records, arguments.repeats)
                if records == max(arguments.records):
                    within_memory(con, records, arguments.memory_limit)
    print(f"peak memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GB")


if __name__ == "__main__":
    main()
