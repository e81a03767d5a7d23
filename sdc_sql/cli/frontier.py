"""``sdc-sql frontier``: the risk and loss of many candidate releases, and which one to choose."""

from __future__ import annotations

import argparse
import json
from typing import Any

from sdc_sql.cli.options import (
    add_readable,
    add_resources,
    add_small_weights,
    check_resources,
    json_value,
    list_columns_or_none,
    names,
    number_or_column,
)
from sdc_sql.db.files.source import open_source
from sdc_sql.db.showing.results import format_value
from sdc_sql.errors import ParameterError
from sdc_sql.microdata import Microdata

EPILOG = """examples:
  sdc-sql frontier persons.parquet --keys age,sex --hierarchies FOLDER --sampling-fraction 0.02 --risk upper_bound --loss hellinger --max-risk 0.05
  sdc-sql frontier persons.parquet --keys age,sex --id id --risk k_anonymity.3.records --loss distribution_distance.hellinger --max-risk 0 \\
      --steps '[["local_suppression", {"k": 3}], [["round", {"columns": "age", "base": 5}], ["local_suppression", {"k": 3}]]]'
"""  # noqa: E501 - a call on a line


def _parse_candidates(text: str) -> Any:  # noqa: ANN401 - lists of levels
    return text if text == "all" else json_value(text)


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command."""
    words = "the risk-utility frontier: risk and loss of many maskings or recodings, and the one to choose"
    command = commands.add_parser(
        "frontier", help=words, description=words[0].upper() + words[1:] + ".", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("source", metavar="SOURCE", help="a Parquet, CSV or DuckDB file (read, never written)")
    command.add_argument("--keys", required=True, type=names, metavar="A,B,C", help="the key variables")
    swept = command.add_mutually_exclusive_group(required=True)
    swept.add_argument("--hierarchies", metavar="FILE", help="sweep recodings: the hierarchies of the keys, as preview")
    swept.add_argument(
        "--steps", type=json_value, metavar="JSON",
        help="sweep maskings: a list of candidates, each [method, {arguments}] or a list of such steps",
    )  # fmt: skip
    command.add_argument(
        "--candidates", type=_parse_candidates, default="all", metavar="JSON",
        help="of recodings: lists of levels, one for each key (default: all combinations)",
    )  # fmt: skip
    command.add_argument(
        "--risk", required=True, metavar="FIGURE", help="measure.figure; of recodings a figure of preview, as theta"
    )
    command.add_argument("--loss", required=True, metavar="FIGURE", help="likewise; as hellinger of recodings")
    command.add_argument("--max-risk", type=float, metavar="A", help="choose the least loss of those of at most this")
    command.add_argument("--utility", metavar="EXPRESSION", help="choose what is worth most, as in '-loss - 2 * risk'")
    command.add_argument("--plot", metavar="PATH", help="draw the map: an SVG, HTML, Markdown, PNG or PDF file")
    add_readable(command, "the map")
    command.add_argument("--id", metavar="ID", help="the column that identifies each record, for maskings")
    command.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    command.add_argument("--weight", metavar="W", help="the column of expansion weights, or a number")
    add_small_weights(command)
    command.add_argument("--sampling-fraction", type=float, metavar="PI", help="in (0, 1), for theta")
    command.add_argument("--json", action="store_true", help="print the candidates as JSON")
    add_resources(command)
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each candidate; return the exit code."""
    check_resources(arguments)
    numbers = [arguments.weight.strip('"')] if arguments.weight else []
    source = open_source(
        arguments.source, arguments.table, memory_limit=arguments.memory_limit, threads=arguments.threads,
        numbers=numbers,
    )  # fmt: skip
    with source as (con, table):
        weight = number_or_column("--weight", arguments.weight, list_columns_or_none(con, table))
        data = Microdata(
            con, table, keys=arguments.keys, weight=weight, id=arguments.id,
            sampling_fraction=arguments.sampling_fraction, small_weights=arguments.small_weights,
        )  # fmt: skip
        candidates: Any
        if arguments.hierarchies:
            candidates = data.mask.preview_recodings(arguments.hierarchies, arguments.candidates)
        else:
            candidates = _convert_steps(arguments.steps)
        found = data.frontier(
            candidates, arguments.risk, arguments.loss, max_risk=arguments.max_risk, utility=arguments.utility
        )
    if arguments.plot:
        found.plot(arguments.plot, readable=arguments.readable)
    if arguments.json:
        print(json.dumps([candidate.to_dict() for candidate in found], indent=2, default=str))
        return 0
    print(f"risk: {found.risk}; loss: {found.loss}; * on the frontier, ** chosen")
    lines = [
        (format_value(c.risk), format_value(c.loss), "**" if c.chosen else "*" if c.undominated else "", c.candidate)
        for c in found
    ]
    widths = [max(len(line[i]) for line in lines) for i in range(2)]
    for risk, loss, mark, name in lines:
        print(f"{risk.rjust(widths[0])}  {loss.rjust(widths[1])}  {mark:2}  {name}")
    if found.chosen is None and (arguments.max_risk is not None or arguments.utility):
        print("no candidate can be chosen")
    return 0


def _convert_steps(given: Any) -> list[Any]:  # noqa: ANN401 - what JSON holds
    """Return candidates as Python takes them: a step is a pair."""
    if not isinstance(given, list):
        raise ParameterError('--steps is no list of candidates, as in \'[["local_suppression", {"k": 3}]]\'.')
    several = [one if isinstance(one, list) and one and isinstance(one[0], list) else [one] for one in given]
    return [[tuple(step) if isinstance(step, list) else step for step in steps] for steps in several]
