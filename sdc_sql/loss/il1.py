# Written from sql/loss/il1.sql by python -m sdc_sql.write: change that file.
"""How far the released numbers are from the original ones, in standard deviations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import name_weight, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Il1(Result):
    """The values compared and those suppressed, IL1 and its bounded form; variable None: all of them."""

    variable: str | None
    values: int
    suppressed: int
    il1: float | None
    bounded: float | None


def il1(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    max_term: float = 1,
    weight: str | None = None,
) -> Results[Il1]:
    """Return IL1 and its bounded form.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    max_term
        The most that a term counts in the bounded form, above 0.
    weight
        A column of the original, what each record counts for (whole weights: as many records each); without it the
        records are counted.

    Returns
    -------
    Results of Il1
        One for each variable, all of them together first.

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``max_term`` is out of its range.

    Notes
    -----
    SDC handbook, section 3.5.3 (IL1: Yancey, Winkler & Creecy 2002; the bound: Trottini 2003). IL1s of sdcMicro is the
    sum of the terms: records times variables times this.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 1), (2, 2), (3, 3)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 1), (2, 3), (3, NULL)) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.loss.il1("original", ["x"]))
    Il1
      variable  values  suppressed       il1   bounded
      NULL           2           1  0.353553  0.569036
      x              2           1  0.353553  0.569036
    """
    rows = data.rows(
        "sdc_il1",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        max_term=require_number("il1", "max_term", max_term),
        weight=name_weight(weight),
    )
    return Results(Il1(**row) for row in rows)
