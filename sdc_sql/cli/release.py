"""``sdc-sql release``: run a release file, from the raw file to the released one, or say why that is refused."""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from typing import TYPE_CHECKING, Any

from sdc_sql.cli.options import (
    BAD_INPUT,
    LIMIT_EXCEEDED,
    add_progress,
    add_resources,
    check_resources,
    convert_for_json,
    make_progress,
)
from sdc_sql.db.showing.results import format_value as shown_number
from sdc_sql.errors import ParameterError, ReleaseFileError
from sdc_sql.release.proposing.propose import propose_release
from sdc_sql.release.reading import density, ruleset, schema
from sdc_sql.release.reading.read import read_release
from sdc_sql.release.reading.undecided import INDENT, list_unchanged_columns
from sdc_sql.release.reporting.estimates_section import describe_estimate
from sdc_sql.release.running import household_columns
from sdc_sql.release.running.run import run_release

if TYPE_CHECKING:
    from sdc_sql.frontier.figures import Figure
    from sdc_sql.release.reading.plan import Plan
    from sdc_sql.release.running.outcome import Outcome

EPILOG = f"""exit codes: 0 released; {BAD_INPUT} the file has errors (each with its place), or a step cannot be run;
{LIMIT_EXCEEDED} refused: a limit does not hold, and nothing is written. The secret key of steps that draw is read from
the environment variable SDC_KEY.

examples:
  sdc-sql release --init survey.parquet release.toml
  sdc-sql release release.toml --plan
  sdc-sql release release.toml
  sdc-sql release --rulesets
  sdc-sql release --ruleset nl-research > mine.toml
  sdc-sql release --schema > release.schema.json
  sdc-sql release release.toml --output-folder released
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command."""
    words = "run a release file: mask a copy, measure, and write the file if every limit holds"
    command = commands.add_parser(
        "release", help=words, description=words[0].upper() + words[1:] + ".", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "--init",
        metavar="DATA",
        help="propose a release file (by default release.toml) from a Parquet, CSV or DuckDB file, and stop",
    )
    what.add_argument("--rulesets", action="store_true", help="list the rulesets that rules = can name, and stop")
    what.add_argument(
        "--schema", action="store_true", help="print the JSON Schema of release files, for editors, and stop"
    )
    what.add_argument("--ruleset", metavar="NAME", help="print a ruleset, to be copied and changed, and stop")
    command.add_argument("file", nargs="?", metavar="RELEASE.toml", help="the release file")
    command.add_argument("--table", help="with --init: the table of a database")
    command.add_argument("--plan", action="store_true", help="check the file and show what would be done, and stop")
    command.add_argument(
        "--output-folder", metavar="FOLDER",
        help="where the outputs go, made if it is not there (default: beside the release file)",
    )  # fmt: skip
    command.add_argument(
        "--replace", action="store_true",
        help="let the outputs take the places of earlier ones, once the release is accepted",
    )  # fmt: skip
    command.add_argument("--report", metavar="FILE", help="where to write the internal report if it is refused")
    command.add_argument("--json", action="store_true", help="print what was found as JSON")
    add_resources(command)
    add_progress(command)
    command.set_defaults(handle=run)


def _answer_question(arguments: argparse.Namespace) -> str | None:
    """Return what is printed where no release file is run: rulesets, the schema, the name of a proposed file."""
    if arguments.rulesets:
        return _rulesets()
    if arguments.schema:
        return schema.read_schema().rstrip("\n")
    if arguments.ruleset:
        return ruleset.read_shipped_text(arguments.ruleset).rstrip("\n")
    if arguments.init is not None:
        return f"written: {propose_release(arguments.init, arguments.file or 'release.toml', table=arguments.table)}"
    if arguments.table is not None:
        raise ParameterError("--table goes with --init.")
    if arguments.file is None:
        raise ParameterError("Name the release file, or give --init DATA.")
    return None


def run(arguments: argparse.Namespace) -> int:
    """Run the file, or show its plan; return the exit code."""
    check_resources(arguments)
    text = _answer_question(arguments)
    if text is not None:
        print(text)
        return 0
    try:
        plan = read_release(arguments.file, output_folder=arguments.output_folder)
    except ReleaseFileError as error:  # each error has a line of its own
        print(f"sdc-sql: {error.file}: {len(error.problems)} error{'s' * (len(error.problems) > 1)}", file=sys.stderr)
        for problem in error.problems:
            first, *more = problem.split(INDENT)  # a problem of undecided columns has a line for each of them too
            print("\n    ".join([f"  {' '.join(first.split())}", *more]), file=sys.stderr)
        return BAD_INPUT
    if arguments.plan:
        print(format_plan(plan))
        return 0
    outcome = run_release(
        plan, refused_report=arguments.report, replace_outputs=arguments.replace,
        memory_limit=arguments.memory_limit, threads=arguments.threads, progress=make_progress(arguments.progress),
    )  # fmt: skip
    if arguments.json:
        print(json.dumps(convert_for_json(outcome.to_dict()), indent=2, default=str))
    else:
        print(_format_outcome(outcome))
    if outcome.household_columns:
        print(f"sdc-sql: {household_columns.describe_households(outcome.household_columns)}", file=sys.stderr)
    for said in outcome.warnings:
        print(f"sdc-sql: warning: {said}", file=sys.stderr)
    for reason in outcome.reasons:
        print(f"sdc-sql: refused: {reason}", file=sys.stderr)
    return 0 if outcome.accepted else LIMIT_EXCEEDED


def format_plan(plan: Plan) -> str:
    """Return what a release file would do, as text."""
    table = f", table {plan.source.table}" if plan.source.table else ""
    lines = [
        *([plan.title] if plan.title else []),
        f"Source: {plan.source.path} ({plan.source.kind}{table}), {len(plan.columns)} columns",
    ]
    if plan.engine == "spark":
        lines.append("Engine: Spark masks the records, DuckDB measures and writes them")
    if plan.roles.identifiers:
        lines.append(f"Not read, direct identifiers: {', '.join(plan.roles.identifiers)}")
    if plan.roles.drop:
        lines.append(f"Not read, dropped: {', '.join(plan.roles.drop)}")
    lines += _format_rules(plan)
    for scenario in plan.scenarios:
        nulls = f"; NULL as {scenario.nulls}" if scenario.nulls else ""
        known = f"{', '.join(scenario.keys)}{density.describe_neighbourhood(scenario.neighbourhood)}"
        lines.append(f"Scenario {scenario.name}: {known}{nulls}")
        lines += [f"  must hold: {limit}" for limit in scenario.limits]
    lines += [f"Step {i}: {step}{' (drawn with the key)' * step.draws}" for i, step in enumerate(plan.steps, 1)]
    if plan.loss.limits:
        lines.append(f"Loss: {', '.join(plan.loss.columns)}")
        lines += [f"  must hold: {limit}" for limit in plan.loss.limits]
    for estimate in plan.estimates:
        lines.append(f"Estimate {estimate.name}: {describe_estimate(estimate)}")
        lines += [f"  must hold: {limit}" for limit in estimate.limits]
    if plan.frontier is not None:
        lines.append(f"Frontier: risk {_format_figure(plan.frontier.risk)}, loss {_format_figure(plan.frontier.loss)}")
        for candidate in plan.frontier.candidates:
            lines.append(f"  {candidate.name}: {'; '.join(map(str, candidate.steps)) or 'no step'}")
    lines.append(f"Released as collected: {', '.join(list_unchanged_columns(plan, plan.columns)) or 'none'}")
    ids = f", the id {plan.roles.id} {_IDS[plan.output.ids]}" if plan.roles.id else ""
    lines.append(f"Writes: {plan.output.path}{ids}")
    lines += [f"  {name.replace('_', ' ')}: {path}" for name, path in plan.output.documents.items()]
    return "\n".join(lines)


def _format_rules(plan: Plan) -> list[str]:
    if plan.ruleset is None:
        return []
    its = plan.ruleset.ruleset
    lines = [f"Rules: {plan.rules}, {its.title} ({its.source})"]
    looked = dict.fromkeys(plan.ruleset.looked_at, ", who has done so")
    lines += [f"  rule {n}, where not measured, is for a person{looked.get(n, '')}: {w}" for n, w in its.look.items()]
    return [*lines, *(f"  not checked: {what}" for what in its.unchecked)]


def _rulesets() -> str:
    lines = []
    for name in ruleset.list_rulesets():
        its = tomllib.loads(ruleset.find_shipped_file(name).replace("= {N}", "= 0"))
        lines.append(f"{name:<17} {its['title'].replace('{N}', 'N')} ({its['source']})")
    return "\n".join(lines)


def _format_figure(asked: Figure) -> str:
    return asked if isinstance(asked, str) else asked[0]


_IDS = {"drop": "left out", "keep": "kept", "recode": "recoded"}


def _format_outcome(outcome: Outcome) -> str:
    steps = [
        f"{path}: {step.method} {', '.join(step.columns)}: {step.changed:,} of {step.records:,} records changed"
        for path, step in zip(outcome.step_paths, outcome.steps, strict=True)
    ]
    lines = _format_limits(outcome)
    if outcome.plan.ruleset is not None:
        lines += [f"not checked by {outcome.plan.rules}: {what}" for what in outcome.plan.ruleset.ruleset.unchecked]
    lines = [*steps, *lines, "accepted" if outcome.accepted else "refused: nothing is released"]
    return "\n".join([*lines, *(f"written: {path}" for path in outcome.written)])


def _format_limits(outcome: Outcome) -> list[str]:
    """Return a line for each limit: what must hold, the figures before and after, and whether it does."""
    rows: list[tuple[str, ...]] = [("must hold", "before", "after", "")]
    measured = [found for found in outcome.limits if not found.found]
    for found in measured:
        figures = [", ".join(shown_number(v) for v in of.values()) for of in (found.before, found.figures)]
        rows.append((found.limit.text, *figures, "holds" if found.holds else "does not hold"))
    text, before, after, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = [f"  {a:<{text}}  {b:>{before}}  {c:>{after}}  {d}".rstrip() for a, b, c, d in rows]
    of = ["", *(f"scenario {o.limit.scenario}" if o.limit.scenario else o.limit.part for o in measured)]
    told = [line for i, row in enumerate(lines) for line in ([of[i], row] if i and of[i] != of[i - 1] else [row])]
    return [*told, *(str(found) for found in outcome.limits if found.found)]
