"""The columns of the household of a release: those that the file names, and those that are such in the source."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sdc_sql.db.completion import MANY, find_household_columns
from sdc_sql.release.reading.plan import ORIGINAL

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.db.completion import HouseholdColumn
    from sdc_sql.release.reading.plan import Plan


def find_plan_households(con: duckdb.DuckDBPyConnection, plan: Plan) -> tuple[Plan, tuple[HouseholdColumn, ...]]:
    """Return the plan with all columns of the household, and those that are in the source but not in the file.

    They are looked for in the source, where no step has changed them: a column that is not named is protected too.
    """
    roles = plan.roles
    if roles.household is None:
        return plan, ()
    named = roles.household_columns or ()
    others = [c for c in con.table(ORIGINAL).columns if c not in {*named, roles.household, roles.id, roles.weight}]
    more = tuple(find_household_columns(con, ORIGINAL, roles.household, others))
    every = (*named, *(column.name for column in more))
    guessed = tuple(column.name for column in more if column.households < MANY)
    return replace(plan, roles=replace(roles, household_columns=every, guessed=guessed)), more


def describe_households(columns: tuple[HouseholdColumn, ...]) -> str:
    """Return what was found, in a sentence."""
    return (
        f"Of the household, and not in roles.household_columns: {'; '.join(map(str, columns))}. They are protected by "
        "household; name them, so that the next source is held to it."
    )
