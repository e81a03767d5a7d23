"""The hierarchies of several keys, however they are given, as the long table that the macros read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sdc_sql.db import query
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.table import Table
from sdc_sql.errors import ParameterError, TableError
from sdc_sql.mask.hierarchies import Hierarchy, hierarchy_table, read_hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdc_sql.db.masking.apply import Maskable

    Hierarchies: TypeAlias = "str | Path | Mapping[str, Hierarchy | str | Path]"

GIVEN = "sdc_hierarchies_given"
_NUMBERS = ("level",)  # these columns of the long table in a CSV file are no codes
_ONE_KEY = "give a Hierarchy, the path of a CSV file as ARX writes it, or the name of a table"


@contextmanager
def make_long_table(data: Maskable, keys: Sequence[str], hierarchies: Hierarchies) -> Iterator[str]:
    """Yield the name of a table of the keys' hierarchies: variable, value, level, level_name, label.

    Parameters
    ----------
    data
        The table whose keys they are.
    keys
        The keys, as the table spells them.
    hierarchies
        For each key by its name a :class:`Hierarchy`, the path of a CSV file as ARX writes it (``.csv``, level 0
        first, semicolons), or the name of a table with a column for each level. Or the name of the long table itself
        (``sdc_hierarchy`` makes it), also as a Parquet or CSV file; or a folder with a file of ARX's, ``KEY.csv``, for
        each key.

    Raises
    ------
    InputError
        Where a key has none, or what is given is no hierarchy.
    """
    if not isinstance(hierarchies, Mapping):
        path = Path(hierarchies) if isinstance(hierarchies, (str, Path)) else None
        if path is None:
            raise ParameterError(
                f"hierarchies is {text_for_message(hierarchies)}: give one for each key by its name, or a table of "
                "them."
            )
        if not path.is_dir():
            name = str(hierarchies)
            yield data.read_table(name, _NUMBERS) if isinstance(data, Table) else name
            return
        hierarchies = {key: path / f"{key}.csv" for key in keys}
    given = {data.spell_column("key variable", name): hierarchy for name, hierarchy in hierarchies.items()}
    without = [key for key in keys if key not in given]
    if without:
        raise ParameterError(f"There is no hierarchy of {', '.join(without)}: give one for every key.")
    _register_hierarchies(data, {key: _read_one_hierarchy(data, given[key]) for key in keys})
    try:
        yield GIVEN
    finally:
        data.con.unregister(GIVEN)


def _read_one_hierarchy(data: Maskable, given: Hierarchy | str | Path) -> Hierarchy:
    if isinstance(given, Hierarchy):
        return given
    if isinstance(given, Path) or (isinstance(given, str) and given.lower().endswith(".csv")):
        return read_hierarchy(given)
    if not isinstance(given, str) or not isinstance(data, Table):
        raise ParameterError(f"A hierarchy is {text_for_message(given)}: {_ONE_KEY}.")
    rows = data.reading(query.call_macro("sdc__rows", given))
    try:
        return hierarchy_table(rows)
    except ParameterError as e:
        raise TableError(f"{given}: {e}") from None


def _register_hierarchies(data: Maskable, hierarchies: Mapping[str, Hierarchy]) -> None:
    import pyarrow as pa  # noqa: PLC0415 - an import takes longer than most measures

    rows = [
        (key, row[0], level, hierarchy.names[level], label)
        for key, hierarchy in hierarchies.items()
        for row in hierarchy.rows
        for level, label in enumerate(row)
    ]
    names = ("variable", "value", "level", "level_name", "label")
    types = (pa.string(), pa.string(), pa.int32(), pa.string(), pa.string())
    columns = [pa.array(column, type=kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)]
    data.con.register(GIVEN, pa.table(columns, names=names))
