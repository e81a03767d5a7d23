"""The internal report of a release: everything but the key, in the six stages of the SDC handbook (section 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.macros import find_effect
from sdc_sql.db.showing.results import format_value as figure
from sdc_sql.document.blocks import (
    Chart,
    Page,
    Points,
    Section,
    Table,
    Text,
    make_facts_block,
    make_label,
    make_table_block,
)
from sdc_sql.document.files import format_page, write_page
from sdc_sql.release.reading import density
from sdc_sql.release.reading.governance import tell_governance
from sdc_sql.release.reporting import estimates_section, frontier_report, intruder_section, lost, matrices
from sdc_sql.release.reporting.annex import tell_annex
from sdc_sql.release.reporting.public_facts import list_untouched_columns
from sdc_sql.release.reporting.stages import (
    CONTROL,
    DATA,
    IMPLEMENTATION,
    NEED,
    RESULT,
    RISK,
    describe_release,
    describe_verdict,
    list_output_columns,
)
from sdc_sql.release.running import one_form
from sdc_sql.report import layout

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import Outcome, ScenarioOutcome
    from sdc_sql.report import RiskReport

_SMALL_WEIGHTS = {"error": None, "at_least_one": "counted as the records themselves"}


def write_internal_report(outcome: Outcome, path: Path) -> None:
    """Write the internal report, as Markdown where the path ends so, else as HTML."""
    write_page(internal_page(outcome), path)


def internal_report(outcome: Outcome, format: str = "html") -> str:  # noqa: A002 - the plain word for it
    """Return the internal report of a release, accepted or refused, as ``"html"`` or ``"markdown"``.

    It holds everything but the secret key and is as confidential as the data: risks by scenario before and after, the
    riskiest combinations, PRAM matrices, suppressions by variable and dimension, every step with its parameters.
    """
    return format_page(internal_page(outcome), format)


def internal_page(outcome: Outcome) -> Page:
    """Return the internal report as a page."""
    lines = (
        *describe_release(outcome), "Internal and confidential: never for the users of the file.",
        describe_verdict(outcome),
    )  # fmt: skip
    sections = (
        _write_need(outcome), _write_data(outcome), _write_risk(outcome), _write_control(outcome),
        _write_implementation(outcome), _write_result(outcome),
    )  # fmt: skip
    return Page(f"{outcome.plan.title or outcome.plan.output.path.name}: internal report", lines, sections)


def _write_need(outcome: Outcome) -> Section:
    plan = outcome.plan
    roles = {
        "population": plan.population,
        "direct identifiers, not read": ", ".join(plan.roles.identifiers),
        "dropped, not read": ", ".join(plan.roles.drop),
        "sensitive variables": ", ".join(plan.roles.sensitive),
        "household": plan.roles.household or "",
    }
    about = make_facts_block("Whom the file is about", {n: v or "none named" for n, v in roles.items()})
    return Section(NEED, (about, make_facts_block("What a board asks", tell_governance(plan.governance))))


def _write_data(outcome: Outcome) -> Section:
    plan = outcome.plan
    source = {
        "source": str(plan.source.path), "table": plan.source.table,
        **{f"SHA-256 of the {name.replace('_', ' ')}": digest for name, digest in outcome.digests.items()},
        "released file": str(plan.output.path), "id in it": plan.output.ids,
        "household numbers in it": plan.output.households if plan.roles.household else None,
        "release name": plan.release or None,
        "rules": plan.rules, "weight": _format_parameter(plan.roles.weight),
        "sampling fraction": plan.roles.sampling_fraction,
        "weights that sum to less than the records of a cell": _SMALL_WEIGHTS[plan.roles.small_weights],
        "strata": ", ".join(plan.roles.strata) or None,
        "values given one form (0.0 for -0.0, NaN without a sign, intervals)":
        one_form.describe_unified(outcome.reformed) or None,
    }  # fmt: skip
    sizes = Table(
        "Size", ("", "before", "after"),
        (
            ("records", outcome.records_before, outcome.records_after),
            ("variables", len(outcome.columns_before), len(list_output_columns(outcome))),
        ),
    )  # fmt: skip
    after, unchanged = {c.lower() for c in list_output_columns(outcome)}, {*list_untouched_columns(outcome)}
    how = {name: "released as collected" if name in unchanged else "released" for name in plan.columns}
    columns = tuple(
        (name, kind, how[name] if name.lower() in after else "removed") for name, kind in plan.columns.items()
    )
    described: list[Block] = [Text(plan.description)] if plan.description else []
    known = {n: v for n, v in source.items() if v is not None}
    return Section(
        DATA, (*described, make_facts_block("", known), sizes, Table("Variables", ("variable", "type", ""), columns))
    )


def _write_risk(outcome: Outcome) -> Section:
    sections = tuple(
        Section(
            f"Scenario: {s.scenario.name}",
            (
                Text(s.scenario.text or "Who such an intruder is, and why he knows these keys: not given."),
                Text(
                    f"What an intruder may know: {', '.join(s.scenario.keys)}"
                    f"{density.describe_neighbourhood(s.scenario.neighbourhood)}. {_nulls(s.nulls_before)}"
                ),
                *(t for t in layout.tables(s.before.parts) if t.title != layout.RISKIEST),
            ),
        )
        for s in outcome.scenarios
    )
    return Section(RISK, (*sections, Text(tell_annex(outcome))))


def _write_control(outcome: Outcome) -> Section:
    rows = tuple(
        (path, step.method, ", ".join(step.columns), step.changed)
        for path, step in zip(outcome.step_paths, outcome.steps, strict=True)
    )
    named = ("in the release file", "method", "variables", "records changed")
    steps = Table("Steps, in their order", named, rows) if rows else Text("No step.")
    return Section(CONTROL, (steps, *_describe_next_release(outcome), *frontier_report.list_frontier_sections(outcome)))


def _describe_next_release(outcome: Outcome) -> list[Block]:
    """Say which steps are for one release only, of a table that is released again when it has changed."""
    words = {step.method: find_effect(step.method).repeated for step in outcome.steps}
    once = [
        f"{step.method}: {words[step.method].reason}"
        for step in {step.method: step for step in outcome.steps}.values()
        if words[step.method].find_word(step.parameters) == "once"
    ]
    if not once:
        return []
    said = Text(
        "Next month's release of a table that has changed, masked by the same steps, would together with this one tell "
        "more than either. For one release only are:"
    )
    return [Section("The next release", (said, Points(tuple(once))))]


def _write_implementation(outcome: Outcome) -> Section:
    blocks: list[Block] = [make_facts_block("Software", outcome.versions)]
    for path, step, log in zip(outcome.step_paths, outcome.steps, matrices.find_logged_steps(outcome), strict=True):
        told: dict[str, object] = {
            "variables": ", ".join(step.columns), **{n: _format_parameter(v) for n, v in step.parameters.items()},
            "records": step.records, "records changed": step.changed, "SSE/SST": step.sse_sst,
            "release": step.release, "stream": step.stream,
        }  # fmt: skip
        tables: list[Block] = [make_facts_block("", {n: v for n, v in told.items() if v not in (None, "")})]
        blocks.append(Section(f"{path}: {step.method}", (*tables, *(matrices.show_matrix(log) if log else []))))
    return Section(IMPLEMENTATION, (*blocks, *_suppressions(outcome)))


def _suppressions(outcome: Outcome) -> list[Block]:
    variables = lost.count_by_variable(outcome)
    if not variables:
        return [Text("Changes and suppressions by variable need the id of the records.")]
    rows = [{**row, "changed, per cent": _share(row["changed"], row["records"])} for row in variables]
    blocks: list[Block] = [make_table_block("Values that were changed, and those of them that were suppressed", rows)]
    gone = [row["variable"] for row in variables if row["suppressed"]]
    for name, found in lost.count_by_dimension(outcome, gone).items():
        rows_of = tuple(
            (make_label(row["value"]), row["records"], *(row["suppressed"][v] for v in gone)) for row in found
        )
        blocks.append(Table(f"Suppressed values of each variable, by {name}", (name, "records", *gone), rows_of))
    return [Section("Changes and suppressions", tuple(blocks))]


def _write_result(outcome: Outcome) -> Section:
    rows = tuple(
        (o.limit.scenario or (o.limit.path if o.found else o.limit.part), o.limit.text,
         o.found or ", ".join(f"{n}: {figure(v)}" for n, v in o.figures.items()),
         "holds" if o.holds else "DOES NOT HOLD" if o.judged else "NOT JUDGED")
        for o in outcome.limits
    )  # fmt: skip
    blocks: list[Block] = [
        Table("Limits", ("of", "must hold", "figures", "result"), rows) if rows else Text("No limit was set."),
        *(_write_scenario(s) for s in outcome.scenarios),
        *intruder_section.list_intruder_sections(outcome),
        *_loss(outcome),
        *estimates_section.list_estimate_sections(outcome),
    ]
    if outcome.plan.ruleset is not None and outcome.plan.ruleset.ruleset.unchecked:
        unchecked = Points(outcome.plan.ruleset.ruleset.unchecked)
        blocks.insert(1, Section(f"What {outcome.plan.rules} does not check", (unchecked,)))
    if outcome.reasons:
        blocks.insert(1, Points(outcome.reasons))
    return Section(RESULT, tuple(blocks))


def _write_scenario(found: ScenarioOutcome) -> Section:
    reports = {"before": found.before, "after": found.after}
    distributions = {n: (r.frequency_distribution, r.risk_distribution) for n, r in reports.items()}
    pictures = [p for heading in (layout.FREQUENCIES, layout.RISKS) for p in layout.pictures(heading, distributions)]
    several = [t for t in layout.tables(found.after.parts) if t.title == layout.THETA_BY]
    return Section(
        f"Risk after masking, scenario: {found.scenario.name}",
        (
            Text(" ".join([_nulls(found.nulls_after), found.after.pram or ""]).strip()),
            Table("Risk before and after", ("", "before", "after"), _pair_figures(found)),
            *pictures,
            *several,
        ),
    )


def _pair_figures(found: ScenarioOutcome) -> tuple[tuple[object, ...], ...]:
    """Return the figures of the file as a whole, before beside after."""
    before, after = _join_figures(found.before, found.more_before), _join_figures(found.after, found.more_after)
    return tuple((name, before.get(name), after.get(name)) for name in dict.fromkeys([*before, *after]))


def _join_figures(report: RiskReport, more: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    single = {"frequencies": report.frequency_summary, "theta": report.theta, "global risk": report.global_risk,
              "households": report.household_global_risk, "special uniques": report.suda_summary}  # fmt: skip
    for measure, result in single.items():
        found |= {f"{measure}: {n.replace('_', ' ')}": v for n, v in (result.to_dict() if result else {}).items()}
    found |= {f"records below k = {v.k}": v.records for v in report.k_anonymity}
    for row in report.attribute:
        found |= {f"{row['sensitive']}: {n.replace('_', ' ')}": v for n, v in row.items() if n != "sensitive"}
    for measure, rows in more.items():
        if isinstance(rows, dict):  # the log-linear model is one of the whole file
            found |= {
                f"{measure.replace('_', ' ')}: {n.replace('_', ' ')}": _format_parameter(v) for n, v in rows.items()
            }
            continue
        for i, row in enumerate(rows):
            found |= {
                f"{measure.replace('_', ' ')} {i + 1}: {n.replace('_', ' ')}": _format_parameter(v)
                for n, v in row.items()
            }
    return found


def _loss(outcome: Outcome) -> list[Block]:
    variables = lost.count_by_variable(outcome)
    blocks: list[Block] = []
    if variables:
        shares = tuple(_share(row["changed"], row["records"]) for row in variables)
        names = tuple(row["variable"] for row in variables)
        title = "Values that were changed, in per cent of the records"
        blocks.append(Chart(title, names, (("changed", shares),), "dots", most=100.0))
    for name, rows in outcome.loss.items():
        blocks.append(make_table_block(name.replace("_", " "), rows))
        by = [row for row in rows if row.get("variable") is not None]
        number = name if rows and name in rows[0] else "distance" if rows and "distance" in rows[0] else "loss"
        if len(by) > 1 and all(number in row for row in by):
            dots = tuple(row[number] for row in by)
            blocks.append(Chart(f"{name.replace('_', ' ')} by variable", tuple(str(r["variable"]) for r in by),
                                ((number, dots),), "dots"))  # fmt: skip
    return [Section("Information loss", tuple(blocks))] if blocks else []


def _share(part: int, whole: int) -> float:
    return round(100 * part / whole, 3) if whole else 0.0


def _nulls(nulls: str) -> str:
    return "NULL agrees with every value." if nulls == "wildcard" else "NULL is a value of its own."


def _format_parameter(value: object) -> object:
    """Return a parameter as it is shown: a number as it is, a nested value as text."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_format_parameter(v)}" for name, v in value.items() if v is not None)
    if isinstance(value, list | tuple):
        return "; ".join(str(_format_parameter(v)) for v in value)
    return "yes" if value is True else "no" if value is False else value
