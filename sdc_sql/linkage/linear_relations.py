"""Numbers that follow from other released numbers: total less parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.compiler.columns import fold_case
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ColumnError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles

_NUMERIC = ("INT", "DOUBLE", "FLOAT", "DECIMAL")


@dataclass(frozen=True)
class LinearRelation(Result):
    """A numeric column, its ``suppressed`` and ``changed`` values, and those that a sum of others gives back.

    ``givers`` with their ``coefficients`` and the ``constant``: empty, and None, where it is no sum of others.
    """

    variable: str
    suppressed: int
    changed: int
    givers: list[str]
    coefficients: list[float]
    constant: float | None
    given_back: int
    share_right: float | None
    support: int
    contradictions: int


def linear_relations(
    data: Roles, original: Described | str, columns: str | Iterable[str] | None = None
) -> Results[LinearRelation]:
    """Return, of each numeric column, whether its suppressed or changed values are a sum of other released numbers.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric columns; without it all that are numbers in both tables.

    Returns
    -------
    Results of LinearRelation
        One a column, in the order of the table.

    Raises
    ------
    ColumnError
        Where no column is a number in both tables.
    ParameterError
        Where the table was described without an id.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.example().con
    >>> _ = con.execute("CREATE TABLE old AS SELECT i id, i * 7 % 31 a, i * 5 % 23 b, a + b AS c FROM range(90) t(i)")
    >>> _ = con.execute("CREATE TABLE new AS SELECT * REPLACE (CASE WHEN id > 3 THEN c END AS c) FROM old")
    >>> found = sdc_sql.Microdata(con, "new", id="id").linkage.linear_relations("old")[-1]
    >>> found.givers, found.coefficients, found.given_back
    (['a', 'b'], [1.0, 1.0], 4)
    """
    table, name = original_table(data, original), data.require_role("id")
    wanted = resolve_columns_or_keys(data, columns) if columns is not None else numbers_of_both(data, table)
    if not wanted:
        raise ColumnError("No column is a number in both tables: there is nothing that could be a sum of others.")
    rows = data.rows("sdc_linear_relations", table, data.table, name, wanted)
    return Results(LinearRelation(**row) for row in rows)


def numbers_of_both(data: Roles, original: str) -> list[str]:
    """Return the columns that are numbers in both tables, but for the id."""
    types = []
    for table in (data.table, original):
        rows = data.relation("sdc__rows", table)
        types.append({fold_case(n): str(kind) for n, kind in zip(rows.columns, rows.types, strict=True)})
    return [
        column for column in data.columns
        if column != data.id and all(_is_numeric(found.get(fold_case(column), "")) for found in types)
    ]  # fmt: skip


def _is_numeric(kind: str) -> bool:
    return any(word in kind for word in _NUMERIC) and kind[-1:] != "]" and "INTERVAL" not in kind
