"""What parts of a page are made of: blocks of the reports, buttons that do something, work with its progress."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from htmltools import HTML, Tag, TagList, tags

from sdc_sql.app.jobs import DONE, FAILED, STOPPED
from sdc_sql.document.page import write_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.jobs import Job
    from sdc_sql.document.blocks import Block

    TagAttrs: TypeAlias = "dict[str, str | float | bool | HTML | None]"

T = TypeVar("T")
_NUMBER = count(1)  # no id occurs twice, whichever parts of a page are drawn anew


def act(name: str, **sent: object) -> TagAttrs:
    """Return the attributes of a button, a field or a form that does something, with what it sends.

    Examples
    --------
    >>> act("round", column="age")
    {'data-act': 'round', 'data-column': 'age'}
    """
    assert "number" not in sent, "the page counts what is asked for by that name: call it otherwise"  # noqa: S101
    attributes: TagAttrs = {"data-act": name}
    return attributes | {f"data-{key.replace('_', '-')}": str(value) for key, value in sent.items()}


def button(
    label: str,
    name: str,
    *,
    primary: bool = False,
    disabled: bool = False,
    id: str | None = None,  # noqa: A002 - HTML's word
    title: str | None = None,
    spoken: str | None = None,
    **sent: object,
) -> Tag:
    """Return a button that does something; ``spoken`` is what it is called for who hears the page."""
    return tags.button(
        label, act(name, **sent), type="button", class_="primary" if primary else None, id=id,
        title=title, aria_label=spoken, disabled="" if disabled else None,
    )  # fmt: skip


def show_blocks(*blocks: Block) -> HTML:
    """Return blocks as the reports show them: tables, charts, distributions."""
    return HTML(write_blocks(blocks, _NUMBER))


def explain(word: str, meaning: str) -> Tag:
    """Return a term with its meaning at hand: it is opened by a click or the keyboard."""
    return tags.details(tags.summary(word), tags.p(meaning), class_="term")


def show_problem(desk: Desk, place: str) -> Tag | None:
    """Return what went wrong at a place, or nothing."""
    said = desk.read_problem(place)
    return tags.p(said, class_="problem", role="alert", data_place=place) if said else None


def show_job(job: Job[T], draw: Callable[[T], Any], *, what: str = "") -> Tag | TagList:
    """Return what a job has found; while it works its progress over what was there, and where it failed the reason.

    Parameters
    ----------
    job
        The work.
    draw
        It makes tags of the result.
    what
        What is being computed, in a few words.
    """
    if job.status == DONE:
        drawn = draw(job.result)  # type: ignore[arg-type] # it is there
        return drawn if isinstance(drawn, Tag | TagList) else TagList(drawn)
    again = button("Try again", "again", panel=job.panel, id=f"again-{job.panel}")
    if job.status == FAILED:
        return tags.div(tags.p(job.error, role="alert"), again, class_="problem")
    if job.status == STOPPED:
        return tags.div(tags.p(f"{what or 'The work'} was stopped."), again, class_="work")
    stage = job.stage.replace("_", " ")
    said = f"{what}: {stage}" if what and stage else what or stage or "Working"
    progress = tags.div(
        tags.p(tags.span(f"{said} \N{HORIZONTAL ELLIPSIS}"), {"aria-live": "polite"}),
        tags.div(class_="bar", role="progressbar", aria_label=said),
        button("Stop", "stop", panel=job.panel, id=f"stop-{job.panel}"),
        class_="work",
        aria_busy="true",
    )
    if job.former is None:
        return progress
    former = tags.div(tags.p("Until then, what was found before:", class_="hint"), draw(job.former), class_="former")
    former.attrs["inert"] = ""  # not to be used
    return TagList(progress, former)
