"""The figures of a table before and after steps: those that limits name, and a few besides, each by its own macro."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from sdc_sql.db.showing.results import Result
from sdc_sql.errors import InputError
from sdc_sql.figures.condition import list_named_figures
from sdc_sql.figures.limits import collect_figures, holds_limit
from sdc_sql.figures.measured import measure_rows
from sdc_sql.figures.words import describe_figure, describe_limit
from sdc_sql.frontier.counted import NotOfCellsError
from sdc_sql.release.judging import measured
from sdc_sql.release.reading import figures
from sdc_sql.release.reading.plan import ORIGINAL, RELEASED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sdc_sql.app.worked import Sides
    from sdc_sql.figures.asked import Asked
    from sdc_sql.microdata import Microdata
    from sdc_sql.release.reading.plan import Limit, Plan, Scenario

    Kind = Literal["exact", "sample", "full"]
    Measured = Callable[[Asked], list[dict[str, Any]]]

# what is looked at besides the limits, where it can be measured, and what is lost
USUAL = (
    "k_anonymity.3.records <= 0",
    "frequency_summary.sample_uniques <= 0",
    "global_risk.expected_reidentifications <= 1",
)
LOST = "class_sizes.share <= 1"


@dataclass(frozen=True)
class Shown(Result):
    """A figure before and after a step: which, in words, and the limit on it, if there is one.

    ``limit`` is the text, ``place`` where it stands in the release file; ``holds``: whether the figure after the step
    holds it, None of a sample, and of a figure without a limit. None as a figure: it is not known. ``measures`` are the
    names of the measures that it is of. ``held``: whether the figure before the step held it, where that was judged.
    """

    scenario: str
    words: str
    before: float | None
    after: float | None
    limit: str
    place: str
    bound: float | None
    at_most: bool
    holds: bool | None
    why: str = ""
    measures: tuple[str, ...] = ()
    held: bool | None = None


@dataclass(frozen=True)
class Preview(Result):
    """What a step would do: the figures of risk, those of loss, and how they were found.

    ``kind``: ``exact`` (of all records, from their cells), ``sample`` or ``full``; ``records``: of how many;
    ``seconds`` is what it took, ``masking`` that of the method itself, ``least`` and ``most`` what all would take.
    """

    kind: Kind
    records: int
    seconds: float
    risk: tuple[Shown, ...]
    loss: tuple[Shown, ...]
    lost: tuple[tuple[str, float], ...] = ()
    least: float = 0.0
    most: float = 0.0
    masking: float = 0.0


def pair_sides(before: Shown, after: Shown) -> Shown:
    """Return a figure of one table and of another as one with both sides."""
    return replace(before, after=after.after, holds=after.holds, why=after.why, held=before.holds)


def part_losses(found: Iterable[Shown]) -> tuple[tuple[Shown, ...], tuple[Shown, ...]]:
    """Return the figures of risk and those of loss."""
    every = tuple(found)
    return tuple(s for s in every if s.place != "loss"), tuple(s for s in every if s.place == "loss")


def measure_shown(
    plan: Plan, scenario: Scenario, measure: Measured, asked: Mapping[str, Asked], *, judged: bool = True
) -> tuple[Shown, ...]:
    """Return the figures of a scenario that its limits name, and the usual ones, of one table: both sides are it."""
    found: dict[str, list[dict[str, Any]] | str] = {}
    shown = []
    for limit, place in _list_limits(scenario):
        named = list_named_figures(limit)
        for name in named:
            if name.label not in found:
                found[name.label] = _measure(asked[name.label], measure)
        lacking = next((why for name in named if isinstance(why := found[name.label], str)), None)
        report = {label: rows for label, rows in found.items() if not isinstance(rows, str)}
        own = place not in {"", "loss"}
        if lacking is not None:
            if own:
                shown.append(_show(plan, scenario, (limit, place), None, holds=None, why=lacking))
            continue
        values = collect_figures(limit, report, asked)
        holds = holds_limit(limit, report, asked) if judged and own else None
        value = next(iter(values.values())) if len(values) == 1 else None
        shown.append(_show(plan, scenario, (limit, place), value, holds=holds))
    return tuple(shown)


def _list_limits(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield each limit of a scenario with its place; the usual ones without, where no limit is on the same figure."""
    own: Sequence[Limit] = scenario.limits
    taken = {str(n) for limit in own for n in list_named_figures(limit.text)}
    yield from ((limit.text, limit.path) for limit in own)
    for usual in USUAL:
        if not taken & {str(n) for n in list_named_figures(usual)}:
            yield usual, ""
    yield LOST, "loss"


def _measure(asked: Asked, measure: Measured) -> list[dict[str, Any]] | str:
    """Return the rows of a figure, or why there are none."""
    try:
        return measure(asked)
    except NotOfCellsError:
        return "of the records, not of their cells: compute in full"
    except InputError as error:
        return str(error)


def name_measures(plan: Plan, limit: str) -> tuple[str, ...]:
    """Return the names of the measures whose figures a limit names."""
    return tuple(plan.asked[n.label].measure.name for n in list_named_figures(limit) if n.label in plan.asked)


def _show(plan: Plan, scenario: Scenario, limit: tuple[str, str], value: float | None, **judged: Any) -> Shown:  # noqa: ANN401 - holds, why
    text, place = limit
    spoken = describe_limit(text, plan.asked)
    named = list_named_figures(text)
    words = spoken.words if spoken is not None else " and ".join(describe_figure(n, plan.asked) for n in named)
    own = place not in {"", "loss"}
    return Shown(
        scenario.name, words, value, value, text if own else "", place, spoken.bound if spoken and own else None,
        spoken.at_most if spoken else True, judged["holds"], judged.get("why", ""), name_measures(plan, text),
    )  # fmt: skip


def measure_tables(
    sides: Sides, tell: Callable[[str], None] = lambda _: None
) -> tuple[tuple[Shown, ...], tuple[Shown, ...]]:
    """Return the figures of risk, before and after the steps of the plan, and those of the limits on loss."""
    risk: list[Shown] = []
    for scenario in sides.plan.scenarios:
        pair = []
        for table in (ORIGINAL, RELEASED):
            tell(f"{'before' if table == ORIGINAL else 'after'}, {scenario.name}")
            data = sides.describe(table, scenario)
            pair.append(measure_side(sides.plan, scenario, data, ORIGINAL if table == RELEASED else None))
        risk += [pair_sides(b, a) for b, a in zip(*pair, strict=True)]
    tell("loss")
    return tuple(risk), measure_losses(sides.plan, sides.describe(ORIGINAL), sides.describe(RELEASED), tell)


def measure_side(
    plan: Plan, scenario: Scenario, data: Microdata, original: str | None, *, judged: bool = True
) -> tuple[Shown, ...]:
    """Return the figures of a scenario of one table."""
    beside = figures.describe_beside(plan.roles, scenario, plan.loss.continuous, original)
    asked = figures.complete_figures(plan.asked, scenario)
    return measure_shown(plan, scenario, lambda one: measure_rows(one, data._roles, beside), asked, judged=judged)  # noqa: SLF001 - as its methods take them


def measure_losses(
    plan: Plan, original: Microdata, released: Microdata, tell: Callable[[str], None], *, judged: bool = True
) -> tuple[Shown, ...]:
    """Return the figures that the limits on loss name."""
    found = measured.measure_loss_limits(original, released, plan, tell)
    report = {name: [dict(row) for row in rows] for name, rows in found.items()}
    shown = []
    for limit in plan.loss.limits:
        if not {name.label for name in list_named_figures(limit.text)} <= {*report}:
            continue  # of an estimate
        values = collect_figures(limit.text, report, plan.asked)
        spoken = describe_limit(limit.text, plan.asked)
        words = spoken.words if spoken else ", ".join(values)
        holds = holds_limit(limit.text, report, plan.asked) if judged else None
        value = next(iter(values.values())) if len(values) == 1 else None
        shown.append(
            Shown(
                "", words, 0.0, value, limit.text, limit.path, spoken.bound if spoken else None,
                spoken.at_most if spoken else True, holds, "", name_measures(plan, limit.text),
                # nothing is lost of the original yet
                True if judged and spoken is not None and spoken.at_most and spoken.bound >= 0 else None,
            )
        )  # fmt: skip
    return tuple(shown)
