"""A table without rows is an error: each table has one check, which stands at the end of the query.

It is a branch of a UNION that gives no rows and is there for its error. The branch counts, and a count is there
whatever an optimiser knows of the table. Its columns are computed from the count too, so that no filter that is put
on the whole query can be decided without it (on PostgreSQL OFFSET 0 keeps filters out instead: a column that is not
a bare NULL would have a type there).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler.columns import fold_case
from sdc_sql.compiler.constants import fold, is_error
from sdc_sql.compiler.definitions import load_definitions, substitute_parameters
from sdc_sql.compiler.trees import alias_column, make_subquery, quote_column
from sdc_sql.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROWS = "sdc__rows"  # this macro reads a table and checks it at once: sql/core/rows.sql
EXACT_ROWS = "sdc__exact_rows"  # this one does the same, and compares texts by their bytes, as other engines do
UNASKED = "sdc__unasked"  # this one does the same without the check
REFUSED = "sdc__refused"  # this one is the check: it gives no rows, or the error
COUNT, CHECK_COLUMN, CHECK = "sdc__n", "sdc__none", "sdc__check"


def find_empty_message(arguments: Sequence[exp.Expression]) -> exp.Expression:
    """Return what the macro says of a table without rows."""
    definition = load_definitions()[REFUSED]
    (error,) = (node for node in definition.body.find_all(exp.Anonymous) if is_error(node))
    return fold(substitute_parameters(error.expressions[0], definition.bind([arguments[0], exp.null()])))


def check_rows(table: exp.Table, message: exp.Expression) -> exp.Select:
    """Return a query of one column that is NULL, or an error where the table has no rows."""
    some = make_subquery(exp.select(exp.Literal.number(1)).from_(table).limit(1), "sdc__some")
    counted = exp.select(alias_column(exp.Count(this=exp.Star()), COUNT)).from_(some)
    is_there = exp.GT(this=quote_column(COUNT), expression=exp.Literal.number(0))
    error = exp.Anonymous(this="error", expressions=[message])
    none = exp.Case(ifs=[exp.If(this=is_there, true=exp.null())], default=error)
    return exp.select(alias_column(none, CHECK_COLUMN)).from_(make_subquery(counted, "sdc__count"))


def add_row_checks(tree: exp.Query, names: Sequence[str], checks: Iterable[exp.Select]) -> exp.Query:
    """Return a query with the checks of its tables at its end."""
    checks = list(checks)
    if not checks:
        return tree
    order = tree.args.get("order")
    hidden = _list_hidden_keys(tree, names) if order else []
    for number, key in hidden:
        tree.append("expressions", alias_column(key.this.copy(), f"sdc__order_{number}"))
        key.set("this", quote_column(f"sdc__order_{number}"))
    tree.set("order", None)
    for each in checks:
        columns = [quote_column(CHECK_COLUMN) for _ in range(len(names) + len(hidden))]
        fails = exp.Not(this=exp.Is(this=quote_column(CHECK_COLUMN), expression=exp.null()))
        branch = exp.select(*columns).from_(make_subquery(each, CHECK)).where(fails)
        tree = exp.Union(this=tree, expression=branch, distinct=False)
    if order is None:
        return tree
    whole = exp.select(*(quote_column(name) for name in names)).from_(make_subquery(tree, "sdc__answer"))
    whole.set("order", order)
    return whole


def _list_hidden_keys(tree: exp.Query, names: Sequence[str]) -> list[tuple[int, exp.Ordered]]:
    """Return the keys of ORDER BY, numbered, that are no columns of the result."""
    if any(tree.args.get(clause) for clause in ("limit", "distinct")):
        raise Unsupported("A macro's ORDER BY with LIMIT or DISTINCT is not known to the check for an empty table.")
    results = {fold_case(name) for name in names}
    keys = enumerate(tree.args["order"].expressions, start=1)
    return [
        (n, k)
        for n, k in keys
        if not isinstance(k.this, exp.Column) or k.this.table or fold_case(k.this.name) not in results
    ]
