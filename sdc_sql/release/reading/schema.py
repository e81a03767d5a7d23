"""The JSON Schema of release files, by which an editor completes and checks one while it is written."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NAME = "release.schema.json"


def read_schema() -> str:
    """Return the schema, which ``python -m sdc_sql.write`` writes of what the reader declares.

    Examples
    --------
    >>> import json
    >>> json.loads(read_schema())["title"]
    'Release file of sdc-sql'
    """
    return resources.files("sdc_sql.release.reading").joinpath(NAME).read_text(encoding="utf-8")


def make_schema_line(folder: Path) -> list[str]:
    """Return the line of a new release file that names the schema, where a copy of it stands in the folder.

    A path into the installed package would differ from machine to machine, and tell the name of a person.
    """
    return [f"#:schema ./{NAME}", ""] if (folder / NAME).is_file() else []
