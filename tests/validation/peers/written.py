"""How a peer's figures are written, and the tables that peers read."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


def write(name: str, versions: dict[str, str], figures: dict[str, Any]) -> None:
    """Write what a peer answered: the versions that did, and its figures by the call."""
    made = {"made_by": {**versions, "Python": platform.python_version()}, "script": f"tests/validation/peers/{name}.py"}
    text = json.dumps({**made, "figures": figures}, indent=1, ensure_ascii=False)
    (FIXTURES / "validation" / f"{name}.json").write_text(text + "\n", encoding="utf-8", newline="\n")
