"""Hierarchies given by the names of keys, as the long table that the macros read."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.db.checks import told
from sdc_sql.db.table import Table
from sdc_sql.errors import ParameterError
from sdc_sql.mask.hierarchies import Hierarchy, hierarchy_table, read_hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sdc_sql.db.masking import Maskable

NAME = "sdc_given_hierarchies"


@contextmanager
def long_table(
    data: Maskable, keys: Sequence[str], hierarchies: Mapping[str, Hierarchy | Path | str] | str | None
) -> Iterator[str | None]:
    """Yield the name of the long table: of one made from hierarchies by key, or the one given.

    Each hierarchy is one, or the path of a CSV file as ARX writes it, or the name of a table (a column for each level).
    """
    if hierarchies is None or isinstance(hierarchies, str):
        yield data.read(hierarchies, ("level",)) if hierarchies and isinstance(data, Table) else hierarchies
        return
    import pyarrow as pa  # noqa: PLC0415 - an import takes longer than most measures

    found = {data.found("key variable", key): _hierarchy(data, given) for key, given in hierarchies.items()}
    strange = sorted(found.keys() - {*keys})
    if strange:
        raise ParameterError(f"hierarchies names {', '.join(strange)}: give those of the keys, {', '.join(keys)}.")
    rows = [
        (key, row[0], level, hierarchy.names[level], label)
        for key, hierarchy in found.items()
        for row in hierarchy.rows
        for level, label in enumerate(row)
    ]
    if not rows:
        yield None
        return
    kinds = {
        "variable": pa.string(),
        "value": pa.string(),
        "level": pa.int32(),
        "level_name": pa.string(),
        "label": pa.string(),
    }
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), kinds.values(), strict=True)]
    data.con.register(NAME, pa.table(dict(zip(kinds, columns, strict=True))))
    try:
        yield NAME
    finally:
        data.con.unregister(NAME)


def _hierarchy(data: Maskable, given: Hierarchy | Path | str) -> Hierarchy:
    if isinstance(given, Hierarchy):
        return given
    if isinstance(given, Path) or (isinstance(given, str) and given.lower().endswith(".csv")):
        return read_hierarchy(given)
    if isinstance(given, str):
        return hierarchy_table(data.con.table(given))
    raise ParameterError(
        f"A hierarchy is {told(given)}: give a Hierarchy, the path of a CSV file, or the name of a table."
    )
