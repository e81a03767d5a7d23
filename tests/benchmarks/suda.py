"""What SUDA costs over the bare GROUP BY of all its keys, and beside pandas, in one run.

    python tests/benchmarks/suda.py                      1e5, 1e6 and 1e7 records, 8 keys; sets of at most 3, and all
    python tests/benchmarks/suda.py 100000               less
    python tests/benchmarks/suda.py 100000 --wide 3 4    24 keys of 2 to 12 categories; sets of at most 3, and of 4

The least time of each, run alternately after one warm-up (once only with --repeats 0). The peer does the same search in
memory: equal records first made one row, keys as codes, then for each set of keys a group by, and what holds a smaller
unique set is left out. It has to find as many.
"""

from __future__ import annotations

import argparse
import itertools
import resource
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pandas as pd
from risk import KEYS, compared, population, seconds

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable

WIDE = [f"c{i}" for i in range(24)]


def wide(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make 24 keys of 2 to 12 categories, the last ones rare: eighth powers of uniforms."""
    draws = [
        f"floor({2 + i % 11} * pow((hash(i, {i}) % 1000003) / 1000003, 8))::INTEGER AS {c}" for i, c in enumerate(WIDE)
    ]
    con.execute(f"CREATE TABLE persons AS SELECT {', '.join(draws)} FROM range({records:d}) AS t(i)")


def searched_by_pandas(frame: pd.DataFrame, names: list[str], most: int) -> int:
    """Return the number of minimal sample uniques of at most so many keys."""
    cells = frame.groupby(names, dropna=False, sort=False).size().reset_index(name="records")
    codes = {key: pd.factorize(cells[key], use_na_sentinel=False)[0] for key in names}
    one = (cells["records"] == 1).to_numpy()
    unique: dict[tuple[str, ...], np.ndarray] = {}
    found = 0
    for size in range(1, most + 1):
        for keys in itertools.combinations(names, size):
            packed = np.zeros(len(cells), dtype=np.int64)
            for key in keys:
                packed = packed * (codes[key].max() + 1) + codes[key]
            alone = (pd.Series(packed).groupby(packed, sort=False).transform("size") == 1).to_numpy() & one
            smaller = [unique[s] for s in itertools.combinations(keys, size - 1) if s]
            found += int((alone & ~np.logical_or.reduce([np.zeros_like(alone), *smaller])).sum())
            if size < most:
                unique[keys] = alone
    return found


def timed(ours: Callable[[], object], other: Callable[[], object], repeats: int) -> tuple[float, float]:
    return compared(ours, other, repeats) if repeats else (seconds(ours), seconds(other))


def main() -> None:
    """Print a line for each number of records and each largest size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--wide", nargs="+", type=int, metavar="SIZE", help="24 keys, sets of at most so many")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--no-peer", action="store_true", help="without pandas")
    arguments = parser.parse_args()
    names = WIDE if arguments.wide else KEYS
    listed = ", ".join(names)
    bare = f"SELECT sum(n), max(n) FROM (SELECT {listed}, count(*) AS n FROM persons GROUP BY {listed})"
    print(
        "| records | keys in a set | sets found | SUDA | bare GROUP BY | ratio | pandas | ratio |\n" + "|---" * 8 + "|"
    )
    for records in arguments.records:
        with duckdb.connect() as con:
            sdc_sql.load(con)
            (wide if arguments.wide else population)(con, records)
            data = sdc_sql.Microdata(con, "persons", keys=names)
            for most in arguments.wide or (3, len(KEYS)):
                counts = []
                ours, group = timed(
                    lambda d=data, m=most, c=counts: c.append(d.suda_summary(m).msus),
                    lambda c=con: c.execute(bare).fetchall(),
                    arguments.repeats,
                )
                line = f"| {records:,} | at most {most} | {counts[0]:,} |"
                line += f" {ours:.2f} s | {group:.3f} s | {ours / group:.0f} |"
                if not arguments.no_peer:
                    frame = con.execute(f"SELECT {listed} FROM persons").df()
                    theirs = []
                    _, peer = timed(
                        lambda: None,
                        lambda f=frame, m=most, t=theirs: t.append(searched_by_pandas(f, names, m)),
                        arguments.repeats,
                    )
                    if set(counts) != set(theirs):
                        raise AssertionError(f"{counts} and {theirs} minimal sample uniques")
                    line += f" {peer:.2f} s | {ours / peer:.2f} |"
                print(line, flush=True)
    print(f"peak memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GB")


if __name__ == "__main__":
    main()
