"""The table before and after the steps of the release file, made once for each list of steps.

Each stands in a database of its own in memory beside that of the state: the tables of a run of ``sdc-sql release``,
made by its own functions, so that what is measured of them is what would be released. Without a secret key draws are
made with one of this process alone: they show what a step does, and are those of no release.
"""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import duckdb

from sdc_sql.app.draft import WINDOW, format_release
from sdc_sql.db.files import storage, work
from sdc_sql.release.judging import measured
from sdc_sql.release.reading.plan import ORIGINAL, RELEASED
from sdc_sql.release.reading.read import read_draft
from sdc_sql.release.running.run import begin_released, read_original, run_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sdc_sql.app.state import State
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.microdata import Microdata
    from sdc_sql.release.reading.plan import Plan, Scenario

KEPT = 3  # so many lists of steps have their tables at a time


@dataclass
class Sides:
    """The tables of a list of steps: a database with the original and the changed records, and what each step did.

    ``plan`` has the roles as they are after the steps.
    """

    database: str
    plan: Plan
    steps: tuple[MaskingStep, ...]
    con: duckdb.DuckDBPyConnection = field(repr=False)

    @property
    def records(self) -> int:
        """How many records are left after the steps."""
        return int(self.con.table(RELEASED).count("*").fetchall()[0][0])

    def describe(self, table: str, scenario: Scenario | None = None) -> Microdata:
        """Return one of the two tables with its roles and, of a scenario, its keys and how NULL counts in them."""
        if scenario is None:
            return measured.describe_table(self.con, self.plan, table)
        nulls = scenario.nulls or "category"
        if scenario.nulls is None and table == RELEASED:
            original = measured.describe_table(self.con, self.plan, ORIGINAL)
            nulls = measured.choose_nulls(original, self.plan.steps, scenario.keys)
        return measured.describe_table(self.con, self.plan, table, scenario.keys, nulls)


class Worked:
    """The tables of the lists of steps that were looked at last, and the key that draws are shown with.

    Examples
    --------
    >>> import sdc_sql, tempfile
    >>> from sdc_sql.app.state import State
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sdc_sql.example().con.execute(f"COPY persons TO '{folder}/persons.parquet'")
    ...     with State(f"{folder}/persons.parquet") as state:
    ...         step = {"mask": "round", "column": "age", "base": 10}
    ...         state.change("Round", lambda release: release.update(roles={"id": "id"}, steps=[step]))
    ...         plan, problems = read_plan(state)
    ...         cursor = state.cursor()
    ...         with find_worked(state).open(cursor, plan) as sides:
    ...             print(sides.steps[0].changed, cursor.table("sdc_release").max("age").fetchall())
    ...         cursor.close()
    1 [(40,)]
    """

    def __init__(self) -> None:
        self._made: dict[Any, Sides] = {}
        self._lock = RLock()
        self.key = secrets.token_urlsafe(32)

    @contextmanager
    def open(
        self, cursor: duckdb.DuckDBPyConnection, plan: Plan, tell: Callable[[str], None] = lambda _: None
    ) -> Iterator[Sides]:
        """Yield the tables of a plan, on a cursor that uses their database; they are made where they are not there."""
        self._set_key(cursor)
        wanted = describe_work(plan)
        with self._lock:
            made = self._made.pop(wanted, None)
            if made is None:
                made = self._make(cursor, plan, tell)
            self._made[wanted] = made  # the last one that was asked for stands last
            self._forget(cursor)
        cursor.execute(f"USE {storage.quote_database(made.database)}")
        try:
            # (limits and scenarios may be others than when the tables were made)
            yield Sides(made.database, _take_roles(plan, made.plan), made.steps, cursor)
        finally:
            with suppress(duckdb.Error):
                cursor.execute(f"USE {storage.quote_database(work.NAME)}")

    def _set_key(self, cursor: duckdb.DuckDBPyConnection) -> None:
        if not os.environ.get("SDC_KEY"):
            cursor.execute("SET VARIABLE sdc_key = ?", [self.key])

    def _make(self, cursor: duckdb.DuckDBPyConnection, plan: Plan, tell: Callable[[str], None]) -> Sides:
        name = f"sdc_worked_{secrets.token_hex(8)}"
        cursor.execute(f"ATTACH ':memory:' AS {storage.quote_database(name)}")
        try:
            before = self._find_beginning(plan)
            cursor.execute(f"USE {storage.quote_database(name)}")
            if before is None:
                tell("reading the source")
                plan, _, _ = read_original(cursor, plan, tell)
                begin_released(cursor)
                done: tuple[MaskingStep, ...] = ()
                number = 0
            else:
                number = len(before.plan.steps)
                cursor.execute(
                    f"COPY FROM DATABASE {storage.quote_database(before.database)} TO {storage.quote_database(name)}"
                )
                plan, done = _take_roles(plan, before.plan), before.steps
            plan, steps, _ = run_steps(cursor, plan, plan.steps[number:], tell)
            return Sides(name, plan, (*done, *steps), cursor)
        except BaseException:
            cursor.execute(f"USE {storage.quote_database(work.NAME)}")
            with suppress(duckdb.Error):
                cursor.execute(f"DETACH {storage.quote_database(name)}")
            raise

    def _find_beginning(self, plan: Plan) -> Sides | None:
        """Return the tables of the longest list of steps that this one begins with."""
        head, *steps = describe_work(plan)
        found: Sides | None = None
        for (its_head, *its_steps), made in self._made.items():
            begins = its_head == head and its_steps == steps[: len(its_steps)]
            if begins and (found is None or len(its_steps) > len(found.plan.steps)):
                found = made
        return found

    def _forget(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Let go of the tables that were not asked for longest."""
        for wanted in [*self._made][:-KEPT]:
            made = self._made.pop(wanted)
            with suppress(duckdb.Error):  # where another cursor reads them, they go with the process
                cursor.execute(f"DETACH {storage.quote_database(made.database)}")


_WORKED: WeakKeyDictionary[State, Worked] = WeakKeyDictionary()


def find_worked(state: State) -> Worked:
    """Return the tables of a state: every page of the process has the same."""
    return _WORKED.setdefault(state, Worked())


def read_plan(state: State, release: Mapping[str, Any] | None = None) -> tuple[Plan, tuple[str, ...]]:
    """Return what can be read of the release file of a state, or of another version of it, and its problems."""
    said = {name: value for name, value in (release or state.release).items() if name != WINDOW}
    return read_draft(said, format_release(said), state.file)


def describe_work(plan: Plan) -> tuple[str, ...]:
    """Return what the tables of a plan depend on: how they are read, then each step."""
    keys = [(scenario.name, scenario.keys) for scenario in plan.scenarios]
    # how a CSV file is read hangs on which columns are computed with
    numbers = sorted({c for s in plan.steps if s.of_numbers for c in s.columns}) if plan.source.kind == "CSV" else ()
    head = (numbers, plan.source, [*plan.columns], replace(plan.roles, released_as_collected=()), plan.release, keys)
    steps = [(s.verb, dict(s.arguments), s.columns, s.scenario, s.where, s.by_household) for s in plan.steps]
    return (repr(head), *map(repr, steps))


def describe_measured(plan: Plan) -> tuple[str, ...]:
    """Return what the figures of a plan depend on besides its tables: scenarios, loss, and figures with arguments."""
    own = [(its.label, its.measure.name, dict(its.arguments)) for its in plan.asked.values() if its.arguments]
    return repr(plan.scenarios), repr(plan.loss), repr(own)


def _take_roles(plan: Plan, made: Plan) -> Plan:
    return replace(plan, roles=made.roles, roles_after=made.roles_after)
