"""``python -m sdc_sql.write``: write anew what comes from the headers of the SQL files, and print what was written."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from sdc_sql.write import ROOT, find_changed, find_stale, generate_python

if TYPE_CHECKING:
    from collections.abc import Mapping


def _write(files: Mapping[str, str | None]) -> None:
    for name, text in files.items():
        if text is None:
            (ROOT / name).unlink()
        else:
            (ROOT / name).parent.mkdir(exist_ok=True)
            (ROOT / name).write_text(text, encoding="utf-8", newline="\n")
        print(name, flush=True)  # noqa: T201 - what it is for


modules = find_changed(generate_python())
if modules:  # a new function is known to the schema of release files once its module is imported: so begin anew
    _write(modules)
    os.execv(sys.executable, [sys.executable, "-m", "sdc_sql.write"])  # noqa: S606 - this module
_write(find_stale())
