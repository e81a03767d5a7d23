"""The step *Protect*."""

from __future__ import annotations

from typing import TYPE_CHECKING

from htmltools import Tag, tags

from sdc_sql.app.step import Step

if TYPE_CHECKING:
    from sdc_sql.app.desk import Desk


def view(desk: Desk) -> Tag:
    """Return what the step shows."""
    del desk
    return tags.p("This step is not there yet: the release file and the command line do it.")


def serve(desk: Desk) -> None:
    """Register the parts of the step, and what is done in it."""
    del desk


def describe(desk: Desk) -> str:
    """Say where one stands."""
    del desk
    return ""


STEP = Step(
    "protect",
    "Protect",
    "What makes the file safe, and what would each step do to risk and loss?",
    view,
    serve,
    describe,
)
