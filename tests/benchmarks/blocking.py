"""What microaggregation by blocks costs and loses: MDAV of four variables, k = 3, in place through `microaggregate`.

    python tests/benchmarks/blocking.py                 100,000 records with and without blocks, then a million
    python tests/benchmarks/blocking.py 3000:1,10       3,000 records, as one block and as ten

Blocks are runs along the first principal component. A group cannot reach beyond its block, and that is the loss.
The variables are normal with correlations of 0.5 between any two. Time is that of the processor, on one thread.
"""

from __future__ import annotations

import argparse
import time

import duckdb

import sdc_sql

VARIABLES = ["a", "b", "c", "d"]


def run(records: int, blocks: list[int]) -> None:
    """Measure one table and print a row for each number of blocks."""
    with duckdb.connect() as con:
        con.execute("SET threads = 1")
        sdc_sql.load(con).execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        # one part in common, one of their own: correlation 1/2
        columns = ", ".join(f"sdc_normal('common', range) + sdc_normal('{v}', range) AS {v}" for v in VARIABLES)
        con.execute(f"CREATE TABLE t AS SELECT range AS id, {columns} FROM range({records})")
        data = sdc_sql.Microdata(con, "t", id="id")
        for number in blocks:
            start = time.process_time()
            step = data.mask.microaggregate(VARIABLES, 3, blocks=number, into="released")
            taken = time.process_time() - start
            con.execute("DROP TABLE released")
            size = records // number
            print(f"| {records:,} | {number:,} | {size:,} | {taken:.1f} s | {step.sse_sst:.5f} |", flush=True)


def main() -> None:
    """Print a table, a row for each number of records and of blocks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=["100000:1,10,100", "1000000:1000,100"])
    print("| records | blocks | records a block | processor time | SSE/SST |")
    print("|---|---|---|---|---|", flush=True)
    for size in parser.parse_args().sizes:
        records, _, blocks = size.partition(":")
        run(int(records), [int(b) for b in blocks.split(",")])


if __name__ == "__main__":
    main()
