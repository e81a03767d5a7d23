"""What SUDA costs over the bare GROUP BY of all its keys, and beside pandas, in one run.

    python tests/benchmarks/suda.py            1e5 and 1e6 records, 8 keys, sets of at most 3 and of every size
    python tests/benchmarks/suda.py 100000     less

The least time of each, run alternately after one warm-up. The peer does the same search in memory: equal records first
made one row, keys as codes, then for each set of keys a group by, and what holds a smaller unique set is left out.
"""

from __future__ import annotations

import argparse
import itertools

import duckdb
import numpy as np
import pandas as pd
from risk import BARE_GROUP, KEYS, compared, population

import sdc_sql


def searched_by_pandas(frame: pd.DataFrame, most: int) -> int:
    """Return the number of minimal sample uniques of at most so many keys."""
    cells = frame.groupby(KEYS, dropna=False, sort=False).size().reset_index(name="records")
    codes = {key: pd.factorize(cells[key], use_na_sentinel=False)[0] for key in KEYS}
    one = (cells["records"] == 1).to_numpy()
    unique: dict[tuple[str, ...], np.ndarray] = {}
    found = 0
    for size in range(1, most + 1):
        for keys in itertools.combinations(KEYS, size):
            packed = np.zeros(len(cells), dtype=np.int64)
            for key in keys:
                packed = packed * (codes[key].max() + 1) + codes[key]
            alone = (pd.Series(packed).groupby(packed, sort=False).transform("size") == 1).to_numpy() & one
            smaller = [unique[s] for s in itertools.combinations(keys, size - 1) if s]
            found += int((alone & ~np.logical_or.reduce([np.zeros_like(alone), *smaller])).sum())
            unique[keys] = alone
    return found


def main() -> None:
    """Print a line for each number of records and each largest size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    print(
        "| records | keys in a set | sets found | SUDA | bare GROUP BY | ratio | pandas | ratio |\n" + "|---" * 8 + "|"
    )
    for records in arguments.records:
        with duckdb.connect() as con:
            sdc_sql.load(con)
            population(con, records)
            frame = con.execute(f"SELECT {', '.join(KEYS)} FROM persons").df()
            data = sdc_sql.Microdata(con, "persons", keys=KEYS)
            for most in (3, len(KEYS)):
                msus = data.suda_summary(most).msus
                theirs = searched_by_pandas(frame, most)
                if msus != theirs:
                    raise AssertionError(f"{msus} and {theirs} minimal sample uniques")
                ours, bare = compared(
                    lambda d=data, m=most: d.suda_summary(m),
                    lambda c=con: c.execute(BARE_GROUP).fetchall(),
                    arguments.repeats,
                )
                _, peer = compared(lambda: None, lambda f=frame, m=most: searched_by_pandas(f, m), arguments.repeats)
                print(
                    f"| {records:,} | at most {most} | {msus:,} | {ours:.2f} s | {bare:.3f} s | {ours / bare:.0f} "
                    f"| {peer:.2f} s | {ours / peer:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
