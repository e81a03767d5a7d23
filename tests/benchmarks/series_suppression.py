"""Local suppression in a series of releases: a second release beside the same table masked without a series.

    python tests/benchmarks/series_suppression.py                 1,000,000 records
    python tests/benchmarks/series_suppression.py 10000           less

The table is that of fixtures/population.sql by five keys, k = 3, 'identical'. One in a hundred records leaves and one
comes between the two releases. Processor time, with that of digests, of the ledger and of counting anew.
"""

from __future__ import annotations

import argparse
import secrets
import tempfile
import time
from pathlib import Path

import duckdb

import sdc_sql

ROOT = Path(__file__).resolve().parents[2]
KEYS = ["age", "sex", "marital_status", "ethnic_group", "region"]


def measure(con: duckdb.DuckDBPyConnection, table: str, into: str, series: sdc_sql.Series | None = None) -> float:
    """Suppress a table into another one, and return the processor time in seconds."""
    start = time.process_time()
    sdc_sql.Microdata(con, table, id="person", series=series).mask.local_suppression(3, keys=KEYS, into=into)
    if series is not None:
        series.record()
    return time.process_time() - start


def main() -> None:
    """Print a line for each number of records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[1_000_000])
    print("| records | without a series | first release | second release |\n|---|---|---|---|")
    for records in parser.parse_args().records:
        with duckdb.connect() as con, tempfile.TemporaryDirectory() as folder:
            sdc_sql.load(con)
            con.execute("SET VARIABLE sdc_key = ?", [secrets.token_urlsafe(32)])
            con.execute((ROOT / "fixtures" / "population.sql").read_text(encoding="utf-8"))
            con.execute(f"CREATE TABLE every AS FROM synthetic_population({records * 101 // 100}, 'example')")
            con.execute(f"CREATE TABLE one AS FROM every WHERE person <= {records}")
            con.execute(f"CREATE TABLE two AS FROM every WHERE person > {records // 100}")
            seconds, head = [measure(con, "two", "alone")], ""
            for name in ("one", "two"):
                ledger = Path(folder, "p.ledger")
                series = sdc_sql.Series(ledger, "p", name, after=head, disk_encrypted=True)
                seconds.append(measure(con, name, f"released {name}", series))
                head = series.head
            print(f"| {records:,} | {' | '.join(f'{s:.1f} s' for s in seconds)} |", flush=True)


if __name__ == "__main__":
    main()
