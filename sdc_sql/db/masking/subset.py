"""Some of the records of a table, as a caller names them: a column of truth values, or a condition.

A condition is SQL, read into a tree: comparisons and plain arithmetic of the table's own columns, nothing that reads
another table or calls a function that could do more than compute a value. It becomes a column of truth values beside
those of the table, under a name that the macros are given.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.table import Part
from sdc_sql.errors import ColumnError, ParameterError, translate_errors

if TYPE_CHECKING:
    from sdc_sql.db.table import Table

NAME = "sdc__of_subset"
PART = "sdc_part_"
FORM = "it must be a column of truth values, or a condition on columns, as in \"age >= 15 AND region IN ('n', 's')\""
# A condition may be made of these nodes.
ALLOWED = (
    exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Connector, exp.Not, exp.Predicate,
    exp.In, exp.Between, exp.Is, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Cast,
    exp.DataType, exp.DataTypeParam, exp.Lower, exp.Upper, exp.Length, exp.Abs, exp.Coalesce, exp.Tuple,
)  # fmt: skip
REFUSED = (exp.Subquery, exp.Query, exp.Exists, exp.SubqueryPredicate)


@dataclass(frozen=True)
class Subset:
    """The records of which a condition holds.

    ``table`` is the name by which the macros read the table, ``column`` that of its column of truth values, ``said``
    what the caller gave.
    """

    table: str
    column: str
    said: str
    rows: exp.Select | None = None

    def wrap_query(self, select: exp.Select) -> exp.Select:
        """Return a query in which that table can be read."""
        if self.rows is None:
            return select
        return select.with_(exp.to_identifier(NAME, quoted=True), as_=self.rows, materialized=False)


def resolve_subset(data: Table, given: str) -> Subset:
    """Return the records that a column or a condition names.

    Raises
    ------
    ParameterError
        Where it is neither, or reads more than the table's own columns.

    Examples
    --------
    >>> import sdc_sql
    >>> print(resolve_subset(sdc_sql.example()._roles, "AGE > 30").rows.sql("duckdb"))
    SELECT *, "age" > 30 AS "sdc_subset" FROM QUERY_TABLE('persons')
    """
    condition = resolve_condition(data, given, "subset")
    if isinstance(condition, exp.Column):
        return Subset(data.table, condition.name, given)
    column = "sdc_subset"
    while column in {c.lower() for c in data.columns}:
        column += "_"
    source = exp.Anonymous(this="query_table", expressions=[query.make_text_literal(data.table)])
    rows = exp.select("*", exp.alias_(condition, column, quoted=True)).from_(exp.Table(this=source))
    return Subset(NAME, column, given, rows)


def show_part(part: Part) -> None:
    """Make the records of a part readable by its name, with the types that the columns now have."""
    view = exp.Create(
        this=exp.table_(part.name, db="main", catalog="temp", quoted=True), kind="VIEW", replace=True,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        expression=exp.select("*").from_(_select_records(part)).where(part.condition.copy()),
    )  # fmt: skip
    execute(part.whole.con, view).fetchall()


def select_others(part: Part, columns: tuple[str, ...]) -> exp.Select:
    """Return a query of columns of the records that are not of the part."""
    kept = exp.select(*(exp.column(c, quoted=True) for c in columns)).from_(_select_records(part))
    return kept.where(exp.not_(part.condition.copy()))


def _select_records(part: Part) -> exp.Table:
    return exp.Table(this=exp.Anonymous(this="query_table", expressions=[query.make_text_literal(part.whole.table)]))


def find_part(data: Table, given: str) -> Part:
    """Return the records of a table of which a condition holds, readable by its name.

    Raises
    ------
    ParameterError, ColumnError
        Where it is no condition on columns, no record fulfils it, or a column is none of truth values.
    """
    asked = resolve_condition(data, given, "where")
    found = exp.select(exp.Anonymous(this="typeof", expressions=[asked.copy()])).from_(
        query.call_macro("sdc__rows", data.table).subquery("r")
    )
    with translate_errors():
        (kind,) = execute(data.con, found.limit(1)).fetchall()[0]
    if kind not in {"BOOLEAN", '"NULL"'}:
        raise ParameterError(f"where gives values of the type {kind}: {FORM}.")
    holds = exp.and_(exp.func("coalesce", exp.cast(asked, "BOOLEAN"), exp.false()))
    within = data.part
    said = given if within is None else f"({within.said}) AND ({given})"
    if within is not None:
        holds = exp.and_(within.condition.copy(), holds)
    whole = data if within is None else within.whole
    made_of = f"{whole.table}\n{holds.sql('duckdb')}"
    part = Part(whole, PART + hashlib.sha256(made_of.encode()).hexdigest()[:12], said, holds)
    with translate_errors():
        if not part.whole.count(holds.copy()):
            raise ParameterError(f"where holds for no record of {part.whole.table}: is the condition the right one?")
    show_part(part)
    return part


def resolve_condition(data: Table, given: str, role: str) -> exp.Condition:
    """Return a column of a table, or a condition on its columns, that a caller names in the argument ``role``.

    Raises
    ------
    ParameterError
        Where it is neither, or reads more than the table's own columns.
    """
    if not isinstance(given, str) or not given.strip():
        raise ParameterError(f"{role} is {text_for_message(given)}: {FORM}.")
    try:
        return exp.column(data.spell_column(role, given), quoted=True)
    except ColumnError:
        return _parse_condition(data, given, role)


def _parse_condition(data: Table, text: str, role: str) -> exp.Condition:
    try:
        tree = parse_one(text, into=exp.Condition, read="duckdb")
    except (SqlglotError, RecursionError):  # thousands of parentheses in one another end in a RecursionError
        raise ParameterError(f"{role} cannot be read as a condition: {FORM}.") from None
    if isinstance(tree, exp.Column):  # the name is that of no column of the table
        data.spell_column(role, tree.name)
    for node in tree.walk():
        if not isinstance(node, ALLOWED) or isinstance(node, REFUSED):
            raise ParameterError(f"{role} holds {type(node).__name__}, which a condition here may not: {FORM}.")
        if isinstance(node, exp.Column):
            if node.table:
                raise ParameterError(f"{role} names {node.sql('duckdb')}: name columns of the table alone.")
            node.set("this", exp.to_identifier(data.spell_column(f"column of {role}", node.name), quoted=True))
    return tree
