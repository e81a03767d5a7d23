"""What the users of a file compute and correct for, as the code that is shown to them needs it.

A correction is shown where nobody masked the column after that step, all of it was masked, and all that the correction
needs is told. A matrix that is singular, or nearly, tells nothing of the original frequencies.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sdc_sql.db.catalogue.macros import find_effect
from sdc_sql.document.blocks import make_label
from sdc_sql.release.judging.measured import list_number_columns
from sdc_sql.release.reporting import lost, matrices, public_steps
from sdc_sql.release.reporting.public_facts import (
    is_wholly_released,
    list_partial_steps,
    list_untouched_columns,
    noise_variances,
)
from sdc_sql.release.reporting.stages import list_output_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.db.masking.steps import LoggedStep, MaskingStep
    from sdc_sql.release.running.outcome import Outcome

LARGEST = 12  # a matrix of more categories is not written as code
CONDITION = 50.0  # beyond it the three digits of a matrix leave too little of an estimate

Category = str | int | float | bool | None


@dataclass(frozen=True)
class Misclassified:
    """A column of which the matrix is told: a row for each original category, a column for each released one."""

    column: str
    categories: tuple[Category, ...]
    matrix: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Noisy:
    """A number with noise: its variance, or how many times the original one the released variance is."""

    column: str
    variance: float | None = None
    ratio: float | None = None


@dataclass(frozen=True)
class Corrections:
    """The file, and what is to be estimated from it."""

    name: str  # of the file, without its folder
    ending: str
    texts: tuple[str, ...]  # columns whose codes a reader of CSV would take for numbers
    weight: str | None
    household: str | None
    stratum: str | None
    number: str | None
    misclassified: tuple[Misclassified, ...]
    noisy: tuple[Noisy, ...]
    squares: tuple[Noisy, ...]  # of these the ratio is that of the mean squares


def find_corrections(outcome: Outcome, name: Callable[[MaskingStep], Callable[[object], str]]) -> Corrections:
    """Return what the code for users is made of; ``name`` gives the names of the categories of a step."""
    path = outcome.plan.output.path
    types = _list_types(outcome)
    released, roles = list_output_columns(outcome), outcome.plan.roles
    texts = tuple(c for c in released if types[c] == "VARCHAR" or types[c].startswith("ENUM"))
    collected = {c.lower() for c in list_untouched_columns(outcome)}
    design = {str(c).lower() for c in (roles.id, roles.household, roles.weight, *roles.strata)}
    return Corrections(
        path.name, path.suffix.lower(), texts,
        weight=_find_column(released, roles.weight),
        household=_find_column(released, roles.household),
        stratum=_find_column(released, roles.strata[0] if len(roles.strata) == 1 else None, collected),
        number=_choose_number(outcome, {c for c in released if c.lower() not in design}),
        misclassified=tuple(_find_misclassified(outcome, types, name)),
        noisy=(*_find_variances(outcome), *_find_ratios(outcome, "alpha")),
        squares=tuple(_find_ratios(outcome, "size")),
    )  # fmt: skip


def _list_types(outcome: Outcome) -> dict[str, str]:
    relation = outcome.released.con.table(outcome.released.table)
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def _find_column(released: tuple[str, ...], given: object, among: set[str] | None = None) -> str | None:
    """Return a role's column as the file spells it; None where it is none, is not released, or is not among some."""
    found = next((c for c in released if isinstance(given, str) and c.lower() == given.lower()), None)
    return found if found is not None and (among is None or found.lower() in among) else None


def _choose_number(outcome: Outcome, columns: set[str]) -> str | None:
    """Return a number to show totals with: one that the release file names as such, else one with fractions.

    Codes are numbers too, so that none of whole numbers is taken that nobody named.
    """
    named = [*outcome.plan.loss.continuous, *(c for one in outcome.plan.estimates for c in one.numbers)]
    types = _list_types(outcome)
    numbers = list_number_columns(outcome.released)
    there = {c.lower(): c for c in columns if c in numbers}
    first = [there[name.lower()] for name in named if name.lower() in there]
    fractions = [c for c in types if c in there.values() and types[c].startswith(("DOUBLE", "FLOAT", "DECIMAL"))]
    return next((c for c in (*first, *fractions) if _has_values(outcome, c)), None)


def _has_values(outcome: Outcome, column: str) -> bool:
    relation = outcome.released.con.table(outcome.released.table)
    at = relation.columns.index(column)
    return bool(relation.project(f"#{at + 1} AS v").filter("v IS NOT NULL").limit(1).fetchall())


def list_correctable_steps(outcome: Outcome) -> list[bool]:
    """Return of each step whether users may correct for it: it masked all records, and no later one its columns.

    Nor may an earlier one have drawn values of them: what one step adds is not what both do.
    """
    found = []
    for i, (step, part) in enumerate(zip(outcome.steps, list_partial_steps(outcome), strict=True)):
        own = {c.lower() for c in step.columns}
        later = {c for other in outcome.steps[i + 1 :] for c in _list_changed(outcome, other)}
        drawn = {c for other in outcome.steps[:i] if other.stream is not None for c in _list_changed(outcome, other)}
        found.append(not part and not own & (later | drawn) and is_wholly_released(outcome, step))
    return found


def _list_changed(outcome: Outcome, step: MaskingStep) -> set[str]:
    """Return the columns that a step changed, in small letters: of a suppression those that lost a value."""
    if step.method == "renumber":
        return set()
    named = {c.lower() for c in step.columns}
    if find_effect(step.method).suppresses.kind == "nothing":
        return named
    gone = {row["variable"].lower() for row in lost.count_by_variable(outcome) if row["suppressed"]}
    return named & gone if outcome.plan.roles.id is not None else named


def is_bounded(step: MaskingStep) -> bool:
    """Return whether values were held within bounds: what was added then depends on the value, and no factor holds."""
    return any(step.parameters.get(name) is not None for name in ("lower", "upper"))


def is_solvable(matrix: object) -> bool:
    """Return whether original frequencies follow from released ones.

    Examples
    --------
    >>> is_solvable([[0.9, 0.1], [0.2, 0.8]]), is_solvable([[0.5, 0.5], [0.5, 0.5]])
    (True, False)
    """
    found = np.asarray(matrix, dtype=float)
    return found.ndim == 2 and found.shape[0] == found.shape[1] and bool(np.linalg.cond(found) <= CONDITION)  # noqa: PLR2004


def read_square_matrix(logged: LoggedStep | None) -> tuple[list[Any], np.ndarray] | None:
    """Return the categories of a logged matrix and its probabilities as users are told them; None where it is none."""
    rows: list[dict[str, Any]] = json.loads(logged.matrix or "[]") if logged is not None else []
    if not rows or any("stratum" in row or isinstance(row["from"], dict) for row in rows):
        return None
    # NULL is no text 'NULL', and true is no 1
    found = list({(type(c), c): c for row in rows for c in (row["from"], row["to"])}.values())
    place = {(type(c), c): i for i, c in enumerate(found)}
    if len(found) > LARGEST:
        return None
    matrix = np.zeros((len(found), len(found)))
    for row in rows:
        start, end = (place[type(c), c] for c in (row["from"], row["to"]))
        matrix[start, end] = round(float(row["probability"]), public_steps.DIGITS)
    return found, matrix


def _find_misclassified(
    outcome: Outcome, types: dict[str, str], name: Callable[[MaskingStep], Callable[[object], str]]
) -> list[Misclassified]:
    found: list[Misclassified] = []
    logged = matrices.find_logged_steps(outcome)
    for step, log, good in zip(outcome.steps, logged, list_correctable_steps(outcome), strict=True):
        # the errors that are added are those of records that were drawn one by one
        if not good or len(step.columns) != 1 or step.parameters.get("stratum") or public_steps.is_by_household(step):
            continue
        (column,) = step.columns
        known = _read_matrix(outcome, step, log, name)
        plain = types.get(column, "") in {"VARCHAR", "BOOLEAN"} or types.get(column, "").endswith(("INT", "INTEGER"))
        if plain and known is not None and is_solvable(known[1]):
            categories, matrix = known
            found.append(Misclassified(column, tuple(categories), tuple(tuple(map(float, row)) for row in matrix)))
    return found


def _read_matrix(
    outcome: Outcome,
    step: MaskingStep,
    logged: LoggedStep | None,
    name: Callable[[MaskingStep], Callable[[object], str]],
) -> tuple[list[Any], np.ndarray] | None:
    """Return the categories of a step on one column, those that the file has no more without their names."""
    kind = find_effect(step.method).matrix.kind
    if kind == "logged":
        known = read_square_matrix(logged)
        named = name(step)
        return known and ([c if named(c) == make_label(c) else named(c) for c in known[0]], known[1])
    codes = _list_categories(outcome, step.columns[0]) if kind == "by retention" else []
    if len(codes) < 2:  # noqa: PLR2004 - one category has no other
        return None
    stays = float(step.parameters["retention"])
    matrix = np.full((len(codes), len(codes)), (1 - stays) / (len(codes) - 1))
    np.fill_diagonal(matrix, stays)
    return codes, matrix


def _list_categories(outcome: Outcome, column: str) -> list[Any]:
    """Return the categories of a column, which the file itself shows; none where they are many."""
    relation = outcome.released.con.table(outcome.released.table)
    at = relation.columns.index(column)
    values = {row[0] for row in relation.project(f"#{at + 1}").distinct().limit(LARGEST + 2).fetchall()} - {None}
    return sorted(values, key=str) if len(values) <= LARGEST else []


def _find_variances(outcome: Outcome) -> list[Noisy]:
    good = [s for s, good in zip(outcome.steps, list_correctable_steps(outcome), strict=True) if good]
    last = {c for step in good if "noise" in step.method and not is_bounded(step) for c in step.columns}
    return [Noisy(c, public_steps.round_told(v)) for c, v in noise_variances(outcome).items() if c in last]


def _find_ratios(outcome: Outcome, parameter: str) -> list[Noisy]:
    """Return the columns of which one parameter is told: alpha of noise, the size of factors."""
    method = {"alpha": "noise", "size": "multiplicative_noise"}[parameter]
    told: dict[str, Noisy] = {}
    known = noise_variances(outcome)
    for step, good in zip(outcome.steps, list_correctable_steps(outcome), strict=True):
        value = public_steps.list_told_parameters(step).get(parameter)
        alone = [c for c in step.columns if sum(c in other.columns for other in outcome.steps) == 1]
        if is_bounded(step) or step.parameters.get("stratum"):
            continue
        if good and step.method == method and isinstance(value, int | float):
            ratio = 1 + float(value) ** (2 if parameter == "size" else 1)
            told |= {c: Noisy(c, ratio=ratio) for c in alone if c not in known}
    return [*told.values()]
