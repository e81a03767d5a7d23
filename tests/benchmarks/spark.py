"""The compiled measures on a local Spark: a proof that the plan distributes, with its times.

    python tests/benchmarks/spark.py            10 million records, 8 keys, local[2]
    python tests/benchmarks/spark.py 1000000    less

The file is that of scaling.py. Each query runs twice on Spark and on DuckDB; the second run counts, the first compiles.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import duckdb
from pyspark.sql import SparkSession

import sdc_sql

sys.path.insert(0, str(Path(__file__).resolve().parent))
from scaling import KEYS, population

CALLS = {
    "theta": ("sdc_theta", ["persons", KEYS, 0.02]),
    "global risk": ("sdc_global_risk", ["persons", KEYS, "weight"]),
}


def main() -> None:
    """Print the table."""
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        population(records, "4GB")
        con = sdc_sql.load(duckdb.connect())
        con.execute("CREATE VIEW persons AS FROM 'persons.parquet'")
        spark = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.memory", "4g")
            .config("spark.sql.shuffle.partitions", "16")
            .getOrCreate()
        )
        spark.sparkContext.setLogLevel("ERROR")
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
        os.chdir("/")


if __name__ == "__main__":
    main()
