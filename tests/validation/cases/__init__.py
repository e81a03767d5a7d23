"""The comparisons: each module of this folder has those with one source, as `list_cases(con)`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def list_modules() -> list[ModuleType]:
    """Return the modules of this folder, by name; what is there is part of the book."""
    names = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if p.stem != "__init__")
    return [import_module(f"validation.cases.{name}") for name in names]
