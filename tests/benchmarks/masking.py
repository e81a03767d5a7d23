"""What masking in place costs, in one run, as ratios to a copy of the table and to numpy on data already in memory.

    python tests/benchmarks/masking.py                  1 and 10 million records
    python tests/benchmarks/masking.py 100000           less

Each case runs in a process of its own, whose memory peak is printed. numpy does the same work with its own generator in
the place of keyed draws: the ratio is the price of draws that can be repeated, of the database, and of the transaction.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import numpy as np
from sdc_sql.udfs.swapping.rank_swap import swap_places

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS = 42
NUMBERS = ["a", "b", "c", "d", "e"]


def _pram_numpy(data: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    moves = rng.random(len(data["k"])) >= 0.8
    data["k"][moves] = (data["k"][moves] + rng.integers(1, LEVELS, moves.sum())) % LEVELS


def _noise_numpy(columns: list[str]) -> Callable[[dict[str, np.ndarray], np.random.Generator], None]:
    def noise(data: dict[str, np.ndarray], rng: np.random.Generator) -> None:
        for c in columns:
            data[c] = data[c] + 0.3 * data[c].std() * rng.standard_normal(len(data[c]))

    return noise


def _swap_numpy(data: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    order = np.argsort(data["a"])
    data["a"][order] = data["a"][order][swap_places(rng.random(order.size), 5)]


def _round_numpy(data: dict[str, np.ndarray], _: np.random.Generator) -> None:
    data["a"] = np.floor(data["a"] / 0.1 + 0.5) * 0.1


def _multiply_numpy(data: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    data["a"] = data["a"] * (1 + 0.1 * rng.standard_normal(len(data["a"])))


def _ipso_numpy(data: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    y = np.column_stack([data[c] for c in NUMBERS])
    centre = y.mean(axis=0)
    draws = rng.standard_normal(y.shape)
    draws -= draws.mean(axis=0)
    old, new = (np.linalg.cholesky(m.T @ m) for m in (y - centre, draws))
    drawn = draws @ np.linalg.inv(new).T @ old.T + centre
    for j, c in enumerate(NUMBERS):
        data[c] = drawn[:, j].copy()


CASES: dict[
    str, tuple[Callable[[sdc_sql.Microdata], object], Callable[[dict[str, np.ndarray], np.random.Generator], None]]
] = {
    "PRAM of one column, 42 levels": (lambda t: t.mask.pram("k", "matrix"), _pram_numpy),
    "rounding of one column": (lambda t: t.mask.round("a", 0.1), _round_numpy),
    "multiplicative noise on one column": (lambda t: t.mask.multiplicative_noise("a", 0.1), _multiply_numpy),
    "noise on one column": (lambda t: t.mask.noise("a", 0.1), _noise_numpy(["a"])),
    "noise on five columns": (lambda t: t.mask.noise(NUMBERS, 0.1), _noise_numpy(NUMBERS)),
    "five columns drawn anew (IPSO C)": (lambda t: t.mask.ipso(NUMBERS), _ipso_numpy),
    "rank swap of one column": (lambda t: t.mask.rank_swap("a", 5), _swap_numpy),
}


def seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def run(case: str, records: int, threads: int, folder: Path) -> None:
    """Measure one case and print its row."""
    mask, in_numpy = CASES[case]
    with duckdb.connect(folder / "b.duckdb") as con:
        con.execute(f"SET threads = {threads}")
        con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        draws = ", ".join(f"hash(range, '{c}') / 1.8446744073709552e19 AS {c}" for c in NUMBERS)
        con.execute(
            f"CREATE TABLE t AS SELECT range AS id, (hash(range) % {LEVELS})::INTEGER AS k, {draws} "
            f"FROM range({records})"
        )
        con.execute(
            f'CREATE TABLE matrix AS SELECT a.range AS "from", b.range AS "to", CASE WHEN a.range = b.range THEN 0.8 '
            f"ELSE 0.2 / {LEVELS - 1} END AS probability FROM range({LEVELS}) a, range({LEVELS}) b"
        )
        data = dict(con.execute("SELECT k, a, b, c, d, e FROM t").fetchnumpy())
        peer = seconds(partial(in_numpy, data, np.random.default_rng(1)))
        data.clear()
        table = sdc_sql.Microdata(con, "t", id="id")
        con.execute("CHECKPOINT")
        copy = seconds(lambda: con.execute("CREATE TABLE copied AS FROM t").fetchall())
        con.execute("DROP TABLE copied")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ours = seconds(lambda: mask(table))
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e6
    print(
        f"| {records:,} | {case} | {ours:.2f} s | {copy:.2f} s | {ours / copy:.1f} | {peer:.2f} s "
        f"| {ours / peer:.1f} | {more:.1f} GB |",
        flush=True,
    )


def main() -> None:
    """Run every case in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--case", choices=list(CASES))
    arguments = parser.parse_args()
    if arguments.case:
        with tempfile.TemporaryDirectory() as folder:
            run(arguments.case, arguments.records[0], arguments.threads, Path(folder))
        return
    print("| records | in place | sdc-sql | copy | ratio | numpy in memory | ratio | more memory |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for records in arguments.records:
        for case in CASES:
            command = [sys.executable, __file__, str(records), "--threads", str(arguments.threads), "--case", case]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
