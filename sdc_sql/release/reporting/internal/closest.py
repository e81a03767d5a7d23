"""How near a figure is to its limit: by it limits are ordered, and figures are rounded no further than it allows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Gauge, format_short
from sdc_sql.figures.words import describe_limit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.figures.words import Spoken
    from sdc_sql.release.running.outcome import LimitOutcome, Outcome

_DIGITS = 17  # more no number has


def speak_limit(outcome: Outcome, found: LimitOutcome) -> Spoken | None:
    """Return a limit in words, with the row that its figure is of; None where it is not one figure and one number."""
    titles = {e.name: e.title for e in outcome.plan.estimates if e.title}
    spoken = describe_limit(found.limit.text, outcome.plan.asked, titles) if len(found.figures) == 1 else None
    if spoken is None:
        return None
    return replace(spoken, words=f"{spoken.words}{tell_row(found.figures)}{tell_other_row(found)}")


def rank_limits(outcome: Outcome) -> list[LimitOutcome]:
    """Return the limits that hold and have a figure, the tightest first; those alike as the release file has them."""
    found: list[tuple[float, int, LimitOutcome]] = []
    for limit in outcome.limits:
        use = measure_tightness(outcome, limit) if limit.holds else None
        if use is not None:
            found.append((-use, len(found), limit))
    return [limit for *_, limit in sorted(found)]


def measure_tightness(outcome: Outcome, found: LimitOutcome) -> float | None:
    """Return how much of a limit its figure uses, 1 is all of it; None where it is not one figure and one number."""
    spoken = speak_limit(outcome, found)
    value = next(iter(found.figures.values()), None)
    if spoken is None or value is None or math.isnan(value):
        return None
    if float(value) == spoken.bound:  # also of a limit below 0, which no gauge shows
        return 1.0
    use = Gauge(None, float(value), spoken.bound, spoken.at_most).measure_use(float(value))
    return 0.0 if use is None else use


def tell_row(figures: Mapping[str, object]) -> str:
    """Return which of several rows a figure is of, as its name has it: of ``il1.il1 (income)`` the income.

    Examples
    --------
    >>> tell_row({"il1.il1 (income)": 0.1}), tell_row({"theta.theta": 0.1})
    (' (income)', '')
    """
    name = next(iter(figures), "")
    return f" {name[name.index(' (') + 1 :]}" if name.endswith(")") and " (" in name else ""


def tell_other_row(found: LimitOutcome) -> str:
    """Return which row the figure before is of, where that is another than the one after.

    Examples
    --------
    >>> from sdc_sql.release.reading.plan import Limit
    >>> from sdc_sql.release.running.outcome import LimitOutcome
    >>> limit = Limit("scenarios[0].limits[0]", "l_diversity.distinct_l >= 2")
    >>> before, after = {"l_diversity.distinct_l (a)": 9}, {"l_diversity.distinct_l (b)": 3}
    >>> tell_other_row(LimitOutcome(limit, after, True, before=before))
    ', before of (a)'
    """
    before, after = tell_row(found.before), tell_row(found.figures)
    return f", before of{before}" if found.before and before.strip() and before != after else ""


def format_beside(value: object, bound: float | None) -> str:
    """Return a figure with three digits, or with as many more as keep it on its side of the bound.

    Examples
    --------
    >>> format_beside(0.04651, 0.05), format_beside(0.0500004, 0.05), format_beside(3, 0.0)
    ('0.0465', '0.0500004', '3')
    """
    for digits in range(3, _DIGITS + 1):
        shown = format_short(value, digits)
        if bound is None or not isinstance(value, float) or not math.isfinite(value):
            return shown
        read = float(shown.replace(",", ""))
        if (read > bound, read < bound) == (value > bound, value < bound):
            return shown
    return format_short(value, _DIGITS)
