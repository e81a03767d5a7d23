"""The kernels on a connection: each is a Python function, and a macro that calls it and says what it refuses."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.udfs.arrow_function import Function
    from sdc_sql.udfs.declared_function import DeclaredFunction

KERNEL = "sdc__kernel_"
# what a kernel refuses is an error in the macro's words; within a list its answer is computed once
_ANSWER = (
    "list_transform([{call}], lambda sdc__row: CASE WHEN sdc__row.complaint IS NULL THEN sdc__row.answer"
    " ELSE error('ParameterError: ' || sdc__row.complaint) END)[1]"
)
_TYPES: dict[str, tuple[Any, ...]] = {}


def list_functions() -> Mapping[str, Function]:
    """Return the functions over numpy by their names."""
    from sdc_sql.udfs.registry import FUNCTIONS  # noqa: PLC0415 - with numpy and pyarrow, which not every program needs

    return FUNCTIONS


def digest_modules() -> bytes:
    """Return a digest of the modules that declare and compute the functions, which are not imported for it.

    Where they are no files, as in a zip, one of what they declare.
    """
    found = find_spec("sdc_sql.udfs")
    folders = found.submodule_search_locations if found and found.submodule_search_locations else ()
    files = sorted(file for folder in folders for file in Path(folder).rglob("*.py"))
    parts = [part for file in files for part in (file.name.encode(), file.read_bytes())]
    declared = [] if files else [(f.name, f.parameters, f.returns) for f in list_functions().values()]
    return hashlib.sha256(b"\0".join([*parts, repr(declared).encode()])).digest()


def register_kernel(con: duckdb.DuckDBPyConnection, create: str, function: Function, taken: set[str]) -> None:
    """Register a Python function, and create the macro that calls it.

    Another cursor may have registered it: then the name is taken. Within a transaction of the caller's the catalogue
    has been asked, since an attempt would abort it; else it is tried, which takes a fraction of the time.
    """
    name = name_function(function)
    # the Python client keeps the name of a function whose transaction was rolled back
    while name not in taken and not create_function(con, name, function):
        taken |= list_registered(con)  # the caller's set: the next kernel does not ask again
        name += "" if name in taken else "_again"
    con.execute(write_kernel(create, function, name))


def name_function(function: DeclaredFunction) -> str:
    """Return the name by which DuckDB has a function."""
    return f"sdc__python_{function.name}"


def write_kernel(create: str, function: DeclaredFunction, name: str) -> str:
    """Return the statement that creates the macro of a kernel, which calls a Python function by its name."""
    arguments = ", ".join(argument for argument, _ in function.parameters)
    return f"{create} {KERNEL}{function.name}({arguments}) AS {_ANSWER.format(call=f'{name}({arguments})')}"


def list_registered(con: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the names of the Python functions that are registered."""
    known = "SELECT function_name FROM duckdb_functions() WHERE starts_with(function_name, 'sdc__python_')"
    return {name for (name,) in con.execute(known).fetchall()}


def _parse_types(con: duckdb.DuckDBPyConnection, function: DeclaredFunction) -> tuple[Any, ...]:
    """Return the types of a function's arguments and of its result: to read them takes longer than to register it."""
    if function.name not in _TYPES:
        _TYPES[function.name] = (*(con.sqltype(kind) for _, kind in function.parameters), con.sqltype(function.result))
    return _TYPES[function.name]


def create_function(con: duckdb.DuckDBPyConnection, name: str, function: DeclaredFunction) -> bool:
    """Register a function, unless the name is taken."""
    *types, result = _parse_types(con, function)
    options: dict[str, Any] = {
        "type": "arrow",
        # the kernel refuses a NULL argument; by default the result would be NULL, and the records lost
        "null_handling": "special",
    }
    try:
        con.create_function(name, function, types, result, **options)
    except duckdb.NotImplementedException:
        return False
    except duckdb.CatalogException as error:
        if "already exists" not in str(error):
            raise
        # another connection of the database has registered it in the meantime
    return True
