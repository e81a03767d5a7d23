"""Where each measure stands on a page, of one file or of one before and after masking."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdc_sql.document.blocks import Chart, Section, Table, Text, make_facts_block, make_table_block

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.db.showing.results import Result
    from sdc_sql.document.blocks import Block
    from sdc_sql.report.distribution import Rows

FREQUENCIES = "Frequencies"
K_ANONYMITY = "k-anonymity: records and cells with fewer than k records"
THETA = "theta: the probability that a unique match is correct"
THETA_BY = "theta by stratum"
GLOBAL = "Global risk"
HOUSEHOLDS = "Global risk with households"
ATTRIBUTE = "Attribute disclosure: the worst cell of each variable"
SUDA = "Special uniques (SUDA)"
RISKIEST = "The riskiest keys"
RISKS = "Individual and global risk"

_BY_FREQUENCY = "Records by the size of their cell: how many records share their combination of keys"
_BY_RISK = "Records by individual risk (the scale is logarithmic)"
# these figures stand together, and have pictures
_GROUPS = {
    FREQUENCIES: (FREQUENCIES, K_ANONYMITY),
    "A match that is correct": (THETA, THETA_BY),
    RISKS: (GLOBAL, HOUSEHOLDS),
    "Attribute disclosure": (ATTRIBUTE,),
    "Special uniques": (SUDA,),
    RISKIEST: (RISKIEST,),
}


def list_report_sections(
    parts: Mapping[str, Result | list[dict[str, Any]]], distributions: tuple[Rows, Rows], note: str | None = None
) -> tuple[Section, ...]:
    """Return the sections of a page about one file: its measures by their titles, and the two distributions.

    ``note`` is what a reader of the estimates of risk has to know: it stands beside them.
    """
    by_title = {found.title: found for found in tables(parts)}
    found = []
    for heading, titles in _GROUPS.items():
        shown = [by_title[title] for title in titles if title in by_title]
        # the heading is not repeated
        blocks: list[Block] = [replace(part, title="") if part.title == heading else part for part in shown]
        if blocks and heading == RISKS and note:
            blocks.insert(0, Text(note))
        if blocks:
            found.append(Section(heading, (*blocks, *pictures(heading, {"records": distributions}))))
    return tuple(found)


def pictures(heading: str, distributions: Mapping[str, tuple[Rows, Rows]]) -> list[Chart]:
    """Return the pictures of a group of measures: the distributions of one file, or of several side by side."""
    by_frequency, by_risk = ({name: found[i] for name, found in distributions.items()} for i in (0, 1))
    if heading == FREQUENCIES and all(by_frequency.values()):
        return [_chart(_BY_FREQUENCY, "frequency", by_frequency)]
    if heading == RISKS and all(by_risk.values()):
        return [_chart(_BY_RISK, "individual_risk", by_risk, logarithmic=True)]
    return []


def tables(parts: Mapping[str, Result | list[dict[str, Any]]]) -> list[Table]:
    """Return each measure as a table under its title."""
    return [
        make_table_block(title, part) if isinstance(part, list) else make_facts_block(title, part.to_dict())
        for title, part in parts.items()
    ]


def _chart(title: str, by: str, rows: Mapping[str, Sequence[Mapping[str, Any]]], *, logarithmic: bool = False) -> Chart:
    first = next(iter(rows.values()))
    return Chart(
        title,
        tuple(row[by] for row in first),
        tuple((name, tuple(row["records"] for row in found)) for name, found in rows.items()),
        "dots" if logarithmic else "bars",
        logarithmic,
    )
