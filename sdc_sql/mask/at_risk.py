"""The records that a mask may change: those of a condition, or those whose figure of risk is above a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.macros import index_catalogue
from sdc_sql.db.masking.subset import NAME, Subset, resolve_subset
from sdc_sql.errors import ParameterError
from sdc_sql.roles import complete_roles

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.roles import Roles

FIGURE = re.compile(r"\s*(?P<measure>\w+)\.(?P<figure>\w+)\s*(?P<sign><=|>=|<|>|=)\s*(?P<number>[-+0-9.eE]+)\s*")
SIGNS = {"<=": exp.LTE, ">=": exp.GTE, "<": exp.LT, ">": exp.GT, "=": exp.EQ}
ROLES = ("keys", "weight", "household", "nulls", "small_weights")


def find_figure(given: str) -> tuple[Declaration, re.Match[str]] | None:
    """Return the measure of records whose figure a text compares with a number; None where it names no measure.

    Raises
    ------
    ParameterError
        Where the measure has no such figure.

    Examples
    --------
    >>> find_figure("individual_risk.individual_risk > 0.1")[0].name, find_figure("age > 3")
    ('sdc_individual_risk', None)
    """
    read = FIGURE.fullmatch(given)
    entry = index_catalogue().get(f"sdc_{read['measure']}") if read else None
    if read is None or entry is None:
        return None
    figures = [c.name for c in entry.given.columns if c.is_number]
    if entry.is_step or "every column" not in entry.given.names or read["figure"] not in figures:
        raise ParameterError(
            f"{given.strip()} names no figure of records"
            + (f": {read['measure']} has {', '.join(figures)}." if "every column" in entry.given.names else ".")
        )
    return entry, read


def resolve_records(data: Roles, given: str, role: str) -> Subset:
    """Return the records that a column, a condition on columns, or a figure of risk names.

    Parameters
    ----------
    given
        As in ``"age >= 90"`` or ``"individual_risk.individual_risk > 0.1"``: a measure that gives every record, its
        figure, and a number. The measure is asked by the keys, weight and household of the table, as its households
        complete it.
    role
        The argument, for messages.

    Examples
    --------
    >>> import sdc_sql
    >>> found = resolve_records(sdc_sql.example()._roles, "individual_risk.individual_risk > 0.1", "drawn")
    >>> found.column
    'sdc_subset'
    """
    found = find_figure(given)
    if found is None:
        return resolve_subset(data, given)
    entry, read = found
    identifier = exp.column(data.require_role("id"), quoted=True)
    holds = SIGNS[read["sign"]](
        this=exp.column(read["figure"], quoted=True), expression=query.make_text_literal(float(read["number"]))
    )
    asked, _ = complete_roles(data) if entry.completed else (data, {})  # what other members show is known
    risky = _call_measure(asked, entry, role).where(holds)
    risky.set("expressions", [identifier.copy()])
    column = "sdc_subset"
    while column in {c.lower() for c in data.columns}:
        column += "_"
    source = exp.Table(this=exp.Anonymous(this="query_table", expressions=[query.make_text_literal(data.table)]))
    marked = exp.alias_(exp.In(this=identifier, query=risky.subquery()), column, quoted=True)
    return Subset(NAME, column, given, exp.select("*", marked).from_(source))


def _call_measure(data: Roles, entry: Declaration, role: str) -> exp.Select:
    """Return a call of the measure by the roles of the table."""
    placed: list[query.Value] = []
    named: dict[str, query.Value] = {}
    for parameter in entry.parameters[1:]:
        value = getattr(data, parameter.name, None) if parameter.name in ROLES else None
        if parameter.default is None and not value:
            raise ParameterError(
                f"{role} asks {entry.name.removeprefix('sdc_')}, which needs {parameter.name}: describe the table with "
                "it, or name a column of truth values."
            )
        if parameter.default is None:
            placed.append(value)
        elif value:
            named[parameter.name] = value
    return query.call_macro(entry.name, data.table, *placed, **named)
