"""The list of what measures return: the frozen records beside the functions of the rooms that mirror ``sql/``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TEXT = '''"""What the measures return, a frozen record each.

Written from the modules of sdc_sql/risk, sdc_sql/linkage, sdc_sql/mask and sdc_sql/loss by python -m sdc_sql.write.
"""

{imports}

__all__ = [
{names}
]
'''
_CLASS = re.compile(r"^class (\w+)\(Result\):", re.MULTILINE)


def written(package: Path) -> str:
    """Return the text of ``sdc_sql/results.py``."""
    found = {
        (file.parent.name, file.stem): sorted(_CLASS.findall(file.read_text(encoding="utf-8")))
        for room in ("linkage", "loss", "mask", "risk")
        for file in sorted((package / room).glob("*.py"))
    }
    imports = (
        f"from sdc_sql.{room}.{stem} import {', '.join(names)}" for (room, stem), names in found.items() if names
    )
    names = (f'    "{name}",' for name in sorted(name for names in found.values() for name in names))
    return _TEXT.format(imports="\n".join(imports), names="\n".join(names))
