"""The measures of a release: the risks of a scenario, what was lost, and whether the limits hold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.catalogue.macros import find_effect
from sdc_sql.db.completion import query_table
from sdc_sql.errors import InputError
from sdc_sql.figures.condition import list_named_figures
from sdc_sql.figures.limits import collect_figures, holds_limit
from sdc_sql.figures.measured import Beside, measure_rows
from sdc_sql.microdata import Microdata
from sdc_sql.release.judging.relabelled import relabel_original
from sdc_sql.release.reading import figures
from sdc_sql.release.reading.plan import ORIGINAL, RELEASED
from sdc_sql.release.running.outcome import LimitOutcome
from sdc_sql.report import attributes, risk_report
from sdc_sql.roles import read_roles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import duckdb

    from sdc_sql.figures.asked import Asked
    from sdc_sql.release.reading.plan import Limit, Plan, Scenario, Step
    from sdc_sql.release.running.outcome import Outcome, ScenarioOutcome
    from sdc_sql.report import RiskReport

_KNOWS_CLASSES = ("motivated_intruder",)  # measures that ask for an original in the classes of the released file
_NUMERIC = ("INT", "DOUBLE", "FLOAT", "REAL", "DECIMAL")


def describe_table(
    con: duckdb.DuckDBPyConnection, plan: Plan, table: str, keys: Sequence[str] = (), nulls: str = "category"
) -> Microdata:
    """Return a table of the run with the roles of the file."""
    roles = plan.released_roles if table == RELEASED else plan.roles
    data = Microdata(
        con, table, keys=keys or None, weight=roles.weight, household=roles.household,
        household_columns=list_household_columns(con, plan, table), id=roles.id,
        stratum=roles.strata[0] if roles.strata else None, sampling_fraction=roles.sampling_fraction, nulls=nulls,
        small_weights=roles.small_weights,
    )  # fmt: skip
    data._roles.looked_at.update(dict.fromkeys(roles.guessed))  # noqa: SLF001 - masks need not treat these by household
    return describe_released(plan, data)


def describe_released(plan: Plan, data: Microdata) -> Microdata:
    """Return a table whose households complete nothing where their numbers do not leave: no reader sees who they are.

    The released file then has NULL beside an old value, whatever the others show; masks still treat whole households.
    """
    if plan.output.households == "drop":
        data._roles = read_roles(data._roles, completes=False)  # noqa: SLF001 - as its methods take them
    return data


def list_columns(con: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    """Return the names of the columns of a table or file."""
    # (DuckDB 1.5 has no relation of the name of a file.)
    return [str(d[0]) for d in execute(con, exp.select("*").from_(query_table(table)).limit(0)).description or ()]


def list_household_columns(con: duckdb.DuckDBPyConnection, plan: Plan, table: str) -> tuple[str, ...] | None:
    """Return the columns of the household that a table of the run still has."""
    if plan.roles.household is None or plan.roles.household_columns is None:
        return None
    have = {name.lower() for name in list_columns(con, table)}
    return tuple(name for name in plan.roles.household_columns if name.lower() in have)


def measure_scenario(
    con: duckdb.DuckDBPyConnection, plan: Plan, table: str, scenario: Scenario, nulls: str, *, name: str,
    progress: Callable[[str], None],
) -> tuple[RiskReport, dict[str, Any]]:  # fmt: skip
    """Return the report of a scenario, under the name that a reader knows, and what is measured besides."""
    data = describe_table(con, plan, table, scenario.keys, nulls)
    sensitive = [name for name in plan.roles.sensitive if name not in scenario.keys]
    report = risk_report(data, k=scenario.k, progress=progress)
    if sensitive:
        progress("attribute disclosure")
        ordered = [name for name in plan.roles.ordered if name in sensitive]
        strict = describe_table(con, plan, table, scenario.keys)  # only there NULL is a value of its own
        diversity, closeness, likeness = attributes(strict, sensitive, ordered)
        report = replace(report, l_diversity=diversity, t_closeness=closeness, likeness=likeness)
    more = measure_limited(data, plan, scenario, found=report.to_dict(), progress=progress)
    return replace(report, table=name), more


def measure_limited(
    data: Microdata, plan: Plan, scenario: Scenario, *, found: Mapping[str, Any], progress: Callable[[str], None]
) -> dict[str, Any]:
    """Return what the limits of a scenario name besides what was found of it, by the names of the measures.

    The table has the roles that `describe_table` gives it with the keys of the scenario.
    """
    asked = figures.complete_figures(plan.asked, scenario)
    limited = {name.label for limit in scenario.limits for name in list_named_figures(limit.text)}
    wanted = dict.fromkeys(sorted(limited))
    if scenario.threshold is not None:
        wanted["threshold_rule_summary"] = None
    if scenario.neighbourhood is not None:
        wanted["neighbourhood"] = None
    # the original is not compared with itself: a measure that compares is computed for the released table alone
    original = ORIGINAL if data.table == RELEASED and _is_there(data.con, ORIGINAL) else None
    beside = figures.describe_beside(plan.roles, scenario, plan.loss.continuous, original)
    more: dict[str, Any] = {}
    for label in wanted:
        is_there = found.get(label) is not None and not asked[label].arguments
        if not is_there and not (asked[label].measure.compares and original is None):
            progress(label.replace("_", " "))
            more[label] = _measure_beside(asked[label], data, beside, plan, scenario)
    return more


def _measure_beside(
    asked: Asked, data: Microdata, beside: Beside, plan: Plan, scenario: Scenario
) -> list[dict[str, Any]]:
    """Return the rows of a measure; an intruder knows the classes of what was recoded."""
    roles = data._roles  # noqa: SLF001 - as its methods take them
    if asked.measure.name not in _KNOWS_CLASSES:
        return measure_rows(asked, roles, beside)
    categories = [key for key in scenario.keys if key not in plan.loss.continuous]
    original = describe_table(data.con, plan, ORIGINAL)
    with relabel_original(original, data, plan, categories) as table:
        return measure_rows(asked, roles, replace(beside, original=table))


def _is_there(con: duckdb.DuckDBPyConnection, table: str) -> bool:
    return bool(con.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [table]).fetchall())


def measure_loss_limits(
    original: Microdata, released: Microdata, plan: Plan, progress: Callable[[str], None]
) -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return the rows of each measure that a limit on loss names.

    Measures of numbers are of the continuous columns, by default of all that are numbers before and after; those of
    categories are of the others. Where a measure has no column, or one of them is dropped or (named as continuous) no
    number any more, its figures are NULL.
    """
    wanted = dict.fromkeys(name.label for limit in plan.loss.limits for name in list_named_figures(limit.text))
    wanted = {label: None for label in wanted if label not in {one.name for one in plan.estimates}}
    found: dict[str, tuple[Mapping[str, Any], ...]] = {}
    for label in wanted:
        progress(label.replace("_", " "))
        asked = plan.asked[label]
        columns, there = _choose_columns(asked, original, released, plan)
        # the loss of a column that is gone, or no number any more, is unknown: that of the others would look like all
        rows = _measure_rows(asked, original, released, columns, plan) if columns and {*columns} <= there else []
        found[label] = tuple(rows) or (dict.fromkeys(asked.measure.figures),)
    return found


def _choose_columns(asked: Asked, original: Microdata, released: Microdata, plan: Plan) -> tuple[list[str], set[str]]:
    """Return the columns that a measure of loss is of, and those that it could be of."""
    columns, numbers = [*plan.loss.columns], list_number_columns(original) & list_number_columns(released)
    parameter = asked.measure.parameter("columns")
    of = next((kind for kind in ("numeric", "categorical") if parameter and kind in parameter.meaning), "")
    if "columns" in asked.arguments:
        columns = [*asked.arguments["columns"]]
    elif of == "numeric":
        columns = [*plan.loss.continuous] or [c for c in columns if c in numbers or c not in released.columns]
    elif of == "categorical":
        columns = [c for c in columns if c not in plan.loss.continuous]
    return columns, numbers if of == "numeric" else {*released.columns}


def _measure_rows(
    asked: Asked, original: Microdata, released: Microdata, columns: list[str], plan: Plan
) -> Sequence[Mapping[str, Any]]:
    given: dict[str, Any] = {"columns": columns}
    for field in figures.LOSS_FIELDS:
        value = getattr(plan.loss, field)
        if isinstance(value, tuple):
            value = [c for c in value if c in columns or field == "domains"] or None
        given[field] = value
    # a measure that does not compare, as the sizes of classes, takes the columns as keys
    roles = read_roles(released._roles, keys=tuple(columns))  # noqa: SLF001 - as its methods take them
    return measure_rows(asked, roles, Beside(original.table, linked=given))


def choose_nulls(original: Microdata, steps: Iterable[Step], keys: Iterable[str]) -> str:
    """Return how NULL counts in a candidate: it agrees with every value once values of the keys were suppressed.

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


def list_remaining_codes(outcome: Outcome) -> set[str]:
    """Return the columns whose values have the labels that they had: of the same type, and not recoded into classes."""
    before, after = (_list_types(data) for data in (outcome.original, outcome.released))
    classes = {
        c for step in outcome.steps if find_effect(step.method).coarsens.kind == "into classes" for c in step.columns
    }
    return {name for name, kind in after.items() if before.get(name) == kind and name not in classes}


def _list_types(data: Microdata) -> dict[str, str]:
    relation = data.con.table(data.table)
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def list_number_columns(data: Microdata) -> set[str]:
    """Return the columns of a table that are numbers."""
    return {n for n, kind in _list_types(data).items() if any(word in kind for word in _NUMERIC) and "[" not in kind}


def judge_limits(
    plan: Plan, scenarios: Sequence[ScenarioOutcome], loss: Mapping[str, tuple[Mapping[str, Any], ...]]
) -> tuple[LimitOutcome, ...]:
    """Return each limit with its figures, and whether it holds."""
    reports = {found.scenario.name: (found.figures_before, found.figures) for found in scenarios}
    of_loss = {name: [dict(row) for row in rows] for name, rows in loss.items()}
    return tuple(
        _judge_limit(plan, limit, *reports[limit.scenario])
        if limit.scenario is not None else _judge_limit(plan, limit, None, of_loss)
        for limit in plan.limits
    )  # fmt: skip


def _judge_limit(plan: Plan, limit: Limit, before: dict[str, Any] | None, report: dict[str, Any]) -> LimitOutcome:
    found, measured = _collect_figures(plan, limit, report)
    its = {} if before is None else _collect_figures(plan, limit, before)[0]
    holds = measured and holds_limit(limit.text, report, plan.asked)
    judged = holds or (measured and None not in found.values())
    return LimitOutcome(limit, found, holds, before=its, judged=judged)


def _collect_figures(plan: Plan, limit: Limit, report: dict[str, Any]) -> tuple[dict[str, float | None], bool]:
    """Return the figures that a limit names, and whether all are measured; a figure that is not is NULL."""
    try:
        return collect_figures(limit.text, report, plan.asked), True
    except InputError:  # a limit that cannot be checked does not hold
        return {f"{name.label}.{name.figure}": None for name in list_named_figures(limit.text)}, False
