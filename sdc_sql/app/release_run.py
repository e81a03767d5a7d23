"""The release file run as the command line runs it: to see what would be released, to write it, and to verify it."""

from __future__ import annotations

import secrets
import shlex
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
from sdc_sql.release.certifying.verification import read_certificate
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
    """What a run of the release file found, and what it wrote.

    ``documents``: the ending and the bytes of each; ``written``: the paths by the fields of the release file, ``path``
    of the released file; ``warnings``: what a reader of the figures has to know.
    """

    accepted: bool
    reasons: tuple[str, ...]
    limits: tuple[Shown, ...]
    rules: tuple[Rule, ...]
    documents: dict[str, tuple[str, bytes]]
    written: dict[str, Path]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """What is asked of a release without anybody's limit: in words, with its figure and bound where it has one."""

    words: str
    value: float | None
    bound: float | None
    at_most: bool
    found: str
    holds: bool


@dataclass(frozen=True)
class Verified:
    """What came of verifying: the files that were compared, and the digest of the content that the certificate has."""

    found: Verification
    certificate: Path
    released: Path
    release: Path
    digest: str

    @property
    def command(self) -> str:
        """The line of a terminal that does the same."""
        words = ["sdc-sql", "verify", self.certificate, "--released", self.released, "--release", self.release]
        return shlex.join(map(str, words))


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
    if write:
        _refuse_written(plan)
    with _use_database(cursor):
        outcome = run_release(plan, cursor, write=write, progress=tell)
        tell("the documents")
        documents = {} if write else _make_documents(state, outcome)
    limits = tuple(_show_limit(outcome, one) for one in outcome.limits if not one.found)
    rules = tuple(_show_rule(outcome, one) for one in outcome.limits if one.found)
    named = {"path": plan.output.path, **plan.output.documents}
    done = {*outcome.written}
    written = {name: path for name, path in named.items() if path in done}
    return Run(outcome.accepted, outcome.reasons, limits, rules, documents, written, outcome.warnings)


def verify_file(state: State, tell: Tell) -> Verified:
    """Compute anew what the certificate says that was written: the release file is run again.

    Raises
    ------
    ParameterError
        Where there is nothing to verify yet.
    """
    plan = read_whole(state)
    certificate = plan.output.documents.get("certificate") or plan.output.documents.get("public_certificate")
    if certificate is None:
        raise ParameterError(
            "Nothing can be verified without a certificate: choose one among the documents beside the file, click "
            "Keep, and write."
        )
    place = plan.path.parent / certificate
    missing = [path.name for path in (plan.output.path, place) if not path.is_file()]
    if missing:
        raise ParameterError(
            f"Nothing is written yet that could be verified: {' and '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} not in {find_folder(state)}. Click Write first."
        )
    digest = str(read_certificate(place).get("output", {}).get("digest", ""))
    found = verify(place, plan.output.path, release=state.file, progress=tell)
    return Verified(found, place, plan.output.path, state.file, digest)


def _refuse_written(plan: Plan) -> None:
    """Refuse to write where it was written already, in the words of the page."""
    there = [path for path in (plan.output.path, *plan.output.documents.values()) if path.exists() or path.is_symlink()]
    if there:
        raise ParameterError(
            f"{', '.join(path.name for path in there)} {'is' if len(there) == 1 else 'are'} in {there[0].parent} "
            "already, and a file that is there is never replaced. Give another folder, or another name of the released "
            f"file, above, and click Keep; or remove {'it' if len(there) == 1 else 'them'} first."
        )


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


def _show_rule(outcome: Outcome, one: LimitOutcome) -> Rule:
    spoken = describe_limit(one.limit.text, outcome.plan.asked)
    words = one.limit.text if spoken is None else spoken.words
    if spoken is None:  # of a ruleset: which rule, and what it asks
        words = f"{one.limit.path}: {words}"
    value = next(iter(one.figures.values()), None)
    bound, at_most = (None, True) if spoken is None else (spoken.bound, spoken.at_most)
    return Rule(words, value, bound, at_most, one.found, one.holds)
