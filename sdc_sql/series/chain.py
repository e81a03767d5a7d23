"""Whether a release may follow: the ledger ends where it is said to, and its ids are those of the same persons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sdc_sql.errors import SeriesError
from sdc_sql.series.sealed_file import identify_file

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from sdc_sql.series.ledger import Ledger


class Begun(Protocol):
    """A release of a series as it was begun."""

    path: Path
    name: str
    release: str
    after: str
    most_new: float
    returning: bool
    counts: dict[str, int]


def check_repeated(series: Begun, ledger: Ledger, place: int, content: str) -> None:
    """Refuse to repeat a recorded release from another table, or in another place of the chain."""
    recorded = ledger.releases[place]
    before = ledger.releases[place - 1]["head"] if place else ""
    if series.after != before:
        raise SeriesError(
            f"Release {series.release!r} is recorded in {series.path} after another one than after= says: give the "
            "head of the release before it, or a new name."
        )
    if recorded.get("erased"):
        raise SeriesError(
            f"Release {series.release!r} is recorded in {series.path}, and persons of it have been erased since: it "
            "would have other values for them. Keep the file that was released, or give a new release a new name."
        )
    if recorded.get("recoded"):
        raise SeriesError(
            f"Release {series.release!r} is recorded in {series.path}, and a recoding has become coarser since: it "
            "would be another file. Keep the file that was released, or give a new release a new name."
        )
    if content != recorded["content"]:
        raise SeriesError(
            f"Release {series.release!r} is recorded in {series.path}, and was of another table: give a new release a "
            "new name. (A release that was never handed over is taken back by restoring the ledger before it.)"
        )


def check_chain(series: Begun, ledger: Ledger) -> None:
    """Refuse a ledger that does not end with the release that the new one goes on after."""
    if series.after == ledger.head:
        return
    if not ledger.releases:
        raise SeriesError(
            f"There is no ledger {series.path}, and the series goes on (after= is given): restore the ledger, or "
            "begin another series under another name; a new ledger would release the same values anew."
        )
    if not series.after:
        raise SeriesError(
            f"The ledger {series.path} has {len(ledger.releases)} releases of {series.name}: say which was the last, "
            "by its head, after='...', as its certificate has it. So no restored copy is taken for it."
        )
    known = [release["head"] for release in ledger.releases]
    what = "it does not have that release: it is an older copy, or went another way"
    way = ""
    if series.after in known:
        name = ledger.releases[known.index(series.after) + 1]["name"]
        what = f"it goes on after that release, with {name!r}"
        if series.after in known[-2:]:
            way = (
                f" Where {name!r} was cut before it was handed over, run release {name!r} again, which completes it; "
                f"or, where its table has changed since, go on after it: after={known[-1]!r}."
            )
    raise SeriesError(
        f"The ledger {series.path} does not end where after= says: {what}. Two ledgers would give two masked values "
        f"of one original: find the ledger of the last release.{way}"
    )


def check_ids(series: Begun, ledger: Ledger, ids: pa.Array, number: int) -> None:
    """Count how many records are new, and how many were away; refuse ids that cannot be those of the same persons.

    How many is not said in an error, which others may read in a log; ``series.counts`` has it.
    """
    place = ledger.find_places(ids)
    new = int((place < 0).sum())
    returned = int((ledger.ids["last"].to_numpy()[place[place >= 0]] < number - 1).sum())
    series.counts |= {"records": len(ids), "new": new, "returning": returned}
    if ledger.releases and new > series.most_new * len(ids):
        raise SeriesError(
            f"More of the ids are new than most_new = {series.most_new} (series.counts has how many): they must have "
            "been numbered anew, and everybody would be masked a second time. Give the former ids or, where so many "
            "came, a larger most_new."
        )
    if returned and not series.returning:
        raise SeriesError(
            "Ids had left the series and are back (series.counts has how many): where they are the same persons say "
            "so, returning=True; an id that was given to another person shows him what was released of the former."
        )


def refuse_changed_file(path: Path, seen: str) -> None:
    """Refuse to write over a ledger that another run, or an erasure, has written meanwhile."""
    if identify_file(path) != seen:
        raise SeriesError(
            f"The ledger {path} was written by another run meanwhile: this release is not recorded. Run again."
        )
