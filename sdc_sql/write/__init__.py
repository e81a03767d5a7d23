"""What is written into the project from the headers of the SQL files: ``python -m sdc_sql.write``, in a clone.

The macros, tests and documentation of the dbt package, the functions of the thin measures, the methods of Microdata,
the list of what they return, the JSON Schema of release files, the list in ``sql/README.md``, and which masks run on
Spark in a release.
Nothing imports it at run time.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.release.reading.schema import NAME as RELEASE_SCHEMA
from sdc_sql.write import catalogue, dbt_macros, dbt_tests, engines, measures, methods, results, schema

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "sdc_sql/dbt/package/macros"
CATALOGUE = "sql/README.md"
SPARK = "sdc_sql/spark/README.md"
METHODS = "sdc_sql/methods.py"
RESULTS = "sdc_sql/results.py"
ROOMS = ("linkage", "loss", "mask", "risk")
SCHEMA = f"sdc_sql/release/reading/{RELEASE_SCHEMA}"


def generate_python() -> dict[str, str]:
    """Return the text of each module that is written, by its path in the clone: the rest is made of them."""
    functions = measures.written(read_catalogue())
    modules = _modules() | functions
    return functions | {
        METHODS: methods.generate_methods(read_catalogue(), modules),
        RESULTS: results.generate_results(modules),
    }


def generate_files() -> dict[str, str]:
    """Return the text of each file that is written, by its path in the clone."""
    found = {f"{PACKAGE}/{name}": text for name, text in dbt_macros.generate_macros(read_catalogue()).items()}
    by_hand = [p for p in sorted((ROOT / PACKAGE / "tests").glob("*.sql")) if p.name not in dbt_tests.WRITTEN]
    tests = dbt_tests.generate_tests(read_catalogue(), [p.read_text(encoding="utf-8") for p in by_hand])
    found |= {f"{PACKAGE}/tests/{name}": text for name, text in tests.items()}
    found |= generate_python()
    found[SCHEMA] = schema.generate_schema()
    found[SPARK] = engines.insert_masks((ROOT / SPARK).read_text(encoding="utf-8"), read_catalogue())
    found[CATALOGUE] = catalogue.insert_list((ROOT / CATALOGUE).read_text(encoding="utf-8"), read_catalogue())
    return found


def find_stale() -> dict[str, str | None]:
    """Return what is not as it should be: the text to write, or None for a file to be removed."""
    wanted = generate_files()
    there = {p.relative_to(ROOT).as_posix() for room in dbt_macros.ROOMS for p in (ROOT / PACKAGE / room).iterdir()}
    there |= {name for name, text in _modules().items() if text.startswith(measures.WRITTEN)}
    return {**find_changed(wanted), **dict.fromkeys(sorted(there - wanted.keys()))}


def find_changed(wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the texts that differ from what stands in the clone."""
    return {
        name: text
        for name, text in wanted.items()
        if not (ROOT / name).is_file() or (ROOT / name).read_text(encoding="utf-8") != text
    }


def _modules() -> dict[str, str]:
    """Return the text of each module of the rooms that mirror ``sql/``, by its path in the clone."""
    files = (file for room in ROOMS for file in sorted((ROOT / "sdc_sql" / room).glob("*.py")))
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}
