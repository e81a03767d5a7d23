"""The sixth stage: every limit, the risk that is left, whom an intruder finds, what was lost, and earlier releases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.document.blocks import Chart, Points, Section, Table, Text
from sdc_sql.release.reporting import estimates_section, intruder_section, lost
from sdc_sql.release.reporting.internal.closest import format_beside, speak_limit
from sdc_sql.release.reporting.internal.figures import pair_figures, tabulate_more
from sdc_sql.release.reporting.internal.risk import tell_nulls, tell_worst
from sdc_sql.release.reporting.series_section import write_series_section
from sdc_sql.release.reporting.stages import RESULT, describe_verdict
from sdc_sql.report import layout

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import LimitOutcome, Outcome, ScenarioOutcome

EARLIER = "Earlier releases"
BOUND = (
    "Guaranteed PRAM of those who are still there: a match is right with a probability of at most {:.3g}; it is above "
    "xi for {:,} records, since others of their batches left or changed. {:,} have values of several batches together, "
    "of which nothing is proved. It is that of who does not know both states of a record that changed, nor who left."
)
BATCHES = (
    "Guaranteed PRAM drew each batch by a matrix of its own. Frequencies are corrected batch by batch, each by its own "
    "matrix (sdc_pram_estimate_by_batch): by the last one alone they err. Series.batches has the batch of each record, "
    "and the matrices of this release; they are no part of the released file."
)
WAITING = (
    "Records left out of this release since too few came, or changed, with them: {:,}. They wait for a later release "
    "of the series; who knows that a record is there, and misses it, learns that it is new or has changed."
)
RESULTS, UNJUDGED = ("DOES NOT HOLD", "holds"), ("NOT JUDGED", "a person has looked")


def write_result(outcome: Outcome) -> Section:
    """Return the section."""
    blocks: list[Block] = [
        Text(f"{describe_verdict(outcome)} {tell_worst(outcome, after=True)}"),
        *_write_limits(outcome),
        *(_write_scenario(outcome, s) for s in outcome.scenarios),
        *intruder_section.list_intruder_sections(outcome),
        *_write_loss(outcome),
        *estimates_section.list_estimate_sections(outcome),
        _write_earlier(outcome),
    ]
    return Section(RESULT, tuple(blocks))


def _write_limits(outcome: Outcome) -> list[Block]:
    rows = tuple(_write_limit(outcome, found) for found in outcome.limits)
    names = ("of", "limit", "must hold", "before", "after", "result")
    blocks: list[Block] = [Table("Limits", names, rows) if rows else Text("No limit was set.")]
    if outcome.reasons:
        blocks.append(Section("What does not hold, and why", (Points(outcome.reasons),)))
    if outcome.plan.ruleset is not None and outcome.plan.ruleset.ruleset.unchecked:
        unchecked = Points(outcome.plan.ruleset.ruleset.unchecked)
        blocks.append(Section(f"What {outcome.plan.rules} does not check", (unchecked,)))
    return blocks


def _write_limit(outcome: Outcome, found: LimitOutcome) -> tuple[object, ...]:
    spoken = speak_limit(outcome, found)
    bound = None if spoken is None else spoken.bound
    sides = [_list_sides(side, bound) for side in (found.before, found.figures)]
    words = "; ".join(part for part in (spoken.words if spoken else found.limit.text, found.found) if part)
    must = f"{spoken.must} {format_beside(bound, None)}" if spoken else ""
    result = (RESULTS if found.judged else UNJUDGED)[found.holds]
    of = found.limit.scenario or (found.limit.path if found.found else found.limit.part)
    return (of, words, must, *sides, result)


def _list_sides(figures: Any, bound: float | None) -> str:  # noqa: ANN401 - by name, a number or None
    if len(figures) < 2:  # noqa: PLR2004 - the limit names it
        return "".join(format_beside(value, bound) for value in figures.values())
    return "; ".join(f"{name}: {format_beside(value, bound)}" for name, value in figures.items())


def _write_scenario(outcome: Outcome, found: ScenarioOutcome) -> Section:
    reports = {"before": found.before, "after": found.after}
    distributions = {n: (r.frequency_distribution, r.risk_distribution) for n, r in reports.items()}
    pictures = [p for heading in (layout.FREQUENCIES, layout.RISKS) for p in layout.pictures(heading, distributions)]
    several = [t for t in layout.tables(found.after.parts) if t.title == layout.THETA_BY]
    return Section(
        f"Risk after protection, scenario: {found.scenario.name}",
        (
            Text(" ".join([tell_nulls(found.nulls_after), found.after.pram or ""]).strip()),
            *([Text(found.after.many_uniques)] if found.after.many_uniques else []),
            Table("Risk before and after", ("", "before", "after"), pair_figures(found, outcome.plan.asked)),
            *tabulate_more(found, outcome.plan.asked, after=True),
            *pictures,
            *several,
        ),
    )


def _write_loss(outcome: Outcome) -> list[Block]:
    variables = [row for row in lost.count_by_variable(outcome) if row["changed"]]
    blocks: list[Block] = []
    if variables:
        shares = tuple(100.0 * row["changed"] / row["records"] for row in variables)
        names = tuple(row["variable"] for row in variables)
        title = "Values that were changed, in per cent of the records"
        blocks.append(Chart(title, names, (("changed", shares),), "dots", most=100.0))
    for name, rows in outcome.loss.items():
        blocks.append(_tabulate_loss(name, rows))
    return [Section("Information loss", tuple(blocks))] if blocks else []


def _tabulate_loss(name: str, rows: Any) -> Table:  # noqa: ANN401 - as measured
    """Return a measure of loss; what a row is of stands first, the row of all variables says so."""
    listed = [dict(row) for row in rows]
    of = next((n for n in ("variable", "columns", "matrix", "component") if listed and n in listed[0]), None)
    names = [n for n in (listed[0] if listed else ()) if n != of]
    body = tuple(
        (*([] if of is None else ["all" if row[of] is None else _name_row(row[of])]), *(row[n] for n in names))
        for row in listed
    )
    heads = (*([] if of is None else [of]), *(n.replace("_", " ") for n in names))
    return Table(name.replace("_", " "), heads, body)


def _name_row(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _list_batches(outcome: Outcome) -> list[Block]:
    """Return in which batches guaranteed PRAM drew the values of a column, where there are several."""
    found = [drawn for drawn in outcome.kept.get("series_batches", {}).values() if len(drawn.list_sizes()) > 1]
    tables = [Table(f"Batches of {drawn.column}", ("batch", "records"), tuple(drawn.list_sizes())) for drawn in found]
    return [Text(BATCHES), *tables] if found else []


def _write_earlier(outcome: Outcome) -> Section:
    """Return what was found of earlier releases of the same persons, or that nobody looked."""
    series_told = outcome.kept.get("series", {})
    waiting, counted = series_told.get("waiting", 0), series_told.get("counted", {})
    left_out: list[Block] = [Text(WAITING.format(waiting))] if waiting else []
    if "pram_guaranteed.largest_match" in counted:
        bound = (counted[f"pram_guaranteed.{name}"] for name in ("largest_match", "above_xi", "of_several_batches"))
        left_out.append(Text(BOUND.format(*bound)))
    left_out += _list_batches(outcome)
    series = write_series_section(outcome)
    if series is not None:
        return Section(EARLIER, (*left_out, series))
    asked = outcome.plan.asked
    names = [n for n, (measure, _) in outcome.plan.figures.items() if n in asked and asked[n].measure.joins]
    looked = [o for o in outcome.limits if any(f.partition(".")[0] in names for f in o.figures)]
    if not looked:
        said = (
            "No earlier release of the same units was laid beside this one. Where there are some, [figures] names them "
            "with series_disclosure or joint_releases, and a limit holds what all tell together."
        )
        return Section(EARLIER, (*left_out, Text(said)))
    rows = tuple(_write_limit(outcome, found)[1:] for found in looked)
    return Section(EARLIER, (*left_out, Table("", ("limit", "must hold", "before", "after", "result"), rows)))
