"""The forward search for a model that is good enough for the risk (Skinner & Shlomo 2008, section 3.4)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from sdc_sql.udfs.log_linear.criteria import criteria
from sdc_sql.udfs.log_linear.crossing import find_greatest_interactions, fit_table, list_effects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sdc_sql.udfs.log_linear.criteria import Criteria
    from sdc_sql.udfs.log_linear.crossing import Crossing, Fit, Generator
    from sdc_sql.udfs.log_linear.margins import Margin

ROUGHLY = 0.5  # records: of a model that is tried


class Step(NamedTuple):
    """The interaction that was added (none at first), the model's fit and how good it is."""

    added: Generator
    fit: Fit
    found: Criteria


def search_forward(
    table: Crossing, enough: float, most: int, progress: Callable[[int, int], None] = lambda *_: None, *,
    first: Sequence[Generator] = (), margins: Mapping[int, Margin] | None = None, barred: Sequence[Generator] = (),
) -> Iterator[Step]:  # fmt: skip
    """Yield the models from independence on, until z of B2 is at most `enough` or there is nothing to add.

    Of the interactions that could be added (all that they contain being there), that which brings z nearest to 0 is.

    Parameters
    ----------
    table
        The cells of the sample.
    enough
        The z at which the search ends: a quantile of the normal distribution.
    most
        The most keys of an interaction.
    progress
        Called with what has been tried of a step, and all there is to try.
    first
        The interactions that are in every model: pairs of which one key determines the other.
    margins
        Those of keys of many values.
    barred
        The pairs that no interaction may have: the counts do not bear them.
    """
    keys = len(table.sizes)
    fit = fit_table(table, find_greatest_interactions(keys, first))
    step = Step((), fit, criteria(table, fit, margins))
    yield step
    while step.found.z2 > enough:
        there = list_effects(step.fit.generators)
        free = [
            g
            for size in range(2, most + 1)
            for g in combinations(range(keys), size)
            if g not in there and {*combinations(g, size - 1)} <= there and not {*combinations(g, 2)} & {*barred}
        ]
        tried = []
        for number, g in enumerate(free):
            progress(number, len(free))
            fit = fit_table(table, find_greatest_interactions(keys, (*step.fit.generators, g)), step.fit, ROUGHLY)
            tried.append((abs(criteria(table, fit, margins, taus=False).z2), g, fit))
        if not tried:
            return
        _, g, fit = min(tried, key=lambda t: t[:2])
        fit = fit_table(table, fit.generators, fit)
        step = Step(g, fit, criteria(table, fit, margins))
        yield step
