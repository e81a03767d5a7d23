"""What users will compute, measured in the original and in the released table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.errors import ColumnError
from sdc_sql.figures.measured import Beside, measure_rows
from sdc_sql.release.judging.relabelled import relabel_original
from sdc_sql.release.running.outcome import EstimateOutcome
from sdc_sql.roles import read_roles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sdc_sql.microdata import Microdata
    from sdc_sql.release.reading.plan import Estimate, Plan

_TABLES = ("count", "share")  # the statistics of categories


def measure_estimates(
    original: Microdata, released: Microdata, plan: Plan, progress: Callable[[str], None]
) -> tuple[EstimateOutcome, ...]:
    """Return each estimate of the release file before and after; categories are those of the released file.

    Where the released file cannot give an estimate (a column is gone, or no number any more) its figures are NULL, and
    no limit on it holds.
    """
    found = []
    for estimate in plan.estimates:
        progress(f"estimate: {estimate.name}")
        found.append(_measure_estimate(estimate, original, released, plan))
    return tuple(found)


def _measure_estimate(estimate: Estimate, original: Microdata, released: Microdata, plan: Plan) -> EstimateOutcome:
    asked = plan.asked[estimate.name]
    nothing: dict[str, Any] = dict.fromkeys(asked.measure.declaration.given.names)
    there = {column.lower() for column in released.columns}
    gone = [column for column in _list_columns(asked.arguments) if column.lower() not in there]
    if gone:
        return EstimateOutcome(estimate, (nothing,), f"{', '.join(gone)} is not in the released file")
    # (the arguments say by which design: what the table has besides does not leave)
    data = read_roles(released._roles, weight=None, household=None, stratum=None)  # noqa: SLF001 - as its methods
    categories = [*asked.arguments.get("domains", ())]
    if asked.arguments["statistic"] in _TABLES:
        categories.append(asked.arguments["variable"])
    try:
        with relabel_original(original, released, plan, categories) as table:
            rows = [
                {**nothing, **row} for row in measure_rows(asked, data, Beside(table))
            ]  # in the order of the header
    except ColumnError as error:  # masking made a label of a number, say
        return EstimateOutcome(estimate, (nothing,), str(error))
    return EstimateOutcome(estimate, tuple(rows) or (nothing,), "" if rows else "no record has all the values")


def _list_columns(arguments: Any) -> Iterable[str]:  # noqa: ANN401 - of the release file
    for name in ("variable", "weight", "strata", "cluster"):
        if arguments.get(name) is not None:
            yield arguments[name]
    for name in ("domains", "predictors"):
        yield from arguments.get(name) or ()
