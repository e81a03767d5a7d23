"""What the sections of a release file share: its fields, its problems, and the columns of its source."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.db.table import spell_column
from sdc_sql.errors import ColumnError
from sdc_sql.release.reading.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.release.reading.problems import Kind


class Reading:
    """The reading of one file; ``columns`` are those of the source, without what is not read once that is known.

    ``left_out`` has the latter, each with the field that names it; ``named`` gathers the columns that were looked up.
    """

    def __init__(self, file: Path, text: str, said: dict[str, Any], fields: Mapping[str, Kind]) -> None:
        self.file, self.text = file, text
        self.problems = Problems()
        self.said = self.problems.table("", said, fields)
        self.columns: dict[str, str] = {}
        self.left_out: dict[str, str] = {}
        self.named: set[str] = set()

    def resolve_path(self, path: str) -> Path:
        """Return a path of the file, which is relative to the file's folder."""
        return self.file.parent / Path(path).expanduser()

    def column(self, path: str, role: str, name: str) -> str | None:
        """Return a column as the source spells it; a name that is no column is a problem at that place."""
        if not self.columns:  # the source could not be read, and one message says so
            return name
        with suppress(ColumnError):
            field = self.left_out[spell_column("the source", tuple(self.left_out), role, name)]
            self.problems.add(path, f"{name} is one of {field}, which are not read at all.")
            return None
        with self.problems.collect_at(path):
            column = spell_column("the source", tuple(self.columns), role, name)
            self.named.add(column)
            return column
        return None

    def resolve_columns(self, path: str, role: str, names: list[str]) -> tuple[str, ...]:
        """Return several columns likewise, each named once."""
        found: list[str] = []
        for i, name in enumerate(names):
            column = self.column(f"{path}[{i}]", role, name)
            if column in found:
                self.problems.add(f"{path}[{i}]", f"{column} is named twice.")
            elif column is not None:
                found.append(column)
        return tuple(found)
