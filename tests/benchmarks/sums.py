"""What exact sums cost: the same query with DuckDB's own sum of DOUBLEs in their place, in one run, as ratios.

    python tests/benchmarks/sums.py                     10 million records, 1 and 2 threads
    python tests/benchmarks/sums.py 100000 --threads 1  less

Each pair is run alternately after one warm-up, and the least time of each counts.
"""

from __future__ import annotations

import argparse

import duckdb
from risk import KEYS, compared, population

import sdc_sql

# As on engines without whole numbers of 128 bits (sdc_sql/compiler/README.md).
PLAIN = """
    CREATE OR REPLACE TEMP MACRO sdc__fixed(x, bits := 72) AS x::DOUBLE;
    CREATE OR REPLACE TEMP MACRO sdc__unfixed(total, bits := 72) AS total"""
TOTAL = "SELECT max(s) FROM (SELECT sdc__exact_sum(weight) AS s FROM persons GROUP BY {0})"
QUERIES = {
    "sum of weights": "SELECT sdc__exact_sum(weight) FROM persons",
    "sums in 1,000 groups": TOTAL.format("household % 1000"),
    "sums in 1,000,000 groups": TOTAL.format("household % 1000000"),
    "`sdc_global_risk`": f"FROM sdc_global_risk('persons', {KEYS}, 'weight')",
    "`sdc_risk_threshold`": f"FROM sdc_risk_threshold('persons', {KEYS}, 'weight', 0.01)",
    "`sdc_individual_risk` to a table": (
        f"CREATE OR REPLACE TABLE result AS FROM sdc_individual_risk('persons', {KEYS}, 'weight')"
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="?", type=int, default=10_000_000)
    parser.add_argument("--threads", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print(f"duckdb {duckdb.__version__}, sdc-sql {sdc_sql.__version__}")
    print(f"| {arguments.records:,} records | threads | exact sums | plain sums | ratio |\n|---|---|---|---|---|")
    with duckdb.connect() as con, con.cursor() as plain:
        for connection in (con, plain):  # macros are of a cursor, tables of both
            sdc_sql.load(connection, " ".join([TOTAL, *QUERIES.values()]))
        plain.execute(PLAIN)
        population(con, arguments.records)
        for threads in arguments.threads:
            con.execute(f"SET threads = {threads:d}")
            for name, query in QUERIES.items():
                ours, other = compared(
                    lambda q=query: con.execute(q).fetchall(),
                    lambda q=query: plain.execute(q).fetchall(),
                    arguments.repeats,
                )
                print(f"| {name} | {threads} | {ours:.2f} s | {other:.2f} s | {ours / other:.2f} |", flush=True)


if __name__ == "__main__":
    main()
