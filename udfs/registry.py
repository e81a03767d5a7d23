"""The functions that DuckDB is given in the place of the ``sdc__kernel_`` macros: those that a kernel's module lists.

Each takes a stratum at a time and answers with one list a column. What is wrong is a ValueError that names the stratum.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.udfs.arrow_function import Function


def _list_functions() -> Iterator[Function]:
    """Return what the modules of this package list as their FUNCTIONS, in the order of their names."""
    package = sys.modules[str(__package__)]
    for found in sorted(walk_packages(package.__path__, f"{package.__name__}."), key=lambda found: found.name):
        if found.name != __name__:
            yield from getattr(import_module(found.name), "FUNCTIONS", ())


FUNCTIONS = {function.name: function for function in _list_functions()}
