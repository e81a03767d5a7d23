"""What SUDA costs over the bare GROUP BY of all its keys, and beside pandas, in one run.

    python tests/benchmarks/suda.py                      1e5, 1e6 and 1e7 records, 8 keys; sets of at most 3, and all
    python tests/benchmarks/suda.py 100000 --wide 3 4    24 keys of 2 to 12 categories; sets of at most 3, and of 4
    python tests/benchmarks/suda.py 8124 --dependent 0 0.001 0.01    23 strongly dependent keys, all sizes
    python tests/benchmarks/suda.py 100000               less

The least time of each, run alternately after one warm-up (once only with --repeats 0). The peer does the same search in
memory: equal records first made one row, keys as codes, then for each set of keys a group by, and what holds a smaller
unique set is left out. It has to find as many. (Not of the dependent keys: they are 8,388,607 sets.)

The dependent keys have the shape of the mushroom file of the UCI repository, on which published tools are timed (8,124
records, 23 keys): of each of some kinds the crossing of a few keys, the others fixed; then a share of the values drawn
anew.
"""

from __future__ import annotations

import argparse
import itertools
import resource
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
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


CATEGORIES = [2, 6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 5, 4, 4, 9, 9, 1, 4, 3, 5, 9, 6, 7]  # of the mushrooms' keys
DEPENDENT = [f"m{i}" for i in range(len(CATEGORIES))]


def dependent(con: duckdb.DuckDBPyConnection, records: int, changed: float) -> None:
    """Make 23 keys that follow from one another, but for a share of the values."""
    draws = np.random.default_rng(0)
    kinds: list[np.ndarray] = []
    while sum(len(k) for k in kinds) < records:
        size = draws.choice([16, 48, 96, 192, 192, 288, 864, 1296, 1728])
        kind = np.array([draws.integers(0, c) * draws.integers(0, 2) for c in CATEGORIES])  # half of them the first
        crossed = 1
        values = []
        for key in draws.permutation(len(CATEGORIES)):
            if crossed >= size:
                break
            number = min(int(draws.integers(2, 5)), CATEGORIES[key])
            values.append((key, draws.choice(CATEGORIES[key], number, replace=False)))
            crossed *= number
        rows, place = np.tile(kind, (crossed, 1)), np.arange(crossed)
        for key, taken in values:
            rows[:, key] = taken[place % len(taken)]
            place //= len(taken)
        kinds.append(rows)
    made = np.concatenate(kinds)[:records]
    other = (draws.random(made.shape) * np.array(CATEGORIES)).astype(np.int64)
    made = np.where(draws.random(made.shape) < changed, other, made)
    con.register("made", pa.table(dict(zip(DEPENDENT, made.T, strict=True))))
    con.execute("CREATE TABLE persons AS FROM made")
    con.unregister("made")


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


def measured(con: duckdb.DuckDBPyConnection, names: list[str], sizes: list[int], repeats: int, *, peer: bool) -> None:
    """Print a line for each largest size."""
    listed = ", ".join(names)
    bare = f"SELECT sum(n), max(n) FROM (SELECT {listed}, count(*) AS n FROM persons GROUP BY {listed})"
    (records,) = con.execute("SELECT count(*) FROM persons").fetchall()[0]
    data = sdc_sql.Microdata(con, "persons", keys=names)
    for most in sizes:
        counts: list[int] = []
        ours, group = timed(
            lambda m=most, c=counts: c.append(data.risk.suda_summary(m).msus),
            lambda: con.execute(bare).fetchall(),
            repeats,
        )
        line = f"| {records:,} | at most {most} | {counts[0]:,} | {ours:.2f} s | {group:.3f} s | {ours / group:.0f} |"
        if peer:
            frame = con.execute(f"SELECT {listed} FROM persons").df()
            theirs: list[int] = []
            _, other = timed(
                lambda: None,
                lambda f=frame, m=most, t=theirs: t.append(searched_by_pandas(f, names, m)),
                repeats,
            )
            if set(counts) != set(theirs):
                raise AssertionError(f"{counts} and {theirs} minimal sample uniques")
            line += f" {other:.2f} s | {ours / other:.2f} |"
        print(line, flush=True)


def main() -> None:
    """Print a line for each number of records and each largest size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--wide", nargs="+", type=int, metavar="SIZE", help="24 keys, sets of at most so many")
    parser.add_argument(
        "--dependent", nargs="+", type=float, metavar="SHARE", help="23 keys, a share of values changed"
    )
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--no-peer", action="store_true", help="without pandas")
    arguments = parser.parse_args()
    print(
        "| records | keys in a set | sets found | SUDA | bare GROUP BY | ratio | pandas | ratio |\n" + "|---" * 8 + "|"
    )
    for records in arguments.records:
        for changed in arguments.dependent or [None]:
            with duckdb.connect() as con:
                sdc_sql.load(con)
                if changed is not None:
                    dependent(con, records, changed)
                    measured(con, DEPENDENT, [len(DEPENDENT)], arguments.repeats, peer=False)
                elif arguments.wide:
                    wide(con, records)
                    measured(con, WIDE, arguments.wide, arguments.repeats, peer=not arguments.no_peer)
                else:
                    population(con, records)
                    measured(con, KEYS, [3, len(KEYS)], arguments.repeats, peer=not arguments.no_peer)
    print(f"peak memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GB")


if __name__ == "__main__":
    main()
