"""What a series of releases costs: its first release and the second one beside the same mask without a series.

    python tests/benchmarks/series.py                              1,000,000 records, every method
    python tests/benchmarks/series.py 10000000 --method mdav       more, by one
    python tests/benchmarks/series.py 100000                       less

The table is that of fixtures/population.sql. One in a hundred records leaves and one comes between the releases, and
one in two hundred changes its income and its region. Seconds of processors and, in parentheses, on the clock, with
digests, the ledger's bytes and what is counted anew; the ledger is not encrypted, as where the disk is.
"""

from __future__ import annotations

import argparse
import resource
import secrets
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
KEYS = ["age", "sex", "marital_status", "ethnic_group", "region"]
METHODS: dict[str, Callable[[Any, int, str], object]] = {
    "rounding at random": lambda mask, _, into: mask.round("income", 1000, at_random=True, into=into),
    "noise, alpha 0.1": lambda mask, _, into: mask.noise("income", 0.1, into=into),
    "noise, correlated, two columns": lambda mask, _, into: mask.noise(
        ["income", "weight"], 0.1, method="correlated", into=into
    ),
    "PRAM, guaranteed, two columns": lambda mask, _, into: mask.pram_guaranteed(
        0.8, keys=["region", "marital_status"], into=into
    ),
    "rank swapping": lambda mask, _, into: mask.rank_swap("income", 5, into=into),
    "mdav, k = 3, two columns, blocks": lambda mask, n, into: mask.microaggregate(
        ["income", "weight"], 3, blocks=max(1, n // 1000), into=into
    ),
    "univariate, k = 3": lambda mask, _, into: mask.microaggregate("income", 3, method="univariate", into=into),
    "mondrian, k = 5": lambda mask, _, into: mask.mondrian(5, keys=KEYS, into=into),
    "local suppression, k = 3": lambda mask, _, into: mask.local_suppression(3, keys=KEYS, into=into),
}


def measure(
    con: duckdb.DuckDBPyConnection, method: str, table: str, into: str, series: sdc_sql.Series | None = None
) -> tuple[float, float]:
    """Mask a table into another one, and return the seconds: of processors, and on the clock."""
    ((records,),) = con.execute(f"SELECT count(*) FROM {table}").fetchall()
    start, used = time.perf_counter(), _used()
    METHODS[method](sdc_sql.Microdata(con, table, id="person", series=series).mask, records, into)
    if series is not None:
        series.record()
    return _used() - used, time.perf_counter() - start


def _used() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime


def measure_digests(con: duckdb.DuckDBPyConnection) -> str:
    """Return the seconds of one digest a record, of a message as long as the ledger's: what no value can cost less."""
    start, used = time.perf_counter(), _used()
    con.execute("SELECT max(sha256(concat('0123456789abcdefghijkl', person, ':', income))) FROM one").fetchall()
    return f"{_used() - used:.1f} ({time.perf_counter() - start:.1f}) s"


def make_tables(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the table of two releases."""
    con.execute((ROOT / "fixtures" / "population.sql").read_text(encoding="utf-8"))
    con.execute(f"CREATE TABLE every AS FROM synthetic_population({records * 101 // 100}, 'example')")
    con.execute(f"CREATE TABLE one AS FROM every WHERE person <= {records}")
    con.execute(f"""
        CREATE TABLE two AS SELECT * REPLACE (
            CASE WHEN person % 200 = 0 THEN income * 1.5 ELSE income END AS income,
            CASE WHEN person % 200 = 0 AND region = 'South' THEN 'East' ELSE region END AS region)
        FROM every WHERE person > {records // 100}""")


def main() -> None:
    """Print a line for each method and number of records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[1_000_000])
    parser.add_argument("--method", action="append", help="those whose name begins so; all of them by default")
    asked = parser.parse_args()
    chosen = [name for name in METHODS if name.startswith(tuple(asked.method or [""]))]
    print("| records | method | without | first release | second release | times | ledger |")
    print("|---|---|---|---|---|---|---|")
    for records in asked.records:
        with duckdb.connect() as con:
            sdc_sql.load(con)
            con.execute("SET VARIABLE sdc_key = ?", [secrets.token_urlsafe(32)])
            make_tables(con, records)
            print(
                f"| {records:,} | a SHA-256 of each id and value, alone | {measure_digests(con)} | | | | |", flush=True
            )
            for method in chosen:
                print(f"| {records:,} | {method} | {measure_method(con, method)} |", flush=True)


def measure_method(con: duckdb.DuckDBPyConnection, method: str) -> str:
    """Return the cells of a method: seconds of processors (on the clock), the ratios, and the ledger's size."""
    head, rows = "", [measure(con, method, "two", "alone")]
    con.execute("DROP TABLE alone")
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder, "p.ledger")
        for name in ("one", "two"):
            with sdc_sql.Series(ledger, "p", name, after=head, disk_encrypted=True) as series:
                rows.append(measure(con, method, name, f"released_{name}", series))
                head = series.head
            con.execute(f"DROP TABLE released_{name}")
        size = ledger.stat().st_size / 1e6
    seconds = " | ".join(f"{used:.1f} ({clock:.1f}) s" for used, clock in rows)
    times = ", ".join(f"{used / rows[0][0]:.1f}" for used, _ in rows[1:])
    return f"{seconds} | {times} | {size:.0f} MB"


if __name__ == "__main__":
    main()
