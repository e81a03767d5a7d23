"""Which columns are the same for all members of a household (SDC handbook, section 3.3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ConstantColumn(Result):
    """Of a column, the households of which two members or more show a value, and those whose members all show one.

    ``by_chance`` is how often two households show the same value; None where no two were compared.
    """

    variable: str
    households: int
    constant: int
    share: float | None
    by_chance: float | None


def constant_columns(data: Roles, columns: Iterable[str] | None = None) -> Results[ConstantColumn]:
    """Return, of each column, in how many households all members show the same value: 1 is a column of the household.

    Parameters
    ----------
    columns
        Which columns are looked at; by default all but the household.

    Returns
    -------
    list of ConstantColumn

    Raises
    ------
    ParameterError, ColumnError
        Where the table has no household, or a column is none of the table.

    Examples
    --------
    >>> import sdc_sql
    >>> [(c.variable, c.share) for c in sdc_sql.example().risk.constant_columns(["sex", "w"])]
    [('sex', 1.0), ('w', 0.0)]
    """
    household = data.required("household")
    names = None if columns is None else [data.found("column", name) for name in columns]
    rows = data.rows("sdc_constant_columns", data.table, household, columns=names)
    return Results(ConstantColumn(**row) for row in rows)
