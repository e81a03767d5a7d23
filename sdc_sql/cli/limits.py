"""Limits of the commands: ``--fail-if`` stops a pipeline where it is met, ``--require`` where it does not hold."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from sdc_sql.cli.options import LIMIT_EXCEEDED, convert_for_json
from sdc_sql.errors import ParameterError
from sdc_sql.figures.door import check_limits_early, complete_report, find_asked_k
from sdc_sql.figures.given import name_figures
from sdc_sql.figures.limits import holds_limit, is_exceeded
from sdc_sql.figures.measured import LackingError
from sdc_sql.figures.written import parse_figure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from sdc_sql.figures.asked import Asked
    from sdc_sql.figures.measured import Beside
    from sdc_sql.roles import Roles

# The options of a command are called so, where their names are not those of the roles or arguments.
_OPTIONS = {"targets": "sensitive", "target": "sensitive", "matrices": "misclassified"}


def add(command: argparse.ArgumentParser, example: str, *, figures: bool = True) -> None:
    """Add the options."""
    command.add_argument(
        "--fail-if", action="append", default=[], metavar="LIMIT",
        help=f"exit with {LIMIT_EXCEEDED} when this holds, as in '{example}'; can be repeated",
    )  # fmt: skip
    command.add_argument(
        "--require", action="append", default=[], metavar="LIMIT",
        help=f"exit with {LIMIT_EXCEEDED} when this does not hold, in the words of a release file, as in "
        "'k_anonymity.3.records <= 0'; can be repeated",
    )  # fmt: skip
    if figures:
        command.add_argument(
            "--figure", action="append", default=[], metavar="NAME=MEASURE(...)",
            help="a measure with arguments of its own, under a name for limits and for --json, as in "
            "'register=k_map(population=register.parquet, k=5)'; can be repeated",
        )  # fmt: skip


def read_asked_figures(arguments: argparse.Namespace) -> Mapping[str, Asked]:
    """Return the figures that limits can name; refuse limits that cannot be read or bound the wrong side."""
    given = [parse_figure(text) for text in getattr(arguments, "figure", [])]
    twice = sorted({label for label, _ in given if [name for name, _ in given].count(label) > 1})
    if twice:
        raise ParameterError(f"--figure {twice[0]} is given twice: give each a name of its own.")
    asked = name_figures(dict(given))
    check_limits_early(arguments.fail_if, asked, holds=False)
    check_limits_early(arguments.require, asked, holds=True)
    return asked


def find_greatest_k(arguments: argparse.Namespace, k: int, asked: Mapping[str, Asked]) -> int:
    """Return the greatest k that is asked for."""
    return find_asked_k([*arguments.fail_if, *arguments.require], k, asked)


def complete(
    arguments: argparse.Namespace,
    report: dict[str, Any],
    asked: Mapping[str, Asked],
    sides: Mapping[str, tuple[Roles, Beside]],
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Return the figures with those that the limits name besides; an error names the option of what is lacking."""
    try:
        limits, own = [*arguments.fail_if, *arguments.require], getattr(arguments, "figure", [])
        return complete_report(report, limits, asked, sides, progress, also=[parse_figure(text)[0] for text in own])
    except LackingError as error:
        compares = "original" in error.names  # the measure compares two files
        hints = ["both files: sdc-sql compare"] if compares else [
            _name_option(arguments, error.asked, name) for name in error.names
        ]  # fmt: skip
        raise ParameterError(f"{error} Give {' and '.join(hints)}.") from None


def _name_option(arguments: argparse.Namespace, asked: Asked, name: str) -> str:
    option = _OPTIONS.get(name, name)
    if hasattr(arguments, option):
        return f"--{option.replace('_', '-')}"
    return f"--figure '{asked.label}={asked.measure.name}({name}=...)'"


def find_broken(
    arguments: argparse.Namespace, figures: Mapping[str, Any], asked: Mapping[str, Asked]
) -> dict[str, bool]:
    """Return each limit as it is told, and whether the command fails by it."""
    found = {limit: is_exceeded(limit, figures, asked) for limit in arguments.fail_if}
    return found | {limit: not holds_limit(limit, figures, asked) for limit in arguments.require}


def format_json(figures: Mapping[str, Any], found: Mapping[str, bool]) -> str:
    """Return the figures as JSON, with the limits by which the command fails."""
    failed = [limit for limit, is_broken in found.items() if is_broken]
    return json.dumps(convert_for_json({**figures, "exceeded": failed}), indent=2, default=str)


def report_broken_limits(arguments: argparse.Namespace, found: Mapping[str, bool]) -> int:
    """Say which limits are broken; return the exit code."""
    for limit in [limit for limit, is_broken in found.items() if is_broken]:
        what = "limit exceeded" if limit in arguments.fail_if else "limit does not hold"
        print(f"sdc-sql: {what}: {limit}", file=sys.stderr)
    return LIMIT_EXCEEDED if any(found.values()) else 0
