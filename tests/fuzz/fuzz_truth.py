"""Figures of risk of a made-up table, by brute force from the definition."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import brute_force

if TYPE_CHECKING:
    from fuzz_calls import Call


def _hashable(value: Any) -> Any:
    return repr(value) if isinstance(value, list | dict) else value


def _records(call: Call, base: tuple[list[str], list[tuple[Any, ...]]]) -> list[brute_force.Record]:
    names, rows = base
    at = [names.index(key) for key in call.arguments["keys"]]
    return [brute_force.plain(_hashable(row[i]) for i in at) for row in rows]


def _weights(call: Call, base: tuple[list[str], list[tuple[Any, ...]]]) -> list[float]:
    weight = call.arguments["weight"]
    return [row[base[0].index(weight)] if isinstance(weight, str) else float(weight) for row in base[1]]


def fault_of_figures(call: Call, base: Any, names: list[str], rows: list[tuple[Any, ...]]) -> str | None:  # noqa: C901, PLR0911
    """Return what differs from brute force, for the measures that it has."""
    if not isinstance(call.arguments.get("keys"), list) or not call.macro.is_table:
        return None
    nulls = call.arguments.get("nulls", "category")
    lists = [dict(zip(names, row, strict=True)) for row in rows]
    name = call.macro.name
    if name in {"sdc_k_anonymity", "sdc_frequencies", "sdc_sample_uniques", "sdc_cells", "sdc_theta"}:
        f = brute_force.sample_frequencies(_records(call, base), nulls)
    if name == "sdc_frequencies":
        return _differ("sample_frequency", sorted(f), sorted(r["sample_frequency"] for r in lists))
    if name == "sdc_cells":
        return _differ(
            "sample_frequency",
            sorted(brute_force.cells(_records(call, base), nulls).values()),
            sorted(r["sample_frequency"] for r in lists),
        )
    if name == "sdc_sample_uniques":
        return _differ("sample uniques", f.count(1), len(rows))
    if name == "sdc_k_anonymity":
        return _differ("records", [sum(v < r["k"] for v in f) for r in lists], [r["records"] for r in lists])
    if name == "sdc_theta":
        counts = brute_force.frequency_counts(_records(call, base))
        share = Fraction(call.arguments["sampling_fraction"])
        wanted = brute_force.theta(counts[1], counts[2], counts[3], share)[0]
        return _near("theta", [float(wanted)], [lists[0]["theta"]])
    if name in {"sdc_individual_risk", "sdc_global_risk"} and isinstance(
        call.arguments.get("weight"), str | int | float
    ):
        if call.arguments.get("small_weights", "error") != "error":
            return None
        risks = [float(r) for r in brute_force.individual_risks(_records(call, base), _weights(call, base), nulls)]
        if name == "sdc_individual_risk":
            return _near("individual_risk", sorted(risks), sorted(r["individual_risk"] for r in lists))
        return _near("expected_reidentifications", [sum(risks)], [lists[0]["expected_reidentifications"]])
    return None


def _differ(figure: str, wanted: object, found: object) -> str | None:
    return None if wanted == found else f"{figure} is {found}, by brute force {wanted}"


def _near(figure: str, wanted: list[float], found: list[float]) -> str | None:
    same = len(wanted) == len(found) and all(
        abs(a - b) <= 1e-9 * max(1, abs(a)) for a, b in zip(wanted, found, strict=True)
    )
    return None if same else f"{figure} is {found[:5]}, by brute force {wanted[:5]}"
