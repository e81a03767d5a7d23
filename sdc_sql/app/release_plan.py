"""What a release is made of, to be read before it is signed: who might look, and what is done, in its order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app.protect_forms import describe_step
from sdc_sql.document.blocks import format_readable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.app.desk import Desk


def serve(desk: Desk) -> None:
    """Register the part."""

    @desk.part("release_plan")
    def _() -> TagList:
        release = desk.release()
        return TagList(
            tags.h3("Who might look"),
            tags.ul(*map(_write_scenario, release.get("scenarios", [])), class_="points", id="release-scenarios")
            if release.get("scenarios")
            else tags.p("Nobody is named yet (step 2).", class_="hint"),
            tags.h3("What is done"),
            tags.ol(*map(_write_step, release.get("steps", [])), class_="points", id="release-steps")
            if release.get("steps")
            else tags.p("Nothing: the file is as it was collected (step 4).", class_="hint"),
        )


def _write_scenario(scenario: Mapping[str, Any]) -> Tag:
    keys = ", ".join(map(format_readable, scenario.get("keys", []))) or "nothing yet"
    count = len(scenario.get("limits", []))
    text = str(scenario.get("text", "")) or "Who it is, and why these keys: not given."
    limits = f"{count} limit{'s' * (count != 1)}" if count else "no limit set"
    return tags.li(
        tags.strong(format_readable(scenario.get("name", ""))), ": ", tags.span(text, class_="lines"),
        tags.br(), tags.span(f"knows: {keys}; {limits}", class_="hint"),
    )  # fmt: skip


def _write_step(step: Mapping[str, Any]) -> Tag:
    words, more = describe_step(step)
    return tags.li(words, " " if more else None, tags.span(more, class_="hint") if more else None)
