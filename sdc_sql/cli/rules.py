"""``sdc-sql rules``: check a file against the rules for microdata files, or against given thresholds."""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING, Any

from sdc_sql.cli import limits
from sdc_sql.cli.options import (
    LIMIT_EXCEEDED,
    add_household_columns,
    add_small_weights,
    add_wait,
    date,
    list_columns_or_none,
    names,
    number_or_column,
)
from sdc_sql.db.files.source import open_source
from sdc_sql.db.showing.results import format_value
from sdc_sql.errors import ParameterError
from sdc_sql.microdata import Microdata

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.db.showing.results import Result

EPILOG = """A rule of research or public that was not measured is not fulfilled: the exit code is 3 until --looked-at
names it: a person has checked it. With --threshold the exit code is 3 where a --fail-if limit is exceeded.

examples:
  sdc-sql rules persons.parquet --for research --keys region,sex,job --weight w \\
      --extremely region --very sex --identifying job --inhabitants inhabitants --no-panel --looked-at 1,3
  sdc-sql rules persons.parquet --for public --keys sex,age --weight w --withheld nationality --looked-at 1,3,5,6,9,10
  sdc-sql rules persons.parquet --threshold 100,20,3 --keys region,sex,age,job \\
      --fail-if 'threshold_rule_summary.unsafe_combinations > 0'
"""


# The macros ask for these arguments, which this command takes so.
ASKED = {
    "give a weight and the levels of the keys": "give --weight and the levels, --extremely, --very and --identifying",
    "give levels, with the regional columns as extremely identifying": "give --extremely, the regional columns",
    "say panel, true or false, and give levels": "say --panel or --no-panel, give --extremely, the regional columns",
    "([] for none)": "('' for none)",
    "and a weight": "and --weight",
    "give a weight": "give --weight",
}


def _format_answer(found: str) -> str:
    """Return what a rule found, where it was not measured with this command's options instead of the arguments."""
    start = "not measured: "
    if not found.startswith((f"{start}give ", f"{start}say ")):
        return found
    for words, here in ASKED.items():
        found = found.replace(words, here)
    return re.sub(r"\b(give|and) (?=[a-z_]+(, |$))([a-z_]+)", lambda m: f"{m[1]} --{m[3].replace('_', '-')}", found)


def _parse_numbers(text: str) -> list[float | None]:
    try:
        return [None if not part.strip() else float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a list of numbers, as in 100,20,3 (one may be left out)"
        ) from None


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command."""
    words = "check the rules for microdata files, or thresholds on combinations of values"
    command = commands.add_parser(
        "rules", help=words, description=words[0].upper() + words[1:] + ".", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("source", metavar="SOURCE", help="a Parquet, CSV or DuckDB file (read, never written)")
    command.add_argument("--keys", required=True, type=names, metavar="A,B,C", help="the key variables")
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--for", dest="file", choices=["research", "public"], help="the rules of which file (handbook, 3.7)"
    )
    what.add_argument(
        "--threshold",
        type=_parse_numbers,
        metavar="T1,T2,...",
        help="a threshold for each dimension, or one for 1 .. 3: of persons with --weight, else of records",
    )
    command.add_argument(
        "--at-least", action="store_true",
        help="with --threshold: a frequency equal to the threshold is safe (each combination occurs at least so often)",
    )  # fmt: skip
    command.add_argument(
        "--combinations",
        type=int,
        default=0,
        metavar="N",
        help="with --threshold: list the N rarest unsafe combinations",
    )
    command.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    command.add_argument("--weight", metavar="W", help="the column of expansion weights, or a number")
    command.add_argument("--household", metavar="H", help="the column of household numbers")
    add_household_columns(command)
    command.add_argument(
        "--nulls", choices=["category", "wildcard"], default="category", help="NULL in a key, as in sdc-sql risk"
    )
    add_small_weights(command)
    for level in ("extremely", "very", "identifying"):
        command.add_argument(
            f"--{level}",
            type=names,
            metavar="A,B",
            help=f"the keys that are {level}{'' if level[0] == 'i' else ' identifying'}",
        )
    for name in ("inhabitants", "province", "municipality"):
        command.add_argument(f"--{name}", metavar="C", help=f"the column of {name}")
    for name in ("direct-identifiers", "withheld", "sensitive", "household-variables", "indirect-regions"):
        command.add_argument(
            f"--{name}", type=names, metavar="A,B", help=f"{name.replace('-', ' ')}: columns, or '' for none"
        )
    command.add_argument(
        "--panel",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether persons were interviewed repeatedly",
    )
    for name in ("reference-date", "release-date"):
        command.add_argument(f"--{name}", type=date, metavar="YYYY-MM-DD", help=f"the {name.replace('-', ' ')}")
    command.add_argument(
        "--looked-at", type=_parse_numbers, default=[], metavar="N,M", help="rules that a person has checked"
    )
    limits.add(command, "threshold_rule_summary.unsafe_combinations > 0", figures=False)
    command.add_argument("--json", action="store_true", help="print the answers as JSON")
    add_wait(command)
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the answers; return the exit code."""
    _check_options(arguments)
    asked = limits.read_asked_figures(arguments)
    numbers = [n.strip('"') for n in (arguments.weight, arguments.inhabitants) if n]
    with open_source(arguments.source, arguments.table, numbers=numbers) as (con, table):
        data = Microdata(
            con,
            table,
            keys=arguments.keys,
            weight=number_or_column("--weight", arguments.weight, list_columns_or_none(con, table)),
            household=arguments.household,
            household_columns=arguments.household_columns,
            nulls=arguments.nulls,
            small_weights=arguments.small_weights,
        )
        found: Sequence[Any]
        unsafe: list[Any] = []
        if arguments.threshold is not None:
            found = _thresholds(data, arguments)
            if arguments.combinations:
                every = data.risk.threshold_rule(_parse_threshold(arguments), **_how(arguments))
                unsafe = sorted(every, key=lambda c: c.frequency)[: arguments.combinations]
        elif arguments.file == "research":
            found = data.risk.research_file_rules(
                _list_levels(arguments), inhabitants=arguments.inhabitants,
                direct_identifiers=arguments.direct_identifiers,
                panel=arguments.panel,
            )  # fmt: skip
        else:
            taken = ("household_variables", "indirect_regions", "province", "municipality", "withheld", "sensitive")
            dates = ("reference_date", "release_date")
            found = data.risk.public_use_file_rules(**{n: getattr(arguments, n) for n in (*taken, *dates)})
    if arguments.threshold is None:
        _check_inspected_rules(arguments, found)
    if arguments.json:
        print(
            json.dumps([row.to_dict() for row in (unsafe if arguments.combinations else found)], indent=2, default=str)
        )
    else:
        _print_answers(found)
        for c in unsafe:
            values = ", ".join(f"{n} = {'NULL' if v is None else v}" for n, v in zip(c.columns, c.values, strict=True))
            print(
                f"  {values}: {format_value(c.frequency)} (threshold {format_value(c.threshold)}), "
                f"{format_value(c.records)} records"
            )
    if arguments.threshold is not None:
        figures = {"threshold_rule_summary": [r.to_dict() for r in found]}
        return limits.report_broken_limits(arguments, limits.find_broken(arguments, figures, asked))
    return (
        LIMIT_EXCEEDED
        if any(r.violated or (r.violated is None and r.rule not in arguments.looked_at) for r in found)
        else 0
    )


def _check_options(arguments: argparse.Namespace) -> None:
    if arguments.combinations < 0:
        raise ParameterError(f"--combinations is {arguments.combinations}: it must be at least 0.")
    if arguments.file and (arguments.at_least or arguments.combinations):
        raise ParameterError(
            "--at-least and --combinations go with --threshold; the rules of a file have their own thresholds."
        )
    if arguments.file and (arguments.fail_if or arguments.require):
        raise ParameterError(
            "--fail-if and --require go with --threshold; the rules of a file decide the exit code themselves."
        )


def _check_inspected_rules(arguments: argparse.Namespace, found: Sequence[Any]) -> None:
    rules = {r.rule for r in found}
    strange = ", ".join("nothing" if n is None else format_value(n) for n in arguments.looked_at if n not in rules)
    if strange:
        raise ParameterError(
            f"--looked-at names {strange}, which is no rule of a {arguments.file} file: they are 1 to {max(rules)}."
        )


def _list_levels(arguments: argparse.Namespace) -> dict[str, list[str]] | None:
    levels = {
        level: getattr(arguments, level) for level in ("extremely", "very", "identifying") if getattr(arguments, level)
    }
    return levels or None


def _thresholds(data: Microdata, arguments: argparse.Namespace) -> list[Any]:
    return data.risk.threshold_rule_summary(_parse_threshold(arguments), **_how(arguments))


def _parse_threshold(arguments: argparse.Namespace) -> Any:  # noqa: ANN401 - a number, or a list of them
    return arguments.threshold[0] if len(arguments.threshold) == 1 else arguments.threshold


def _how(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"levels": _list_levels(arguments), "inclusive": not arguments.at_least}


def _print_answers(found: Sequence[Result]) -> None:
    for row in found:
        figures = row.to_dict()
        if "violated" in figures:
            answer = {True: "VIOLATED", False: "kept", None: "look"}[figures["violated"]]
            print(f"{figures['rule']:>3}  {answer:<8}  {figures['requirement']}: {_format_answer(figures['found'])}")
        else:
            columns = " x ".join(figures["columns"])
            print(
                f"{columns}: {format_value(figures['unsafe_combinations'])} of {format_value(figures['combinations'])} "
                "combinations unsafe "
                f"(threshold {format_value(figures['threshold'])}), {format_value(figures['unsafe_records'])} records"
            )
