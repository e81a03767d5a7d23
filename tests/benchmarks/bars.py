"""What a task costs beside its bar: the bare query, the draws alone, or a copy of the table, in the same run.

    python tests/benchmarks/bars.py                          every case at its size (half an hour)
    python tests/benchmarks/bars.py --records 100000         all with so many records
    python tests/benchmarks/bars.py --only noise pram        those whose names begin so

Time by the clock, and processor time of all threads, of which the ratio is; the least of the runs in turn. From a task
beside its draws a copy of the table is taken off first: every mask writes one. Memory at the peak beyond that before.
Each case runs in a process of its own, on a database file, under its limits of threads and of memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import duckdb

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable

    Task = Callable[[duckdb.DuckDBPyConnection], object]

ROOT = Path(__file__).resolve().parents[2]
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
LEVELS = 42
NUMBERS = ["a", "b", "c", "d", "e"]
KEYS = [
    "age",
    "sex",
    "marital_status",
    "ethnic_group",
    "economic_status",
    "country_of_birth",
    "region",
    "size",
]
MORE = ["birth_month", "rooms", "language", "car"]
MILLION = 1_000_000


class Case(NamedTuple):
    """A task, what it is beside, the table it needs, how many records, and its limits."""

    prepare: Task
    ours: Task
    bare: Task | None
    beside: str
    records: int
    runs: int = 3
    threads: int = 2
    memory: str = ""


def query(sql: str) -> Task:
    """Return what runs a query to its end."""
    return lambda con: con.execute(sql).fetchall()


def written(sql: str) -> Task:
    """Return what writes the rows of a query to a table."""
    return query(f"CREATE OR REPLACE TABLE result AS {sql}")


def numbers(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the table `t` of five numbers and a category, and the matrix of PRAM."""
    draws = ", ".join(f"hash(range, '{c}') / 1.8446744073709552e19 AS {c}" for c in NUMBERS)
    con.execute(
        f"CREATE TABLE t AS SELECT range AS id, (hash(range) % {LEVELS})::INTEGER AS k, {draws} FROM range({records})"
    )
    con.execute(
        f'CREATE TABLE matrix AS SELECT a.range AS "from", b.range AS "to", CASE WHEN a.range = b.range THEN 0.8 '
        f"ELSE 0.2 / {LEVELS - 1} END AS probability FROM range({LEVELS}) a, range({LEVELS}) b"
    )


def persons(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the table `t` of persons of a generated population, with four more keys."""
    con.execute((ROOT / "fixtures" / "population.sql").read_text(encoding="utf-8"))
    con.execute(
        "CREATE TABLE t AS SELECT * RENAME (household_size AS size), (hash(person, 1) % 12)::UTINYINT AS birth_month, "
        "(hash(household, 2) % 6)::UTINYINT AS rooms, least(hash(household, 3) % 40, 5)::UTINYINT AS language, "
        f"hash(household, 4) % 3 = 0 AS car FROM synthetic_population({records}, 'benchmark')"
    )


def threes(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the table `t` of persons, three in each household."""
    persons(con, records)
    con.execute("CREATE OR REPLACE TABLE t AS SELECT * REPLACE (person // 3 AS household) FROM t")


def missing(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the table `t` of persons, one value in 33 of each key missing."""
    persons(con, records)
    hidden = ", ".join(f"CASE WHEN hash(person, '{k}') % 33 > 0 THEN {k} END AS {k}" for k in KEYS)
    con.execute(f"CREATE OR REPLACE TABLE t AS SELECT * REPLACE ({hidden}) FROM t")


def two_files(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the table `t` of persons with two numbers, and `r`, in which one value in ten is another's."""
    persons(con, records)
    con.execute("CREATE OR REPLACE TABLE t AS SELECT *, (hash(person, 'h') % 60)::DOUBLE AS hours FROM t")
    changed = ", ".join(
        f"CASE WHEN (o.person + {i}) % 10 = 0 THEN n.{k} ELSE o.{k} END AS {k}" for i, k in enumerate(KEYS)
    )
    con.execute(
        f"CREATE TABLE r AS SELECT o.* REPLACE ({changed}, o.income * (1 + (o.person % 9 - 4) / 100) AS income, "
        f"o.hours + o.person % 3 AS hours) FROM t AS o JOIN t AS n ON n.person = {records + 1} - o.person"
    )


def weak(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the tables `t` and `r` of three variables that tell little, one value in ten another."""
    sizes = {"x": 2, "y": 2, "z": 3}
    columns = ", ".join(f"(hash(range, '{c}') % {n})::INTEGER AS {c}" for c, n in sizes.items())
    con.execute(f"CREATE TABLE t AS SELECT range AS id, {columns} FROM range({records})")
    changed = ", ".join(
        f"CASE WHEN hash(id, '{c}', 1) % 10 = 0 THEN (hash(id, '{c}', 2) % {n})::INTEGER ELSE {c} END AS {c}"
        for c, n in sizes.items()
    )
    con.execute(f"CREATE TABLE r AS SELECT * REPLACE ({changed}) FROM t")


def mask(method: str, *given: object, keys: list[str] | None = None, person: str = "id", **named: object) -> Task:
    """Return what masks a copy of the table by a verb."""

    def run(con: duckdb.DuckDBPyConnection) -> None:
        con.execute("DROP TABLE IF EXISTS masked")
        data = sdc_sql.Microdata(con, "t", keys=keys, id=person)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sdc_sql.RepeatedReleaseWarning)
            getattr(data.mask, method)(*given, into="masked", **named)

    return run


def draws(columns: list[str], quantile: str = "sdc__normal_quantile({})") -> Task:
    """Return what draws for each record and column as the masks do, and nothing else."""
    names = range(len(columns))
    drawn = ", ".join(
        f"sdc__off_zero(sdc__uniform('AbCdEfGhIjKlMnOpQrStU{i}', sdc__canonical(id), "
        f"sdc__part(sdc__canonical({c})))) AS p{i}"
        for i, c in zip(names, columns, strict=True)
    )
    greatest = ", ".join(f"max({quantile.format(f'p{i}')})" for i in names)
    return query(f"SELECT {greatest} FROM (SELECT {drawn} FROM t)")


COPY = written("FROM t")
KEY_LIST = ", ".join(KEYS)
GROUP = query(f"SELECT max(n) FROM (SELECT {KEY_LIST}, count(*) AS n FROM t GROUP BY ALL)")
WINDOW = written(f"SELECT *, count(*) OVER (PARTITION BY {KEY_LIST}) AS f FROM t")
PERSONS = {"keys": KEYS, "person": "person"}
FEW = ["sex", "marital_status", "economic_status", "region"]
CASES = {
    "noise on one column": Case(numbers, mask("noise", "a", 0.1), draws(["a"]), "draws", 3 * MILLION),
    "noise on five columns": Case(numbers, mask("noise", NUMBERS, 0.1), draws(NUMBERS), "draws", 3 * MILLION),
    "pram, 42 levels": Case(numbers, mask("pram", "k", "matrix"), draws(["k"], "{}"), "draws", 3 * MILLION),
    "multiplicative noise": Case(numbers, mask("multiplicative_noise", "a", 0.1), draws(["a"]), "draws", 3 * MILLION),
    "rank swap": Case(numbers, mask("rank_swap", "a", 5), draws(["a"], "{}"), "draws", MILLION),
    "household risk in threes": Case(
        threes, written(f"FROM sdc_household_risk('t', {KEYS}, 'weight', 'household')"), WINDOW, "window", MILLION
    ),
    "propensity": Case(
        two_files,
        query(f"FROM sdc_propensity('t', 'r', {[*FEW, 'income', 'hours']}, continuous := ['income', 'hours'])"),
        query(
            f"SELECT max(n) FROM (SELECT {', '.join([*FEW, 'income', 'hours'])}, count(*) AS n "
            "FROM (FROM t UNION ALL FROM r) GROUP BY ALL)"
        ),
        "GROUP BY",
        MILLION,
        runs=1,
    ),
    "combinations, strong": Case(
        persons, mask("suppress_combinations", 3, weight=1, **PERSONS), GROUP, "GROUP BY", MILLION
    ),
    "combinations, wildcard": Case(
        persons, mask("suppress_combinations", 3, weight=1, guarantee="wildcard", **PERSONS), GROUP, "GROUP BY",
        100_000, runs=1,
    ),
    "suppression, strong": Case(
        persons, mask("local_suppression", 3, guarantee="strong", **PERSONS), GROUP, "GROUP BY", MILLION
    ),
    "suppression, identical": Case(
        persons, mask("local_suppression", 3, guarantee="identical", **PERSONS), GROUP, "GROUP BY", MILLION
    ),
    "suppression, wildcard": Case(
        persons, mask("local_suppression", 3, guarantee="wildcard", **PERSONS), GROUP, "GROUP BY", MILLION
    ),
    "suppression, wildcard, twelve keys": Case(
        persons, mask("local_suppression", 3, guarantee="wildcard", keys=[*KEYS, *MORE], person="person"), GROUP,
        "GROUP BY", 100_000, runs=1,
    ),
    "global risk, wildcards": Case(
        missing, query(f"FROM sdc_global_risk('t', {KEYS}, 'weight', nulls := 'wildcard')"), GROUP, "GROUP BY",
        10 * MILLION, runs=1, threads=1, memory="1GB",
    ),
    "household risk in 1 GB": Case(
        persons, written(f"FROM sdc_household_risk('t', {KEYS}, 'weight', 'household')"), WINDOW, "window",
        10 * MILLION, runs=1, threads=1, memory="1GB",
    ),
    "Fellegi-Sunter, three weak variables": Case(
        weak, query("FROM sdc_probabilistic_linkage('t', 'r', ['x', 'y', 'z'], 'id')"), None, "", 100_000, runs=1
    ),
}  # fmt: skip


def spend(task: Task, con: duckdb.DuckDBPyConnection) -> tuple[float, float]:
    """Return the processor time of a task, of all threads, and its time by the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    task(con)
    return time.process_time() - processor, time.perf_counter() - clock


def run(name: str, records: int) -> None:
    """Measure a case and print its row."""
    case = CASES[name]
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(str(Path(folder) / "t.duckdb")) as con:
        sdc_sql.load(con)
        sdc_sql.load(con, "sdc__normal_quantile sdc__off_zero sdc__uniform sdc__canonical sdc__part")
        con.execute(f"SET threads = {case.threads}")
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        case.prepare(con, records)
        con.execute("CHECKPOINT")
        if case.memory:
            con.execute("SET memory_limit = ?", [case.memory])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ours, clock, bare, copies = [], [], [], [0.0]
        try:
            for _ in range(case.runs):
                processor, seconds = spend(case.ours, con)
                ours.append(processor)
                clock.append(seconds)
                more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 2**20
                bare.append(spend(case.bare, con)[0] if case.bare else float("nan"))
                if case.beside == "draws":
                    copies.append(spend(COPY, con)[0])
        except (duckdb.Error, sdc_sql.SdcError) as error:
            print(f"| {records:,} | {name} | {str(error)[:150]} | | | | | |", flush=True)
            return
    best, beside, copy = min(ours), min(bare), min(copies[1:] or copies)
    said = f"{case.beside} {beside:.2f} s" + (f", copy {copy:.2f} s" if copy else "")
    cells = [f"{records:,}", name, f"{min(clock):.2f} s", f"{best:.2f} s", said]
    print("|", " | ".join([*cells, f"{(best - copy) / beside:.2f}", f"{more:.2f} GB"]), "|", flush=True)


def main() -> None:
    """Run the cases, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int)
    parser.add_argument("--only", nargs="*", default=[""])
    parser.add_argument("--alone", choices=list(CASES))
    arguments = parser.parse_args()
    if arguments.alone:
        run(arguments.alone, arguments.records or CASES[arguments.alone].records)
        return
    print(
        "| records | task | clock | processor | beside | ratio | more memory |\n|---|---|---|---|---|---|---|",
        flush=True,
    )
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name, case in CASES.items():
        if name.lower().startswith(tuple(only.lower() for only in arguments.only)):
            records = arguments.records or case.records
            subprocess.run([sys.executable, __file__, "--alone", name, "--records", str(records)], check=True)


if __name__ == "__main__":
    main()
