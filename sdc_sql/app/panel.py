"""A panel of the step Risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from htmltools import Tag, TagList

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.scenario_risk import Asked


@dataclass(frozen=True)
class Panel:
    """Its name, its title, what it shows of a scenario (by its number), and what it registers once a connection."""

    name: str
    title: str
    draw: Callable[[Desk, int, Asked], Tag | TagList]
    serve: Callable[[Desk], None]


def serve_nothing(desk: Desk) -> None:
    """Register nothing: the panel has no buttons of its own."""
    del desk
