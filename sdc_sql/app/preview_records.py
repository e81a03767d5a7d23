"""What a step would do to risk and loss, by running it: on a sample of the records, or on all of them.

The sample is drawn by the key, and marked as such, with the time that all records would take; it says nothing about
whether a limit holds.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.app.preview_figures import Preview, measure_losses, measure_side, pair_sides, part_losses
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.errors import ParameterError
from sdc_sql.frontier.figures import call_method
from sdc_sql.frontier.projection import project_table, show_whole
from sdc_sql.microdata import Microdata
from sdc_sql.release.judging import measured
from sdc_sql.release.reading.plan import ORIGINAL, RELEASED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import duckdb

    from sdc_sql.app.preview_figures import Shown
    from sdc_sql.app.worked import Sides, Worked
    from sdc_sql.release.reading.plan import Plan, Scenario, Step

SIZE = 10_000  # records of the sample
PART = 2_500  # and of a part of it, which tells how the time grows
_SAMPLE, _PART = "sdc_preview_sample", "sdc_preview_part"


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
        if not full and sides.records > SIZE:
            return _preview_on_sample(sides, step, tell)
        begun = time.perf_counter()
        found = _preview_on(sides, ORIGINAL, RELEASED, step, tell, judged=True)
        return replace(found, seconds=time.perf_counter() - begun)


def _preview_on_sample(sides: Sides, step: Step, tell: Callable[[str], None]) -> Preview:
    """Run a step on a sample of the records, and on a part of them: how the time grows tells what all would take."""
    tell(f"drawing {PART:,} records")
    part = 0.0
    with (
        suppress(ParameterError),
        _draw_sample(sides, _PART, PART) as (_, released, plan),
    ):  # (the sample says the rest)
        part = _time_step(replace(sides, plan=plan), released, step)
    tell(f"drawing {SIZE:,} records")
    with _draw_sample(sides, _SAMPLE, SIZE) as (original, released, plan):
        begun = time.perf_counter()
        sampled = replace(sides, plan=plan)
        found = _preview_on(sampled, original, released, step, tell, judged=False)
        seconds = time.perf_counter() - begun
    records = sides.records
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
    part = part if step.where is None else _choose_part(part, step.where, sampled=table != RELEASED)
    begun = time.perf_counter()
    with project_table(part._roles) as candidate:  # noqa: SLF001 - as its methods take them
        for arguments in _list_calls(step):
            call_method(candidate, step.verb, arguments)
        seconds = time.perf_counter() - begun
        yield show_whole(candidate, part._roles.part), seconds  # noqa: SLF001 - as its methods take them


def _choose_part(data: Microdata, where: str, *, sampled: bool) -> Microdata:
    """Return the records of which a condition holds; a sample may have none of them."""
    try:
        return data.where(where)
    except ParameterError:
        if sampled:
            raise ParameterError("No record of the sample fulfils the condition: compute in full.") from None
        raise


@contextmanager
def _draw_sample(sides: Sides, name: str, size: int) -> Iterator[tuple[str, str, Plan]]:
    """Yield a sample of both tables, the same records of each, drawn with the key, and the plan with its roles."""
    plan = sides.plan
    share = size / sides.records
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
                measure_side(plan, scenario, _describe_as(sides, table, scenario, how), original, judged=judged)
                for table, how in ((released, before), (masked, nulls))
            ]
            risk += [pair_sides(b, a) for b, a in zip(*pair, strict=True)]
        tell("loss")
        loss = list(
            measure_losses(plan, _describe_as(sides, original), _describe_as(sides, masked), tell, judged=judged)
        )
        if plan.loss.limits:
            now = measure_losses(
                plan, _describe_as(sides, original), _describe_as(sides, released), tell, judged=judged
            )
            loss = [replace(a, before=b.after) for a, b in zip(loss, now, strict=True)]
    risks, classes = part_losses(risk)
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


def _is_of_table(step: Step) -> bool:
    """Whether a method must know all records to treat one, so that its time may grow with their square."""
    searched = ("table", "cells")  # of the cells PRAM needs the numbers alone
    return any(
        m.is_step and m.verb == step.verb and m.effect.matrix.kind == "none" and str(m.scope).endswith(searched)
        for m in read_catalogue()
    )
