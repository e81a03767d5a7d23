"""What came of running the release file: what keeps it from being run, or the verdict with all that was judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app.figures_shown import write_figures
from sdc_sql.app.release_problems import find_step_title, tell_problem
from sdc_sql.app.show import act, show_blocks
from sdc_sql.app.tables import Head, write_row, write_table
from sdc_sql.document.blocks import DASH, Verdict, format_short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.app.release_run import Rule, Run


def write_problems(problems: list[str], release: Mapping[str, Any]) -> TagList:
    """Return what keeps the release file from being run: where it is mended, and how."""
    items: list[Tag] = []
    for told in (tell_problem(release, problem) for problem in problems):
        items.append(
            tags.li(
                tags.strong(find_step_title(told.step)), f": {told.of}" if told.of else None, tags.br(),
                tags.span(told.words, class_="lines"), " ",
                tags.a("Go there", act("go", step=told.step), href=f"#{told.step}", id=f"release-go-{len(items)}"),
            )
        )  # fmt: skip
    what = "one thing is missing or wrong" if len(items) == 1 else f"{len(items)} things are missing or wrong"
    return TagList(
        show_blocks(Verdict("not ready", f"{what}; nothing is run before it is mended.", good=False)),
        tags.ol(*items, class_="points"),
    )


def write_verdict(found: Run) -> TagList:
    """Return whether the file may leave, and every limit with its figures."""
    good = "every limit holds: the file may be written and signed."
    left = len(found.reasons)
    bad = f"{left} {'condition does' if left == 1 else 'conditions do'} not hold; nothing is written."
    return TagList(
        show_blocks(
            Verdict("accepted" if found.accepted else "refused", good if found.accepted else bad, found.accepted)
        ),
        tags.ul(*(tags.li(reason) for reason in found.reasons), class_="points") if found.reasons else None,
        *(tags.p(said, class_="warning", role="note") for said in found.warnings),
        tags.p(_count_holding(found), role="status"),
        write_figures("release-limits", "Limits, before and after", found.limits, ("before", "released")),
        _write_rules(found.rules) if found.rules else None,
    )


def _count_holding(found: Run) -> str:
    limits = f"{sum(bool(one.holds) for one in found.limits)} of {len(found.limits)} limits hold."
    if not found.rules:
        return limits
    rules = f"{sum(one.holds for one in found.rules)} of {len(found.rules)} hold"
    return f"{limits} Of what is asked of every such release besides, {rules}."


_RULES = (
    Head("what is asked"), Head("released", number=True), Head("limit", number=True), Head("what was found"),
    Head("verdict"),
)  # fmt: skip


def _write_rules(rules: tuple[Rule, ...]) -> TagList:
    """Return what is asked of every release of this kind, with its figures."""
    rows = [
        write_row(
            (
                one.words,
                DASH if one.value is None else format_short(one.value),
                DASH if one.bound is None else f"{'at most' if one.at_most else 'at least'} {format_short(one.bound)}",
                one.found,
                tags.span("holds", class_="holds") if one.holds else tags.span("does not hold", class_="fails"),
            ),
            _RULES,
        )
        for one in rules
    ]
    title = "Asked of every such release, whether or not a limit says so"
    return TagList(tags.h3("What is always asked"), write_table("release-rules", title, _RULES, rows, kind="figures"))
