"""What was tried: each list of steps that was measured, with its figures, for the map of risk and loss.

It is kept beside the release file, so that it is there when the page is opened again; what was measured of another file
(it has changed since), or by another version, is left out.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sdc_sql.app.draft import format_release
from sdc_sql.app.preview_figures import Shown
from sdc_sql.app.worked import describe_work
from sdc_sql.version import VERSION

if TYPE_CHECKING:
    from sdc_sql.app.state import State
    from sdc_sql.release.reading.plan import Plan

FILE = "tried.json"


@dataclass(frozen=True)
class Tried:
    """A list of steps with the figures of the file after it; ``label`` is its number, as of when it was tried."""

    label: str
    steps: tuple[dict[str, Any], ...]
    risk: tuple[Shown, ...]
    loss: tuple[Shown, ...]


@dataclass
class _Kept:
    by_work: dict[str, Tried] = field(default_factory=dict)
    lock: RLock = field(default_factory=RLock)


_KEPT: WeakKeyDictionary[State, _Kept] = WeakKeyDictionary()
_BEGINS = RLock()


def keep_tried(
    state: State, plan: Plan, steps: list[dict[str, Any]], found: tuple[tuple[Shown, ...], tuple[Shown, ...]]
) -> None:
    """Keep a list of steps that was measured; one that was tried before has its new figures and its old label."""
    kept = _find_kept(state)
    work = hashlib.sha256(repr(describe_work(plan)).encode()).hexdigest()
    with kept.lock:
        former = kept.by_work.get(work)
        label = former.label if former else str(len(kept.by_work) + 1)
        kept.by_work[work] = Tried(label, tuple(steps), *found)
        if kept.by_work[work] != former:
            state.write_beside(FILE, _write_tried(state, kept.by_work))


def list_tried(state: State) -> list[Tried]:
    """Return what was tried, in its order."""
    kept = _find_kept(state)
    with kept.lock:
        return [*kept.by_work.values()]


def _find_kept(state: State) -> _Kept:
    with _BEGINS:
        if state not in _KEPT:
            _KEPT[state] = _Kept(_read_tried(state))
        return _KEPT[state]


def _describe_source(state: State) -> list[Any]:
    """Return what the figures are of: the file as it is now, and the version that measured them."""
    found = state.source.path.stat()
    return [VERSION, found.st_size, found.st_mtime_ns]


def _write_tried(state: State, by_work: dict[str, Tried]) -> str:
    tried = [
        {
            "work": work, "label": one.label, "steps": format_release({"steps": [*one.steps]}),
            "risk": [asdict(shown) for shown in one.risk], "loss": [asdict(shown) for shown in one.loss],
        }
        for work, one in by_work.items()
    ]  # fmt: skip
    return json.dumps({"of": _describe_source(state), "tried": tried}, default=float)


def _read_tried(state: State) -> dict[str, Tried]:
    """Return what an earlier process tried; nothing where it cannot be read, or is of another file."""
    with suppress(ValueError, KeyError, TypeError, AttributeError, OSError):
        said = json.loads(state.read_beside(FILE) or "{}")
        if said.get("of") == _describe_source(state):
            return {one["work"]: _read_one(one) for one in said["tried"]}
    return {}


def _read_one(said: dict[str, Any]) -> Tried:
    risk, loss = (
        tuple(Shown(**{**shown, "measures": tuple(shown["measures"])}) for shown in said[side])
        for side in ("risk", "loss")
    )
    return Tried(str(said["label"]), tuple(tomllib.loads(said["steps"]).get("steps", [])), risk, loss)
