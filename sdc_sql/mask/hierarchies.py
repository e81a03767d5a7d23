"""Generalisation hierarchies: the values of a key, and what each becomes at every level above.

A hierarchy is a table with a row for each value: level 0 is the value itself, each further level is coarser. Which
values of a level are put together shows in equal labels of the next one, so two values with one label must have one
label on all levels above. This is checked when a hierarchy is made, whatever it is made from.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError
from sdc_sql.pictures.hierarchy import draw_hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import duckdb
    import numpy as np
    from numpy.typing import NDArray

    from sdc_sql.pictures.picture import Picture


@dataclass(frozen=True)
class Hierarchy:
    """The values of a key with their labels at each level.

    Parameters
    ----------
    rows
        A row for each value: the value as text (None where it is missing), then its label at level 1, 2 and so on.
    names
        What the levels are called, level 0 first; without them '0', '1', '2' and so on.

    Raises
    ------
    ParameterError
        Where there is no row, rows differ in length, a value stands twice, or a level is no coarsening of the one
        below. A message shows rows by number, never a value.

    Examples
    --------
    >>> sex = Hierarchy((("f", "*"), ("m", "*")), ("sex", "anyone"))
    >>> sex.height, sex.level("anyone"), sex.generalised(["m", "f", "m"], "anyone")
    (1, 1, ['*', '*', '*'])
    """

    rows: tuple[tuple[str | None, ...], ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that it is one."""
        if not self.rows or not self.rows[0]:
            raise ParameterError("The hierarchy is empty: give a row for each value, the value itself first.")
        levels = len(self.rows[0])
        for number, row in enumerate(self.rows, 1):
            if len(row) != levels:
                raise ParameterError(
                    f"Row {number} of the hierarchy has {len(row)} levels and the first row {levels}: give every value "
                    "a label at each level."
                )
        object.__setattr__(self, "names", self.names or tuple(str(level) for level in range(levels)))
        if len(self.names) != levels or len(set(self.names)) != levels:
            raise ParameterError(
                f"The hierarchy has {levels} levels and the names {', '.join(self.names)}: give each level a name of "
                "its own."
            )
        first: dict[str | None, int] = {}
        for number, row in enumerate(self.rows, 1):
            if first.setdefault(row[0], number) != number:
                raise ParameterError(
                    f"Rows {first[row[0]]} and {number} of the hierarchy are of the same value: give each one row."
                )
        for level in range(1, levels - 1):
            self._check_coarser(level)

    def _check_coarser(self, level: int) -> None:
        first: dict[str | None, int] = {}
        for number, row in enumerate(self.rows, 1):
            other = first.setdefault(row[level], number)
            if self.rows[other - 1][level + 1] != row[level + 1]:
                raise ParameterError(
                    f"Rows {other} and {number} of the hierarchy have one label at level {self.names[level]} and two "
                    f"at level {self.names[level + 1]}: what is put together must stay so. Give them two labels "
                    "below, or one above."
                )

    @property
    def height(self) -> int:
        """The highest level; level 0 is the value itself."""
        return len(self.names) - 1

    def level(self, level: int | str) -> int:
        """Return the number of a level that is given by its name or number.

        Raises
        ------
        ParameterError
            Where the hierarchy has no such level.
        """
        if isinstance(level, str) and level in self.names:
            return self.names.index(level)
        if isinstance(level, int) and not isinstance(level, bool) and 0 <= level <= self.height:
            return level
        raise ParameterError(
            f"The level is {text_for_message(level)}: the hierarchy has the levels {', '.join(self.names)}, numbered "
            "from 0."
        )

    def absent(self, values: Iterable[object]) -> list[str | None]:
        """Return the values that have no row, each once, by their texts; None is the missing value.

        Examples
        --------
        >>> Hierarchy((("f", "*"), ("m", "*"))).absent(["f", "x", None, "x"])
        ['x', None]
        """
        known = {row[0] for row in self.rows}
        return [text for text in dict.fromkeys(map(_convert_to_text, values)) if text not in known]

    def places(self, values: Iterable[object]) -> NDArray[np.int64]:
        """Return the row of each value, counted from 0, (n,); a value is found by its text.

        Raises
        ------
        ParameterError
            Where a value has no row.
        """
        import numpy as np  # noqa: PLC0415 - which not every program needs

        texts = list(map(_convert_to_text, values))
        absent = self.absent(texts)
        if absent:
            missing = " and the missing value (NULL; in a file the empty field)" if None in absent else ""
            raise ParameterError(
                f"The hierarchy has no row for {len(absent) - (None in absent):,} of the values{missing}: give each "
                "one; .absent(values) lists them."
            )
        known = {row[0]: place for place, row in enumerate(self.rows)}
        return np.array([known[text] for text in texts], dtype=np.int64)

    def generalised(self, values: Iterable[object], level: int | str) -> list[str | None]:
        """Return the label of each value at a level.

        Raises
        ------
        ParameterError
            Where there is no such level, or a value has no row.
        """
        column = self.level(level)
        return [self.rows[place][column] for place in self.places(values)]

    def plot(self, level: int | str | None = None) -> Picture:
        """Draw the levels, the coarsest on top; the one that is given, by name or number, is filled.

        Raises
        ------
        ParameterError
            Where the hierarchy has no such level.

        Examples
        --------
        >>> sex = Hierarchy((("f", "*"), ("m", "*")), ("sex", "anyone"))
        >>> "level anyone, chosen: *" in sex.plot("anyone").to_svg()
        True
        """
        return draw_hierarchy(self.rows, self.names, None if level is None else self.level(level))

    def codes(self) -> NDArray[np.int64]:
        """Return for each row the number of its label at each level, (rows, levels), in the order they first stand.

        Examples
        --------
        >>> Hierarchy((("11", "1", "*"), ("12", "1", "*"), ("21", "2", "*"))).codes().tolist()
        [[0, 0, 0], [1, 0, 0], [2, 1, 0]]
        """
        import numpy as np  # noqa: PLC0415 - which not every program needs

        numbered = np.empty((len(self.rows), len(self.names)), dtype=np.int64)
        for level in range(len(self.names)):
            numbers: dict[str | None, int] = {}
            numbered[:, level] = [numbers.setdefault(row[level], len(numbers)) for row in self.rows]
        return numbered


def read_hierarchy(path: str | Path, *, delimiter: str = ";", names: bool | Sequence[str] = False) -> Hierarchy:
    r"""Return the hierarchy of a CSV file as ARX writes it: a line for each value, level 0 first, no header.

    Parameters
    ----------
    path
        The file, in UTF-8.
    delimiter
        What stands between the levels.
    names
        The names of the levels; True where they are the first line of the file.

    Raises
    ------
    ParameterError
        Where the file cannot be read or is no hierarchy. An empty field is the missing value.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "sex.csv"
    ...     _ = path.write_text("f;*\nm;*\n", encoding="utf-8")
    ...     read_hierarchy(path, names=["sex", "anyone"])
    Hierarchy(rows=(('f', '*'), ('m', '*')), names=('sex', 'anyone'))
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as lines:
            rows = [line for line in csv.reader(lines, delimiter=delimiter, strict=True) if line]
    except (OSError, UnicodeDecodeError, csv.Error, TypeError) as e:
        raise ParameterError(
            f"The hierarchy {text_for_message(str(path))} cannot be read as CSV in UTF-8: {_reason(e)}."
        ) from None
    _refuse_other_delimiter(path, rows, delimiter)
    header = rows.pop(0) if names is True and rows else ([] if isinstance(names, bool) else names)
    try:
        return Hierarchy(tuple(tuple(field or None for field in row) for row in rows), tuple(header))
    except ParameterError as e:
        raise ParameterError(f"{path}: {e}") from None


def _refuse_other_delimiter(path: str | Path, rows: list[list[str]], delimiter: str) -> None:
    """Refuse lines of one level that each have as many of one sign that stands between levels elsewhere."""
    if any(len(line) != 1 for line in rows):
        return
    for sign in (";", ",", "\t", "|"):
        numbers = {line[0].count(sign) for line in rows}
        # (an interval, "[0,10)", has a comma of its own)
        if sign != delimiter and len(numbers) == 1 and numbers != {0} and rows[0][0][0] not in "[(":
            raise ParameterError(
                f"{path}: read with {delimiter!r} between the levels (as ARX writes them: ';') each line has one "
                f"level, and {sign!r} stands in each: sdc_sql.read_hierarchy(path, delimiter={sign!r}) takes that for "
                "what is between them."
            )


def hierarchy_table(table: duckdb.DuckDBPyRelation) -> Hierarchy:
    """Return the hierarchy that a table of DuckDB holds: a row for each value, a column for each level, level 0 first.

    The levels have the names of the columns. Rows are taken in the order of the texts, so that the order of the table
    changes nothing.

    Raises
    ------
    ParameterError
        Where the table is no hierarchy.

    Examples
    --------
    >>> import duckdb
    >>> hierarchy_table(duckdb.sql("SELECT * FROM (VALUES (11, 1), (21, 2), (12, 1)) AS t(district, region)"))
    Hierarchy(rows=(('11', '1'), ('12', '1'), ('21', '2')), names=('district', 'region'))
    """
    texts = (tuple(map(_convert_to_text, row)) for row in _cast_to_texts(table).fetchall())
    rows = sorted(texts, key=lambda row: [(field is not None, field or "") for field in row])
    return Hierarchy(tuple(rows), tuple(table.columns))


def _cast_to_texts(table: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Return the table with DuckDB's own text of each value, the one a key is compared by."""
    return table.project("CAST(COLUMNS(*) AS VARCHAR)")


def _reason(e: Exception) -> str:
    return str(e.strerror) if isinstance(e, OSError) else "it is no UTF-8" if isinstance(e, UnicodeError) else str(e)


def _convert_to_text(value: object) -> str | None:
    return None if value is None else str(value)
