# Written from sql/loss/precision.sql by python -m sdc_sql.write: change that file.
"""How far up their hierarchies the keys of a released table stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import resolve_table
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Precision(Result):
    """The precision of a key (variable None: of all keys), 0 (every value at the top) to 1, and what it lacks of 1."""

    variable: str | None
    records: int
    precision: float
    loss: float


def precision(data: Roles, hierarchies: str) -> Results[Precision]:
    """Return how far from the top of their hierarchies the released keys are.

    Parameters
    ----------
    hierarchies
        The name of the long table of the keys' hierarchies: variable, value, level, level_name, label.

    Returns
    -------
    Results of Precision
        One for each variable, all keys together first.

    Notes
    -----
    Sweeney (2002), Achieving k-anonymity privacy protection using generalization and suppression, International Journal
    on Uncertainty, Fuzziness and Knowledge-based Systems 10(5), section 5.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE hierarchies AS FROM (VALUES ('sex', 'f', 0, 'sex', 'f'), ('sex', 'f', 1, 'anyone', '*'), "
    ...     "('sex', 'm', 0, 'sex', 'm'), ('sex', 'm', 1, 'anyone', '*')) "
    ...     "AS t(variable, value, level, level_name, label)"
    ... )
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES ('f'), ('*')) AS t(sex)")
    >>> data = sdc_sql.Microdata(con, "released", keys=["sex"])
    >>> print(data.loss.precision("hierarchies"))
    Precision
      variable  records  precision  loss
      NULL            2        0.5   0.5
      sex             2        0.5   0.5
    """
    rows = data.rows("sdc_precision", data.table, data.keys, resolve_table(data, "hierarchie", hierarchies))
    return Results(Precision(**row) for row in rows)
