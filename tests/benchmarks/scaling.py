"""Out of core: files larger than memory, on one machine.

    python tests/benchmarks/scaling.py                      100 million records, 8 keys, 4 GB
    python tests/benchmarks/scaling.py 1000000 --memory 1GB   less

A population is written to Parquet; theta, individual risk to Parquet and PRAM to Parquet then read that file under a
memory limit, each in a fresh process. Seconds, the peak of resident memory, the peak of what was spilled to
disk, the size of what was written, and the cost per record.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import duckdb

import sdc_sql

ROOT = Path(__file__).resolve().parents[2]
KEYS = ["age", "sex", "marital_status", "ethnic_group", "economic_status", "country_of_birth", "region", "size"]
TASKS = {
    "theta": f"FROM sdc_theta('persons.parquet', {KEYS}, 0.02)",
    "individual risk to Parquet": (
        f"COPY (FROM sdc_individual_risk('persons.parquet', {KEYS}, 'weight')) TO 'written.parquet'"
    ),
    "PRAM of one column to Parquet": (
        "COPY (FROM sdc_pram('persons.parquet', 'marital_status', 'matrix', 'person')) TO 'written.parquet'"
    ),
}


def connected(memory: str) -> duckdb.DuckDBPyConnection:
    con = sdc_sql.load(duckdb.connect("work.duckdb"))
    con.execute("SET memory_limit = ?", [memory])
    con.execute("SET temp_directory = 'spilled'")
    con.execute("SET preserve_insertion_order = false")
    return con


def written(folder: Path) -> int:
    """Return the bytes under a folder; files may go while they are counted."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total


def population(records: int, memory: str) -> None:
    """Write persons.parquet: independent keys, the later categories the rarer, from hashes of the record's number."""
    con = connected(memory)
    categories = dict(zip(KEYS, (94, 2, 5, 10, 11, 42, 12, 8), strict=True))
    skewed = ", ".join(
        f"floor({k} * power(hash({len(KEYS)} * person + {at}) / 1.8446744073709552e19, 1.5))::UTINYINT AS {key}"
        for at, (key, k) in enumerate(categories.items())
    )
    con.execute(
        f"COPY (SELECT person, {skewed}, 50e0 AS weight FROM (SELECT range AS person FROM range({records:d}))) "
        "TO 'persons.parquet'"
    )
    con.close()
    Path("work.duckdb").unlink()


def run(task: str, memory: str) -> None:
    """Run one task in this process and print its line."""
    os.environ.setdefault("SDC_KEY", "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U")
    con = connected(memory)
    matrix = "FROM sdc_pram_retention_matrix('persons.parquet', 'marital_status', 0.9)"
    con.execute(f"CREATE OR REPLACE TABLE matrix AS {matrix}")
    records = con.execute("SELECT count(*) FROM 'persons.parquet'").fetchall()[0][0]
    spilled, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            spilled[0] = max(spilled[0], written(Path("spilled")))

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    con.execute(TASKS[task]).fetchall()
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    out = Path("written.parquet")
    size = out.stat().st_size if out.exists() else 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"| {records:,} | {task} | {seconds:,.1f} s | {peak:.1f} GB | {spilled[0] / 1e9:.1f} GB | {size / 1e9:.2f} GB "
        f"| {seconds / records * 1e9:,.0f} ns |",
        flush=True,
    )


def main() -> None:
    """Read the arguments and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("records", nargs="?", type=int, default=100_000_000)
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--task", choices=TASKS)
    given = parser.parse_args()
    if given.task:
        run(given.task, given.memory)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        start = time.perf_counter()
        population(given.records, given.memory)
        made = Path("persons.parquet").stat().st_size / 1e9
        print(f"persons.parquet: {made:.2f} GB, made in {time.perf_counter() - start:.0f} s; limit {given.memory}\n")
        print("| records | what | time | memory peak | spilled | written | a record |\n" + "|---" * 7 + "|", flush=True)
        for task in TASKS:
            subprocess.run([sys.executable, __file__, "--task", task, "--memory", given.memory], check=True)
            Path("written.parquet").unlink(missing_ok=True)
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
