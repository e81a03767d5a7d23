"""Where each method errs, and by how much: on populations drawn anew, whose truth is known.

Each module of this folder has `list_regions(con, rng, repetitions)`, and REPETITIONS that take a few minutes at most.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

_NOT_SIMULATIONS = {"__init__", "region", "populations"}


def list_simulations() -> list[ModuleType]:
    """Return the modules of this folder, by name; what is there is part of the book."""
    names = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if p.stem not in _NOT_SIMULATIONS)
    return [import_module(f"validation.simulations.{name}") for name in names]
