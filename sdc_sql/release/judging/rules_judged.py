"""The rules of a ruleset judged in the released file, each with what was found."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.errors import InputError
from sdc_sql.microdata import Microdata, call_method
from sdc_sql.release.judging import measured
from sdc_sql.release.reading.plan import Limit
from sdc_sql.release.reading.ruleset import CHECKS
from sdc_sql.release.running.outcome import LimitOutcome
from sdc_sql.results import RuleAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb

    from sdc_sql.release.reading.plan import Plan
    from sdc_sql.release.reading.ruleset import Rules

RULED = "sdc_ruled"
# the rules are measured by these columns, whether they are released or not
BORROWED = ("inhabitants", "province", "municipality")


def judge_rules(con: duckdb.DuckDBPyConnection, plan: Plan, tables: tuple[str, str], nulls: str) -> list[LimitOutcome]:
    """Return each rule of the ruleset with what was found; ``tables``: the original and the released one."""
    if plan.ruleset is None:
        return []
    try:
        answers = _answers(con, plan, plan.ruleset, tables, nulls)
    except InputError as error:
        raise type(error)(f"rules ({plan.ruleset}): {error}") from None
    return [_judge_rule(plan.ruleset, answer) for answer in sorted(answers, key=lambda a: a.rule)]


def _judge_rule(rules: Rules, answer: RuleAnswer) -> LimitOutcome:
    looked = answer.rule in rules.looked_at
    state = {True: "violated: ", False: "kept: ", None: ""}[answer.violated]
    rest = ""
    if answer.violated is None:
        what = rules.ruleset.look.get(answer.rule, "whether the rule is kept")
        rest = "; a person has looked at it" if looked else f"; a person has to look at it (rules.looked_at): {what}"
    limit = Limit(f"{rules.ruleset.name}, rule {answer.rule}", answer.requirement)
    holds = answer.violated is False or (answer.violated is None and looked)
    return LimitOutcome(limit, {}, holds, found=f"{state}{answer.found}{rest}", judged=answer.violated is not None)


def _answers(
    con: duckdb.DuckDBPyConnection, plan: Plan, rules: Rules, tables: tuple[str, str], nulls: str
) -> list[RuleAnswer]:
    ruleset, answers = rules.ruleset, []
    dropped = plan.output.households == "drop"
    with_numbers = [c for c in measured.list_columns(con, tables[1]) if plan.output.ids != "drop" or c != plan.roles.id]
    released = [c for c in with_numbers if not dropped or c != plan.roles.household]
    borrowed = [rules.facts[n] for n in BORROWED if n in rules.facts and rules.facts[n] not in released]
    if ruleset.check is not None:
        facts = dict(rules.facts)
        with _make_rules_view(con, plan, tables, with_numbers, borrowed) as table:
            answers = _run_check(_describe_released(con, plan, rules, table, nulls), ruleset.check, facts)
        # these columns are not released, and rule 2 asks about those that are
        if (borrowed or dropped) and ruleset.check == "public":
            own = {n: v for n, v in facts.items() if v not in borrowed or n not in BORROWED}
            with _make_rules_view(con, plan, tables, released, []) as table:
                alone = _run_check(_describe_released(con, plan, rules, table, nulls), ruleset.check, own)
            answers = [a for a in answers if a.rule != 2] + [a for a in alone if a.rule == 2]  # noqa: PLR2004 - that rule
    with _make_rules_view(con, plan, tables, released, []) as table:
        data = _describe_released(con, plan, rules, table, nulls)
        by_threshold = [_threshold(data, row, rules) for row in ruleset.thresholds]
    answers = [a for a in answers if a.rule not in {m.rule for m in by_threshold}] + by_threshold
    there = {a.rule for a in answers}
    return answers + [RuleAnswer(n, what, "not measured", None) for n, what in ruleset.look.items() if n not in there]


def _describe_released(con: duckdb.DuckDBPyConnection, plan: Plan, rules: Rules, table: str, nulls: str) -> Microdata:
    roles = plan.released_roles
    there = roles.household in measured.list_columns(con, table)
    data = Microdata(
        con, table, keys=rules.keys, weight=roles.weight, household=roles.household if there else None,
        household_columns=measured.list_household_columns(con, plan, table) if there else None, nulls=nulls,
        small_weights=roles.small_weights,
    )  # fmt: skip
    return measured.describe_released(plan, data)


def _run_check(data: Microdata, check: str, facts: Mapping[str, Any]) -> list[RuleAnswer]:
    answers: list[RuleAnswer] = call_method(data, CHECKS[check][0], **facts)
    return answers


def _threshold(data: Microdata, row: Mapping[str, Any], rules: Rules) -> RuleAnswer:
    """Return the answer of a threshold of the ruleset: at least so many, as the rules of the handbook have it."""
    levels = rules.facts["levels"] if row.get("levels") else None
    sets = data.risk.threshold_rule_summary(row["threshold"], levels=levels, inclusive=False)
    unsafe, every = sum(s.unsafe_combinations for s in sets), sum(s.combinations for s in sets)
    where = "file" if data.weight is None else "population"
    what = "one key of each level" if levels else "keys"
    return RuleAnswer(
        row["rule"], f"each combination of {what} at least {row['threshold']} times in the {where}",
        f"{unsafe} of {every} combinations are rarer", unsafe > 0,
    )  # fmt: skip


@contextmanager
def _make_rules_view(
    con: duckdb.DuckDBPyConnection, plan: Plan, tables: tuple[str, str], released: list[str], borrowed: list[str]
) -> Iterator[str]:
    """Yield a view of the released columns, with those of the original that the rules are measured by."""
    original, masked = tables
    columns: list[exp.Expr] = [exp.column(c, table="r", quoted=True) for c in released]
    select = exp.select(*columns).from_(exp.alias_(exp.to_table(masked), "r", table=True))
    if borrowed:  # a step dropped these columns, and steps have an id
        of_both = [exp.column(str(plan.roles.id), table=t, quoted=True) for t in ("r", "o")]
        on = exp.EQ(this=of_both[0], expression=of_both[1])
        select = select.select(*(exp.column(c, table="o", quoted=True) for c in dict.fromkeys(borrowed)))
        select = select.join(exp.alias_(exp.to_table(original), "o", table=True), on=on, join_type="left")
    execute(con, create_from_rows(RULED, "VIEW", select))
    try:
        yield RULED
    finally:
        con.execute(f"DROP VIEW IF EXISTS {RULED}")
