"""The figures of a measure, computed of a described table: rows by the columns of its macro."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ParameterError, translate_errors
from sdc_sql.methods import Methods
from sdc_sql.roles import read_roles, weigh_roles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.gives import Column
    from sdc_sql.figures.asked import Asked
    from sdc_sql.figures.registry import Measure
    from sdc_sql.roles import Roles

Rows = list[dict[str, Any]]

_MATRICES = "matrices"


class LackingError(ParameterError):
    """A figure lacks roles or arguments: ``names``. A door says how they are given there."""

    def __init__(self, asked: Asked, names: tuple[str, ...]) -> None:
        self.asked, self.names = asked, names
        super().__init__(f"{asked.label} needs {', '.join(name.replace('_', ' ') for name in names)}.")


@dataclass(frozen=True)
class Beside:
    """What a measure may ask for besides the roles of the table.

    ``original`` is the table before masking; ``sensitive`` variables are measured one by one, the ``ordered`` ones of
    them by the ordered distance. ``given`` are arguments of measures of one table, ``linked`` those of measures that
    compare it with the original: taken where a measure has such and is given none. A ``k`` is for the measures with a
    row for each.
    """

    original: str | None = None
    sensitive: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    linked: Mapping[str, Any] = field(default_factory=dict)

    def arguments(self, measure: Measure) -> dict[str, Any]:
        """Return what a measure is given here."""
        found = self.linked if measure.compares else self.given
        taken = {name: value for name, value in found.items() if name in measure.arguments and value is not None}
        return {name: value for name, value in taken.items() if name != "k" or measure.by == ("k",)}


def list_lacking(asked: Asked, roles: object, beside: Beside) -> tuple[str, ...]:
    """Return what a figure needs and is not there: roles and arguments, by name."""
    needed = [r for r in asked.measure.needs if not getattr(roles, r) and r not in asked.arguments]
    sensitive = ("sensitive", "targets", "target") if beside.sensitive else ()
    own_keys = ("keys",) if asked.measure.joins else ()
    there = {*asked.arguments, *beside.arguments(asked.measure), *sensitive, *own_keys}
    # the steps of the table know the matrix of keys that went through PRAM
    needed += [name for name in asked.measure.required if name not in there and name != _MATRICES]
    if asked.measure.compares and beside.original is None:
        needed.append("original")
    return tuple(needed)


def measure_rows(asked: Asked, roles: Roles, beside: Beside) -> Rows:
    """Return the rows of a figure: those of the file, or the worst of the records in one row.

    Raises
    ------
    LackingError
        Where it lacks a role or an argument.
    """
    found = asked.measure
    roles = weigh_roles(roles)
    missing = list_lacking(asked, roles, beside)
    if missing:
        raise LackingError(asked, missing)
    data = _bind_methods(roles if found.reads_wildcards else read_roles(roles, nulls="category"))
    arguments = {**beside.arguments(found), **asked.arguments}
    if found.joins:  # the measured file leaves beside the others
        others = arguments["releases"]
        others = [others] if isinstance(others, str) else [*others]
        keys = arguments.get("keys", [roles.keys] * len(others))
        arguments |= {"releases": [roles.table, *others], "keys": [roles.keys, *keys]}
    if "dis_fraction" in found.arguments and isinstance(roles.sampling_fraction, int | float):
        arguments.setdefault("dis_fraction", roles.sampling_fraction)  # it is the worth of an intruder's match
    if found.compares:
        arguments["original"] = beside.original
    if "targets" in found.required:
        arguments.setdefault("targets", list(beside.sensitive))
    for one in ("sensitive", "target"):
        if one in found.required and one not in arguments:
            return _measure_variables(found, data, arguments, beside, one)
    return _call_measure(found, data, arguments)


def _measure_variables(found: Measure, data: Methods, arguments: Mapping[str, Any], beside: Beside, one: str) -> Rows:
    """Return the rows of each sensitive variable, which the measure takes one at a time."""
    rows = []
    for name in beside.sensitive:
        own = {"distance": "ordered"} if "distance" in found.arguments and name in beside.ordered else {}
        its = _call_measure(found, data, {**own, **arguments, one: name})
        rows += [{"sensitive": name, **row} for row in its]
    return rows


def _call_measure(found: Measure, data: Methods, arguments: Mapping[str, Any]) -> Rows:
    if _MATRICES in found.required and _MATRICES not in arguments:
        return [{**dict.fromkeys(found.figures), "theta": data.theta().theta_misclassified}]
    given = getattr(data, found.verb)(**arguments)
    if isinstance(given, duckdb.DuckDBPyRelation):
        return [_find_worst_rows(found, given)]
    if isinstance(given, dict):  # it is a count for each value of what tells the rows apart
        return [dict(zip((*found.by, *found.figures), pair, strict=True)) for pair in given.items()]
    several = given if isinstance(given, list) else [given]
    rows = [row.to_dict() for row in several if isinstance(row, Result)]
    if not found.of_file:
        return [_choose_worst(found, rows)]
    if "k" in arguments and "k" in found.by:  # k-anonymity counts for each k up to it
        rows = [row for row in rows if row["k"] <= arguments["k"]]
    # a field that the macro does not give (what is said of PRAM) is no figure; one that the table lacks is NULL
    names = found.declaration.given.names
    return [{**dict.fromkeys(found.figures), **{n: v for n, v in row.items() if n in names}} for row in rows]


def limit_rows(asked: Asked, rows: Rows) -> Rows:
    """Return the rows of a macro as limits take them: those of the file, or the worst of the records in one row."""
    return rows if asked.measure.of_file else [_choose_worst(asked.measure, rows)]


def _find_worst_rows(found: Measure, records: duckdb.DuckDBPyRelation) -> dict[str, Any]:
    """Return the worst of each directed column over all records; NULL where one of them is no number."""
    there = [column for column in found.figures.values() if column.name in records.columns]
    worst = exp.select(*map(_select_worst, there)).expressions
    with translate_errors():
        values = records.aggregate(", ".join(query.write_sql(one) for one in worst)).fetchall()[0]
    return dict.fromkeys(found.figures) | {c.name: v for c, v in zip(there, values, strict=True)}


def _select_worst(column: Column) -> exp.Expr:
    value = exp.column(column.name, quoted=True)
    known = exp.not_(exp.func("isnan", exp.cast(value, "DOUBLE"), dialect="duckdb"))
    every = exp.EQ(this=exp.Count(this=exp.Star()), expression=exp.func("count_if", known, dialect="duckdb"))
    return exp.case().when(every, (exp.Max if column.more else exp.Min)(this=value))


def _choose_worst(found: Measure, rows: Rows) -> dict[str, Any]:
    """Return the worst of each figure in one row; what is unknown of one of the records is unknown."""
    worst: dict[str, Any] = {}
    for name, column in found.figures.items():
        values = [row[name] for row in rows]
        unknown = [value for value in values if value is None or value != value]  # noqa: PLR0124 - NaN
        worst[name] = unknown[0] if unknown else (max if column.more else min)(values, default=None)
    return worst


def _bind_methods(roles: Roles) -> Methods:
    return Methods(roles)
