"""What one connection sees of the state: it draws parts of the page anew, and takes what is done there."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from traceback import format_tb
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb
from htmltools import Tag, tags
from shiny import reactive, render, ui

from sdc_sql.app.jobs import describe_error
from sdc_sql.errors import SdcError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from htmltools import TagList
    from shiny import Session

    from sdc_sql.app.jobs import Job, Jobs
    from sdc_sql.app.state import State

T = TypeVar("T")
PATIENCE = 0.08  # seconds: what takes no longer shows no progress
WHOLE = "step"  # the place of problems that name no other


class Desk:
    """The state and its work for one connection: a tab of the browser.

    ``choices`` holds what only this tab chose to look at (a page, a filter), by name: ``read_choice``, ``choose``.
    """

    def __init__(self, state: State, jobs: Jobs, session: Session) -> None:
        self.state, self.jobs, self.session = state, jobs, session
        self._acts: dict[str, Callable[[dict[str, Any]], object]] = {}
        self._version: reactive.Value[int] = reactive.Value(0)
        self._work: dict[str, reactive.Value[int]] = {}
        self._problems: dict[str, reactive.Value[str | None]] = {}
        self._choices: dict[str, reactive.Value[Any]] = {}
        self._loop = asyncio.get_running_loop()
        self._waiting: set[int] = set()
        ends = (
            state.listen(lambda: self._wake(self._version)),
            jobs.listen(self._hear),
        )
        for end in ends:
            session.on_ended(end)

    # what the page reads

    def read_version(self) -> int:
        """Return the version of the release file; what asks for it is drawn anew when it changes."""
        self._version.get()
        return self.state.version

    def release(self) -> dict[str, Any]:
        """Return the release file as a nested dict; what asks for it is drawn anew when it changes."""
        self._version.get()
        return self.state.release

    def find_job(
        self, panel: str, inputs: Hashable, run: Callable[[duckdb.DuckDBPyConnection, Callable[[str], None]], T]
    ) -> Job[T]:
        """Return the work of a panel, as :meth:`Jobs.find`; what asks for it is drawn anew as the work goes on."""
        self._work.setdefault(panel, reactive.Value(0)).get()
        return self.jobs.find(panel, inputs, run, PATIENCE)

    def read_choice(self, name: str, default: T) -> T:
        """Return what this tab chose to look at."""
        value: T = self._choice(name, default).get()
        return value

    def choose(self, name: str, value: object) -> None:
        """Look at something else in this tab."""
        self._choice(name, value).set(value)

    def read_problem(self, place: str) -> str | None:
        """Return what went wrong at a place, or None."""
        return self._problem(place).get()

    # what a step registers

    def place(self, name: str) -> Tag:
        """Return the place of a part in the page."""
        return self.place_of(name)

    @staticmethod
    def place_of(name: str) -> Tag:
        """Return the place of a part in the page, whichever connection."""
        found: Tag = ui.output_ui(name)
        return found

    def part(self, name: str) -> Callable[[Callable[[], Tag | TagList | None]], None]:
        """Register what draws a part; what it raises is shown there."""

        def register(draw: Callable[[], Tag | TagList | None]) -> None:
            def output() -> Tag | TagList | None:
                # a browser shows again what it had of a part, until the new one comes: a form that is taken away under
                # who types in it, a verdict on another file; so nothing is left of a part that one has gone away from
                if self.session.clientdata.output_hidden():
                    return None
                try:
                    return draw()
                except (SdcError, duckdb.Error) as error:
                    return tags.p(describe_error(error), class_="problem", role="alert")
                except Exception as error:
                    if type(error).__module__.startswith("shiny"):  # it says that a value is not there yet
                        raise
                    where = "".join(format_tb(error.__traceback__))  # the message may hold a value
                    sys.stderr.write(f"sdc-sql: {type(error).__name__} in {name}:\n{where}")
                    said = f"Something unforeseen went wrong ({type(error).__name__}); the terminal has more."
                    return tags.p(said, class_="problem", role="alert")

            output.__name__ = name
            render.ui(output)

        return register

    def on(self, act: str) -> Callable[[Callable[[dict[str, Any]], object]], None]:
        """Register what an act of the page does."""

        def register(handle: Callable[[dict[str, Any]], object]) -> None:
            self._acts[act] = handle

        return register

    def take(self, act: dict[str, Any]) -> None:
        """Do what the page asks; an error is shown at its place, and nothing is changed."""
        place = str(act.get("place") or WHOLE)
        problems: dict[str, str] = {}
        handle = self._acts.get(str(act.get("act")))
        try:
            if handle is not None:
                handle(act)
        except (SdcError, duckdb.Error) as error:
            problems[place] = describe_error(error)
        except (KeyError, TypeError, ValueError, IndexError):  # the page sends no such thing by itself
            problems[place] = "This cannot be done: the page asks for something that is not there any more. Reload it."
        for there in (place, WHOLE):  # what is drawn of another place stays
            self._problem(there).set(problems.get(there))

    def _problem(self, place: str) -> reactive.Value[str | None]:
        return self._problems.setdefault(place, reactive.Value(None))

    def _choice(self, name: str, default: object) -> reactive.Value[Any]:
        return self._choices.setdefault(name, reactive.Value(default))

    def _hear(self, panel: str) -> None:
        """Let what shows the work of a panel be drawn anew."""
        if panel in self._work:
            self._wake(self._work[panel])

    def _wake(self, value: reactive.Value[int]) -> None:
        """Let what reads a value be drawn anew, from whatever thread; many changes at once are one."""
        if id(value) in self._waiting:
            return
        self._waiting.add(id(value))

        async def wake() -> None:
            self._waiting.discard(id(value))
            async with reactive.lock():
                with reactive.isolate():
                    value.set(value.get() + 1)
                await reactive.flush()

        def begin() -> None:
            task = self._loop.create_task(wake())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        with suppress(RuntimeError):  # the page is being closed
            self._loop.call_soon_threadsafe(begin)

    _tasks: set[asyncio.Task[None]] = set()  # noqa: RUF012 - the loop holds them weakly
