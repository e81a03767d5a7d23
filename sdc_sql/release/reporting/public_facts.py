"""What was done to the released variables, as their users are told: for the public report, and the metadata.

A step that suppresses names the keys of a scenario, also those that lost nothing, and several steps would tell the
scenarios apart. So all suppressions are told as one, of the variables that lost a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.macros import find_effect, index_catalogue
from sdc_sql.db.table import fetch_rows
from sdc_sql.release.reading import undecided
from sdc_sql.release.reporting import public_steps
from sdc_sql.release.reporting.stages import list_output_columns

if TYPE_CHECKING:
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.release.running.outcome import Outcome


SUPPRESSION = "suppression"  # all of them by one name
_MISSING = (
    "Values were suppressed where a record would have stood out. What is missing is not missing at random: rare values "
    "are missing more often."
)


@dataclass(frozen=True)
class Treatment:
    """What the users are told of a step on columns that are released."""

    columns: tuple[str, ...]
    method: str
    done: str
    keeps: str
    use: str  # which estimates hold
    parameters: str
    in_classes: bool  # True: a released value is a class of several original ones

    @property
    def of(self) -> str:
        """The columns that were treated, or, where records were drawn and no value was changed, the records."""
        return ", ".join(self.columns) or "the records"


def treatments(outcome: Outcome) -> list[Treatment]:
    """Return what users are told of each step, in the order of the steps; of all suppressions once."""
    found: list[Treatment] = []
    gone: list[int] = []
    for i, step in enumerate(outcome.steps):
        columns = list_released_columns(outcome, step)
        if suppresses_values(step):
            gone.append(i)
            if gone[0] == i and list_suppressed_columns(outcome):
                found.append(_describe_treatment(outcome, i, SUPPRESSION, list_suppressed_columns(outcome)))
        elif columns or not step.columns:  # a sample of records without weights changes no column
            found.append(_describe_treatment(outcome, i, step.method.replace("_", " "), columns))
    return found


def _describe_treatment(outcome: Outcome, place: int, name: str, columns: list[str]) -> Treatment:
    step = outcome.steps[place]
    part = list_partial_steps(outcome)[place] and not suppresses_values(step)
    done, keeps = public_steps.describe_step(step, part=part)
    told = "; ".join(
        f"{n.replace('_', ' ')} {_write_value(step.method, n, v)}"
        for n, v in public_steps.list_told_parameters(step).items()
    )
    in_classes = find_effect(step.method).coarsens.kind == "into classes"
    return Treatment(tuple(columns), name, done, keeps, public_steps.describe_use(step), told, in_classes)


def list_uses(outcome: Outcome) -> list[str]:
    """Return which estimates hold after which treatment, once for all variables of which the same is said."""
    said: dict[tuple[str, str], list[str]] = {}
    for found in treatments(outcome):
        use = found.use or (f"It keeps {found.keeps}" if found.keeps else "")
        if found.method == SUPPRESSION:
            use = _MISSING
        if use:
            said.setdefault((found.method, use), []).append(found.of)
    return [f"{', '.join(dict.fromkeys(columns))} ({method}): {use}" for (method, use), columns in said.items()]


def suppresses_values(step: MaskingStep) -> bool:
    """Return whether a step made values NULL and did nothing else."""
    return find_effect(step.method).suppresses.kind == "values"


def list_suppressed_columns(outcome: Outcome) -> list[str]:
    """Return the released columns that lost values to a suppression, in the order of the file.

    Where records were left out, by their NULLs alone it cannot be told whether some were there before: a column that
    has some is listed then.
    """
    touched = {c.lower() for step in outcome.steps if suppresses_values(step) for c in step.columns}
    columns = [c for c in list_output_columns(outcome) if c.lower() in touched]
    known = {c.lower() for c in outcome.columns_before}
    before = _count_nulls(outcome, outcome.original.table, [c for c in columns if c.lower() in known])
    after = _count_nulls(outcome, outcome.released.table, columns)
    whole = outcome.records_after == outcome.records_before
    return [c for c in columns if after[c.lower()] > (before.get(c.lower(), 0) if whole else 0)]


def _count_nulls(outcome: Outcome, table: str, columns: list[str]) -> dict[str, int]:
    if not columns:
        return {}
    kept: dict[Any, dict[str, int]] = outcome.kept.setdefault("missing", {})
    if (table, *columns) in kept:  # each section of a report asks for it
        return kept[table, *columns]
    missing = [exp.CountIf(this=exp.column(c, quoted=True).is_(exp.null())) for c in columns]
    counts = [exp.alias_(count, f"missing_{i}") for i, count in enumerate(missing)]
    rows = query.call_macro("sdc__rows", table).subquery("r")
    (row,) = fetch_rows(outcome.released.con, exp.select(*counts).from_(rows))
    kept[table, *columns] = {c.lower(): row[f"missing_{i}"] for i, c in enumerate(columns)}
    return kept[table, *columns]


def list_columns_as_collected(outcome: Outcome) -> list[str]:
    """Return the released columns of which users are told no treatment: no step changed or suppressed their values."""
    told = {c.lower() for treatment in treatments(outcome) for c in treatment.columns}
    untouched = {c.lower() for c in list_untouched_columns(outcome)}
    spared = {c.lower() for step in outcome.steps if suppresses_values(step) for c in step.columns} - told
    return [c for c in list_output_columns(outcome) if c.lower() in untouched | spared]


def list_untouched_columns(outcome: Outcome) -> list[str]:
    """Return the released columns that no step touched; recoded ids and numbers of households are not among them."""
    touched = {c.lower() for step in outcome.steps for c in step.columns}
    unchanged = undecided.list_unchanged_columns(outcome.plan, list_output_columns(outcome))
    return [c for c in unchanged if c.lower() not in touched]


def noise_variances(outcome: Outcome) -> dict[str, float]:
    """Return the variance of the noise that was added to each column, where it may be told."""
    found: dict[str, float] = {}
    for step, part in zip(outcome.steps, list_partial_steps(outcome), strict=True):
        if part or not is_wholly_released(outcome, step):
            continue
        # together with another step on it, the variance of the noise may tell of values that the other one hid
        alone = {c for c in step.columns if sum(c in other.columns for other in outcome.steps) == 1}
        known = public_steps.variances(step)
        found |= {c: v for c, v in known.items() if c in alone or step.method == "noise_absolute"}
    return found


def is_wholly_released(outcome: Outcome, step: MaskingStep) -> bool:
    """Return whether all columns of a step are released: only then its matrix and its advice are told."""
    return {*list_released_columns(outcome, step)} == {*step.columns}


def list_partial_steps(outcome: Outcome) -> list[bool]:
    """Return of each step whether it masked a part of the records (``where``), which tells little of the whole file."""
    planned = {step.path: step for step in outcome.plan.steps}
    return [planned[path].where is not None if path in planned else False for path in outcome.step_paths]


def list_released_columns(outcome: Outcome, step: MaskingStep) -> list[str]:
    """Return the columns of a step that are in the released file."""
    there = {c.lower() for c in list_output_columns(outcome)}
    return [c for c in step.columns if c.lower() in there]


def _write_value(method: str, parameter: str, value: object) -> str:
    """Return the value of a parameter in words: a choice is one of several, and no name of a column."""
    macro = index_catalogue().get(f"sdc_{method}")
    choices = [c for p in (macro.parameters if macro else ()) if p.name == parameter for c in p.choices]
    return str(value).replace("_", " ") if value in choices else _join_values(value)


def _join_values(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
