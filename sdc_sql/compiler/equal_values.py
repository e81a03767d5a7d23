"""Values that an engine calls equal and a file tells apart are an error: one check a key, at the end of the query.

sql/core/equal_values.sql looks at each value by itself; here it is not known what types the columns have, nor which
values an engine calls equal (0.0 and -0.0 in all of them, 1 month and 30 days or the numerics 1.0 and 1.00 in
PostgreSQL, a and A by a collation). So the values of a column of any type but those that have one text each are
grouped, and no group may have two texts. No value of the other types is read: Spark knows the type as it plans,
PostgreSQL asks it of one record, and whether its database has a collation that calls different texts equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler.columns import fold_case
from sdc_sql.compiler.constants import fold
from sdc_sql.compiler.definitions import load_definitions
from sdc_sql.compiler.empty import CHECK_COLUMN, COUNT, EXACT_ROWS, REFUSED, ROWS
from sdc_sql.compiler.known import compute_known_value
from sdc_sql.compiler.trees import alias_column, make_subquery, make_table, quote_column

if TYPE_CHECKING:
    from collections.abc import Sequence

# DuckDB calls the types so (compiler/doubles.py), or the engine does, in capitals.
ONE_TEXT = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "BOOLEAN", "VARCHAR", "DATE", "TIME", "TIMESTAMP", "UUID",
    "TIMESTAMP WITHOUT TIME ZONE", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_NTZ", "TIME WITHOUT TIME ZONE",
)  # fmt: skip
FORM = "sdc__form"


def list_compared_columns(
    function: exp.Anonymous, arguments: Sequence[exp.Expression], have: Sequence[str]
) -> list[str]:
    """Return the columns, of those there are, whose values the macro that reads a table compares."""
    if function.name not in (ROWS, EXACT_ROWS, REFUSED):
        return []
    bound = load_definitions()[function.name].bind(arguments)
    asked = exp.Coalesce(this=bound["compared"], expressions=[bound["codes"]])
    names = compute_known_value(exp.Anonymous(this="sdc__named", expressions=[fold(asked)])) or []
    wanted = {fold_case(str(name)) for name in names}
    return [column for column in have if fold_case(column) in wanted]


def check_equal_values(columns: Sequence[tuple[str, str]]) -> exp.Select:
    """Return a query of one column that is NULL, or an error where a value of some columns has two texts.

    ``columns`` are those of several tables that are compared with one another, each with its table: what has one form
    in each table may have another one in the next.
    """
    (_, column), *_ = columns
    parts = [exp.select(quote_column(name)).from_(make_table(table)) for table, name in columns]
    table: exp.Expression = make_table(columns[0][0])
    if len(parts) > 1:
        table = make_subquery(exp.union(*parts, distinct=False), "sdc__together")
    told = " and ".join(make_table(name).sql("duckdb") for name, _ in columns)
    text = exp.cast(quote_column(column), "text")
    kind = exp.In(
        this=exp.Typeof(this=quote_column(column)), expressions=[exp.Literal.string(name) for name in ONE_TEXT]
    )
    several = exp.NEQ(this=exp.Min(this=text), expression=exp.Max(this=text.copy()))
    forms = exp.select(alias_column(exp.Literal.number(1), FORM)).from_(table).where(exp.Not(this=kind))
    forms = forms.group_by(quote_column(column)).having(several)
    counted = exp.select(alias_column(exp.Count(this=exp.Star()), COUNT)).from_(make_subquery(forms, "sdc__forms"))
    none = exp.EQ(this=quote_column(COUNT), expression=exp.Literal.number(0))
    message = exp.Literal.string(
        f"ColumnError: The column {column} of {told} holds a value in two forms that the engine calls "
        "equal and a file tells apart (0.0 and -0.0, 1 month and 30 days, 1.0 and 1.00, texts by their collation): "
        "counted as one, they would make the risk look smaller than it is. Give each value one form first (a + 0 for "
        "-0.0), or cast it to text that is compared by its bytes."
    )
    error = exp.Anonymous(this="error", expressions=[message])
    answer = exp.Case(ifs=[exp.If(this=none, true=exp.null())], default=error)
    return exp.select(alias_column(answer, CHECK_COLUMN)).from_(make_subquery(counted, "sdc__count"))
