"""Households: measures of a completed file, suppression by household, the make-up as a key, values that are given back.

    python tests/benchmarks/households.py                  a million persons
    python tests/benchmarks/households.py 10000            less

The table is generated (fixtures/population.sql), with nine districts in each region and four kinds of dwelling; once
with codes that are texts, once with whole numbers. Times are the least of several runs in turn, on two threads:

- the measure of the file as its households complete it, in plain SQL and by the verb, beside the same measure of the
  file as it stands, where 0.1 % and 1 % of the values of three columns of the household are missing;
- suppression by household beside suppression by record (values and time), and its lower bound: what the strong
  guarantee needs;
- the cells of the make-up beside a GROUP BY of the same keys;
- all values that other columns give back, of 30 columns, five of them suppressed in 1 % of the records.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
KEY = "of-the-benchmark-0123456789-abcdefghijklmno"
OF_HOUSEHOLD = ["region", "district", "dwelling"]
KEYS = [*OF_HOUSEHOLD, "age", "sex", "economic_status", "country_of_birth"]
SIZES = [2, 3, 5, 8, 12, 20, 30, 50]  # values of the columns that nothing determines
SUPPRESSED = ["region", "age", "economic_status", "code3", "income"]


def make_tables(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the tables `texts` and `numbers` of so many persons."""
    con.execute((ROOT / "fixtures" / "population.sql").read_text(encoding="utf-8"))
    con.execute(
        "CREATE TABLE texts AS SELECT person, household, region, region || '-' || hash(household) % 9 AS district, "
        "'type ' || hash(household + 1) % 4 AS dwelling, (age // 5)::VARCHAR AS age, sex, economic_status, "
        f"country_of_birth, weight FROM synthetic_population({records}, 'example')"
    )
    codes = ", ".join(f"(dense_rank() OVER (ORDER BY {key}))::INTEGER AS {key}" for key in KEYS)
    con.execute(f"CREATE TABLE numbers AS SELECT person, household, {codes}, weight FROM texts ORDER BY person")


def measure_in_turn(runs: int, calls: Sequence[Callable[[], object]]) -> list[float]:
    """Return the least seconds of each call, run in turn so many times."""
    best = [float("inf")] * len(calls)
    for _ in range(runs):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def complete(con: duckdb.DuckDBPyConnection, table: str, share: float, runs: int) -> str:
    """Return a line of the times of k-anonymity, of the file as it stands and as its households complete it."""
    hidden = ", ".join(
        f"CASE WHEN hash(person * {31 + i}) % 1000000 >= {share * 1e6} THEN {c} END AS {c}"
        for i, c in enumerate(OF_HOUSEHOLD)
    )
    con.execute(f"CREATE OR REPLACE TABLE t AS SELECT * REPLACE ({hidden}) FROM {table}")
    con.execute(f"CREATE OR REPLACE VIEW whole AS FROM sdc_completed_households('t', 'household', {OF_HOUSEHOLD})")
    given = {"keys": KEYS, "id": "person", "household": "household"}
    known = sdc_sql.Microdata(con, "t", household_columns=OF_HOUSEHOLD, **given)
    blind = sdc_sql.Microdata(con, "t", household_columns=[], **given)
    bare, view, without, verb = measure_in_turn(
        runs,
        [
            lambda: con.sql(f"FROM sdc_k_anonymity('t', {KEYS}, k := 3)").fetchall(),
            lambda: con.sql(f"FROM sdc_k_anonymity('whole', {KEYS}, k := 3)").fetchall(),
            lambda: blind.risk.k_anonymity(3),
            lambda: known.risk.k_anonymity(3),
        ],
    )
    return (
        f"| completed, {table} | {share:.1%} missing | {bare:.3f} | SQL {view:.3f}, {view / bare:.2f} times; "
        f"Python {verb:.3f}, {verb / without:.2f} times |"
    )


def suppress(con: duckdb.DuckDBPyConnection, records: int) -> str:
    """Return lines of the values that are suppressed by record, by household, and at least."""
    keys = ["district", "dwelling", "age", "sex", "economic_status", "country_of_birth"]
    warnings.simplefilter("ignore", sdc_sql.RepeatedReleaseWarning)  # several answers for one table are the point here
    found = {}
    kinds = [("identical", []), ("identical", keys[:2]), ("strong", keys[:2])]
    if records <= 100_000:
        kinds += [("wildcard", []), ("wildcard", keys[:2])]
    for guarantee, columns in kinds:
        data = sdc_sql.Microdata(
            con, "numbers", keys=keys, household="household", id="person", household_columns=columns
        )
        start = time.perf_counter()
        step = data.mask.local_suppression(3, guarantee=guarantee, into="suppressed")
        seconds = time.perf_counter() - start
        values = sum(step.parameters["suppressions"].values())
        found[guarantee, bool(columns)] = (values, seconds)
        con.execute("DROP TABLE suppressed")
    lines = []
    for guarantee in dict.fromkeys(guarantee for guarantee, _ in kinds if guarantee != "strong"):
        (per_record, without), (whole, seconds) = found[guarantee, False], found[guarantee, True]
        bound = f", {whole / found['strong', True][0]:.2f} of the bound" if guarantee == "identical" else ""
        lines.append(
            f"| suppressed by household, {guarantee} | {per_record:,} by record | {without:.2f} | "
            f"{whole:,}: {whole / per_record:.2f} times the values{bound}; {seconds:.2f} s |"
        )
    return "\n".join(lines)


def count_make_up(con: duckdb.DuckDBPyConnection, runs: int) -> str:
    """Return a line of the time that the cells of the make-up take."""
    cells = "SELECT count(*) FROM (SELECT count(*) FROM numbers GROUP BY region, age, sex)"
    bare, whole = measure_in_turn(
        runs,
        [
            lambda: con.sql(cells).fetchall(),
            lambda: con.sql(
                "FROM sdc_composition_summary('numbers', ['region', 'age', 'sex'], 'household')"
            ).fetchall(),
        ],
    )
    return f"| make-up of households | region, age, sex | {bare:.3f} | {whole:.3f} |"


def give_back(con: duckdb.DuckDBPyConnection) -> str:
    """Return a line of the time that takes to find all values that are given back, of 30 columns."""
    codes = ", ".join(f"(hash(person * 31 + {i}) % {SIZES[i % 8]})::INTEGER AS code{i}" for i in range(15))
    con.execute(
        f"CREATE TABLE collected AS SELECT * EXCLUDE (weight), {codes}, "
        "(hash(person * 17) % 20000)::INTEGER AS income, "
        "(hash(household * 3) % 9000)::INTEGER AS rent, 2011 - 5 * age AS birth, household + 5 AS dwelling_number, "
        "age * 10 + sex AS age_and_sex, economic_status * 100 + country_of_birth AS origin FROM numbers"
    )
    hidden = ", ".join(
        f"CASE WHEN hash(person * {41 + i}) % 100 > 0 THEN {c} END AS {c}" for i, c in enumerate(SUPPRESSED)
    )
    con.execute(f"CREATE TABLE released AS SELECT * REPLACE ({hidden}) FROM collected")
    columns = len(con.sql("FROM released").columns)
    data = sdc_sql.Microdata(con, "released", id="person", keys=["region", "age", "sex", "economic_status"])
    clock, processor = time.perf_counter(), time.process_time()
    told = data.linkage.derived_values_summary("collected")
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    assert told.exact_givers > 0  # the district gives the region, the year of birth the age
    back = f"{told.given_back:,} of {told.suppressed:,} given back"
    return f"| values given back | {columns} columns | | {back}; {clock:.1f} s, {processor:.1f} of processor time |"


def main() -> None:
    """Print a line for each task."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    with duckdb.connect(config={"threads": 2}) as con:
        sdc_sql.load(con)
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        make_tables(con, arguments.records)
        print(f"{arguments.records:,} persons\n\n| task | | without, s | s |\n|---|---|---|---|", flush=True)
        for table in ("texts", "numbers"):
            for share in (0.001, 0.01):
                print(complete(con, table, share, arguments.runs), flush=True)
        print(suppress(con, arguments.records), flush=True)
        print(count_make_up(con, arguments.runs), flush=True)
        print(give_back(con), flush=True)


if __name__ == "__main__":
    main()
