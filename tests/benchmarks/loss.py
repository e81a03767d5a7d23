"""What each measure of loss costs beside the bare join of the two tables, or the GROUP BY, in one run.

    python tests/benchmarks/loss.py                              all at 1e6 records, what is a join at 1e7
    python tests/benchmarks/loss.py 100000 --joins 0             less

Processor time on one thread, the least of several runs. The tables: a generated population, and a copy in which one
value of ten of each category is another record's and the numbers have noise.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

import duckdb
from risk import population

import sdc_sql

CATEGORIES = ["age", "sex", "marital_status", "ethnic_group", "economic_status", "country_of_birth", "region", "size"]
NUMBERS = ["income", "hours"]
FEW = ["sex", "marital_status", "ethnic_group", "economic_status", "region", "size"]
JOIN = (
    f"SELECT {', '.join(f'count(*) FILTER (o.{c} <> r.{c})' for c in CATEGORIES)} "
    "FROM original o JOIN released r USING (person)"
)
NUMBER_JOIN = (
    f"SELECT {', '.join(f'sum(abs(o.{c} - r.{c}))' for c in NUMBERS)} FROM original o JOIN released r USING (person)"
)
GROUP = f"SELECT max(n) FROM (SELECT {', '.join(CATEGORIES)}, count(*) AS n FROM released GROUP BY ALL)"
MOMENTS = "SELECT covar_samp(income, hours), stddev_samp(income), stddev_samp(hours) FROM released"
FILES = "'original', 'released'"
# measure: the call, and the bare query beside which it is timed
JOINS = {
    "sdc_direct_distance": (f"sdc_direct_distance({FILES}, {CATEGORIES}, 'person')", JOIN),
    "sdc_direct_distance, ordinal": (
        f"sdc_direct_distance({FILES}, {CATEGORIES}, 'person', ordinal := ['age', 'size'])", JOIN),
    "sdc_entropy_loss": (f"sdc_entropy_loss({FILES}, {CATEGORIES}, 'person')", JOIN),
    "sdc_lambda_loss": (
        f"sdc_lambda_loss({FILES}, {CATEGORIES + NUMBERS}, 'person', continuous := {NUMBERS})", JOIN),
    "sdc_il1": (f"sdc_il1({FILES}, {NUMBERS}, 'person')", NUMBER_JOIN),
    "sdc_matrix_distance": (f"sdc_matrix_distance({FILES}, {NUMBERS}, 'person')", NUMBER_JOIN),
}  # fmt: skip
OTHERS = {
    "sdc_contingency_distance": (f"sdc_contingency_distance({FILES}, {CATEGORIES})", GROUP),
    "sdc_margins_kept": (f"sdc_margins_kept({FILES}, [['region', 'sex'], ['age']])", GROUP),
    "sdc_distribution_distance": (f"sdc_distribution_distance({FILES}, {CATEGORIES})", GROUP),
    "sdc_class_sizes": (f"sdc_class_sizes('released', {CATEGORIES})", GROUP),
    "sdc_model_utility, 6 variables": (f"sdc_model_utility({FILES}, {FEW})", GROUP),
    "sdc_propensity, 6 variables, pairs": (f"sdc_propensity({FILES}, {FEW})", GROUP),
    "sdc_propensity, and a number, no pairs": (
        f"sdc_propensity({FILES}, {[*FEW, 'income']}, continuous := ['income'], pairs := false)", GROUP),
    "sdc_factor_distance": (f"sdc_factor_distance({FILES}, {NUMBERS})", MOMENTS),
    "sdc_eigenvalue_distance": (f"sdc_eigenvalue_distance({FILES}, {NUMBERS})", MOMENTS),
    "sdc_gamma_loss": (f"sdc_gamma_loss({FILES}, {[*NUMBERS, 'person']})", MOMENTS),
    "sdc_subdomain_moments": (f"sdc_subdomain_moments({FILES}, {NUMBERS}, ['region', 'sex'])", MOMENTS),
    "sdc_explained_variance": (f"sdc_explained_variance({FILES}, {NUMBERS}, ['region', 'sex'])", MOMENTS),
    "sdc_confidence_overlap": (f"sdc_confidence_overlap({FILES}, 'income', ['hours'])", MOMENTS),
}  # fmt: skip


def made(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the tables `original` and `released`."""
    population(con, records)
    con.execute(f"""
        CREATE OR REPLACE TABLE original AS
        SELECT row_number() OVER () AS person, {", ".join(CATEGORIES)}, weight * (1 + age % 7) AS income,
               (age % 13 + weight % 5)::DOUBLE AS hours FROM persons
    """)
    con.execute("DROP TABLE persons")
    changed = ", ".join(f"CASE WHEN (person + {i}) % 10 = 0 THEN n.{c} ELSE o.{c} END AS {c}"
                        for i, c in enumerate(CATEGORIES))  # fmt: skip
    con.execute(f"""
        CREATE OR REPLACE TABLE released AS
        SELECT person, {changed}, o.income * (1 + (person % 9 - 4) / 100) AS income, o.hours + person % 3 AS hours
        FROM original o POSITIONAL JOIN (SELECT * RENAME (person AS other) FROM original ORDER BY person DESC) n
    """)


def spent(con: duckdb.DuckDBPyConnection, sql: str, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        con.execute(sql).fetchall()
        times.append(time.process_time() - start)
    return min(times)


def timed(con: duckdb.DuckDBPyConnection, records: int, measures: dict[str, tuple[str, str]], repeats: int) -> None:
    made(con, records)
    bare: dict[str, float] = {}
    for name, (call, query) in measures.items():
        other = bare.setdefault(query, spent(con, query, max(repeats, 2)))
        ours = spent(con, f"FROM {call}", repeats)
        print(f"| {records:,} | `{name}` | {ours:.2f} s | {other:.2f} s | {ours / other:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--joins", type=int, default=10_000_000, help="records of what is a join, once more; 0: not")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before a kernel imports numpy
    print("| records | measure | time | bare query | ratio |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(str(Path(folder) / "loss.duckdb")) as con:
        con.execute("SET threads = 1")
        sdc_sql.load(con)
        timed(con, arguments.records, JOINS | OTHERS, arguments.repeats)
        if arguments.joins:
            timed(con, arguments.joins, JOINS, 1)
    print(f"peak memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GB")


if __name__ == "__main__":
    main()
