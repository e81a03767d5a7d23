"""Thousands of made-up calls: an answer is right, or the error is one of ours and nothing has changed.

    SDC_FUZZ_SEED=5 SDC_FUZZ_CASE=17 pytest tests/fuzz/test_fuzz.py -k macros

runs one case again, which is what a failure says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fuzz_calls import MACROS, Call, call
from fuzz_judge import comparable, fault_of, fault_of_rows, of_a_type, rows_of
from fuzz_seed import CASES, numbers, seeded, told
from fuzz_tables import AUXILIARY, PLACES, Made, at, made, store
from fuzz_truth import fault_of_figures
from fuzz_verbs import fault_of_verb

from sdc_sql import Microdata

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import duckdb

A_TABLE = 25  # so many calls share a table
# numbers of 1e308 overflow in single precision on purpose: what is then near enough is computed again
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
LOST_IN_PARQUET = ("HUGEINT", "BIT", "INTERVAL", "TIMESTAMPTZ", "TIME")  # written as another type


def tables(
    con: duckdb.DuckDBPyConnection, folder: Path, door: str, cases: int
) -> Iterator[tuple[int, random.Random, Made]]:
    """Give each case its number, its source of randomness and its table."""
    table, of = None, -1
    for number in numbers(cases):
        if table is None or number // A_TABLE != of:
            of = number // A_TABLE
            table = made(seeded(door, f"table {of}"))
            if door == "dbt":  # the names are enough
                table.tables |= {name: f"sdc_fuzz.{name}" for name in (*AUXILIARY, "persons")}
            else:
                store(con, table, folder)
        yield number, seeded(door, number), table


def macros(con: duckdb.DuckDBPyConnection, folder: Path, cases: int) -> list[str]:
    """Call macros as SQL does; return what is wrong, each with its number."""
    faults = []
    for number, rng, table in tables(con, folder, "macros", cases):
        asked = call(rng, table, rng.choice(MACROS))
        base = rows_of(con, "FROM sdc_fuzz.base")
        fault = judged(con, folder, rng, table, asked, base)
        if fault is None and comparable(rows_of(con, "FROM sdc_fuzz.base")[1]) != comparable(base[1]):
            fault = "the table has changed"
        if fault:
            faults.append(f"{number}: {fault}: {asked.sql[:300]}")
    return faults


def judged(  # noqa: PLR0917
    con: duckdb.DuckDBPyConnection, folder: Path, rng: random.Random, table: Made, asked: Call, base: tuple
) -> str | None:
    try:
        names, rows = rows_of(con, asked.sql)
    except Exception as error:  # noqa: BLE001 - whatever it is
        fault = None if asked.spoilt and of_a_type(error) else fault_of(error, asked.arguments, table)
        return fault and f"{fault}: {str(error)[:200]!r}"
    fault = fault_of_rows(asked, table, names, rows, base)
    if fault is None and asked.arguments.get("tbl") == table.tables["persons"]:
        fault = fault_of_figures(asked, base, names, rows)
    if fault is None and rng.random() < 0.3:
        fault = elsewhere(con, folder, rng.choice(PLACES), table, asked, rows)
    return fault


def elsewhere(  # noqa: PLR0917
    con: duckdb.DuckDBPyConnection, folder: Path, place: str, table: Made, asked: Call, rows: list
) -> str | None:
    """Ask once more of the same rows in another place."""
    if place == "parquet" and {k.split(" ")[0] for k in table.types.values()} & {*LOST_IN_PARQUET}:
        return None
    if place == "parquet" and any("[]" in k or "STRUCT" in k for k in table.types.values()):
        return None
    # an ENUM is a text in Parquet, in another order, and the simulated intruder draws from the cells in theirs
    if "sdc_data_intrusion" in asked.sql and any(k.startswith("ENUM") for k in table.types.values()):
        return None
    moved = at(con, place, folder)
    here = table.tables["persons"]
    again = Call(asked.macro, {n: moved if v == here else v for n, v in asked.arguments.items()}, asked.spoilt)
    try:
        found = rows_of(con, again.sql)[1]
    except Exception as error:  # noqa: BLE001 - whatever it is
        return f"an error on a {place} alone: {error!s:.200}"
    return None if comparable(found) == comparable(rows) else f"another answer on a {place}"


def verbs(con: duckdb.DuckDBPyConnection, folder: Path, cases: int) -> list[str]:
    """Call methods of Microdata; return what is wrong, each with its number."""
    faults = []
    methods = [m for m in MACROS if m.is_table and hasattr(Microdata, m.verb)]
    for number, rng, table in tables(con, folder, "verbs", cases):
        asked = call(rng, table, rng.choice(methods))
        fault = fault_of_verb(con, folder, asked, table)
        if fault:
            faults.append(f"{number}: {fault}: {asked.macro.verb}({str(asked.arguments)[:300]})")
    return faults


def dbt(con: duckdb.DuckDBPyConnection, folder: Path, cases: int) -> list[str]:
    """Render macros of the dbt package; return what is wrong, each with its number."""
    fuzz_dbt = pytest.importorskip("fuzz_dbt", exc_type=ImportError)
    faults = []
    for number, rng, table in tables(con, folder, "dbt", cases):
        asked = call(rng, table, rng.choice([m for m in MACROS if m.is_table]))
        fault = fuzz_dbt.fault_of_dbt(con, asked)
        if fault:
            faults.append(f"{number}: {fault}: {asked.sql[:300]}")
    return faults


DOORS: dict[str, Callable[..., list[str]]] = {"macros": macros, "verbs": verbs, "dbt": dbt}
SHARE = {"macros": 0.06, "verbs": 0.04, "dbt": 0.9}  # of the cases: rendering costs next to nothing


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_some_cases(fuzzed, tmp_path, door):
    faults = DOORS[door](fuzzed, tmp_path, {"macros": 12, "verbs": 6, "dbt": 32}[door])
    assert not faults, told("test_fuzz.py", door, faults)


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_many_cases(fuzzed, tmp_path, door):
    faults = DOORS[door](fuzzed, tmp_path, round(CASES * SHARE[door]))
    assert not faults, told("test_fuzz.py", door, faults)
