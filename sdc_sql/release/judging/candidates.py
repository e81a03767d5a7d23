"""The risk and the loss of a release and of others that were considered: the frontier (Karr & Sanil, 4 and 5)."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdc_sql.errors import InputError, SdcError
from sdc_sql.frontier.figures import format_figure_name, measure_figure, resolve_figure
from sdc_sql.frontier.found import Frontier, FrontierCandidate
from sdc_sql.methods import Methods
from sdc_sql.release.judging import measured
from sdc_sql.release.reading.plan import THIS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sdc_sql.frontier.figures import Figure
    from sdc_sql.microdata import Microdata
    from sdc_sql.release.reading.plan import Considered, Plan, Step

ROLES = ("risk", "loss")


def compare_candidates(
    original: Microdata, released: Microdata, plan: Plan, progress: Callable[[str], None]
) -> Frontier | None:
    """Return the candidates of a release file, this release the first of them; None where the file names none.

    This release is measured as it is; the others are measured as views of the original, with the draws that they would
    have. NULL in a key counts as it does in the scenario.
    """
    asked = plan.frontier
    if asked is None:
        return None
    progress(f"frontier: {THIS}")
    with _place_errors("frontier", THIS):
        data, keys = (
            _describe_candidate(released, original, plan, asked, plan.steps),
            plan.scenario(asked.scenario).keys,
        )
        risk, loss = (
            measure_figure(Methods(data._roles), original.table, keys, one, role)  # noqa: SLF001 - as its rooms do
            for one, role in zip(_complete_figures(asked, plan, plan.steps), ROLES, strict=True)
        )
    found = [FrontierCandidate(THIS, 0, risk, loss, undominated=None, chosen=False)]
    for candidate in asked.candidates:
        progress(f"frontier: {candidate.name}")
        with _place_errors(candidate.path, candidate.name):
            data = _describe_candidate(original, original, plan, asked, candidate.steps)
            calls = [call for step in candidate.steps for call in _calls(step)]
            found += data.frontier([calls], *_complete_figures(asked, plan, candidate.steps))
    with _place_errors("frontier", "all of them"):
        compared = original.frontier(found, *ROLES, max_risk=asked.max_risk, utility=asked.utility)
    names = [THIS, *(candidate.name for candidate in asked.candidates)]
    figures = [format_figure_name(one, "it") for one in (asked.risk, asked.loss)]
    told = (replace(one, candidate=name) for one, name in zip(compared, names, strict=True))
    return Frontier(told, risk=figures[0], loss=figures[1], max_risk=asked.max_risk)


def _describe_candidate(
    data: Microdata, original: Microdata, plan: Plan, asked: Considered, steps: Sequence[Step]
) -> Microdata:
    scenario = plan.scenario(asked.scenario)
    nulls = scenario.nulls or measured.choose_nulls(original, steps, scenario.keys)
    return measured.describe_table(data.con, plan, data.table, scenario.keys, nulls)


def _complete_figures(asked: Considered, plan: Plan, steps: Sequence[Step]) -> tuple[Figure, Figure]:
    """Return risk and loss; a measure that looks for the original values of keys is told which were recoded."""
    return _fill_figure(asked.risk, asked, plan, steps), _fill_figure(asked.loss, asked, plan, steps)


def _fill_figure(one: Figure, asked: Considered, plan: Plan, steps: Sequence[Step]) -> Figure:
    name, arguments = (one, {}) if isinstance(one, str) else one
    parameters = resolve_figure(one, "it")[1].measure.arguments
    # a label stands for several original values: an intruder who has these knows under which they went
    columns = {column for step in steps if step.coarsens for column in step.columns}
    compared = arguments.get("keys") or arguments.get("columns") or plan.scenario(asked.scenario).keys
    known = {column.lower() for column in columns} if plan.roles.id is not None else set()
    recoded = [name for name in ([compared] if isinstance(compared, str) else compared) if name.lower() in known]
    filled = {"recoded": recoded} if recoded and "recoded" in parameters else {}
    return name, {**filled, **arguments}


def _calls(step: Step) -> list[tuple[str, Mapping[str, Any]]]:
    """Return a step as calls of its verb, one for each column where it takes one."""
    if step.arguments.keys() & {"columns", "keys"}:
        return [(step.verb, dict(step.arguments))]
    return [(step.verb, {"column": column, **step.arguments}) for column in step.columns]


@contextmanager
def _place_errors(path: str, name: str) -> Iterator[None]:
    try:
        yield
    except SdcError as error:
        kind = type(error) if isinstance(error, InputError) else SdcError
        raise kind(f"{path} ({name}): {error}") from None
