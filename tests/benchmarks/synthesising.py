"""A synthetic file by trees: seconds and the peak of memory, each in a fresh process.

    python tests/benchmarks/synthesising.py                 a million records of nine columns
    python tests/benchmarks/synthesising.py 100000

Copies of the couples of fixtures, too, with the mean of their propensity ratios.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from pathlib import Path

import duckdb

import sdc_sql

COUPLES = Path(__file__).resolve().parents[2] / "fixtures" / "cps_couples.parquet"
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
COPIES = 6
COLUMNS = ["sex", "age", "region", "education", "marital", "status", "occupation", "hours", "income"]
# uniform numbers and normal ones of a record, of its number; persons below 16 and above 66 do not work
PERSONS = """
    CREATE TABLE persons AS
    WITH uniform AS (
        SELECT range AS id, list_transform(range(12), lambda j: hash(range, j) % 1000003 / 1000003e0) AS u
        FROM range({n})
    ), drawn AS (
        SELECT *, (90 * pow(u[2], 1.3))::INTEGER AS age, sqrt(-2 * ln(1 - u[8])) * cos(2 * pi() * u[9]) AS z,
               sqrt(-2 * ln(1 - u[10])) * cos(2 * pi() * u[11]) AS w
        FROM uniform
    ), told AS (
        SELECT *, CASE WHEN age < 16 THEN 1 WHEN age > 66 THEN 2 ELSE 3 + (u[4] * 4)::INTEGER END AS status,
               least(6, greatest(1, (3 * (u[6] + u[7]) + (age > 25)::INTEGER)::INTEGER)) AS education
        FROM drawn
    )
    SELECT id, ['f', 'm'][1 + (u[1] > 0.5)::INTEGER] AS sex, age, 'region ' || (u[3] * 20)::INTEGER AS region,
           education,
           CASE WHEN age < 18 THEN 1 ELSE 1 + (u[5] * 5)::INTEGER END AS marital, status,
           CASE WHEN status > 2 THEN 1 + (u[6] * 40)::INTEGER + 40 * (education > 3)::INTEGER END AS occupation,
           CASE WHEN status > 2 THEN least(80, greatest(1, 36 + 8 * z))::INTEGER END AS hours,
           CASE WHEN status > 2 AND u[12] < 0.1 THEN 0
                WHEN status > 2 THEN round(exp(9 + 0.2 * education + 0.6 * w)) END AS income
    FROM told"""


def measure_persons(n: int) -> None:
    """Print seconds and memory for n persons."""
    con = sdc_sql.load(duckdb.connect())
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    con.execute(PERSONS.format(n=n))
    data = sdc_sql.Microdata(con, "persons", id="id")
    start, before = time.perf_counter(), time.process_time()
    data.mask.synthesise(
        COLUMNS, codes=["marital", "status", "occupation"], rules="age >= 16 OR income IS NULL", into="synthetic"
    )
    seconds, peak = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    busy = time.process_time() - before
    print(f"| {n:,} persons, 9 columns | {seconds:.1f} s ({busy:.1f} s of processors) | {peak:.2f} GiB | - |")


def measure_couples(_: int) -> None:
    """Print the same of the couples, and how well a logistic regression tells them from the original ones."""
    con = sdc_sql.load(duckdb.connect())
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    con.execute("CREATE TABLE couples AS SELECT * EXCLUDE weight FROM read_parquet(?)", [str(COUPLES)])
    data = sdc_sql.Microdata(con, "couples", id="couple")
    columns = [c for c in data.columns if c != "couple"]
    types = dict(zip(data.columns, con.table("couples").types, strict=True))
    numbers = [c for c in columns if types[c] != "VARCHAR"]
    ratios, start = [], time.perf_counter()
    for copy in range(1, COPIES + 1):
        data.mask.synthesise(columns, copy=copy, into=f"copy_{copy}")
    seconds, peak = (time.perf_counter() - start) / COPIES, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    for pairs in (False, True):
        files = [sdc_sql.Microdata(con, f"copy_{copy}", id="couple") for copy in range(1, COPIES + 1)]
        found = [f.loss.propensity("couples", columns, continuous=numbers, pairs=pairs).ratio for f in files]
        ratios.append(f"{sum(found) / COPIES:.2f}")
    told = f"{ratios[0]}, with all pairs {ratios[1]}"
    print(f"| 22,272 couples, 12 columns, mean of {COPIES} copies | {seconds:.1f} s | {peak:.2f} GiB | {told} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="?", type=int, default=1_000_000)
    given = parser.parse_args()
    print("| file | seconds | peak of memory | propensity ratio |\n|---|---|---|---|", flush=True)
    for measured in (measure_persons, measure_couples):
        process = multiprocessing.get_context("spawn").Process(target=measured, args=(given.records,))
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(process.exitcode)


if __name__ == "__main__":
    main()
