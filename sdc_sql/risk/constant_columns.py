# Written from sql/core/constant_columns.sql by python -m sdc_sql.write: change that file.
"""Which columns are of the household: the same for all its members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import resolve_columns_or_keys
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


def constant_columns(data: Roles, columns: str | Iterable[str] | None = None) -> Results[ConstantColumn]:
    """Return in how many households the members all have the same value, of each column.

    Parameters
    ----------
    columns
        Which columns are looked at; None: all others.

    Returns
    -------
    Results of ConstantColumn
        One for each variable.

    Raises
    ------
    ParameterError
        Where the table was described without a household.

    Notes
    -----
    SDC handbook, section 3.3.5 (files with a hierarchy).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE survey AS FROM (VALUES (1, 'north', 'f'), (1, 'north', 'm'), (1, NULL, 'f'), "
    ...     "(2, 'south', 'f'), (2, 'south', 'f'), (3, 'south', 'm')) AS t(household, region, sex)"
    ... )
    >>> data = sdc_sql.Microdata(con, "survey", household="household")
    >>> print(data.risk.constant_columns())
    ConstantColumn
      variable  households  constant  share  by chance
      region             2         2      1        0.5
      sex                2         1    0.5        0.5
    """
    rows = data.rows(
        "sdc_constant_columns",
        data.table,
        data.require_role("household"),
        columns=None if columns is None else resolve_columns_or_keys(data, columns),
    )
    return Results(ConstantColumn(**row) for row in rows)
