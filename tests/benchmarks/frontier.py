"""What a frontier of recodings costs: 500 of them on eight keys, counted from one scan.

    python tests/benchmarks/frontier.py              1,000,000 records
    python tests/benchmarks/frontier.py 20000        less

Processor time, the least of several: the bare GROUP BY of the cells, the preview of all candidates (theta, expected
re-identifications, discernibility, Hellinger distance), and which are undominated. Of fixtures/population.sql.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable

POPULATION = Path(__file__).resolve().parents[2] / "fixtures" / "population.sql"
WORKS = ("full-time", "part-time", "employer", "own account")
# of each key the labels of a value above level 0; then '*'
LEVELS: dict[str, list[Callable[[Any], Any]]] = {
    "household_size": [lambda v: min(v, 5), lambda v: min(v, 3)],
    "region": [lambda v: v[0]],
    "age": [lambda v: v // 5, lambda v: v // 10, lambda v: v // 20, lambda v: v // 40],
    "sex": [],
    "marital_status": [lambda v: v in {"married", "remarried"}],
    "ethnic_group": [lambda v: v == "A"],
    "economic_status": [lambda v: v in WORKS],
    "country_of_birth": [lambda v: v if v == "C01" else int(v[1:]) // 6, lambda v: v == "C01"],
}


def timed(function: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the least processor time of several, and what was found."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        found = function()
        times.append(time.process_time() - start)
    return min(times), found


def main() -> None:
    """Print a line for each kind of weight."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--candidates", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    keys = list(LEVELS)
    con = sdc_sql.load(duckdb.connect())
    con.execute(POPULATION.read_text(encoding="utf-8"))
    con.execute("CREATE TABLE t AS FROM synthetic_population(?, 'frontier') ORDER BY person", [given.records])
    hierarchies = {}
    for key, ups in LEVELS.items():
        values = [value for (value,) in con.execute(f"SELECT DISTINCT {key} FROM t ORDER BY ALL").fetchall()]
        hierarchies[key] = sdc_sql.Hierarchy(tuple((str(v), *(str(up(v)) for up in ups), "*") for v in values))
    heights = [len(ups) + 2 for ups in LEVELS.values()]
    draw = random.Random(1)  # noqa: S311 - a benchmark
    candidates: set[tuple[int, ...]] = {(0,) * len(keys)}
    while len(candidates) < given.candidates:
        candidates.add(tuple(draw.randrange(height) for height in heights))
    data = sdc_sql.Microdata(con, "t", keys=keys, sampling_fraction=0.02)
    bare = f"SELECT count(*), sum(w) FROM (SELECT count(*), sum(weight) AS w FROM t GROUP BY {', '.join(keys)})"
    base, ((cells, _),) = timed(lambda: con.execute(bare).fetchall(), given.repeats)
    print("| records | cells | recodings | weight | scan | preview | frontier |\n|---|---|---|---|---|---|---|")
    for name, weight in (("none", None), ("one for all", 44), ("a column", "weight")):
        took, found = timed(
            lambda: data.mask.preview_recodings(hierarchies, sorted(candidates), weight=weight),  # noqa: B023
            given.repeats,
        )
        risk = "theta" if weight is None else "expected_reidentifications"
        more, _ = timed(lambda: data.frontier(found, risk, "hellinger", max_risk=0.05), given.repeats)  # noqa: B023
        print(
            f"| {given.records:,} | {cells:,} | {len(found)} | {name} | {base:.2f} s | {took:.2f} s | {more:.2f} s |",
            flush=True,
        )


if __name__ == "__main__":
    main()
