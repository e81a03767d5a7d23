"""What the best generalisation costs, and looking at every one, beside the bare count of the cells.

    python tests/benchmarks/generalising.py                            30,162 made-up records, nine keys, 12,960 nodes
    python tests/benchmarks/generalising.py --table adult.parquet --hierarchies FOLDER    FOLDER/KEY.csv for each column
    python tests/benchmarks/generalising.py --records 1000000 --nodes 0                   the optimum alone
    python tests/benchmarks/generalising.py --verb --table adult.parquet --hierarchies FOLDER     by the verb
    python tests/benchmarks/generalising.py --mondrian 1000000                             the macro of local recoding
    python tests/benchmarks/generalising.py --preview                    sdc_preview_recodings, beside the bare GROUP BY
    python tests/benchmarks/generalising.py --records 3000 --nodes 0     less

Processor time, the least of several; k = 5, at most 4 % suppressed.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
from sdc_sql.udfs.generalisation.cells import Ladder
from sdc_sql.udfs.generalisation.lattice import best_generalisation, list_generalisations
from sdc_sql.udfs.generalisation.losses import LOSSES
from sdc_sql.udfs.generalisation.mondrian import Nodes, mondrian

import sdc_sql
from sdc_sql.mask.hierarchies import read_hierarchy

if TYPE_CHECKING:
    from collections.abc import Callable

K, SHARE = 5, 0.04
# values and the labels they become on each level, as many and as high as those of the adult data with ARX's hierarchies
SHAPES = ([2, 1], [74, 20, 10, 5, 1], [5, 1], [7, 2, 1], [16, 9, 3, 1], [41, 6, 1], [8, 2, 1], [14, 6, 1], [2, 1])


def made(records: int) -> tuple[list[Any], list[Any]]:
    """Return made-up records, the values of each key rarer the later they stand, and their hierarchies."""
    rng = np.random.default_rng(1)
    hierarchies = [np.stack([np.arange(s[0]) * labels // s[0] for labels in s], axis=1) for s in SHAPES]
    return [np.minimum(rng.geometric(2 / s[0], records), s[0]) - 1 for s in SHAPES], hierarchies


def read(table: str, folder: str) -> tuple[list[Any], list[Any]]:
    """Return the records of a file and the hierarchies that stand in a folder by the names of its columns."""
    columns = duckdb.read_parquet(table).fetchnumpy()
    hierarchies = [read_hierarchy(Path(folder) / f"{key}.csv") for key in columns]
    codes = [h.places(column.tolist()) for h, column in zip(hierarchies, columns.values(), strict=True)]
    return codes, [h.codes() for h in hierarchies]


def local(codes: list[Any], counts: Any, hierarchies: list[Any]) -> tuple[float, float]:
    """Return the generalised loss of Mondrian along the same hierarchies, and its time."""
    ladders = [Ladder.make(hierarchy) for hierarchy in hierarchies]
    places = np.stack([ladder.place[code] for ladder, code in zip(ladders, codes, strict=True)], axis=1)
    trees = []
    for ladder in ladders:
        numbers = [np.arange(len(ladder.place))]
        for up in ladder.up:
            numbers.append(up[numbers[-1]])
        runs = [(np.searchsorted(n, n, "left"), np.searchsorted(n, n, "right") - 1) for n in numbers]
        trees.append(Nodes(np.stack([low for low, _ in runs]), np.stack([high for _, high in runs])))
    took, (of, low, high) = timed(lambda: mondrian(places, counts, K, trees), 3)
    share = (high - low)[of] / (np.array([tree.size for tree in trees]) - 1)
    mean = np.average(share, axis=0, weights=counts)
    return float(np.prod(1 + mean) ** (1 / len(trees)) - 1), took


def by_macro(records: int) -> None:
    """Print the time of sdc_mondrian on three keys in ranges and two of categories, beside the bare count of cells."""
    con = sdc_sql.load(duckdb.connect())
    con.execute(
        f"""CREATE TABLE t AS SELECT i AS id, hash(i, 1) % 90 AS age, 's' || hash(i, 2) % 2 AS sex,
        hash(i, 4) % 20 AS years, 'r' || least(hash(i, 3) % 40, hash(i, 33) % 60) AS region,
        least(hash(i, 5) % 16, hash(i, 51) % 20) AS size
        FROM range({int(records)}) AS r(i)"""
    )
    keys = ["age", "sex", "years", "region", "size"]
    bare, _ = timed(
        lambda: con.execute(f"SELECT max(n) FROM (SELECT count(*) AS n FROM t GROUP BY {', '.join(keys)})"), 3
    )
    call = f"CREATE OR REPLACE TABLE r AS FROM sdc_mondrian('t', {keys}, {K}, 'id')"
    took, _ = timed(lambda: con.execute(call), 2)
    classes = len(con.execute(f"SELECT DISTINCT {', '.join(keys)} FROM r").fetchall())
    print(f"{records:,} records, {len(keys)} keys: Mondrian {took:.1f} s, {classes:,} classes; GROUP BY {bare:.2f} s")


def by_verb(table: str, folder: str, repeats: int) -> None:
    """Print what the verb takes beside the kernel: counted, searched, written into a new table, proved and logged."""
    con = duckdb.connect()
    con.execute("CREATE TABLE persons AS SELECT row_number() OVER () AS id, * FROM query_table(?)", [table])
    keys = [key for (key, *_) in con.execute("DESCRIBE persons").fetchall()[1:]]
    data = sdc_sql.Microdata(con, "persons", keys=keys, id="id")
    secret = keys[-1]  # what is sensitive besides: no key then
    fewer = sdc_sql.Microdata(con, "persons", keys=keys[:-1], id="id")
    calls: list[tuple[str, Any, dict[str, Any]]] = [(loss, data, {"loss": loss}) for loss in LOSSES]
    calls += [
        ("records * records", data, {"loss": "records * records"}),
        ("generalised_loss, 8 keys", fewer, {}),
        ("the same, 2-diverse", fewer, {"sensitive": secret, "l": 2}),
        ("the same, 0.2-close", fewer, {"sensitive": secret, "t": 0.2}),
    ]
    print("| asked | best | at levels | suppressed | by the verb |\n|---|---|---|---|---|")
    for name, of, asked in calls:

        def call(of: Any = of, asked: dict[str, Any] = asked) -> Any:
            con.execute("DROP TABLE IF EXISTS released")
            return of.mask.generalise(folder, k=K, suppression=SHARE, into="released", **asked).parameters

        took, found = timed(call, repeats)
        levels = "".join(found["levels"].values())
        print(
            f"| {name} | {found['loss_found']:.10g} | {levels} | {found['suppressed']:,} | {took:.2f} s |", flush=True
        )


def timed(function: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the least processor time of several, and what was found."""
    times = []
    for _ in range(max(repeats, 1)):
        start = time.process_time()
        found = function()
        times.append(time.process_time() - start)
    return min(times), found


def previewed(codes: list[Any], hierarchies: list[Any], repeats: int, *, nodes: bool) -> None:
    """Print a line for each preview of recodings."""
    import pyarrow as pa  # noqa: PLC0415 - for the preview alone

    keys = [f"key {i}" for i in range(len(codes))]
    table = pa.table([*codes, np.random.default_rng(2).uniform(1, 9, len(codes[0]))], names=[*keys, "weight"])
    long = [
        (key, str(row), level, f"level {level}", str(labels[row, level]) if level else str(row))
        for key, labels in zip(keys, hierarchies, strict=True)
        for row in range(len(labels))
        for level in range(labels.shape[1])
    ]
    levels = pa.table(list(zip(*long, strict=True)), names=["variable", "value", "level", "level_name", "label"])
    with duckdb.connect() as con:
        con.register("records", table)
        con.register("levels", levels)
        sdc_sql.load(con).execute("CREATE TABLE t AS FROM records; CREATE TABLE hierarchies AS FROM levels")
        grouped = ", ".join(f'"{key}"' for key in keys)
        bare = f"SELECT count(*) FROM (SELECT count(*), sum(weight) FROM t GROUP BY {grouped})"
        base, ((cells,),) = timed(lambda: con.execute(bare).fetchall(), repeats)
        print("| records | cells | candidates | weight | preview | bare GROUP BY |\n|---|---|---|---|---|---|")
        calls = (("NULL", "NULL"), ("NULL", "'weight'"), ("'all'", "NULL"), ("'all'", "5"))
        for candidates, weight in calls if nodes else calls[:2]:
            call = f"'t', {keys}, 'hierarchies', {candidates}, weight := {weight}, sampling_fraction := 0.1"
            took, found = timed(lambda: con.execute(f"FROM sdc_preview_recodings({call})").fetchall(), repeats)  # noqa: B023
            kind = {"NULL": "none", "5": "one for all"}.get(weight, "a column")
            print(
                f"| {len(codes[0]):,} | {cells:,} | {len(found):,} | {kind} | {took:.2f} s | {base:.3f} s |", flush=True
            )


def main() -> None:
    """Print a line for each loss, or for each preview."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=30_162)
    parser.add_argument("--table")
    parser.add_argument("--hierarchies", default=".")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=1, help="0: without looking at every node")
    parser.add_argument("--mondrian", type=int, metavar="RECORDS")
    parser.add_argument("--verb", action="store_true", help="by the verb, of --table")
    parser.add_argument("--preview", action="store_true", help="preview recodings instead")
    given = parser.parse_args()
    if given.mondrian:
        by_macro(given.mondrian)
        return
    if given.verb:
        by_verb(given.table, given.hierarchies, given.repeats)
        return
    codes, hierarchies = read(given.table, given.hierarchies) if given.table else made(given.records)
    if given.preview:
        previewed(codes, hierarchies, given.repeats, nodes=bool(given.nodes))
        return
    start = time.process_time()
    cells, counts = np.unique(np.stack(codes, axis=1), axis=0, return_counts=True)
    records = int(counts.sum())
    print(f"{records:,} records in {len(counts):,} cells, counted in {time.process_time() - start:.2f} s\n")
    print("| records | loss | best | at levels | suppressed | time | every node |\n|---|---|---|---|---|---|---|")
    for loss in LOSSES:
        allowed, keys = int(SHARE * records), list(cells.T)
        took, best = timed(
            lambda: best_generalisation(keys, counts, hierarchies, K, suppressed=allowed, loss=loss),  # noqa: B023
            given.repeats,
        )
        every = "" if not given.nodes else timed(
            lambda: list_generalisations(keys, counts, hierarchies, K, loss=loss), 1  # noqa: B023 - called here
        )[0]  # fmt: skip
        levels = "".join(map(str, best.levels))
        print(
            f"| {records:,} | {loss} | {best.loss:.10g} | {levels} | {best.suppressed:,} | {took:.2f} s "
            f"| {f'{every:.1f} s' if given.nodes else ''} |",
            flush=True,
        )
    loss, took = local(keys, counts, hierarchies)
    print(f"| {records:,} | generalised, Mondrian | {loss:.10g} | | 0 | {took:.2f} s | |")


if __name__ == "__main__":
    main()
