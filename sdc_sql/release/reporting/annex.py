"""The annex of the internal report: the combinations of keys most at risk, of each scenario. They are microdata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Page, Section, Table, Text
from sdc_sql.document.files import write_page
from sdc_sql.release.reporting.stages import describe_release
from sdc_sql.report import layout

if TYPE_CHECKING:
    from pathlib import Path

    from sdc_sql.release.running.outcome import Outcome
    from sdc_sql.report import RiskReport


def write_annex(outcome: Outcome, path: Path) -> None:
    """Write the annex, as Markdown where the path ends so, else as HTML."""
    write_page(annex_page(outcome), path)


def annex_page(outcome: Outcome) -> Page:
    """Return the annex as a page: before masking and after it."""
    lines = (*describe_release(outcome), "Microdata: only for those who may see the source.")
    sections = tuple(
        Section(
            f"Scenario: {s.scenario.name}",
            tuple(
                Section(when, tuple(found) or (Text("No combination is at risk."),))
                for when, found in (
                    ("Before masking", list_riskiest(s.before)),
                    ("After masking", list_riskiest(s.after)),
                )
            ),
        )
        for s in outcome.scenarios
    )
    return Page(f"{outcome.plan.title or outcome.plan.output.path.name}: annex, records most at risk", lines, sections)


def list_riskiest(report: RiskReport) -> list[Table]:
    """Return the tables of the combinations most at risk."""
    return [table for table in layout.tables(report.parts) if table.title == layout.RISKIEST]


def tell_annex(outcome: Outcome) -> str:
    """Say where the combinations most at risk stand, for the internal report, which has none of them."""
    name = outcome.plan.output.documents.get("annex")
    where = (
        f"in the annex, {name.name}"
        if name
        else "in an annex, where output.annex names its file, and in what --json prints"
    )
    return f"The combinations of keys most at risk are microdata, and stand {where}."
