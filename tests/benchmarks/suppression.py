"""Local suppression: how many values each guarantee costs, and how long it takes, beside sdcMicro's figures.

    python tests/benchmarks/suppression.py                 10,000 to 1,000,000 records, k = 3
    python tests/benchmarks/suppression.py 10000           less

Processor time of the macro alone (`search`: cells, kernel, the released values), and of counting anew what was done
(`report`). The tables are generated (fixtures/population.sql); the couples of fixtures/ come first, for k = 2, 3, 5.
sdcMicro 5.8.1 on this kind of machine: localSuppression, which gives the wildcard reading.

Then the same for combinations: all pairs with k = 20 and triples with k = 10 of the couples, and all sets of one to
three keys of the generated tables with k = 3.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import duckdb
from contenders.columns import EIGHT as KEYS

import sdc_sql

ROOT = Path(__file__).resolve().parents[2]
COUPLES = ["region", "race", "hispanic", "education", "children_under_6", "children_6_to_18"]
SDCMICRO = {(10_000, 8): "84 s", (30_000, 8): "448 s", (100_000, 5): "33 s"}  # k = 3
GUARANTEES = ("identical", "strong", "wildcard")


def measured(con: duckdb.DuckDBPyConnection, keys: list[str], identifier: str, k: int, guarantee: str) -> str:
    """Suppress the table `t` and return the values suppressed and the processor times."""
    chosen = f"{keys}, {k}, '{identifier}', '{guarantee}', NULL, 'equal', NULL, NULL, NULL, NULL, NULL, NULL, 'record'"
    start = time.process_time()
    con.execute(
        f"CREATE OR REPLACE TABLE r AS SELECT * EXCLUDE (sdc__id) FROM sdc__local_suppression('t', {chosen})"
    ).fetchall()
    search = time.process_time() - start
    start = time.process_time()
    report = con.execute(f"FROM sdc_suppression_report('t', 'r', {keys}, {k})").fetchall()[0]
    checked = time.process_time() - start
    lost, one = sum(report[1].values()), report[-1]
    return (
        f"{guarantee:10} {lost:>9,} suppressed  {one:>7,} found by one  search {search:6.2f} s  report {checked:6.2f} s"
    )


def combined(con: duckdb.DuckDBPyConnection, keys: list[str], identifier: str, threshold: str, guarantee: str) -> str:
    """Suppress rare combinations in the table `t` and return the values suppressed and the processor times."""
    rule = f"{keys}, {threshold}, '{identifier}', NULL, NULL, NULL, false, '{guarantee}', NULL"
    start = time.process_time()
    con.execute(
        "CREATE OR REPLACE TABLE r AS SELECT * RENAME (sdc__id AS "
        f"{identifier}) FROM sdc__suppress_combinations('t', {rule}, NULL, 'equal', 'error', NULL, NULL)"
    ).fetchall()
    search = time.process_time() - start
    start = time.process_time()
    (report,) = con.execute(f"FROM sdc__combinations_proof('t', 'r', {rule}, 'error')").fetchall()
    checked = time.process_time() - start
    return (
        f"{guarantee:10} {sum(report[0].values()):>9,} suppressed  {report[4]:>7,} too few compatible  "
        f"search {search:6.2f} s  report {checked:6.2f} s"
    )


def main() -> None:
    """Print a line for each table and guarantee."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[10_000, 30_000, 100_000, 1_000_000])
    arguments = parser.parse_args()
    with duckdb.connect() as con:
        sdc_sql.load(
            con, "sdc__local_suppression sdc_suppression_report sdc__suppress_combinations sdc__combinations_proof"
        )
        con.execute(f"CREATE TABLE t AS FROM '{ROOT / 'fixtures' / 'cps_couples.parquet'}'")
        theirs = json.loads((ROOT / "fixtures" / "sdcmicro.json").read_text(encoding="utf-8"))["entries"]
        for k in (2, 3, 5):
            print(f"couples x 6, k = {k}; sdcMicro {theirs[f'couples_kanon_{k}']['result']['suppressions']:,}")
            for guarantee in GUARANTEES:
                print("  ", measured(con, COUPLES, "couple", k, guarantee), flush=True)
        combs = theirs["couples_kanon_combs"]["result"]["suppressions"]
        print(f"couples x 6, pairs 20, triples 10; sdcMicro {combs:,}")
        for guarantee in GUARANTEES[1:]:
            print("  ", combined(con, COUPLES, "couple", "[NULL, 20, 10]", guarantee), flush=True)
        con.execute((ROOT / "fixtures" / "population.sql").read_text(encoding="utf-8"))
        for records in arguments.records:
            keys = KEYS[:5] if records == 100_000 else KEYS
            con.execute(f"CREATE OR REPLACE TABLE t AS FROM synthetic_population({records}, 'example')")
            print(f"{records:,} x {len(keys)}, k = 3; sdcMicro {SDCMICRO.get((records, len(keys)), 'not run')}")
            for guarantee in GUARANTEES:
                print("  ", measured(con, keys, "person", 3, guarantee), flush=True)
            print(f"{records:,} x {len(keys)}, combinations of one to three, k = 3")
            for guarantee in GUARANTEES[1:]:
                print("  ", combined(con, keys, "person", "3", guarantee), flush=True)


if __name__ == "__main__":
    main()
