"""What a recoding would do to risk and loss, exactly, from the cells of the keys (:mod:`sdc_sql.frontier.counted`).

They are counted once for each list of steps that is applied, on a connection of their own.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sdc_sql.app.preview_figures import Preview, measure_shown, pair_sides, part_losses
from sdc_sql.app.worked import describe_measured
from sdc_sql.db.files import storage
from sdc_sql.frontier.counted import CountedCells, NotOfCellsError
from sdc_sql.release.reading import figures
from sdc_sql.release.reading.plan import RELEASED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import duckdb

    from sdc_sql.app.preview_figures import Shown
    from sdc_sql.app.state import State
    from sdc_sql.app.worked import Sides, Worked
    from sdc_sql.frontier.counted import RecodedCells
    from sdc_sql.release.reading.plan import Plan, Scenario, Step


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


class Cells:
    """The cells of the keys of each scenario, for the list of steps that was looked at last."""

    def __init__(self, state: State) -> None:
        self._state, self._lock = state, RLock()
        self._con: duckdb.DuckDBPyConnection | None = None
        self._of: tuple[str, ...] = ()
        self._counted: dict[str, CountedCells] = {}
        self._before: dict[str, tuple[Shown, ...]] = {}

    def preview(self, sides: Sides, step: Step) -> Preview | None:
        """Return what a recoding would do, exactly; None where it is none, or hangs on more than the value."""
        if step.by_household is not None or step.draws or step.suppresses:
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
        of = (sides.database, *describe_measured(sides.plan))
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
                    candidate = first = stack.enter_context(counted.recode(step.verb, arguments, where=step.where))
                elif {*first.recoded} & {*scenario.keys}:
                    candidate = stack.enter_context(counted.recode(step.verb, arguments, first, step.where))
                before, after = self._before[scenario.name], self._before[scenario.name]
                if {*first.recoded} & {*scenario.keys}:
                    after = _measure_cells(sides.plan, scenario, candidate)
                found += [pair_sides(b, a) for b, a in zip(before, after, strict=True)]
            lost = {} if first is None else {str(one.variable): one.share for one in first.measure_losses()}
        risk, loss = part_losses(found)
        return Preview("exact", sides.records, 0.0, risk, loss, tuple(lost.items()))

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


_CELLS: WeakKeyDictionary[State, Cells] = WeakKeyDictionary()


def find_cells(state: State) -> Cells:
    """Return the cells that were counted for a state: every page of the process has the same."""
    return _CELLS.setdefault(state, Cells(state))
