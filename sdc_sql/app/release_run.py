"""The release file run as the command line runs it: to see what would be released, to write it, and to verify it."""

from __future__ import annotations

import secrets
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from sdc_sql.app.draft import WINDOW
from sdc_sql.app.preview_figures import Shown, name_measures
from sdc_sql.db.files import storage, work
from sdc_sql.errors import ParameterError, ReleaseFileError
from sdc_sql.figures.words import describe_limit
from sdc_sql.release.certifying.verify import verify
from sdc_sql.release.reading.read import read_release
from sdc_sql.release.running.documents import DOCUMENTS, list_in_order, write_document
from sdc_sql.release.running.run import run_release

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sdc_sql.app.state import State
    from sdc_sql.release.certifying.verification import Verification
    from sdc_sql.release.reading.plan import Plan
    from sdc_sql.release.running.outcome import LimitOutcome, Outcome

    Tell = Callable[[str], None]

FOLDER = "folder"


@dataclass(frozen=True)
class Run:
    """What a run of the release file found, and what it wrote; ``documents``: the ending and the bytes of each."""

    accepted: bool
    reasons: tuple[str, ...]
    limits: tuple[Shown, ...]
    rules: tuple[tuple[str, bool], ...]
    documents: dict[str, tuple[str, bytes]]
    written: tuple[str, ...] = ()


def find_folder(state: State) -> Path:
    """Return the folder that outputs are written to: by default that of the source."""
    given = state.release.get(WINDOW, {}).get(FOLDER)
    return Path(given) if given else state.source.path.parent


def read_whole(state: State) -> Plan:
    """Return the plan of the release file, as the command line reads it.

    Raises
    ------
    ReleaseFileError
        With all its problems, each with its place.
    """
    return read_release(state.file, output_folder=find_folder(state))


def list_problems(state: State) -> list[str]:
    """Return what keeps the release file from being run, each with its place."""
    try:
        read_whole(state)
    except ReleaseFileError as error:
        return [*error.problems]
    except ParameterError as error:
        return [str(error)]
    return []


def run_file(state: State, cursor: duckdb.DuckDBPyConnection, tell: Tell, *, write: bool = False) -> Run:
    """Run the release file, and write its outputs where that is asked for and every limit holds."""
    plan = read_whole(state)
    with _use_database(cursor):
        outcome = run_release(plan, cursor, write=write, progress=tell)
        tell("the documents")
        documents = {} if write else _make_documents(state, outcome)
    limits = tuple(_show_limit(outcome, one) for one in outcome.limits if not one.found)
    rules = tuple((str(one), one.holds) for one in outcome.limits if one.found)
    return Run(outcome.accepted, outcome.reasons, limits, rules, documents, tuple(map(str, outcome.written)))


def verify_file(state: State, tell: Tell) -> Verification:
    """Compute anew what the certificate says that was written: the release file is run again."""
    plan = read_whole(state)
    certificate = plan.output.documents.get("certificate") or plan.output.documents.get("public_certificate")
    if certificate is None:
        raise ParameterError("No certificate is written: choose one among the documents, and write again.")
    place = plan.path.parent / certificate
    if not place.is_file() or not plan.output.path.is_file():
        raise ParameterError("The released file and its certificate are not there: write them first.")
    return verify(place, plan.output.path, release=state.file, progress=tell)


@contextmanager
def _use_database(cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let a cursor use a database of its own in memory, which a run fills, and which is gone afterwards."""
    name = storage.quote_database(f"sdc_run_{secrets.token_hex(6)}")
    cursor.execute(f"ATTACH ':memory:' AS {name}")
    try:
        cursor.execute(f"USE {name}")
        yield
    finally:
        with suppress(duckdb.Error):
            cursor.execute(f"USE {storage.quote_database(work.NAME)}")
            cursor.execute(f"DETACH {name}")


def _make_documents(state: State, outcome: Outcome) -> dict[str, tuple[str, bytes]]:
    """Return the documents as they will be; certificates digest what is written, and are made then."""
    found = {}
    named = {name: path for name, path in outcome.plan.output.documents.items() if not DOCUMENTS[name].certifies}
    named.setdefault("report", Path("report.html"))
    for name, path in list_in_order(named):
        if outcome.accepted or DOCUMENTS[name].refused:
            place = state.private / f"{secrets.token_hex(6)}{path.suffix}"
            try:
                write_document(name, outcome, place)
                found[name] = (path.suffix, place.read_bytes())
            finally:
                place.unlink(missing_ok=True)
    return found


def _show_limit(outcome: Outcome, found: LimitOutcome) -> Shown:
    plan = outcome.plan
    titles = {one.name: one.title for one in plan.estimates if one.title}
    spoken = describe_limit(found.limit.text, plan.asked, titles)
    after = next(iter(found.figures.values())) if len(found.figures) == 1 else None
    before = next(iter(found.before.values())) if len(found.before) == 1 else None
    return Shown(
        found.limit.scenario or found.limit.part, spoken.words if spoken else found.limit.text, before, after,
        found.limit.text, found.limit.path, spoken.bound if spoken else None, spoken.at_most if spoken else True,
        found.holds, "" if after is not None else "it could not be measured", name_measures(plan, found.limit.text),
    )  # fmt: skip
