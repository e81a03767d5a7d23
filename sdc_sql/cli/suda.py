"""``sdc-sql risk --suda``: how many keys special uniques have at most, and what contributes to their scores."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from sdc_sql.db.showing.results import format_value
from sdc_sql.document.blocks import Section, make_table_block
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.microdata import Microdata


def _parse_size(text: str) -> int | None:
    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size: give a whole number, or all") from None


def add(risk: argparse.ArgumentParser) -> None:
    """Add the options."""
    risk.add_argument(
        "--suda", action="store_true",
        help="look for special uniques, of up to --max-msu keys (limits: 'suda_summary.max_dis_suda > 0.1')",
    )  # fmt: skip
    risk.add_argument(
        "--max-msu", type=_parse_size, default=3, metavar="N",
        help="how many keys a special unique has at most, or all: fewer give lower scores (default 3)",
    )  # fmt: skip
    risk.add_argument(
        "--contributions", action="store_true",
        help="with --suda: the percentage of the scores due to each key, and of that to each of its values "
        "(limits: 'suda_contributions.contribution > 80')",
    )  # fmt: skip


def measure_contributions(data: Microdata, arguments: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """Return the contributions to the scores, where they were asked for."""
    if not arguments.contributions:
        return {}
    if not arguments.suda:
        raise ParameterError("--contributions goes with --suda.")
    return {
        "suda_contributions": [c.to_dict() for c in data.risk.suda_contributions(arguments.max_msu)],
        "suda_value_contributions": [c.to_dict() for c in data.risk.suda_value_contributions(arguments.max_msu)],
    }


def list_suda_texts(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Return them as text: a line for each key, and under it its values that contribute."""
    if not found:
        return []
    lines = ["Contributions to the scores, in per cent: of each key, and within it of each value"]
    for key in found["suda_contributions"]:
        lines.append(f"  {key['variable']}: {format_value(key['contribution'])}")
        lines += [
            f"    {'NULL' if value['value'] is None else value['value']}: {format_value(value['contribution'])}"
            for value in found["suda_value_contributions"]
            if value["variable"] == key["variable"] and value["contribution"] > 0
        ]
    return ["\n".join(lines)]


def list_suda_sections(found: dict[str, list[dict[str, Any]]]) -> list[Section]:
    """Return them as a section of a page, or none."""
    if not found:
        return []
    keys = make_table_block("Of each key", found["suda_contributions"], ["variable"])
    values = make_table_block("Of each value of a key", found["suda_value_contributions"], ["variable", "value"])
    return [Section("Contributions to the scores of special uniques, in per cent", (keys, values))]
