"""The risk of the file as a whole: its figures, how it lies over the records, and of households."""

from __future__ import annotations

from typing import TYPE_CHECKING

from htmltools import Tag, TagList, tags

from sdc_sql.app.meaning import explain_measures
from sdc_sql.app.panel import Panel, serve_nothing
from sdc_sql.app.scenario_risk import find_limits, find_report
from sdc_sql.app.show import show_blocks, show_job
from sdc_sql.document.blocks import Section, format_short
from sdc_sql.figures.condition import Named, find_single_comparison, list_named_figures
from sdc_sql.report import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.scenario_risk import Asked, Judged
    from sdc_sql.release.reading.plan import Limit
    from sdc_sql.report import RiskReport

MEASURES = ("frequency_summary", "k_anonymity")


def draw(desk: Desk, number: int, asked: Asked) -> Tag | TagList:
    """Return the figures of the file, and the distributions."""
    return show_job(
        find_report(desk, number, asked), lambda report: _write_report(desk, number, asked, report), what="Risk"
    )


def describe_found(desk: Desk) -> str:
    """Say how many records are alone with their keys in the worst scenario that was measured."""
    job = desk.jobs.read_done("report-")
    found = [report.frequency_summary.sample_uniques for report in job]
    return f"before protection up to {max(found):,} sample uniques in a scenario" if found else ""


def _write_report(desk: Desk, number: int, asked: Asked, report: RiskReport) -> TagList:
    distributions = (report.frequency_distribution, report.risk_distribution)
    sections = layout.list_report_sections(report.parts, distributions)
    others = ("theta", "global_risk", "household_global_risk")
    measures = [*MEASURES, *(name for name in others if getattr(report, name) is not None)]
    if report.l_diversity:
        measures += ["l_diversity", "t_closeness", "likeness"]
    lacking = _list_lacking(report)
    limits = show_job(find_limits(desk, number, asked, report), _write_verdict, what="Limits")
    shown = [section for section in sections if section.title != layout.RISKIEST]  # it has a panel of its own
    return TagList(
        tags.ul(*_write_tiles(report, asked.scenario.limits), class_="tiles"),
        tags.p(report.many_uniques, class_="warning", role="note") if report.many_uniques else None,
        limits,
        tags.p(report.households, class_="hint") if report.households else None,
        *(tags.p(said, class_="hint") for said in lacking),
        explain_measures(*measures, key="risk-file-help"),
        tags.div(*map(_write_section, shown), class_="report"),
    )


def _write_section(section: Section) -> Tag:
    return tags.section(tags.h2(section.title), show_blocks(*section.blocks))


def _list_lacking(report: RiskReport) -> Iterator[str]:
    if report.theta is None:
        yield (
            "Without a sampling fraction (step 1) the probability that a unique match is correct (theta) is not known."
        )
    if report.global_risk is None:
        yield "Without weights or a sampling fraction (step 1) the risk in the population is not known."


def _write_tiles(report: RiskReport, limits: Sequence[Limit]) -> Iterator[Tag]:
    def write(value: str, unit: str, figure: str) -> Tag:
        bound = tags.span(tell_limits(limits, figure) or "no limit set", class_="unit")
        return tags.li(tags.span(value, class_="figure"), tags.span(unit, class_="unit"), bound)

    summary = report.frequency_summary
    share = f"{format_short(100 * float(summary.uniques_rate))} per cent of {summary.records:,} records"
    yield write(
        f"{summary.sample_uniques:,}",
        f"sample uniques: records alone with their keys, {share}",
        "frequency_summary.sample_uniques",
    )
    limited = {one.row for limit in limits for one in list_named_figures(limit.text) if one.label == "k_anonymity"}
    for row in report.k_anonymity:
        if row.k == 3 or str(row.k) in limited:  # noqa: PLR2004 - the usual one
            unit = f"records that violate {row.k}-anonymity: fewer than {row.k} records share their keys"
            yield write(f"{row.records:,}", unit, f"k_anonymity.{row.k}.records")
    if report.global_risk is not None:
        expected = report.global_risk.expected_reidentifications
        yield write(
            format_short(float(expected)),
            f"re-identifications to be expected, {format_short(float(report.global_risk.percent))} per cent of the "
            "records, if somebody looks for everybody",
            "global_risk.expected_reidentifications",
        )
    if report.theta is not None:
        yield write(
            format_short(float(report.theta.upper_bound)),
            f"is the most that the probability is that a unique match is correct; its estimate is "
            f"{format_short(float(report.theta.theta))}",
            "theta.upper_bound",
        )
    if report.household_global_risk is not None:
        yield write(
            format_short(float(report.household_global_risk.expected_reidentified_households)),
            f"of {report.household_global_risk.households:,} households expected to be re-identified",
            "household_global_risk.expected_reidentified_households",
        )


def tell_limits(limits: Iterable[Limit], figure: str) -> str:
    """Return what a scenario's limits say of a figure and of the others of its measure; nothing where none is set.

    A limit on the figure itself is told by its bound, another one as it is written.

    Examples
    --------
    >>> from sdc_sql.release.reading.plan import Limit
    >>> limits = [Limit("", "k_anonymity.5.records <= 0"), Limit("", "global_risk.percent < 1 AND theta.theta < 0.1")]
    >>> tell_limits(limits, "k_anonymity.5.records"), tell_limits(limits, "k_anonymity.3.records")
    ('limit: at most 0', '')
    >>> tell_limits(limits, "theta.upper_bound")
    'limit: global_risk.percent < 1 AND theta.theta < 0.1'
    """
    measure, *rows, name = figure.split(".")
    own, found = Named("", measure, rows[0] if rows else None, name), []
    for limit in limits:
        named = list_named_figures(limit.text)
        if any(one.label == measure and (own.row is None or one.row in {own.row, None}) for one in named):
            single = find_single_comparison(limit.text) if [*named] == [own] else None
            found.append(f"{single.must} {format_short(_plain(single.bound))}" if single else limit.text)
    return f"limit: {'; '.join(found)}" if found else ""


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else value


def _write_verdict(judged: Sequence[Judged]) -> Tag:
    if not judged:
        return tags.p("The scenario has no limit yet (step 2).")
    failed = [one for one in judged if one.holds is False]
    open_ = [one for one in judged if one.holds is None]
    if not failed:
        known = len(judged) - len(open_)
        said = f"All {known} limits hold in the original file, before any step." if known else ""
        more = f" {len(open_)} are known after protection." if open_ else ""
        return tags.p(tags.strong(f"{said}{more}".strip()))
    return tags.p(
        tags.strong(f"{len(failed)} of {len(judged)} limits do not hold in the original file, before any step: "),
        *(part for one in failed for part in (tags.code(one.text), " ")),
    )


PANEL = Panel("file", "File", draw, serve_nothing)
