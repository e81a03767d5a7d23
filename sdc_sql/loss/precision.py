"""How far up their hierarchies the keys of a released table stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Precision(Result):
    """The precision of a key (None: all keys), 0 (every value at the top) to 1, and what it lacks of 1."""

    variable: str | None
    records: int
    precision: float
    loss: float


def precision(data: Roles, hierarchies: str) -> Results[Precision]:
    """Return how far from the top of their hierarchies the keys of this, the released table are.

    Parameters
    ----------
    hierarchies
        The name of the long table of the keys' hierarchies: variable, value, level, level_name, label.

    Returns
    -------
    list of Precision
        All keys together first, then each.

    Notes
    -----
    Sweeney (2002), section 5.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.Microdata(sdc_sql.example().con, "persons", keys=["sex"])
    >>> rows = "FROM (VALUES ('f', 0, 'f'), ('f', 1, '*'), ('m', 0, 'm'), ('m', 1, '*')) AS t(v, l, b)"
    >>> select = f"SELECT 'sex' AS variable, v AS value, l AS level, l::VARCHAR AS level_name, b AS label {rows}"
    >>> _ = data.con.execute(f"CREATE TABLE hierarchies AS {select}")
    >>> data.loss.precision("hierarchies")[0].precision
    1.0
    """
    return Results(
        Precision(**row) for row in data.rows("sdc_precision", data.table, data.keys, data.read(hierarchies))
    )
