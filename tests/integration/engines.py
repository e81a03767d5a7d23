"""The table of measures and engines in the compiler's README: written from what ran.

``SDC_WRITE_ENGINES=1 pytest -m slow tests/integration/test_spark.py -k answers_as_duckdb`` (and test_postgres.py)
writes the column of an engine anew; without it the tests compare. ``python tests/integration/engines.py`` gives new
measures their rows.
"""

from __future__ import annotations

import os
from pathlib import Path

from compiled import COMPILED, EVERY

README = Path(__file__).resolve().parents[2] / "sdc_sql" / "compiler" / "README.md"
FIRST, LAST = "<!-- engines: written from what ran -->", "<!-- end of the engines -->"
ENGINES = ("Spark", "PostgreSQL")
RUNS, FAILS, UNKNOWN = "runs", "fails", "not run yet"
MEASURES = sorted(d.name for d in COMPILED if d.name != "sdc_help")


def told() -> dict[str, dict[str, str]]:
    """Return what the table says of each measure on each engine."""
    rows = README.read_text(encoding="utf-8").partition(FIRST)[2].partition(LAST)[0].strip().splitlines()[2:]
    cells = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    return {name.strip("`"): dict(zip(ENGINES, words, strict=True)) for name, *words in cells}


def write(engine: str = "", found: dict[str, str] | None = None) -> None:
    """Write the table: a row a measure, with what was found now in the column of an engine."""
    before, found = told(), found or {}
    lines = [f"| measure | {' | '.join(ENGINES)} |", f"|{'---|' * (1 + len(ENGINES))}"]
    for name in MEASURES:
        words = {e: before.get(name, {}).get(e, UNKNOWN) for e in ENGINES}
        if name in found:
            words[engine] = found[name]
        lines.append(f"| `{name}` | {' | '.join(words[e] for e in ENGINES)} |")
    head, _, rest = README.read_text(encoding="utf-8").partition(FIRST)
    table = "\n".join(lines)
    README.write_text(f"{head}{FIRST}\n\n{table}\n\n{LAST}{rest.partition(LAST)[2]}", encoding="utf-8")


def check(engine: str, answered: dict[str, bool]) -> None:
    """Compare the column of an engine with which calls of tests/integration/compiled.py it answered; or write it."""
    found: dict[str, str] = {}
    for name, as_duckdb in answered.items():
        macro = name.split()[0]
        found[macro] = RUNS if as_duckdb and found.get(macro) != FAILS else FAILS
    if os.environ.get("SDC_WRITE_ENGINES"):
        write(engine, found)
    table = told()
    assert found == {name: table[name][engine] for name in found}
    if answered.keys() == EVERY.keys():
        assert [name for name in table if table[name][engine] == RUNS and found.get(name) != RUNS] == []


if __name__ == "__main__":
    write()
