"""Three figures of loss that a user of the file feels: what was changed, what is missing, what his estimates become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.document.blocks import format_short
from sdc_sql.errors import InputError, SdcError
from sdc_sql.release.judging.measured import list_number_columns
from sdc_sql.release.reporting import lost
from sdc_sql.release.reporting.estimates_section import describe_estimate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.release.running.outcome import EstimateOutcome, Outcome

_NO_ID = "not counted: roles.id is missing"


@dataclass(frozen=True)
class Felt:
    """A loss in words, its figure, and where it is greatest."""

    words: str
    figure: str
    where: str


def list_felt_losses(outcome: Outcome) -> tuple[Felt, ...]:
    """Return the three."""
    return (*_count_values(outcome), _find_worst_estimate(outcome) or _find_worst_mean(outcome))


def _count_values(outcome: Outcome) -> tuple[Felt, Felt]:
    words = ("values that are not as they were collected", "values that were there and are missing now")
    rows = lost.count_by_variable(outcome)
    if not rows:
        return (Felt(words[0], "", _NO_ID), Felt(words[1], "", _NO_ID))
    whole = sum(row["records"] for row in rows)
    found = []
    for name, told in zip(("changed", "suppressed"), words, strict=True):
        count = sum(row[name] for row in rows)
        most = max(rows, key=lambda row: row[name])
        where = f"{most['variable']}, {_percent(most[name], most['records'])}" if count else "none"
        found.append(Felt(told, f"{count:,} of {whole:,}, {_percent(count, whole)}", where))
    return (found[0], found[1])


def _find_worst_estimate(outcome: Outcome) -> Felt | None:
    """Return what became of the users' own estimates; None where the release file has none.

    Those that can no longer be made come before the least overlap.
    """
    rows = [(one, row) for one in outcome.estimates for row in one.rows]
    gone = [
        (one, row) for one, row in rows if one.lacks or (row.get("after") is None and row.get("before") is not None)
    ]
    known = [(one, row) for one, row in rows if row.get("overlap") is not None]
    if gone:
        told = f"{len(gone):,} of {len(rows):,}"
        return Felt("users' estimates that can no longer be made", told, _name_estimate(*gone[0]))
    if not known:
        return None
    one, row = min(known, key=lambda found: found[1]["overlap"])
    words = "least overlap of the intervals of users' estimates (1 is no change)"
    return Felt(words, format_short(float(row["overlap"])), _name_estimate(one, row))


def _name_estimate(one: EstimateOutcome, row: Mapping[str, Any]) -> str:
    place = ", ".join(str(row[name]) for name in ("domain", "term") if row.get(name) is not None)
    title = one.estimate.title or describe_estimate(one.estimate)
    return f"{title}{f' ({place})' if place else ''}"


def _find_worst_mean(outcome: Outcome) -> Felt:
    """Return the greatest change of the mean of a number that was masked, in per cent of it."""
    words = "greatest change of a mean"
    masked = {column.lower() for step in outcome.steps for column in step.columns}
    numbers = list_number_columns(outcome.original) & list_number_columns(outcome.released)
    left = {str(outcome.plan.roles.id).lower(), str(outcome.plan.roles.household).lower()}
    changes = []
    # codes are numbers too: what the release file says of them comes first
    named = {c.lower() for c in outcome.plan.loss.continuous} or masked
    for name in (c for c in outcome.plan.columns if c in numbers and c.lower() in (masked & named) - left):
        change = _measure_mean(outcome, name)
        if change is not None:
            changes.append((change, name))
    if not changes:
        return Felt(words, "none", "no masked variable is still a number")
    change, name = max(changes)
    return Felt(words, f"{format_short(100 * change)} per cent", name)


def _measure_mean(outcome: Outcome, name: str) -> float | None:
    data = outcome.released._roles  # noqa: SLF001 - its methods measure the errors of the estimates too
    try:
        rows = data.rows("sdc__mean_change", outcome.original.table, data.table, name, data.weight)
    except (InputError, SdcError):
        return None
    return next((row["sdc__change"] for row in rows), None)  # none where a side has no value


def _percent(part: int, whole: int) -> str:
    return f"{format_short(100 * part / whole) if whole else '0'} per cent"
