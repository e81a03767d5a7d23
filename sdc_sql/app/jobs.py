"""Work on threads, each with a cursor of its own: it tells its stage, can be stopped, and its error is kept.

A job is known by its panel and by what its result depends on (``inputs``). ``jobs.find`` returns that of a panel: the
one that runs or has run on the same inputs, else a new one, and then the former one of the panel is stopped. So a page
may ask for it each time that it is drawn, and a second tab or a reload finds the same work.
"""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from traceback import format_tb
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import duckdb

from sdc_sql.errors import SdcError, hide_values, translate
from sdc_sql.risk.many_uniques import tell_beside
from sdc_sql.udfs import interruption

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from sdc_sql.app.state import State

T = TypeVar("T")
AT_ONCE = 3
WAITS, RUNS, DONE, FAILED, STOPPED = "waits", "runs", "done", "failed", "stopped"


@dataclass
class Job(Generic[T]):
    """A piece of work: ``status`` is one of waits, runs, done, failed, stopped; ``stage`` says what it is at.

    ``result`` is there when it is done, ``error`` (a sentence) when it failed; ``former`` is what the panel found last.
    """

    panel: str
    inputs: Hashable
    status: str = WAITS
    stage: str = ""
    result: T | None = None
    former: T | None = None
    error: str = ""
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    cursor: duckdb.DuckDBPyConnection | None = None
    asked_to_stop: bool = False
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def is_busy(self) -> bool:
        """Whether it waits or runs."""
        return self.status in {WAITS, RUNS}


class Jobs:
    """The work of a process, by panel; ``listen`` as of the state.

    Examples
    --------
    >>> import sdc_sql, tempfile
    >>> from sdc_sql.app.state import State
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sdc_sql.example().con.execute(f"COPY persons TO '{folder}/persons.parquet'")
    ...     with State(f"{folder}/persons.parquet") as state:
    ...         jobs = Jobs(state)
    ...         job = jobs.find("count", (), lambda cursor, tell: len(cursor.table(state.table).fetchall()))
    ...         jobs.wait()
    ...         print(job.status, job.result)
    done 3
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self._by_panel: dict[str, Job[Any]] = {}
        self._all: list[Job[Any]] = []
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="sdc-sql-job")
        self._lock = threading.RLock()
        self._listeners: list[Callable[[str], None]] = []

    def find(
        self,
        panel: str,
        inputs: Hashable,
        run: Callable[[duckdb.DuckDBPyConnection, Callable[[str], None]], T],
        patience: float = 0.0,
    ) -> Job[T]:
        """Return the job of a panel on these inputs, which is begun where it is not there.

        Parameters
        ----------
        panel
            A name: a panel has one job at a time.
        inputs
            What the result depends on: the parts of the release file that it reads, filters, a page.
        run
            It gets a cursor, and a function that takes the name of each stage, and returns the result.
        patience
            How many seconds to wait for it where it is begun: what takes no time shows no progress.
        """
        with self._lock:
            there = self._by_panel.get(panel)
            if there is not None and there.inputs == inputs:
                return there
            if there is not None:
                self._stop_job(there)
            job: Job[T] = Job(panel, inputs)
            if there is not None:
                job.former = there.result if there.status == DONE else there.former
            self._by_panel[panel] = job
            self._all = [j for j in self._all if j.is_busy] + [job]
        self._threads.submit(self._run, job, run)
        if patience:
            job.ended.wait(patience)
        return job

    def forget(self, panel: str) -> None:
        """Forget the job of a panel: the next time it is asked for it is begun anew."""
        with self._lock:
            job = self._by_panel.pop(panel, None)
            if job is not None:
                self._stop_job(job)
        self._tell(panel)

    def stop(self, panel: str) -> None:
        """Stop the job of a panel."""
        with self._lock:
            job = self._by_panel.get(panel)
            if job is not None:
                self._stop_job(job)
                interruption.stop_kernels()  # a kernel does not hear of DuckDB's interruption
        self._tell(panel)

    def read_done(self, beginning: str) -> list[Any]:
        """Return what the panels whose names begin so have found."""
        with self._lock:
            return [
                job.result
                for panel, job in self._by_panel.items()
                if panel.startswith(beginning) and job.status == DONE
            ]

    @property
    def busy(self) -> bool:
        """Whether anything waits or runs."""
        return any(job.is_busy for job in [*self._all])

    def wait(self, seconds: float = 60.0) -> None:
        """Wait until nothing runs: for tests and examples."""
        end = time.monotonic() + seconds
        while self.busy and time.monotonic() < end:
            time.sleep(0.01)

    def close(self) -> None:
        """Stop all work, and wait for it to end."""
        for job in [*self._all]:
            self._stop_job(job)
        self._threads.shutdown(wait=True, cancel_futures=True)

    def listen(self, call: Callable[[str], None]) -> Callable[[], None]:
        """Call with its panel whenever a job begins a stage or ends, on its thread; return what ends this."""
        self._listeners.append(call)

        def end() -> None:
            with suppress(ValueError):
                self._listeners.remove(call)

        return end

    def _stop_job(self, job: Job[Any]) -> None:
        if not job.is_busy:
            return
        job.asked_to_stop = True
        if job.status == WAITS:
            job.status = STOPPED
            job.ended.set()
        if job.cursor is not None:
            job.cursor.interrupt()

    def _run(self, job: Job[T], run: Callable[[duckdb.DuckDBPyConnection, Callable[[str], None]], T]) -> None:
        if job.asked_to_stop:
            job.status = STOPPED
            return
        job.status, job.started = RUNS, time.monotonic()

        def tell(stage: str) -> None:
            if job.asked_to_stop:
                raise KeyboardInterrupt
            job.stage = stage
            self._tell(job.panel)

        try:
            job.cursor = self.state.cursor()
            tell("")
            with tell_beside():  # the page says it, not the terminal
                job.result = run(job.cursor, tell)
            ended = DONE
        except (SdcError, duckdb.Error) as error:
            ended = STOPPED if "KeyboardInterrupt" in str(error) else FAILED
            job.error = describe_error(error)
        except KeyboardInterrupt:
            ended = STOPPED
        except Exception as error:  # noqa: BLE001 - a page shows that it failed, and the others go on
            ended = FAILED
            job.error = f"Something unforeseen went wrong ({type(error).__name__}); the terminal has more."
            where = "".join(format_tb(error.__traceback__))  # the message may hold a value
            sys.stderr.write(f"sdc-sql: {type(error).__name__} in {job.panel}:\n{where}")
        finally:
            if job.cursor is not None:
                with suppress(duckdb.Error):
                    job.cursor.close()
            job.cursor = None
        job.seconds = time.monotonic() - job.started
        job.status = STOPPED if job.asked_to_stop and ended != DONE else ended
        job.ended.set()
        self._tell(job.panel)

    def _tell(self, panel: str) -> None:
        for call in [*self._listeners]:
            call(panel)


def describe_error(error: Exception) -> str:
    """Return an error in a sentence, without a value of the data.

    Examples
    --------
    >>> describe_error(duckdb.ConversionException("Conversion Error: Could not convert string 'Ann' to INT32"))
    'A value cannot be converted to INT32 (DuckDB shows it; it is left out here).'
    """
    if isinstance(error, duckdb.Error):
        return str(translate(error) or hide_values(error) or str(error).split("\n", maxsplit=1)[0])
    return str(error)
