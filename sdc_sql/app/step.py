"""What a step of the work is, for the frame of the page: its name, its title, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from htmltools import Tag, TagList

    from sdc_sql.app.desk import Desk

TITLES = {
    "look": "Look",
    "scenarios": "Who might look",
    "risk": "Risk",
    "protect": "Protect",
    "compare": "Compare",
    "release": "Release",
}  # in their order


@dataclass(frozen=True)
class Step:
    """One of the steps.

    Parameters
    ----------
    name
        A word for addresses (``#risk``).
    asks
        The question that the step answers, in a sentence, under its heading.
    view
        What the step shows when one goes to it: tags, with a place (``desk.place("risk_file")``) for each part that is
        computed. It is called once each time that one goes there.
    serve
        Called once a connection: it registers the parts (``@desk.part("risk_file")``) and what its buttons and fields
        do (``@desk.on("choose_scenario")``).
    describe
        Where one stands in this step, in a few words for the list of steps: ``3 of 12 columns undecided``. It is called
        after each change, and has to be quick.
    """

    name: str
    asks: str
    view: Callable[[Desk], Tag | TagList]
    serve: Callable[[Desk], None]
    describe: Callable[[Desk], str]

    @property
    def title(self) -> str:
        """What stands in the list of steps."""
        return TITLES[self.name]
