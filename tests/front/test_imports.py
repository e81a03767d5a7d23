"""Imports run one way. Read from the source, so that an import inside a function or for types only counts too."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "sdc_sql").rglob("*.py"))
KERNELS = sorted((ROOT / "udfs").rglob("*.py"))

# Each room imports only from rooms above it. (A module of its own is a room with one file.)
ORDER = [
    {"clone", "errors", "udfs", "version"},
    {"db"},
    {"compiler", "document"},
    {"pictures", "roles"},
    {"compared"},
    {"risk", "linkage", "mask", "loss"},
    {"methods", "results", "series"},
    {"figures"},
    {"between", "comparison", "frontier", "session"},
    {"microdata"},
    {"report", "spark"},
    {"release"},
    {"app", "shell"},
    {"__init__"},  # the public names: whoever imports `sdc_sql` itself stands below them all
    {"cli", "dbt", "write"},
    {"__main__"},
]
# The kernels are a package of their own, mapped into ours when it is built; they import nothing of the rest of it.
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}
# Rooms of several files, which may import one another, never in a circle.
WHOLE = {
    "app", "between", "db", "comparison", "compiler", "figures", "frontier", "risk", "linkage", "mask", "loss",
    "document", "pictures", "report", "release", "series", "session", "shell", "spark", "cli", "dbt", "write",
}  # fmt: skip
RUN_TIME = {"duckdb", "sqlglot", "numpy", "pyarrow"}
EXTRAS = {
    "app": {"htmltools", "shiny"},
    "between": {"cryptography"},
    "series": {"cryptography"},
    "dbt": {"dbt", "dbt_common"},
    "spark": {"pyspark"},
    "frontier": {"matplotlib"},
}  # packages of optional extras, each imported in one room only


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> set[str]:
    """Return the dotted names that a file imports: of `from a import b` both a and a.b."""
    found: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def room(dotted: str) -> str:
    """Return the room of a name of ours: sdc_sql.risk.theta is in `risk`, sdc_sql itself is `__init__`."""
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in RANK else "__init__"


def rooms(path: Path) -> set[str]:
    """Return the rooms that a file imports from."""
    ours = {name for name in imports(path) if name.split(".")[0] == "sdc_sql"}
    # `from sdc_sql import query` is about query, not about the public names
    whole = {name for name in ours if name == "sdc_sql" and any(n.startswith("sdc_sql.") for n in ours)}
    plain = {alias.name for node in ast.walk(_tree(path)) if isinstance(node, ast.Import) for alias in node.names}
    return {room(name) for name in ours - (whole - plain)}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_module_has_a_place_in_the_order():
    placed = {p.relative_to(ROOT / "sdc_sql").parts[0].removesuffix(".py") for p in SOURCES}
    assert placed == set(RANK) - {"udfs"}


@pytest.mark.slow
def test_no_module_imports_one_to_its_right():
    wrong = []
    for path in SOURCES:
        first = path.relative_to(ROOT / "sdc_sql").parts[0].removesuffix(".py")
        right = {r for r in rooms(path) if RANK[r] >= RANK[first]} - ({first} & WHOLE)
        wrong += [f"{name_of(path)} imports {r}" for r in sorted(right)]
    assert wrong == []


def module(path: Path) -> str:
    return ".".join(("sdc_sql", *path.relative_to(ROOT / "sdc_sql").with_suffix("").parts)).removesuffix(".__init__")


@pytest.mark.slow
@pytest.mark.whole
def test_modules_import_one_another_in_no_circle():
    known = {module(path) for path in SOURCES}
    graph = {
        module(path): {n for n in imports(path) if n in known and not module(path).startswith(n)} for path in SOURCES
    }
    TopologicalSorter(graph).prepare()  # raises CycleError


PACKAGES = sorted({m.rpartition(".")[0] for m in map(module, SOURCES)} - {""})
APART = {"sdc_sql.app": "shiny", "sdc_sql.spark": "pyspark", "sdc_sql.dbt": "dbt"}  # with the package that each needs


def hidden(package: str) -> list[str]:
    """Return the modules of a package whose name means another thing there."""
    found = importlib.import_module(package)
    inside = {
        info.name: importlib.import_module(f"{package}.{info.name}")
        for info in pkgutil.iter_modules(found.__path__)
        if info.name != "__main__"
    }
    return [f"{package}.{name}" for name, its in inside.items() if getattr(found, name) is not its]


@pytest.mark.slow
def test_no_submodule_is_hidden_by_another_thing_of_its_name():
    assert [name for package in PACKAGES if package not in APART for name in hidden(package)] == []


@pytest.mark.parametrize("package", APART)
def test_no_submodule_of_an_extra_is_hidden(package):
    pytest.importorskip(APART[package])
    assert hidden(package) == []


def outside(path: Path, *ours: str) -> set[str]:
    """Return the packages that a file imports, but for Python's own and what begins with some names."""
    others = {name for name in imports(path) if not f"{name}.".startswith(ours)}
    return {name.split(".")[0] for name in others} - set(sys.stdlib_module_names)


def test_what_is_of_one_engine_stands_in_its_module():
    """The rest of the compiler knows no engine by name, but for the list of them and the public arguments."""
    named = {
        path.stem
        for path in (ROOT / "sdc_sql" / "compiler").glob("*.py")
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Constant) and node.value in {"spark", "postgres"}
    }
    assert named == {"__init__", "engines"}


@pytest.mark.slow
def test_kernels_import_numpy_and_pyarrow_only():
    others = {name_of(path): outside(path, "sdc_sql.udfs.") - {"numpy", "pyarrow"} for path in KERNELS}
    assert {name: packages for name, packages in others.items() if packages} == {}


@pytest.mark.slow
@pytest.mark.whole
def test_run_time_imports_are_the_four_packages():
    wrong = {}
    for path in SOURCES:
        extras = EXTRAS.get(path.relative_to(ROOT / "sdc_sql").parts[0], set())
        wrong[name_of(path)] = outside(path, "sdc_sql.") - RUN_TIME - extras
    assert {name: packages for name, packages in wrong.items() if packages} == {}


def test_the_declared_dependencies_are_the_four_packages():
    import tomllib  # noqa: PLC0415 - used here only

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {d.split(">=")[0] for d in project["dependencies"]} == RUN_TIME


@pytest.mark.slow
def test_the_command_line_starts_without_what_only_kernels_need():
    said = "import sdc_sql.cli, sdc_sql.microdata, sys; print([m for m in ('numpy', 'pyarrow') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True).stdout == "[]\n"
