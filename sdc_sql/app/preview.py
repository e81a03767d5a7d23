"""What a step would do to risk and loss, before it is applied: exactly from cells, on a sample, or in full.

* A recoding is measured exactly, from the cells of the keys (:mod:`sdc_sql.frontier.counted`): they are counted once
  for each list of steps that is applied, on a connection of their own.
* What draws, groups or suppresses is run on a sample of the records that the key draws, marked as such, with the time
  that all of them would take; it says nothing about whether a limit holds. In full it is run on all of them.

The figures are those that the limits name, and a few besides; each is measured by its own macro.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from sqlglot import exp

from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.db.files import storage
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import InputError
from sdc_sql.figures.condition import list_named_figures
from sdc_sql.figures.limits import collect_figures, holds_limit
from sdc_sql.figures.measured import measure_rows
from sdc_sql.figures.words import describe_figure, describe_limit
from sdc_sql.frontier.counted import CountedCells, NotOfCellsError
from sdc_sql.frontier.figures import call_method
from sdc_sql.frontier.projection import project_table
from sdc_sql.microdata import Microdata
from sdc_sql.release.judging import measured
from sdc_sql.release.reading import figures
from sdc_sql.release.reading.plan import ORIGINAL, RELEASED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import duckdb

    from sdc_sql.app.state import State
    from sdc_sql.app.worked import Sides, Worked
    from sdc_sql.figures.asked import Asked
    from sdc_sql.frontier.counted import RecodedCells
    from sdc_sql.release.reading.plan import Limit, Plan, Scenario, Step

    Kind = Literal["exact", "sample", "full"]
    Measured = Callable[[Asked], list[dict[str, Any]]]

SIZE = 10_000  # records of the sample
PART = 2_500  # and of a part of it, which tells how the time grows
# what is looked at besides the limits, where it can be measured, and what is lost
USUAL = (
    "k_anonymity.3.records <= 0",
    "frequency_summary.sample_uniques <= 0",
    "global_risk.expected_reidentifications <= 1",
)
LOST = "class_sizes.share <= 1"
_SAMPLE, _PART = "sdc_preview_sample", "sdc_preview_part"


@dataclass(frozen=True)
class Shown(Result):
    """A figure before and after a step: which, in words, and the limit on it, if there is one.

    ``limit`` is the text, ``place`` where it stands in the release file; ``holds``: whether the figure after the step
    holds it, None of a sample, and of a figure without a limit. None as a figure: it is not known. ``measures`` are the
    names of the measures that it is of.
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


def preview_exactly(
    worked: Worked,
    cursor: duckdb.DuckDBPyConnection,
    cells: Cells,
    asked: tuple[Plan, Step],
    tell: Callable[[str], None] = lambda _: None,
) -> Preview | None:
    """Return what a step would do after those of the plan, from the cells; None where the records must be read.

    Parameters
    ----------
    worked, cursor
        The tables of lists of steps, and a connection to work on.
    cells
        The cells that were counted.
    asked
        What is applied, and the step that is looked at, which is none of its steps.
    tell
        Called with each stage.
    """
    plan, step = asked
    with worked.open(cursor, plan, tell) as sides:
        tell("counting cells")
        started = time.perf_counter()
        found = cells.preview(sides, step)
        return None if found is None else replace(found, seconds=time.perf_counter() - started)


def preview_by_records(
    worked: Worked,
    cursor: duckdb.DuckDBPyConnection,
    asked: tuple[Plan, Step],
    tell: Callable[[str], None] = lambda _: None,
    *,
    full: bool = False,
) -> Preview:
    """Return what a step would do on a sample of the records or, in full, on all of them."""
    plan, step = asked
    with worked.open(cursor, plan, tell) as sides:
        if not full and _count_records(sides) > SIZE:
            return _preview_on_sample(sides, step, tell)
        begun = time.perf_counter()
        found = _preview_on(sides, ORIGINAL, RELEASED, step, tell, judged=True)
        return replace(found, seconds=time.perf_counter() - begun)


class Cells:
    """The cells of the keys of each scenario, for the list of steps that was looked at last."""

    def __init__(self, state: State) -> None:
        self._state, self._lock = state, RLock()
        self._con: duckdb.DuckDBPyConnection | None = None
        self._of: tuple[str, str] = ("", "")
        self._counted: dict[str, CountedCells] = {}
        self._before: dict[str, tuple[Shown, ...]] = {}

    def preview(self, sides: Sides, step: Step) -> Preview | None:
        """Return what a recoding would do, exactly; None where it is none, or hangs on more than the value."""
        if step.where is not None or step.by_household is not None or step.draws or step.suppresses:
            return None
        with self._lock:
            self._turn_to(sides)
            arguments = dict(step.arguments)
            if not {"columns", "keys"} & {*arguments}:
                arguments["columns" if len(step.columns) > 1 else "column"] = (
                    [*step.columns] if len(step.columns) > 1 else step.columns[0] if step.columns else ""
                )
            try:
                return self._preview(sides, step, arguments)
            except NotOfCellsError:
                return None

    def _turn_to(self, sides: Sides) -> None:
        """Count the cells of another list of steps, or of other scenarios."""
        of = (sides.database, repr(sides.plan.scenarios))
        if self._con is not None and of == self._of:
            return
        if self._con is not None:
            self._con.close()
        self._con = self._state.cursor()
        self._con.execute(f"USE {storage.quote_database(sides.database)}")
        self._of, self._counted, self._before = of, {}, {}

    def _preview(self, sides: Sides, step: Step, arguments: Mapping[str, Any]) -> Preview:
        assert self._con is not None  # noqa: S101 - for the type checker
        own = replace(sides, con=self._con)
        found: list[Shown] = []
        first: RecodedCells | None = None
        with ExitStack() as stack:
            for number, scenario in enumerate(sides.plan.scenarios):
                counted = self._count(own, scenario, str(number))
                if first is None:
                    candidate = first = stack.enter_context(counted.recode(step.verb, arguments))
                elif {*first.recoded} & {*scenario.keys}:
                    candidate = stack.enter_context(counted.recode(step.verb, arguments, first))
                before, after = self._before[scenario.name], self._before[scenario.name]
                if {*first.recoded} & {*scenario.keys}:
                    after = _measure_cells(sides.plan, scenario, candidate)
                found += [_pair(b, a) for b, a in zip(before, after, strict=True)]
            lost = {} if first is None else {str(one.variable): one.share for one in first.measure_losses()}
        risk, loss = _part(found)
        return Preview("exact", _count_records(sides), 0.0, risk, loss, tuple(lost.items()))

    def _count(self, sides: Sides, scenario: Scenario, name: str) -> CountedCells:
        """Return the cells of a scenario, whose own figures are measured once."""
        if scenario.name not in self._counted:
            data = sides.describe(RELEASED, scenario)
            counted = CountedCells(data._roles, name)  # noqa: SLF001 - as its methods take them
            self._before[scenario.name] = _measure_cells(sides.plan, scenario, counted)
            self._counted[scenario.name] = counted
        return self._counted[scenario.name]


def _measure_cells(plan: Plan, scenario: Scenario, counted: CountedCells) -> tuple[Shown, ...]:
    beside = figures.describe_beside(plan.roles, scenario, plan.loss.continuous, None)
    asked = figures.complete_figures(plan.asked, scenario)
    return measure_shown(plan, scenario, lambda one: counted.measure(one, beside), asked)


def _pair(before: Shown, after: Shown) -> Shown:
    return replace(before, after=after.after, holds=after.holds, why=after.why)


def _part(found: Iterable[Shown]) -> tuple[tuple[Shown, ...], tuple[Shown, ...]]:
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
            pair.append(_measure_scenario(sides.plan, scenario, data, ORIGINAL if table == RELEASED else None))
        risk += [_pair(b, a) for b, a in zip(*pair, strict=True)]
    tell("loss")
    return tuple(risk), measure_losses(sides.plan, sides.describe(ORIGINAL), sides.describe(RELEASED), tell)


def _measure_scenario(
    plan: Plan, scenario: Scenario, data: Microdata, original: str | None, *, judged: bool = True
) -> tuple[Shown, ...]:
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
            )
        )  # fmt: skip
    return tuple(shown)


def _preview_on_sample(sides: Sides, step: Step, tell: Callable[[str], None]) -> Preview:
    """Run a step on a sample of the records, and on a part of them: how the time grows tells what all would take."""
    tell(f"drawing {PART:,} records")
    with _draw_sample(sides, _PART, PART) as (_, released, plan):
        part = _time_step(replace(sides, plan=plan), released, step)
    tell(f"drawing {SIZE:,} records")
    with _draw_sample(sides, _SAMPLE, SIZE) as (original, released, plan):
        begun = time.perf_counter()
        sampled = replace(sides, plan=plan)
        found = _preview_on(sampled, original, released, step, tell, judged=False)
        seconds = time.perf_counter() - begun
    records = _count_records(sides)
    grows = max(found.masking - part, 0.0)
    least = seconds + grows * (records - SIZE) / (SIZE - PART)
    most = seconds + grows * (records**2 - SIZE**2) / (SIZE**2 - PART**2) if _is_of_table(step) else least
    return replace(found, kind="sample", records=SIZE, seconds=seconds, least=least, most=most)


def _time_step(sides: Sides, table: str, step: Step) -> float:
    """Return how long the masking alone takes."""
    with _mask(sides, table, step) as (_, seconds):
        return seconds


@contextmanager
def _mask(sides: Sides, table: str, step: Step) -> Iterator[tuple[str, float]]:
    """Yield the name of a view of a table as a step masks it, and the seconds that it took."""
    data = measured.describe_table(sides.con, sides.plan, table, _find_keys(sides.plan, step))
    part = data if step.by_household is None else data.by_household(step.by_household)
    part = part if step.where is None else part.where(step.where)
    begun = time.perf_counter()
    with project_table(part._roles) as candidate:  # noqa: SLF001 - as its methods take them
        for arguments in _list_calls(step):
            call_method(candidate, step.verb, arguments)
        yield candidate._roles.table, time.perf_counter() - begun  # noqa: SLF001 - the view that it made


@contextmanager
def _draw_sample(sides: Sides, name: str, size: int) -> Iterator[tuple[str, str, Plan]]:
    """Yield a sample of both tables, the same records of each, drawn with the key, and the plan with its roles."""
    plan = sides.plan
    share = size / _count_records(sides)
    released, original = f"{name}_released", f"{name}_original"
    made = (name, released, original)
    numbers: dict[str, Any] = {
        r: None for r in ("weight", "sampling_fraction") if not isinstance(getattr(plan.released_roles, r), str)
    }
    unweighed = replace(plan, roles_after=replace(plan.released_roles, **numbers))
    whole = measured.describe_table(sides.con, unweighed, RELEASED)
    weights: dict[str, Any] = {
        role: value for role in ("weight", "sampling_fraction") if isinstance(value := getattr(plan.roles, role), str)
    }
    try:
        whole.mask.sample(size=size, into=released, release="preview", **weights)
        person = exp.column(str(plan.roles.id), quoted=True)
        drawn = exp.select(person).from_(exp.to_table(released))
        rows = exp.select("*").from_(exp.to_table(ORIGINAL)).where(person.copy().isin(query=drawn))
        execute(whole.con, create_from_rows(original, "TABLE", rows))
        fixed: dict[str, Any] = {}
        for role, factor in (("weight", 1 / share), ("sampling_fraction", share)):
            value = getattr(plan.released_roles, role)
            if isinstance(value, int | float):
                fixed[role] = value * factor
        yield original, released, replace(plan, roles_after=replace(plan.released_roles, **fixed))
    finally:
        for table in made:
            sides.con.execute(f"DROP TABLE IF EXISTS {table}")


def _preview_on(
    sides: Sides, original: str, released: str, step: Step, tell: Callable[[str], None], *, judged: bool
) -> Preview:
    """Run a step on views of a table, and measure them as they would be released."""
    plan, con = sides.plan, sides.con
    risk: list[Shown] = []
    tell(step.verb.replace("_", " "))
    with _mask(sides, released, step) as (masked, seconds):
        for scenario in plan.scenarios:
            tell(f"risk, {scenario.name}")
            steps = (*plan.steps, step)
            nulls = scenario.nulls or measured.choose_nulls(sides.describe(ORIGINAL), steps, scenario.keys)
            before = scenario.nulls or measured.choose_nulls(sides.describe(ORIGINAL), plan.steps, scenario.keys)
            pair = [
                _measure_scenario(plan, scenario, _describe_as(sides, table, scenario, how), original, judged=judged)
                for table, how in ((released, before), (masked, nulls))
            ]
            risk += [_pair(b, a) for b, a in zip(*pair, strict=True)]
        tell("loss")
        loss = list(
            measure_losses(plan, _describe_as(sides, original), _describe_as(sides, masked), tell, judged=judged)
        )
        if plan.loss.limits:
            now = measure_losses(
                plan, _describe_as(sides, original), _describe_as(sides, released), tell, judged=judged
            )
            loss = [replace(a, before=b.after) for a, b in zip(loss, now, strict=True)]
    risks, classes = _part(risk)
    records = int(con.table(released).count("*").fetchall()[0][0])
    return Preview("full", records, 0.0, risks, (*loss, *classes), masking=seconds)


def _describe_as(sides: Sides, table: str, scenario: Scenario | None = None, nulls: str = "category") -> Microdata:
    """Return a table, or a view of it, with the roles that the released table has."""
    plan = sides.plan
    roles = plan.released_roles
    return Microdata(
        sides.con, table, keys=scenario.keys if scenario else None, weight=roles.weight, household=roles.household,
        household_columns=roles.household_columns, id=roles.id,
        stratum=roles.strata[0] if roles.strata else None, sampling_fraction=roles.sampling_fraction, nulls=nulls,
        small_weights=roles.small_weights,
    )  # fmt: skip


def _find_keys(plan: Plan, step: Step) -> tuple[str, ...]:
    if "keys" in step.arguments:
        return tuple(step.columns)
    return next((tuple(s.keys) for s in plan.scenarios if s.name == step.scenario), ())


def _list_calls(step: Step) -> list[dict[str, Any]]:
    several = "columns" in step.arguments or "keys" in step.arguments or not step.columns
    return [
        {**({} if several else {"column": column}), **step.arguments}
        for column in ((None,) if several else step.columns)
    ]


def _count_records(sides: Sides) -> int:
    return int(sides.con.table(RELEASED).count("*").fetchall()[0][0])


def _is_of_table(step: Step) -> bool:
    """Whether a method must know all records to treat one, so that its time may grow with their square."""
    return any(m.is_step and m.verb == step.verb and str(m.scope).endswith("table") for m in read_catalogue())


_CELLS: WeakKeyDictionary[State, Cells] = WeakKeyDictionary()


def find_cells(state: State) -> Cells:
    """Return the cells that were counted for a state: every page of the process has the same."""
    return _CELLS.setdefault(state, Cells(state))
