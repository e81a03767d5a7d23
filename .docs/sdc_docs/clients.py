"""DuckDB's clients in other languages: where each is looked for, and how a block runs with it.

Node's is the package that npm installs below ``.node/``, R's a package of R. A variable names the others:
``SDC_DUCKDB_JDBC`` the jar, ``SDC_DUCKDB_GO`` a folder with the ``go.mod`` and ``go.sum`` of a module that requires
duckdb-go, ``SDC_DUCKDB_C`` the folder of ``duckdb.h`` and the library.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from sdc_docs.programs import Missing, Tool, find_r, print_or_fail, run_java, run_program

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / ".node"
JDBC = "jdbc:duckdb:"
_PACKAGE = "@duckdb/node-api"


def find_client(language: str) -> Tool | Missing:
    """Return what runs blocks in this language with a client of DuckDB's, or why nothing does."""
    return {"js": _find_node, "r": lambda: find_r(("duckdb",)), "java": _find_jdbc, "go": _find_go, "c": _find_library}[
        language
    ]()


def _find_node() -> Tool | Missing:
    declared = NODE / "node_modules" / _PACKAGE / "package.json"
    if shutil.which("node") is None:
        return Missing("Node is not installed")
    if not declared.is_file():
        return Missing(f"there is no DuckDB for Node (npm install --prefix {NODE.name} {_PACKAGE})")
    version = json.loads(declared.read_text(encoding="utf-8"))["version"]
    return Tool(f"Node's {_PACKAGE} {version}", _run_node)


def _run_node(code: str, folder: Path) -> str:
    (folder / "client.mjs").write_text(code, encoding="utf-8")
    modules = folder / "node_modules"
    if not modules.exists():
        modules.symlink_to(NODE / "node_modules")
    return print_or_fail(run_program(["node", "client.mjs"], folder))


def _find_jdbc() -> Tool | Missing:
    jar = os.environ.get("SDC_DUCKDB_JDBC", "")
    if not jar:
        return Missing("the variable SDC_DUCKDB_JDBC names no jar of DuckDB")
    if shutil.which("javac") is None:
        return Missing("no JDK is installed")
    return Tool(Path(jar).stem, lambda code, folder: run_java(code, folder, jar))


def _find_go() -> Tool | Missing:
    module = os.environ.get("SDC_DUCKDB_GO", "")
    if not module:
        return Missing("the variable SDC_DUCKDB_GO names no module that requires duckdb-go")
    if shutil.which("go") is None:
        return Missing("Go is not installed")
    return Tool("duckdb-go", lambda code, folder: _run_go(code, folder, Path(module)))


def _run_go(code: str, folder: Path, module: Path) -> str:
    (folder / "client.go").write_text(code, encoding="utf-8")
    for name in ("go.mod", "go.sum"):
        shutil.copy(module / name, folder)
    return print_or_fail(run_program(["go", "run", "client.go"], folder))


def _find_library() -> Tool | Missing:
    library = os.environ.get("SDC_DUCKDB_C", "")
    if not library:
        return Missing("the variable SDC_DUCKDB_C names no folder of duckdb.h and its library")
    if shutil.which("cc") is None:
        return Missing("there is no C compiler")
    return Tool("DuckDB's C library", lambda code, folder: _run_c(code, folder, library))


def _run_c(code: str, folder: Path, library: str) -> str:
    (folder / "client.c").write_text(code, encoding="utf-8")
    linked = [f"-I{library}", f"-L{library}", f"-Wl,-rpath,{library}", "-lduckdb"]
    print_or_fail(run_program(["cc", "-Wall", "-Werror", "client.c", "-o", "client", *linked], folder))
    return print_or_fail(run_program([str(folder / "client")], folder))
