"""Measures, masks and a whole release on a local Spark beside DuckDB: a proof that both run, with their times.

    python tests/benchmarks/spark.py                      10 million records, 8 keys, local[2]
    python tests/benchmarks/spark.py 1000000              less
    python tests/benchmarks/spark.py 5000000 --masks      masks of nine columns, each written by either engine
    python tests/benchmarks/spark.py 5000000 --release    a release file, by either engine, stage by stage

The file of the measures is that of scaling.py. Each query runs twice on Spark and on DuckDB; the second run counts, the
first compiles. The file of masks and release is that of release.py, with steps that both run. A mask on Spark has two
times: until the verb returns (the cells are counted and searched, what is promised is counted anew) and of writing. Of
the release each engine has a process of its own. Both must give one content.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
from pyspark.sql import SparkSession

import sdc_sql
from sdc_sql.spark import load

sys.path.insert(0, str(Path(__file__).resolve().parent))
from release import COLUMNS, FILE, Stages, make_file
from scaling import KEYS, population

CALLS = {
    "theta": ("sdc_theta", ["persons", KEYS, 0.02]),
    "global risk": ("sdc_global_risk", ["persons", KEYS, "weight"]),
}
STEPS = """
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
standard_deviation = 500

[[steps]]
mask = "round"
columns = ["income"]
base = 10

"""
HOMES = """COPY (
    SELECT *, person // 3 AS household, (hash(person // 3) % 12)::INTEGER AS district FROM 'persons.parquet'
) TO 'homes.parquet'"""
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
FOUR = ["age", "sex", "marital_status", "region"]
CONTENT = f"count(*), sum(hash({', '.join(COLUMNS)})::HUGEINT)"
MASKS: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "local suppression, k = 3, four keys": ("local_suppression", [3], {"keys": FOUR}),
    "suppression by household (three persons, twelve districts)": (
        "local_suppression",
        [3],
        {"keys": [*FOUR[:3], "district"], "household": "household", "household_columns": ["district"]},
    ),
    "Mondrian, k = 5, four keys": ("mondrian", [5], {"keys": FOUR}),
    "PRAM of one column": ("pram_retention", [["marital_status"], 0.9], {}),
    "noise of one column": ("noise", ["income"], {"standard_deviation": 500}),
}


def measure(records: int) -> None:
    """Print the table of the measures."""
    population(records, "4GB")
    con = sdc_sql.load(duckdb.connect())
    con.execute("CREATE VIEW persons AS FROM 'persons.parquet'")
    spark = begin_session()
    spark.read.parquet("persons.parquet").createOrReplaceTempView("persons")
    print("| records | what | Spark, local[2] | DuckDB |\n|---|---|---|---|", flush=True)
    for what, (macro, arguments) in CALLS.items():
        sql = sdc_sql.compile(macro, *arguments, dialect="spark", con=con)
        call = f"FROM {macro}('persons', {KEYS}, {arguments[2]!r})"
        times = []
        for run in (lambda q=sql: spark.sql(q).collect(), lambda q=call: con.execute(q).fetchall()):
            run()
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        print(f"| {records:,} | {what} | {times[0]:.1f} s | {times[1]:.1f} s |", flush=True)
    spark.stop()


def mask(records: int) -> None:
    """Print the table of the masks."""
    make_file(records)
    os.environ["SDC_KEY"] = KEY
    spark = begin_session()
    verbs = load(spark)
    duckdb.execute(HOMES)
    print("| records | what | Spark: the verb | its writing | DuckDB |\n|---|---|---|---|---|", flush=True)
    for what, (verb, arguments, named) in MASKS.items():
        clocks, rows = [time.perf_counter()], []
        of_homes = "household" in named
        source = "homes.parquet" if of_homes else "persons.parquet"
        content = CONTENT + (", sum(hash(person, district)::HUGEINT)" if of_homes else "")
        masked = getattr(verbs.mask, verb)(spark.read.parquet(source), *arguments, id="person", **named)
        clocks.append(time.perf_counter())
        masked.write.mode("overwrite").parquet("masked")
        clocks.append(time.perf_counter())
        with sdc_sql.load(duckdb.connect("work.duckdb", config={"threads": 2})) as con:
            rows.append(con.execute(f"SELECT {content} FROM 'masked/*.parquet'").fetchall())
            clocks.append(time.perf_counter())
            getattr(sdc_sql.Microdata(con, source, id="person").mask, verb)(*arguments, into="m", **named)
            clocks.append(time.perf_counter())
            rows.append(con.execute(f"SELECT {content} FROM m").fetchall())
        Path("work.duckdb").unlink()
        if rows[0] != rows[1]:
            raise SystemExit(f"{what}: two contents")
        first, written, _, ours = (b - a for a, b in pairwise(clocks))
        print(f"| {records:,} | {what} | {first:.1f} s | {written:.1f} s | {ours:.1f} s |", flush=True)
    spark.stop()


def begin_session() -> SparkSession:
    """Begin Spark on two cores of this machine."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"spark.ui.enabled": "false", "spark.driver.memory": "4g", "spark.sql.shuffle.partitions": "16",
                "spark.ui.showConsoleProgress": "false", "spark.driver.host": "localhost"}  # fmt: skip
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def release(engine: str) -> None:
    """Run the release file by an engine, and print a line for each kind of stage."""
    stages = Stages()
    if engine == "spark":
        stages.begin("starting Spark")
        begin_session()
    done = sdc_sql.run_release(
        f"{engine}.toml", memory_limit="4GB", threads=2, progress=lambda stage: stages.begin(name_kind(stage))
    )
    stages.end()
    if not done.accepted:
        raise SystemExit("; ".join(done.reasons))
    for stage, (_, clock) in stages.seconds.items():
        print(f"| {engine} | {stage} | {clock:.1f} s |")
    total = sum(clock for _, clock in stages.seconds.values())
    print(f"| {engine} | **all** | {total:.1f} s |", flush=True)


def name_kind(stage: str) -> str:
    """Return the kind of a stage: all measures before the steps are one, and each step is one."""
    step = stage.partition(":")[0]
    if step.startswith("steps["):
        return f"{stage.removeprefix(step).split()[1]}, {step}"
    return "measures before" if stage.startswith("before") else "measures after" if stage.startswith("after") else stage


def compare_releases(records: int) -> None:
    """Print the table of the release, and whether both engines give one content."""
    make_file(records)
    text = FILE.replace(FILE[FILE.index("[[steps]]") : FILE.index("[loss]")], STEPS.lstrip())
    print(f"\n{records:,} records of nine columns, two cores\n\n| engine | stage | clock |\n|---|---|---|", flush=True)
    digests = set()
    for engine in ("duckdb", "spark"):
        Path(f"{engine}.toml").write_text(
            f'engine = "{engine}"\nrelease = "one"\n' + text.replace('"certificate.json"', f'"{engine}.json"')
            .replace('"released.parquet"', f'"{engine}.parquet"').replace('"internal.html"', f'"{engine}.html"')
            .replace('"users.html"', f'"{engine}-users.html"').replace('"public.json"', f'"{engine}-public.json"'),
            encoding="utf-8",
        )  # fmt: skip
        environment = {**os.environ, "SDC_KEY": KEY}
        subprocess.run([sys.executable, __file__, "--engine", engine], check=True, env=environment)
        digests.add(json.loads(Path(f"{engine}.json").read_text(encoding="utf-8"))["output"]["digest"])
    print("\none content" if len(digests) == 1 else "\nTWO CONTENTS", flush=True)


def main() -> None:
    """Read the arguments and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--release", action="store_true", help="a whole release in the place of measures")
    parser.add_argument("--masks", action="store_true", help="masks in the place of measures")
    parser.add_argument("--engine", choices=["duckdb", "spark"], help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.engine:
        release(asked.engine)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if asked.release:
            compare_releases(asked.records)
        elif asked.masks:
            mask(asked.records)
        else:
            measure(asked.records)
        os.chdir("/")


if __name__ == "__main__":
    main()
