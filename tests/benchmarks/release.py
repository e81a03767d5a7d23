"""A whole release, stage by stage: what each takes of the processors and of the clock, beside a bare copy of the file.

    python tests/benchmarks/release.py                          1,000,000 records, 4 GB
    python tests/benchmarks/release.py 3000000 --verify         three million, and `verify` of what was released
    python tests/benchmarks/release.py 10000000 --memory 4GB    ten
    python tests/benchmarks/release.py 20000 --verify           less

Nine columns of fixtures/population.sql in a Parquet file: age is recoded, five keys are suppressed, income gets noise;
direct distance, IL1 and the distance of distributions are measured, both reports and both certificates are written. The
release has a process of its own, whose memory peak is printed. The bare copy reads the same file and writes it in the
order of its columns: what any release does at least.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

import sdc_sql

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = [
    "person", "age", "sex", "marital_status", "ethnic_group", "economic_status", "region", "income", "weight",
]  # fmt: skip
COPY = f"COPY (FROM 'persons.parquet' ORDER BY {', '.join(COLUMNS[1:])}) TO 'copied.parquet'"
FILE = """
title = "Persons, made up"

[source]
path = "persons.parquet"

[roles]
id = "person"
weight = "weight"
released_as_collected = ["economic_status"]

[[scenarios]]
name = "neighbour"
keys = ["age", "sex", "marital_status", "ethnic_group", "region"]
limits = ["k_anonymity.3.records <= 0", "global_risk.reidentification_rate <= 1"]

[[steps]]
mask = "recode"
column = "age"
breaks = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80]
ends = "open_above"

[[steps]]
mask = "local_suppression"
scenario = "neighbour"
k = 3

[[steps]]
mask = "noise"
columns = ["income"]
alpha = 0.1

[loss]
columns = ["age", "sex", "marital_status", "ethnic_group", "region", "income"]
continuous = ["income"]
limits = ["direct_distance.distance <= 1", "il1.il1 <= 5", "distribution_distance.hellinger <= 1"]

[output]
path = "released.parquet"
report = "internal.html"
public_report = "users.html"
certificate = "certificate.json"
public_certificate = "public.json"
"""


class Stages:
    """The seconds of processors and of the clock that each stage takes, from its name to that of the next."""

    def __init__(self) -> None:
        self.seconds: dict[str, tuple[float, float]] = {}
        self.begin("beginning")

    def begin(self, stage: str) -> None:
        """End the stage that was running, and begin another one."""
        self.end()
        self.stage, self.since = stage, read_clocks()

    def end(self) -> None:
        """Add what the running stage took."""
        if hasattr(self, "stage"):
            before = self.seconds.get(self.stage, (0.0, 0.0))
            used = zip(before, read_clocks(), self.since, strict=True)
            processor, clock = (so_far + now - then for so_far, now, then in used)
            self.seconds[self.stage] = processor, clock


def read_clocks() -> tuple[float, float]:
    """Return the seconds of processors that this process took, and those of the clock."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime, time.perf_counter()


def make_file(records: int) -> None:
    """Write persons.parquet, in an order that is not that of any column."""
    with duckdb.connect() as con:
        con.execute((ROOT / "fixtures" / "population.sql").read_text(encoding="utf-8"))
        rows = f"SELECT {', '.join(COLUMNS)} FROM synthetic_population({records:d}, 'example')"
        con.execute(f"COPY ({rows}) TO 'persons.parquet'")
    Path("release.toml").write_text(FILE, encoding="utf-8")


def run(task: str, memory: str, threads: int) -> None:
    """Run one task in this process, and print a line for each of its stages."""
    stages, refused = Stages(), ""
    if task == "copy":
        with duckdb.connect(config={"memory_limit": memory, "threads": threads}) as con:
            stages.begin("a bare copy, sorted")
            con.execute(COPY).fetchall()
    elif task == "release":
        done = sdc_sql.run_release("release.toml", memory_limit=memory, threads=threads, progress=stages.begin)
        refused = "; ".join(done.reasons) if not done.accepted else ""
    else:
        stages.begin("verify")
        found = sdc_sql.verify("certificate.json", "released.parquet", memory_limit=memory, threads=threads)
        refused = "" if found.holds else str(found)
    stages.end()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    for stage, (processor, clock) in stages.seconds.items():
        print(f"| {task} | {stage} | {processor:.2f} s | {clock:.2f} s | |")
    processor, clock = (sum(both) for both in zip(*stages.seconds.values(), strict=True))
    print(f"| {task} | **all** | {processor:.2f} s | {clock:.2f} s | {peak:.2f} GB |", flush=True)
    if refused:  # (of 30 million records the weights tell the regions that are suppressed)
        raise SystemExit(refused)


def main() -> None:
    """Make the file, and run each task in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[1_000_000])
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--verify", action="store_true", help="verify what was released, too")
    parser.add_argument("--task", choices=["copy", "release", "verify"], help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.task:
        run(asked.task, asked.memory, asked.threads)
        return
    environment = {"SDC_KEY": "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"}
    tasks = ["copy", "release", *(["verify"] if asked.verify else [])]
    for records in asked.records:
        print(f"\n{records:,} records of nine columns, {asked.threads} threads, {asked.memory}\n")
        print("| | stage | processors | clock | memory peak |\n|---|---|---|---|---|", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            make_file(records)
            for task in tasks:
                command = [sys.executable, __file__, "--task", task, "--memory", asked.memory]
                command += ["--threads", str(asked.threads)]
                subprocess.run(command, check=True, env={**os.environ, **environment})
            os.chdir(ROOT)


if __name__ == "__main__":
    main()
