"""The measures of a release: the risks of a scenario, what was lost, and whether the limits hold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db.load import execute
from sdc_sql.errors import InputError
from sdc_sql.limits import figures_of, holds, named
from sdc_sql.microdata import Microdata
from sdc_sql.release.figures import loss_measures
from sdc_sql.release.outcome import LimitOutcome
from sdc_sql.release.plan import RELEASED
from sdc_sql.report import attributes, risk_report, special_uniques

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import duckdb

    from sdc_sql.db.results import Result
    from sdc_sql.release.figures import LossMeasure
    from sdc_sql.release.outcome import ScenarioOutcome
    from sdc_sql.release.plan import Limit, Plan, Scenario, Step
    from sdc_sql.report import RiskReport

_NUMERIC = ("INT", "DOUBLE", "FLOAT", "REAL", "DECIMAL")


def described(
    con: duckdb.DuckDBPyConnection, plan: Plan, table: str, keys: Sequence[str] = (), nulls: str = "category"
) -> Microdata:
    """Return a table of the run with the roles of the file."""
    roles = plan.released_roles if table == RELEASED else plan.roles
    return Microdata(
        con, table, keys=keys or None, weight=roles.weight, household=roles.household, id=roles.id,
        stratum=roles.strata[0] if roles.strata else None, sampling_fraction=roles.sampling_fraction, nulls=nulls,
        small_weights=roles.small_weights,
    )  # fmt: skip


def risks(
    con: duckdb.DuckDBPyConnection, plan: Plan, table: str, scenario: Scenario, nulls: str, *, name: str,
    progress: Callable[[str], None],
) -> tuple[RiskReport, dict[str, Any]]:  # fmt: skip
    """Return the report of a scenario, under the name that a reader knows, and what is measured besides."""
    data = described(con, plan, table, scenario.keys, nulls)
    limited = {measure for limit in scenario.limits for measure, *_ in named(limit.text)}
    suda, log_linear = "suda" in limited, "log_linear_risk" in limited
    sensitive = [name for name in plan.roles.sensitive if name not in scenario.keys]
    report = risk_report(data, k=scenario.k, progress=progress)
    # these are defined for NULL as a value of its own only
    strict = described(con, plan, table, scenario.keys) if sensitive or suda or log_linear else data
    if sensitive:
        progress("attribute disclosure")
        ordered = [name for name in plan.roles.ordered if name in sensitive]
        report = replace(report, attribute=attributes(strict, sensitive, ordered))
    if suda:
        progress("special uniques")
        report = replace(report, suda=special_uniques(strict))
    more: dict[str, Any] = {}
    if log_linear:
        progress("log-linear model")
        more["log_linear_risk"] = strict.log_linear_risk().to_dict()
    if scenario.threshold is not None:
        progress("threshold rule")
        given = scenario.threshold
        rows = data.threshold_rule_summary(list(given) if isinstance(given, tuple) else given)
        more["threshold_rule"] = [row.to_dict() for row in rows]
    if scenario.neighbourhood is not None:
        progress("neighbourhood")
        asked = {**scenario.neighbourhood}
        more["neighbourhood"] = [data.neighbourhood(asked.pop("columns"), **asked).to_dict()]
    return replace(report, table=name), more


def losses(
    original: Microdata, released: Microdata, plan: Plan, progress: Callable[[str], None]
) -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return the rows of each measure that a limit on loss names.

    Measures of numbers are of the continuous columns, by default of all that are numbers before and after; those of
    categories are of the others. Where a measure has no column, or one of them is dropped or (named as continuous) no
    number any more, its figures are NULL.
    """
    wanted = dict.fromkeys(measure for limit in plan.loss.limits for measure, *_ in named(limit.text))
    found: dict[str, tuple[Mapping[str, Any], ...]] = {}
    for name in wanted:
        progress(name.replace("_", " "))
        measure = loss_measures()[name]
        columns = [*plan.loss.columns]
        numbers = _numbers(original) & _numbers(released)
        if measure.of == "numeric":
            columns = [*plan.loss.continuous] or [c for c in columns if c in numbers or c not in released.columns]
        elif measure.of == "categorical":
            columns = [c for c in columns if c not in plan.loss.continuous]
        there = numbers if measure.of == "numeric" else {*released.columns}
        # of what is there no more, or no number any more, the loss is unknown: that of the others would look like all
        rows = _rows(measure, original, released, columns, plan) if columns and {*columns} <= there else []
        found[name] = tuple(rows) or (dict.fromkeys(measure.figures),)
    return found


def _rows(
    measure: LossMeasure, original: Microdata, released: Microdata, columns: list[str], plan: Plan
) -> list[Mapping[str, Any]]:
    options: dict[str, Any] = {}
    for field in measure.takes:
        given = getattr(plan.loss, field)
        if isinstance(given, tuple):
            given = [c for c in given if c in columns or field == "domains"] or None
        if given is not None:
            options[field] = given
    verb = getattr(released, measure.verb)
    if not measure.compares:
        data = described(released.con, plan, released.table, columns)
        result = getattr(data, measure.verb)(**options)
    else:
        result = verb(original, columns, **options)
    several: list[Result] = result if isinstance(result, list) else [result]
    return [row.to_dict() for row in several]


def nulls_after(original: Microdata, steps: Iterable[Step], keys: Iterable[str]) -> str:
    """Return how NULL counts of a candidate: as agreeing with every value once values of the keys were suppressed.

    Where values of the keys were missing before, it is a value of its own: they would agree with every value too.
    """
    asked = [*keys]
    suppressed = {column for step in steps if step.suppresses for column in step.columns}
    if not suppressed & {*asked}:
        return "category"
    known = [exp.Count(this=exp.column(key, quoted=True)) for key in asked]
    select = exp.select(exp.Count(this=exp.Star()), *known).from_(exp.to_table(original.table))
    ((records, *counts),) = execute(original.con, select).fetchall()
    return "category" if min(counts) < records else "wildcard"


def of_same_type(original: Microdata, released: Microdata) -> set[str]:
    """Return the columns whose type is the same in both tables."""
    before, after = (_types(data) for data in (original, released))
    return {name for name, kind in after.items() if before.get(name) == kind}


def _types(data: Microdata) -> dict[str, str]:
    relation = data.con.table(data.table)
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def _numbers(data: Microdata) -> set[str]:
    return {n for n, kind in _types(data).items() if any(word in kind for word in _NUMERIC) and "[" not in kind}


def judged(
    plan: Plan, scenarios: Sequence[ScenarioOutcome], loss: Mapping[str, tuple[Mapping[str, Any], ...]]
) -> tuple[LimitOutcome, ...]:
    """Return each limit with its figures, and whether it holds."""
    reports = {found.scenario.name: (found.figures_before, found.figures) for found in scenarios}
    of_loss = {name: [dict(row) for row in rows] for name, rows in loss.items()}
    return tuple(
        _judged(limit, *reports[limit.scenario]) if limit.scenario is not None else _judged(limit, None, of_loss)
        for limit in plan.limits
    )


def _judged(limit: Limit, before: dict[str, Any] | None, report: dict[str, Any]) -> LimitOutcome:
    figures, measured = _figures(limit, report)
    its = {} if before is None else _figures(limit, before)[0]
    return LimitOutcome(limit, figures, measured and holds(limit.text, report), before=its)


def _figures(limit: Limit, report: dict[str, Any]) -> tuple[dict[str, float | None], bool]:
    """Return the figures that a limit names, and whether all are measured; what is not is NULL."""
    try:
        return figures_of(limit.text, report), True
    except InputError:  # a limit that cannot be checked does not hold
        return {f"{measure}.{figure}": None for measure, figure, _ in named(limit.text)}, False
