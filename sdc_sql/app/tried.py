"""What was tried: each list of steps that was measured, with its figures, for the map of risk and loss."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sdc_sql.app.worked import describe_work

if TYPE_CHECKING:
    from sdc_sql.app.preview_figures import Shown
    from sdc_sql.app.state import State
    from sdc_sql.release.reading.plan import Plan


@dataclass(frozen=True)
class Tried:
    """A list of steps with the figures of the file after it; ``label`` is its number, as of when it was tried."""

    label: str
    steps: tuple[dict[str, Any], ...]
    risk: tuple[Shown, ...]
    loss: tuple[Shown, ...]


@dataclass
class _Kept:
    by_work: dict[Any, Tried] = field(default_factory=dict)
    lock: RLock = field(default_factory=RLock)


_KEPT: WeakKeyDictionary[State, _Kept] = WeakKeyDictionary()


def keep_tried(
    state: State, plan: Plan, steps: list[dict[str, Any]], found: tuple[tuple[Shown, ...], tuple[Shown, ...]]
) -> None:
    """Keep a list of steps that was measured; one that was tried before has its new figures and its old label."""
    kept = _KEPT.setdefault(state, _Kept())
    work = describe_work(plan)
    with kept.lock:
        former = kept.by_work.get(work)
        if former and not steps and any(one.holds is not None for one in former.risk):
            return  # whether limits hold is known already
        label = former.label if former else str(len(kept.by_work) + 1)
        kept.by_work[work] = Tried(label, tuple(steps), *found)


def list_tried(state: State) -> list[Tried]:
    """Return what was tried, in its order."""
    kept = _KEPT.setdefault(state, _Kept())
    with kept.lock:
        return [*kept.by_work.values()]
