"""The list of steps: in its order, edited, moved, switched off and on again.

A step that is switched off is no part of the release file: it stands beside it, with the number of the steps before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.app.draft import WINDOW
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Item:
    """A step of the list, and whether it is switched off; ``number`` is its place in the release file, else None."""

    step: dict[str, Any]
    off: bool = False
    number: int | None = None


def list_items(release: Mapping[str, Any]) -> list[Item]:
    """Return the steps in their order, those that are switched off among them.

    Examples
    --------
    >>> off = [{"after": 1, "step": {"mask": "noise"}}]
    >>> items = list_items({"steps": [{"mask": "round"}, {"mask": "pram"}], "window": {"off": off}})
    >>> [(item.step["mask"], item.off, item.number) for item in items]
    [('round', False, 0), ('noise', True, None), ('pram', False, 1)]
    """
    steps = release.get("steps", [])
    off = release.get(WINDOW, {}).get("off", [])
    found: list[Item] = []
    for number in range(len(steps) + 1):
        last = number == len(steps)
        here = (one for one in off if one["after"] == number or (last and one["after"] > number))
        found += [Item(one["step"], off=True) for one in here]
        if not last:
            found.append(Item(steps[number], number=number))
    return found


def set_items(release: dict[str, Any], items: Iterable[Item]) -> None:
    """Change the release file so that it has these steps."""
    steps: list[dict[str, Any]] = []
    off: list[dict[str, Any]] = []
    for item in items:
        if item.off:
            off.append({"after": len(steps), "step": item.step})
        else:
            steps.append(item.step)
    release["steps"] = steps
    window = {name: value for name, value in release.get(WINDOW, {}).items() if name != "off"}
    window |= {"off": off} if off else {}
    release.pop(WINDOW, None)
    if window:
        release[WINDOW] = window


def move_item(release: dict[str, Any], place: int, by: int) -> None:
    """Move a step of the list up (-1) or down (1).

    Examples
    --------
    >>> release = {"steps": [{"mask": "round"}, {"mask": "pram"}]}
    >>> move_item(release, 0, 1)
    >>> release["steps"]
    [{'mask': 'pram'}, {'mask': 'round'}]
    """
    items = list_items(release)
    to = place + by
    if not (0 <= place < len(items) and 0 <= to < len(items)):
        raise ParameterError("The step cannot be moved further.")
    items[place], items[to] = items[to], items[place]
    set_items(release, items)


def switch_item(release: dict[str, Any], place: int) -> None:
    """Switch a step of the list off, or on again."""
    items = list_items(release)
    items[place] = Item(items[place].step, off=not items[place].off)
    set_items(release, items)


def remove_item(release: dict[str, Any], place: int) -> None:
    """Take a step out of the list."""
    items = list_items(release)
    del items[place]
    set_items(release, items)


def put_item(release: dict[str, Any], step: dict[str, Any], place: int | None = None) -> None:
    """Add a step at the end of the list, or put it in the place of another one, which stays off where it was."""
    items = list_items(release)
    if place is None:
        items.append(Item(step))
    else:
        items[place] = Item(step, off=items[place].off)
    set_items(release, items)
