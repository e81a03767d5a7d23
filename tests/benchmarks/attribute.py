"""How much the measures of attribute disclosure cost over the bare GROUP BY, and over pandas, in one run.

    python tests/benchmarks/attribute.py                 1e5 and 1e6 records
    python tests/benchmarks/attribute.py 100000          less

Every pair is run alternately after one warm-up, and the least time of each counts. Keys: seven, of a generated
population; the sensitive variable is the household size. The peers have the data at hand: DuckDB counts by the
keys and the sensitive variable, pandas counts the distinct values of each cell and spreads them over the records.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
KEYS = ["age", "sex", "marital_status", "ethnic_group", "economic_status", "country_of_birth", "region"]
LIST = ", ".join(KEYS)
BARE = f"SELECT sum(n), max(n) FROM (SELECT {LIST}, size, count(*) AS n FROM persons GROUP BY {LIST}, size)"
MEASURES = {
    "sdc_l_diversity": f"FROM sdc_l_diversity('persons', {KEYS}, 'size')",
    "sdc_t_closeness": f"FROM sdc_t_closeness('persons', {KEYS}, 'size')",
    "sdc_t_closeness, ordered": f"FROM sdc_t_closeness('persons', {KEYS}, 'size', distance := 'ordered')",
    "sdc_likeness": f"FROM sdc_likeness('persons', {KEYS}, 'size')",
    "sdc_alpha_k_anonymity": f"FROM sdc_alpha_k_anonymity('persons', {KEYS}, 'size', 0.9, 3)",
    "sdc_k_map of the file in itself": f"FROM sdc_k_map('persons', 'persons', {KEYS}, 3)",
}
RECORDS = f"CREATE OR REPLACE TABLE result AS FROM sdc_l_diversity_records('persons', {KEYS}, 'size')"


def seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def line(records: int, name: str, ours: Callable[[], object], other: Callable[[], object], repeats: int) -> None:
    ours(), other()
    times = [(seconds(ours), seconds(other)) for _ in range(repeats)]
    a, b = (min(t) for t in zip(*times, strict=True))
    print(f"{records:>12,} {a:>9.3f} s {b:>9.3f} s {a / b:>7.2f}  {name}", flush=True)


def measured(con: duckdb.DuckDBPyConnection, records: int, repeats: int) -> None:
    con.execute((ROOT / "fixtures" / "population.sql").read_text(encoding="utf-8"))
    rows = "SELECT * RENAME (household_size AS size) FROM synthetic_population(?, 'benchmark')"
    con.execute(f"CREATE OR REPLACE TABLE persons AS {rows}", [records])

    def run(sql: str) -> Callable[[], object]:
        return lambda: con.execute(sql).fetchall()

    for name, query in MEASURES.items():
        line(records, f"{name} / GROUP BY", run(query), run(BARE), repeats)
    frame = con.execute(f"SELECT {LIST}, size FROM persons").df()
    grouped = lambda: frame.groupby(KEYS, dropna=False, sort=False)["size"].transform("nunique")  # noqa: E731
    line(
        records,
        "sdc_l_diversity_records to a table / pandas in memory (distinct values only)",
        run(RECORDS),
        grouped,
        repeats,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print(f"duckdb {duckdb.__version__}, sdc-sql {sdc_sql.__version__}")
    print(f"{'records':>12} {'ours':>11} {'other':>11} {'ratio':>7}")
    with duckdb.connect() as con:
        sdc_sql.load(con)
        for records in arguments.records:
            measured(con, records, arguments.repeats)


if __name__ == "__main__":
    main()
