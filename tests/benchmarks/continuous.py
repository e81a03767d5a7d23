"""What measures of continuous keys cost, beside an aggregate of the same columns.

    python tests/benchmarks/continuous.py                  1,000,000 records
    python tests/benchmarks/continuous.py 10000            fewer

Amounts of a lognormal law, in a hundred categories; the released file has noise of one per cent. Each row runs in a
process of its own, on two threads; processor time of all of them, and the most memory of the process.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import duckdb

import sdc_sql

X = ["x", "y", "z"]
SIDES = f"('original', 'released', {X}, 'id'"
TABLE = "CREATE OR REPLACE TABLE result AS"
# a normal variate from digests of a number
NORMAL = "sqrt(-2 * ln((1 + hash({0}) % 999983) / 999984)) * cos(2 * pi() * (hash({0} + 0.5) % 999979) / 999979)"
MEASURES = {
    "`sdc_interval_disclosure`, three columns": f"FROM sdc_interval_disclosure{SIDES})",
    "the same, by ranks": f"FROM sdc_interval_disclosure{SIDES}, intervals := 'rank')",
    **{
        f"`sdc_neighbourhood` in {p} continuous key{'s' * (p > 1)}": (
            f"FROM sdc_neighbourhood('original', {X[:p]}, keys := ['g'])"
        )
        for p in (1, 2, 3)
    },
    "`sdc_neighbourhood_records` to a table": (
        f"{TABLE} FROM sdc_neighbourhood_records('original', ['x'], 'id', keys := ['g'])"
    ),
    "`sdc_robust_distance_records` to a table": f"{TABLE} FROM sdc_robust_distance_records('original', {X}, 'id')",
    "`sdc_robust_disclosure`": f"FROM sdc_robust_disclosure{SIDES})",
}


def measured(records: int, name: str) -> None:
    """Print a row."""
    with duckdb.connect() as con:
        con.execute("SET threads = 2")
        sdc_sql.load(con)
        amounts = ", ".join(f"exp(1.5 * {NORMAL.format(f'i * 3 + {j}')}) AS {x}" for j, x in enumerate(X))
        rows = f"SELECT i AS id, 'g' || hash(i) % 100 AS g, {amounts} FROM range({records}) AS t(i)"
        con.execute(f"CREATE TABLE original AS {rows}")
        noisy = ", ".join(f"{x} * (1 + 0.01 * {NORMAL.format(f'-id * 3 - {j}')}) AS {x}" for j, x in enumerate(X))
        con.execute(f"CREATE TABLE released AS SELECT id, g, {noisy} FROM original")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        times = []
        for query in ("SELECT max(o.x), max(r.y) FROM original AS o JOIN released AS r USING (id)", MEASURES[name]):
            start = time.process_time()
            con.execute(query).fetchall()
            times.append(time.process_time() - start)
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e6
        print(f"| {records:,} | {name} | {times[1]:.1f} s | {times[0]:.2f} s | {more:.2f} GB |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--only")
    given = parser.parse_args()
    if given.only:
        measured(given.records, given.only)
    else:
        print("| records | | processor | bare join, processor | more memory |\n|---|---|---|---|---|", flush=True)
        for measure in MEASURES:
            subprocess.run([sys.executable, __file__, str(given.records), "--only", measure], check=True)
