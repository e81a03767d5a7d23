"""The fixed corpus of hostile tables: calls whose answers tell a mutant that no test has caught from one that is none.

The tables and the calls are those of the fuzz tests, by seeds of their own, with the examples of the headers. An answer
is its rows, numbers to nine digits, or the first words of its error.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "fuzz")]

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

TABLES, A_TABLE = 14, 2  # made-up tables, and calls of each macro on each


def answer_all(macros: Iterable[str]) -> dict[str, str]:
    """Return what the project answers to every call of the corpus that concerns one of some macros."""
    import duckdb  # noqa: PLC0415 - after the fork, as all of the project
    from fuzz_calls import MACROS, call  # noqa: PLC0415
    from fuzz_tables import made, store  # noqa: PLC0415
    from masked_tables import KEY  # noqa: PLC0415

    import sdc_sql  # noqa: PLC0415
    from sdc_sql.db.catalogue.macros import example_tables  # noqa: PLC0415

    wanted = [macro for macro in MACROS if macro.name in set(macros)]
    found = {}
    with duckdb.connect(config={"threads": 1}) as con, tempfile.TemporaryDirectory() as folder:
        sdc_sql.load(con).execute(example_tables())
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute(f"ATTACH '{Path(folder) / 'other.duckdb'}' AS other")
        for macro in wanted:
            found[f"{macro.name} example"] = _answer(con, macro.example.removesuffix(";"), folder)
        for number in range(TABLES):
            table = made(Random(f"corpus {number}"))  # noqa: S311 - the same each time
            store(con, table, Path(folder))
            for macro in wanted:
                for turn in range(A_TABLE):
                    asked = call(Random(f"corpus {number} {macro.name} {turn}"), table, macro)  # noqa: S311
                    found[f"{macro.name} {number}.{turn}"] = _answer(con, asked.sql, folder)
    return found


def _answer(con: duckdb.DuckDBPyConnection, sql: str, folder: str) -> str:
    """Return what is answered; the folder, which has another name each time, is not in it."""
    import duckdb  # noqa: PLC0415

    try:
        rows = con.execute(sql).fetchall()
    except duckdb.Error as error:
        return f"error: {str(error).replace(folder, 'folder')[:60]}"
    return repr(sorted(repr([_rounded(value) for value in row]) for row in rows)).replace(folder, "folder")


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.9g}") + 0.0
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return value
