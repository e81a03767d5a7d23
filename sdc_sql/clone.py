"""Make ``sql/`` and ``udfs/`` importable in a clone, where they stand beside this package instead of in it.

Installed they are ``sdc_sql.sql`` and ``sdc_sql.udfs``. Python started in a clone finds the folder ``sdc_sql``
there before the installed package, and would miss both.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

_HERE = Path(__file__).parent
_BESIDE = _HERE.parent

if not (_HERE / "udfs").exists() and all((_BESIDE / name / "__init__.py").is_file() for name in ("sql", "udfs")):
    # the path serves these two imports only: what else stands there (tests/, this package) is no part of it
    places = sys.modules["sdc_sql"].__path__
    places.append(str(_BESIDE))
    try:
        import_module("sdc_sql.sql")
        import_module("sdc_sql.udfs")
    finally:
        places.remove(str(_BESIDE))
