"""The one place of state: a release file and a database in private folders of this process.

Every page, tab and connection sees the same :class:`State`; nothing is kept in a page, so that a reload loses nothing.

* ``state.release`` is a copy of the release file as a nested dict, in the words of the release schema
  (``sdc_sql.release.reading``): ``{"source": {...}, "roles": {...}, "scenarios": [...], "steps": [...], ...}``.
* ``state.change("Round age", edit)`` is the only way to change it: ``edit`` gets a copy and changes it; where it
  raises, nothing is changed. The result is written to ``state.file`` as TOML, atomically, and joins the history
  (``state.undo()``, ``state.redo()``, ``state.to_undo``, ``state.to_redo``).
* ``state.version`` counts the changes: what depends on the release file is computed anew when it is another one.
  ``state.listen(call)`` calls whenever anything changed; pages react by it (``Desk.read_version``).
* ``state.cursor()`` gives work on a thread a connection of its own to the database, whose table ``state.table`` holds
  the source with all its columns. The secret key, where the process has one, is a variable of that connection, and of
  nothing else: it is never in the release file, in a page or in a log.

The same file run by ``sdc-sql release`` gives the same outputs, since the window runs the file too: `state.file` names
the source by its full path.
"""

from __future__ import annotations

import json
import os
import tomllib
from contextlib import ExitStack, suppress
from copy import deepcopy
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from sdc_sql.app.draft import WINDOW, format_release
from sdc_sql.app.history import History
from sdc_sql.db.catalogue.load import set_key
from sdc_sql.db.files import storage, work
from sdc_sql.db.files.source import find_table, open_source
from sdc_sql.errors import TableError
from sdc_sql.release.reading.plan import ORIGINAL
from sdc_sql.release.running import raw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Self

    import duckdb

    from sdc_sql.release.reading.plan import Source

NAME, BESIDE = "release.toml", "window.json"
KIND = {"duckdb": "DuckDB"}


class State:
    """What is being done to one table: its records in a database that only this process reads, and the release file.

    Parameters
    ----------
    path
        A Parquet, CSV, Stata or SPSS file, or a DuckDB database.
    table
        The table of a database.
    keep
        A folder in which the release file stays when the process has ended, to be taken up again; by default it is
        among the temporary files, and gone at the end.
    fresh
        Whether to begin anew, though there is one.
    begun
        Fields of the release file that it begins with.

    Examples
    --------
    >>> import sdc_sql, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sdc_sql.example().con.execute(f"COPY persons TO '{folder}/persons.parquet'")
    ...     with State(f"{folder}/persons.parquet") as state:
    ...         state.change("A title", lambda release: release.update(title="Persons"))
    ...         print(state.file.read_text().splitlines()[0], state.version, state.records)
    title = "Persons" 1 3
    """

    table = ORIGINAL

    def __init__(
        self,
        path: str | os.PathLike[str],
        table: str | None = None,
        *,
        keep: Path | None = None,
        fresh: bool = False,
        begun: Mapping[str, Any] | None = None,
    ) -> None:
        self.source, self.columns = describe_table(Path(path).expanduser().absolute(), table)
        self._stack = ExitStack()
        self._listeners: list[Callable[[], None]] = []
        self._lock, self._reading = RLock(), RLock()
        self._numbers: set[str] = set()
        self.version = 0
        try:
            self.private = self._stack.enter_context(work.make_work_folder())
            self.folder = keep or self.private
            self.con = self._stack.enter_context(work.open_work_database())
            set_key(self.con)
            raw.read_source(self.con, self.source, ORIGINAL, self.columns, ())
            found = self.con.table(ORIGINAL)
            self.columns = dict(zip(found.columns, map(str, found.types), strict=True))
            self.records = int(found.count("*").fetchall()[0][0])
            self._require_records()
            self.file = self.folder / NAME
            former = None if fresh else self._take_up()
            self.taken_up = former is not None
            self._history = History(former or {**self._begin(), **(begun or {})})
            self._write()
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Self:
        """Return the state, which is closed at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the database, and the release file where it was not to be kept."""
        self.close()

    def _require_records(self) -> None:
        if not self.records:
            raise TableError(f"{self.source.path} has no records.")

    def close(self) -> None:
        """Remove the database, and the release file where it was not to be kept."""
        self._stack.close()

    @property
    def name(self) -> str:
        """The name of the table for a reader: that of its file, or of the table of a database."""
        return self.source.table or self.source.path.name

    @property
    def kind(self) -> str:
        """The format of the source, in words."""
        return KIND.get(self.source.kind, self.source.kind)

    @property
    def release(self) -> dict[str, Any]:
        """A copy of the release file as a nested dict."""
        with self._lock:
            return deepcopy(self._history.now)

    @property
    def to_undo(self) -> str | None:
        """The change that :meth:`undo` would undo, in words."""
        return self._history.to_undo

    @property
    def to_redo(self) -> str | None:
        """The change that :meth:`redo` would do again, in words."""
        return self._history.to_redo

    def change(self, what: str, edit: Callable[[dict[str, Any]], object]) -> None:
        """Change the release file.

        Parameters
        ----------
        what
            The change in words, for the history.
        edit
            It gets a copy, and changes it. Where it raises, or TOML has no such value, nothing is changed.
        """
        with self._lock:
            after = deepcopy(self._history.now)
            edit(after)
            if after == self._history.now:
                return
            format_release(after)
            self._history.add(what, after)
            self._write()
            self.version += 1
        self._tell()

    def undo(self) -> None:
        """Undo the last change."""
        self._step(self._history.undo)

    def redo(self) -> None:
        """Do again what was undone last."""
        self._step(self._history.redo)

    def _step(self, move: Callable[[], None]) -> None:
        with self._lock:
            move()
            self._write()
            self.version += 1
        self._tell()

    def listen(self, call: Callable[[], None]) -> Callable[[], None]:
        """Call whenever the release file changed, on the thread that changed it; return what ends this."""
        self._listeners.append(call)

        def end() -> None:
            with suppress(ValueError):
                self._listeners.remove(call)

        return end

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a connection of its own to the database, for one thread; close it afterwards."""
        with self._lock:
            cursor = self.con.cursor()
        cursor.execute(f"USE {storage.quote_database(work.NAME)}")
        set_key(cursor)
        return cursor

    def read_numbers(self, cursor: duckdb.DuckDBPyConnection, numbers: Iterable[str]) -> None:
        """Read a CSV file again where columns are computed with that it writes otherwise than numbers are: 10.50."""
        wanted = {name for name in numbers if self.columns.get(name) == "VARCHAR"} - self._numbers
        if self.source.kind != "CSV" or not wanted:
            return
        with self._reading:
            raw.replace_source(cursor, self.source, ORIGINAL, self.columns, self._numbers | wanted)
            self._numbers |= wanted

    def _tell(self) -> None:
        for call in [*self._listeners]:
            call()

    def read_beside(self, name: str) -> str | None:
        """Return what was kept beside the release file under a name, or None: nothing is where it was begun anew."""
        try:
            return self.file.with_name(name).read_text(encoding="utf-8") if self.taken_up else None
        except (OSError, UnicodeDecodeError):
            return None

    def write_beside(self, name: str, text: str) -> None:
        """Keep something beside the release file, for its owner alone."""
        with self._lock:
            self._write_text(self.file.with_name(name), text)

    def _begin(self) -> dict[str, Any]:
        place = "path" if self.source.table is None else "database"
        source = {place: str(self.source.path)} | ({"table": self.source.table} if self.source.table else {})
        released = f"{self.source.path.stem}-released.parquet"
        return {"source": source, "roles": {}, "scenarios": [], "steps": [], "output": {"path": released}}

    def _take_up(self) -> dict[str, Any] | None:
        """Return the release file that an earlier process left, where it is of this source and its columns."""
        try:
            said: Mapping[str, Any] = tomllib.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
            return None
        begun = self._begin()
        if said.get("source") != begun["source"]:
            return None
        with suppress(OSError, ValueError):  # what stood beside it
            begun[WINDOW] = json.loads(self.file.with_name(BESIDE).read_text(encoding="utf-8"))
        return {**begun, **said}

    def _write(self) -> None:
        """Write the release file, and what stands beside it, for their owner alone."""
        self._write_text(self.file, format_release(self._history.now))
        beside, kept = self.file.with_name(BESIDE), self._history.now.get(WINDOW)
        if kept or beside.exists():
            self._write_text(beside, json.dumps(kept or {}))

    def _write_text(self, file: Path, text: str) -> None:
        """Write a file: the former one stands until the new one is whole."""
        part = file.with_suffix(".part")
        part.unlink(missing_ok=True)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, work.OWNER)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(part, file)  # noqa: PTH105 - atomic


def describe_table(path: Path, table: str | None) -> tuple[Source, dict[str, str]]:
    """Return the source with its columns; of a database its only table, where none is named."""
    source, columns = raw.describe_source(path, table)
    if source.kind == "duckdb" and table is None:
        with open_source(str(path), None) as (con, _):
            schema, name = find_table(con, str(path), None)
        source, columns = raw.describe_source(path, name if schema == "main" else f"{schema}.{name}")
    return source, columns
