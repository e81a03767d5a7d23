"""How much it costs to look for the originals in a released file, beside the bare join of both on the id.

    python tests/benchmarks/reidentification.py                     3,000,000 and 10,000,000 records
    python tests/benchmarks/reidentification.py 100000 --threads 1  less

Eight keys of a generated population. In the released file every seventh age is another one, and (in the lines with
wildcards) every fiftieth region is NULL. Processor time and clock; the bare join returns an aggregate of each column.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import duckdb

import sdc_sql

ROOT = Path(__file__).resolve().parents[2]
KEYS = ["age", "sex", "marital_status", "ethnic_group", "economic_status", "country_of_birth", "region", "size"]
TABLE = "CREATE OR REPLACE TABLE result AS"
JOIN = ", ".join(f"max(o.{key}), max(r.{key})" for key in KEYS)
BARE = f"SELECT {JOIN} FROM original AS o JOIN released AS r USING (id)"
JOINT = f"(['original', 'released'], [{KEYS[:4]}, {KEYS[3:]}], 'id'"
MEASURES = {
    "`sdc_true_reidentification`": f"FROM sdc_true_reidentification('original', 'released', {KEYS}, 'id')",
    "the same, wildcards": f"FROM sdc_true_reidentification('original', 'suppressed', {KEYS}, 'id')",
    "`sdc_true_reidentification_records` to a table": (
        f"{TABLE} FROM sdc_true_reidentification_records('original', 'released', {KEYS}, 'id')"
    ),
    "`sdc_swapping_risk`": f"FROM sdc_swapping_risk('original', 'released', {KEYS}, 'id', swapped := ['age'])",
    "`sdc_joint_releases`, two releases": f"FROM sdc_joint_releases{JOINT})",
    "`sdc_joint_releases_records` to a table": f"{TABLE} FROM sdc_joint_releases_records{JOINT})",
}


def tables(con: duckdb.DuckDBPyConnection, records: int) -> None:
    con.execute((ROOT / "fixtures" / "population.sql").read_text(encoding="utf-8"))
    columns = ", ".join(["row_number() OVER () AS id", *KEYS])
    # (household_size is a result of other measures)
    rows = "(SELECT * RENAME (household_size AS size) FROM synthetic_population(?, 'benchmark'))"
    con.execute(f"CREATE OR REPLACE TABLE original AS SELECT {columns} FROM {rows}", [records])
    con.execute(f"CREATE OR REPLACE TABLE released AS SELECT * REPLACE ({_other('age', 7, '30')}) FROM original")
    con.execute(
        f"CREATE OR REPLACE TABLE suppressed AS SELECT * REPLACE ({_other('region', 50, 'NULL')}) FROM released"
    )


def _other(column: str, step: int, value: str) -> str:
    return f"CASE WHEN id % {step} = 0 THEN {value} ELSE {column} END AS {column}"


def spent(con: duckdb.DuckDBPyConnection, sql: str) -> tuple[float, float]:
    clock, processor = time.perf_counter(), time.process_time()
    con.execute(sql).fetchall()
    return time.process_time() - processor, time.perf_counter() - clock


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[3_000_000, 10_000_000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    print("| records | | processor | clock | bare join, processor | ratio |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for records in arguments.records:
            with duckdb.connect(str(Path(folder) / f"{records}.duckdb")) as con:
                sdc_sql.load(con)
                con.execute(f"SET threads = {arguments.threads:d}")
                tables(con, records)
                for name, sql in MEASURES.items():
                    runs = [(spent(con, sql), spent(con, BARE)) for _ in range(arguments.repeats)]
                    (ours, clock), (bare, _) = min(run[0] for run in runs), min(run[1] for run in runs)
                    print(f"| {records:,} | {name} | {ours:.1f} s | {clock:.1f} s | {bare:.1f} s | {ours / bare:.1f} |")


if __name__ == "__main__":
    main()
