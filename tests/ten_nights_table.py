"""The tables of the chapter on series, written from what ``ten_nights`` measured."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from series_world import wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

README = Path(__file__).parents[1] / "sdc_sql" / "series" / "README.md"
FIRST, LAST = "<!-- ten nights: written by python tests/ten_nights.py -->", "<!-- ten nights: end -->"
FIRST_CHANGES = "<!-- changes: written by python tests/ten_nights.py -->"
LAST_CHANGES = "<!-- changes: end -->"
# the scenarios of the table, with the head of their column
SCENARIOS = {
    "churn": "1 % churn", "newcomer": "one new record", "pair": "a batch below k", "column": "a column changes",
    "drift": "drifting", "back": "changing and back", "return": "leaving and returning", "move": "moving",
    "placed": "all but one placed", "two": "two ledgers",
}  # fmt: skip
CHANGES = ("back", "drift")  # where what changing tells is counted


class Kept:
    """What was measured, in a file: of a mask, scenario and kind the shares town by town, and what changing tells."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.found: dict[str, Any] = json.loads(path.read_text()) if path is not None and path.exists() else {}

    def note(self, key: str, value: Any) -> None:
        self.found[key] = value
        if self._path is not None:
            lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(self.found[name])}" for name in sorted(self.found))
            self._path.write_text(f"{{\n{lines}\n}}\n")


def write_interval(shares: Sequence[float]) -> str:
    """Return the mean over the seeds with its interval of 95 %, by Student's distribution."""
    per_cent = [100 * share for share in shares]
    if len(per_cent) < 2 or max(per_cent) == min(per_cent):
        return f"{per_cent[0]:.1f}".removesuffix(".0")
    quantile = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571}[len(per_cent)]
    return f"{fmean(per_cent):.1f} \u00b1 {quantile * stdev(per_cent) / sqrt(len(per_cent)):.1f}"


def write_share(found: int, of: int) -> str:
    """Return a share in per cent with Wilson's interval of 95 %; a dash of nothing."""
    if of == 0:
        return "-"
    low, high = wilson(found, of)
    return f"{100 * found / of:.1f}".removesuffix(".0") + f" ({100 * low:.1f} to {100 * high:.1f})"


def write_cell(found: dict[str, Any], label: str, scenario: str) -> str:
    """Return a cell: per cent that is gained with a series and, in parentheses, without one.

    A dash stands for a mask that is refused in a series, n.m. for what was not measured.
    """
    with_it, without = (found.get(f"{label}|{scenario}|{kind}") for kind in ("with", "without"))
    said = write_interval(with_it[0]) if with_it else "-" if found[f"{label}|refused"] else "n.m."
    return f"{said} ({write_interval(without[0])})" if without else said


def write_change(found: dict[str, Any], label: str) -> list[str]:
    """Return what changing tells of a mask that a series has."""
    back, drift = ((found.get(f"{label}|{scenario}|with") or [[], None])[1] for scenario in CHANGES)
    alone = (found.get(f"{label}|back|without") or [[], None])[1]
    cells = [
        write_share(back["changed_shown"], back["changed"]) if back else "n.m.",
        write_share(back["missing"], back["records"]) if back else "n.m.",
        write_share(drift["changed_shown"], drift["changed"]) if drift else "-",
    ]
    for counts in (back, alone):
        shown = counts and counts["changed_shown"] + counts["stayed_shown"]
        cells.append(write_share(counts["changed_shown"], shown) if counts else "n.m.")
    return cells


def write_tables(found: dict[str, Any], labels: Iterable[str]) -> None:
    """Write the tables of the chapter from what was measured."""
    tried = [label for label in labels if f"{label}|refused" in found]
    lines = [["mask", "ledger", *SCENARIOS.values()]]
    for label in tried:
        held = "refused" if found[f"{label}|refused"] else found[f"{label}|ledger"]
        lines.append([label, held, *(write_cell(found, label, scenario) for scenario in SCENARIOS)])
    _write_between(FIRST, LAST, lines)
    lines = [[
        "mask", "a changed value is seen to change", "who changed is missing", "a drifting value is seen to change",
        "a new released value is of a new original", "without a series",
    ]]  # fmt: skip
    lines += [[label, *write_change(found, label)] for label in tried if not found[f"{label}|refused"]]
    _write_between(FIRST_CHANGES, LAST_CHANGES, lines)


def _write_between(first: str, last: str, lines: list[list[str]]) -> None:
    body = "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], ["---"] * len(lines[0]), *lines[1:]])
    before, _, rest = README.read_text(encoding="utf-8").partition(first)
    README.write_text(f"{before}{first}\n\n{body}\n\n{last}{rest.partition(last)[2]}", encoding="utf-8")
