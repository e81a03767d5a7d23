"""The list of what measures return: the frozen records beside the functions of the rooms that mirror ``sql/``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXT = '''"""What the measures return, a frozen record each.

Written from the modules of sdc_sql/risk, sdc_sql/linkage, sdc_sql/mask and sdc_sql/loss by python -m sdc_sql.write.
"""

{imports}

__all__ = [
{names}
]
'''
_CLASS = re.compile(r"^class (\w+)\(Result\):", re.MULTILINE)


def generate_results(modules: Mapping[str, str]) -> str:
    """Return the text of ``sdc_sql/results.py``, from the texts of the modules by their paths in the clone."""
    found = {
        path.removesuffix(".py").replace("/", "."): sorted(_CLASS.findall(modules[path])) for path in sorted(modules)
    }
    imports = (f"from {module} import {', '.join(names)}" for module, names in found.items() if names)
    names = (f'    "{name}",' for name in sorted(name for names in found.values() for name in names))
    return _TEXT.format(imports="\n".join(imports), names="\n".join(names))
