"""What the book holds: the comparisons and the simulations, as they are recorded in `fixtures/validation/`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from validation.case import Case
from validation.simulations.region import Region
from validation.tables import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CASES, SIMULATIONS = FIXTURES / "validation" / "cases.json", FIXTURES / "validation" / "simulations.json"


def write_cases(cases: dict[str, Sequence[Case]]) -> None:
    """Write the comparisons by their modules."""
    _write(CASES, {name: [_keep(asdict(case)) for case in of] for name, of in cases.items()})


def read_cases() -> dict[str, list[Case]]:
    """Return the comparisons that were written, by their modules."""
    return {name: [Case(**case) for case in of] for name, of in _read(CASES).items()}


def write_simulations(regions: Sequence[Region], made: dict[str, Any]) -> None:
    """Write the regions, with the seed, the repetitions and the versions that they were made with."""
    figures = ("uniques", "truth", "ratio", "lower", "upper", "coverage")
    rounded = [asdict(r) | {n: _round(getattr(r, n)) for n in figures} for r in regions]
    _write(SIMULATIONS, {"made_by": made, "regions": [_keep(region) for region in rounded]})


def read_simulations() -> tuple[dict[str, Any], list[Region]]:
    """Return what the simulations were made with, and the regions."""
    kept = _read(SIMULATIONS)
    return kept["made_by"], [Region(**region) for region in kept["regions"]]


def _round(figure: float | None) -> float | None:
    return None if figure is None else float(f"{figure:.4g}")  # beyond is the chance of the draws


def _keep(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value not in {"", None}}


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
