"""Special uniques (SUDA): records that are unique on a few keys already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app.meaning import explain_measures
from sdc_sql.app.panel import Panel
from sdc_sql.app.scenario_risk import describe_scenario
from sdc_sql.app.show import act, show_blocks, show_job
from sdc_sql.document.blocks import make_facts_block
from sdc_sql.errors import ParameterError
from sdc_sql.report.measure import summarise_special_uniques

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.scenario_risk import Asked
    from sdc_sql.document.blocks import Block
    from sdc_sql.risk.suda import SudaSummary

SIZES = {"2": "up to 2 keys", "3": "up to 3 keys", "4": "up to 4 keys", "all": "any number of keys"}


@dataclass(frozen=True)
class Found:
    """The summary, and what each key and each value adds, as pictures."""

    summary: SudaSummary
    by_key: Block
    by_value: Block


def draw(desk: Desk, number: int, asked: Asked) -> Tag | TagList:
    """Return the special uniques of the file."""
    size = desk.read_choice("suda_size", "3")
    most = None if size == "all" else int(size)

    def run(cursor: duckdb.DuckDBPyConnection, tell: Callable[[str], None]) -> Found:
        _, data = describe_scenario(desk.state, asked, cursor)
        tell("special uniques")
        summary = summarise_special_uniques(data, most)
        tell("what each key adds")
        keys = data.risk.suda_contributions(most).plot().block
        tell("what each value adds")
        return Found(summary, keys, data.risk.suda_value_contributions(most).plot().block)

    options = [
        tags.option(words, value=value, selected="" if value == size else None) for value, words in SIZES.items()
    ]
    choice = tags.p(
        tags.label("Look for records that are unique on ", tags.select(*options, act("suda_size"), id="suda-size"))
    )
    job = desk.find_job(f"suda-{number}", (asked.inputs, size), run)
    return TagList(
        choice,
        explain_measures("suda_summary", "minimal_sample_uniques", "suda_contributions", key="risk-suda-help"),
        show_job(job, _write_found, what="Special uniques"),
    )


def _write_found(found: Found) -> Tag:
    if not found.summary.records_with_msu:
        return tags.p("No record is unique on so few keys.")
    facts = make_facts_block("The file", found.summary.to_dict())
    parts = (tags.div(show_blocks(facts, found.by_key)), tags.div(show_blocks(found.by_value)))
    return tags.div(*parts, class_="report")


def serve(desk: Desk) -> None:
    """Register what is chosen in the panel."""

    @desk.on("suda_size")
    def _(sent: dict[str, Any]) -> None:
        if sent["value"] not in SIZES:
            raise ParameterError("There is no such number of keys.")
        desk.choose("suda_size", sent["value"])


PANEL = Panel("suda", "Special uniques (SUDA)", draw, serve)
