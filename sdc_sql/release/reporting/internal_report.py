"""The internal report of a release: everything but the key, in the six stages of the SDC handbook (section 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Page
from sdc_sql.document.files import format_page, write_page
from sdc_sql.release.reporting.internal.control import write_control
from sdc_sql.release.reporting.internal.data import write_data
from sdc_sql.release.reporting.internal.first_page import list_cover_blocks
from sdc_sql.release.reporting.internal.implementation import write_implementation
from sdc_sql.release.reporting.internal.need import write_need
from sdc_sql.release.reporting.internal.result import write_result
from sdc_sql.release.reporting.internal.risk import write_risk

if TYPE_CHECKING:
    from pathlib import Path

    from sdc_sql.release.running.outcome import Outcome

CONFIDENTIAL = "Internal and confidential: never for the users of the file."


def write_internal_report(outcome: Outcome, path: Path) -> None:
    """Write the internal report, as Markdown where the path ends so, else as HTML."""
    write_page(internal_page(outcome), path)


def internal_report(outcome: Outcome, format: str = "html") -> str:  # noqa: A002 - the plain word for it
    """Return the internal report of a release, accepted or refused, as ``"html"`` or ``"markdown"``.

    It holds everything but the secret key and is as confidential as the data. Its first page is for who signs it: the
    verdict, what is released and to whom, the limits that fail and the tightest of the others, what users lose. Then
    come the stages: the variables, risks by scenario before and after, every step with its parameters, PRAM matrices,
    suppressions by variable and dimension, losses and estimates. Figures have three digits; certificates have all.
    """
    return format_page(internal_page(outcome), format)


def internal_page(outcome: Outcome) -> Page:
    """Return the internal report as a page."""
    write = (write_need, write_data, write_risk, write_control, write_implementation, write_result)
    title = f"{outcome.plan.title or outcome.plan.output.path.name}: internal report"
    sections = tuple(section(outcome) for section in write)
    return Page(title, (CONFIDENTIAL,), sections, cover=list_cover_blocks(outcome))
