"""One call of every measure, from the example of its header, for what must hold of them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from sdc_sql.db.catalogue.macros import read_catalogue

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.functions import Declaration

_ROLES = {
    "tbl": "'persons'",
    "keys": "['age', 'sex']",
    "weight": "'weight'",
    "household": "'household'",
    "stratum": "'region'",
}

# What stands in a role's place, by the name of the argument.
_PLACES = {
    **{name: f"{{{name}}}" for name in _ROLES},
    "sample": "{tbl}",
    "population": "{tbl}",
    "sensitive": "{stratum}",
}
# without the names of the keys, which are given back as they were given
_WITHOUT_NAMES = {
    "sdc_threshold_rule": 'SELECT * EXCLUDE (columns, "values") ',
    "sdc_threshold_rule_summary": "SELECT * EXCLUDE (columns) ",
    "sdc_log_linear_risk": "SELECT * EXCLUDE (interactions) ",
    "sdc_log_linear_fit": "SELECT * EXCLUDE (interactions) ",
    "sdc_log_linear_search": "SELECT * EXCLUDE (added, interactions) ",
}
_TABLES = {"tbl", "sample", "population"}


def _of_one_table(measure: Declaration) -> bool:
    """Return whether a measure is of the keys of a table, or of its population too; no draws, sentences and sums."""
    tables = {p.name for p in measure.parameters if p.type in {"table", "tables"}}
    names = {p.name for p in measure.required}
    apart = "stream" in {p.name for p in measure.parameters} or measure.given.names[:1] == ("rule",)
    return "keys" in names and "value" not in names and tables <= _TABLES and not apart


def _call(measure: Declaration) -> str:
    """Return the example of a macro with roles in the place of its table, its keys and its columns."""
    call = sqlglot.parse_one(f"SELECT * {measure.example}", read="duckdb").find(exp.Anonymous)
    parts = []
    for parameter, given in zip(measure.parameters, call.expressions, strict=False):
        name = given.this.name if isinstance(given, exp.PropertyEQ) else parameter.name
        value = given.expression if isinstance(given, exp.PropertyEQ) else given
        text = _PLACES.get(name, value.sql("duckdb"))
        parts.append(f"{name} := {text}" if isinstance(given, exp.PropertyEQ) else text)
    return f"{_WITHOUT_NAMES.get(measure.name, '')}FROM {measure.name}({', '.join(parts)})"


# By name, for ids that read well. Both treatments of NULL where there are two.
_MEASURES = [d for d in read_catalogue() if d.is_table and d.file.startswith(("core/", "risk/", "linkage/", "loss/"))]
CALLS = {d.name: _call(d) for d in _MEASURES if _of_one_table(d)}
CALLS |= {
    f"{d.name} wildcard": CALLS[d.name][:-1] + ", nulls := 'wildcard')"
    for d in _MEASURES
    if d.name in CALLS and any("wildcard" in p.choices for p in d.parameters)
}
WITH_NULLS = [name for name in CALLS if name.endswith("wildcard")]
WITH_WEIGHT = [name for name, call in CALLS.items() if "{weight}" in call]
# Between them these read a table in every way that the macros do.
READERS = ["sdc_theta", "sdc_theta_by", "sdc_population_risk", "sdc_frequencies wildcard", "sdc_household_risk"]


def query(name: str, **roles: str) -> str:
    """Return the call of a macro on `persons`, or with other arguments (SQL text) in some roles."""
    return CALLS[name].format(**_ROLES | roles)


def complaint(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    """Return the message of the error that a query must end in."""
    with pytest.raises(duckdb.Error) as raised:
        con.execute(sql).fetchall()
    return str(raised.value)


def rounded_rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    """Return the rows in an order of their own, numbers to 13 digits: sums may differ in the last ones."""
    rows = con.execute(sql).fetchall()
    return sorted(repr([float(f"{v:.13g}") if isinstance(v, float) else v for v in row]) for row in rows)
