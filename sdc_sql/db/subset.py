"""The records of a table that a mask may change, as a caller names them: a column of truth values, or a condition.

A condition is SQL, read into a tree: comparisons and plain arithmetic of the table's own columns, nothing that reads
another table or calls a function that could do more than compute a value. It becomes a column of truth values beside
those of the table, under a name that the macros are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from sdc_sql.db import query
from sdc_sql.db.checks import told
from sdc_sql.errors import ColumnError, ParameterError

if TYPE_CHECKING:
    from sdc_sql.db.table import Table

NAME = "sdc__of_subset"
FORM = "it must be a column of truth values, or a condition on columns, as in \"age >= 15 AND region IN ('n', 's')\""
# What a condition may be made of.
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

    def around(self, select: exp.Select) -> exp.Select:
        """Return a query in which that table can be read."""
        if self.rows is None:
            return select
        return select.with_(exp.to_identifier(NAME, quoted=True), as_=self.rows, materialized=False)


def subset_of(data: Table, given: str) -> Subset:
    """Return the records that a column or a condition names.

    Raises
    ------
    ParameterError
        Where it is neither, or reads more than the table's own columns.

    Examples
    --------
    >>> import sdc_sql
    >>> print(subset_of(sdc_sql.example()._roles, "AGE > 30").rows.sql("duckdb"))
    SELECT *, "age" > 30 AS "sdc_subset" FROM QUERY_TABLE('persons')
    """
    if not isinstance(given, str) or not given.strip():
        raise ParameterError(f"subset is {told(given)}: {FORM}.")
    try:
        return Subset(data.table, data.found("subset", given), given)
    except ColumnError:
        condition = _condition(data, given)
    column = "sdc_subset"
    while column in {c.lower() for c in data.columns}:
        column += "_"
    source = exp.Anonymous(this="query_table", expressions=[query.literal(data.table)])
    rows = exp.select("*", exp.alias_(condition, column, quoted=True)).from_(exp.Table(this=source))
    return Subset(NAME, column, given, rows)


def _condition(data: Table, text: str) -> exp.Condition:
    try:
        tree = parse_one(text, into=exp.Condition, read="duckdb")
    except SqlglotError:
        raise ParameterError(f"subset cannot be read as a condition: {FORM}.") from None
    if isinstance(tree, exp.Column):  # a name that is no column of the table
        data.found("subset", tree.name)
    for node in tree.walk():
        if not isinstance(node, ALLOWED) or isinstance(node, REFUSED):
            raise ParameterError(f"subset holds {type(node).__name__}, which a condition here may not: {FORM}.")
        if isinstance(node, exp.Column):
            if node.table:
                raise ParameterError(f"subset names {node.sql('duckdb')}: name columns of the table alone.")
            node.set("this", exp.to_identifier(data.found("column of the subset", node.name), quoted=True))
    return tree
