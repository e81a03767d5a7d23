"""The second stage: the files, and each variable with what it is, what was done to it, and how it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Section, Table, Text, make_facts_block
from sdc_sql.release.reporting.internal.steps import format_parameter
from sdc_sql.release.reporting.internal.variables import tabulate_variables
from sdc_sql.release.reporting.public_facts import list_untouched_columns
from sdc_sql.release.reporting.stages import DATA, list_output_columns
from sdc_sql.release.running import one_form

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import Outcome

_SMALL_WEIGHTS = {"error": None, "at_least_one": "counted as the records themselves"}


def write_data(outcome: Outcome) -> Section:
    """Return the section."""
    plan = outcome.plan
    source = {
        "source": str(plan.source.path), "table": plan.source.table,
        **{f"SHA-256 of the {name.replace('_', ' ')}": digest for name, digest in outcome.digests.items()},
        "released file": str(plan.output.path), "id in it": plan.output.ids,
        "household numbers in it": plan.output.households if plan.roles.household else None,
        "release name": plan.release or None,
        "rules": plan.rules, "weight": format_parameter(plan.roles.weight),
        "sampling fraction": plan.roles.sampling_fraction,
        "weights that sum to less than the records of a cell": _SMALL_WEIGHTS[plan.roles.small_weights],
        "strata": ", ".join(plan.roles.strata) or None,
        "values given one form (0.0 for -0.0, NaN without a sign, intervals)":
        one_form.describe_unified(outcome.reformed) or None,
    }  # fmt: skip
    sizes = Table(
        "Size", ("", "before", "after"),
        (
            ("records", outcome.records_before, outcome.records_after),
            ("variables", len(outcome.columns_before), len(list_output_columns(outcome))),
        ),
    )  # fmt: skip
    described: list[Block] = [Text(plan.description)] if plan.description else []
    known = {n: v for n, v in source.items() if v is not None}
    files = make_facts_block("Files", known)
    return Section(DATA, (Text(_answer(outcome)), *described, sizes, tabulate_variables(outcome), files))


def _answer(outcome: Outcome) -> str:
    released, untouched = list_output_columns(outcome), list_untouched_columns(outcome)
    return (
        f"{outcome.records_after:,} of {outcome.records_before:,} records and {len(released)} of "
        f"{len(outcome.columns_before)} variables are released; {len(untouched)} of the variables leave as they were "
        "collected."
    )
