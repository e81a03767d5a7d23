"""Figures before and after, as tables of a page: with their limits, whether these hold, and on one scale how nearly."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from htmltools import HTML, Tag, TagList, tags

from sdc_sql.app.meaning import explain_measures
from sdc_sql.app.tables import Head, write_row, write_table
from sdc_sql.document.blocks import DASH, Gauge, format_short
from sdc_sql.document.gauge import draw_gauge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.app.preview_figures import Shown

_NUMBER = count(1)


def write_figures(
    name: str, title: str, shown: Sequence[Shown], sides: tuple[str, str], *, judged: bool = True
) -> TagList:  # fmt: skip
    """Return figures before and after, those of each scenario under its name.

    Parameters
    ----------
    name
        The id of the table.
    title
        What it is.
    shown
        The figures.
    sides
        What ``before`` and ``after`` are called.
    judged
        Whether it is said if a limit holds: nothing is said of a sample.
    """
    drawn = any(one.bound is not None for one in shown)
    limited = drawn or any(one.limit or _lacks_limit(one) for one in shown)
    heads = [
        Head("figure"), Head(sides[0], number=True), Head(sides[1], number=True),
        *([Head("limit", number=True)] if limited else []),
        *([Head("beside its limit", meaning=_MEANING)] if drawn else []),
    ]  # fmt: skip
    measures = dict.fromkeys(measure for one in shown for measure in one.measures)
    rows: list[Tag] = []
    former: Shown | None = None
    for one in shown:
        if former is None or one.scenario != former.scenario:
            rows += _write_group(one, shown, len(heads), first=former is None)
        former = one
        cells: list[object] = [one.words, _write_value(one.before), _write_after(one)]
        cells += [_write_limit(one, judged=judged)] if limited else []
        cells += [_write_gauge(one)] if drawn else []
        rows.append(write_row(cells, heads))
    return TagList(
        _write_legend() if drawn else None,
        write_table(name, title, heads, rows, kind="figures"),
        explain_measures(*measures, key=f"{name}-what") if measures else None,
    )


def _write_group(one: Shown, shown: Sequence[Shown], columns: int, *, first: bool) -> list[Tag]:
    """Return the row above the figures of a scenario, or above those of what is lost, where others stand before."""
    if not one.scenario and first:
        return []
    own = [other for other in shown if other.scenario == one.scenario]
    bare = bool(one.scenario) and all(_lacks_limit(other) for other in own)
    flag = tags.span(" no limit set: this risk can refuse nothing", class_="nolimit") if bare else None
    words = one.scenario or "What is lost, in all columns"
    return [tags.tr(tags.th(words, flag, colspan=str(columns), scope="rowgroup", class_="group"))]


def _lacks_limit(one: Shown) -> bool:
    """Return whether a figure of risk has no limit: what is lost may be looked at without one."""
    return not one.limit and one.place != "loss"


_MEANING = "Hollow: before, filled: after; beyond the line a limit is passed. 10x: ten times the limit"


def _write_legend() -> Tag:
    names = (("dot before", "before"), ("dot after", "after"), ("beyond", "beyond the limit"))
    return tags.ul(*(tags.li(words, class_=kind) for kind, words in names), class_="legend")


def _write_value(value: float | None) -> Tag | str:
    return tags.span(DASH, class_="quiet") if value is None else format_short(_plain(value))


def _plain(value: float) -> float | int:
    return int(value) if isinstance(value, int) or value == int(value) else float(value)


def _write_after(one: Shown) -> Tag | str:
    if one.why:
        return tags.abbr(DASH, title=one.why)
    if one.before is None or one.after is None or one.before == one.after:
        return _write_value(one.after)
    better = one.after < one.before
    return tags.span(
        tags.span("\N{DOWNWARDS ARROW}" if better else "\N{UPWARDS ARROW}", aria_hidden="true", class_="quiet"),
        f" {format_short(_plain(one.after))}",
    )


def _write_limit(one: Shown, *, judged: bool) -> Tag | str:
    """Return the limit, and under it whether it holds."""
    if not one.limit:
        return tags.span("no limit set", class_="quiet") if _lacks_limit(one) else ""
    if one.bound is None:
        bound = tags.span(one.limit, class_="quiet")
    else:
        bound = tags.span("at most" if one.at_most else "at least", f" {format_short(_plain(one.bound))}")
    return tags.div(bound, _write_verdict(one) if judged else None, class_="judged")


def _write_gauge(one: Shown) -> HTML | str:
    if one.bound is None:
        return ""
    return HTML(draw_gauge(Gauge(one.before, one.after, one.bound, one.at_most), f"limit{next(_NUMBER)}"))


def _write_verdict(one: Shown) -> Tag | None:
    if one.holds is None:
        return None
    return tags.span("holds", class_="holds") if one.holds else tags.span("does not hold", class_="fails")


def format_seconds(seconds: float) -> str:
    """Return how long something takes, as a person says it.

    Examples
    --------
    >>> format_seconds(0.21), format_seconds(42), format_seconds(200), format_seconds(9000)
    ('0.2 s', '42 s', '3 min', '2.5 h')
    """
    if seconds < 10:  # noqa: PLR2004 - tenths are felt
        return f"{seconds:.1f} s"
    if seconds < 90:  # noqa: PLR2004 - then minutes are
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"  # noqa: PLR2004 - then hours are
