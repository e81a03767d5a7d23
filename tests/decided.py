"""Release files of tests, in which every column that nobody has decided about is released as it was collected."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from sdc_sql.errors import ReleaseFileError
from sdc_sql.release.reading.read import read_release
from sdc_sql.session import toml

if TYPE_CHECKING:
    from pathlib import Path

_LINE = re.compile(r"(?m)^    ((?:drop|released_as_collected) = .*)$")


def decided(file: Path) -> Path:
    """Take out what a release file leaves to decide, and paste what the error says; return the file."""
    file.write_text(re.sub(r"(?m)^to_decide = \[\n(  .*\n)*\]\n", "", file.read_text()))
    try:
        read_release(file)
    except ReleaseFileError as error:
        lines = [line for problem in error.problems for line in _LINE.findall(problem)]
        names = [name for line in lines for names in tomllib.loads(line).values() for name in names]
        said = toml.format_line("released_as_collected", names)
        text = re.sub(r"(?m)^(\s*)released_as_collected = .*\n", "", file.read_text())
        if names:
            pasted = re.sub(r"(?m)^(\s*)\[roles\]\n", lambda found: f"{found[0]}{said}\n", text, count=1)
            file.write_text(pasted if pasted != text else f"{text}\n[roles]\n{said}\n")
    return file
