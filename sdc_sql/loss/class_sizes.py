# Written from sql/loss/class_sizes.sql by python -m sdc_sql.write: change that file.
"""How coarse the classes of the keys are in a released table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ClassSizes(Result):
    """The records, their classes, the suppressed ones, discernibility (share: of its most) and average class size."""

    records: int
    classes: int
    suppressed: int
    discernibility: float
    average_class_size: float | None
    share: float


def class_sizes(data: Roles) -> ClassSizes:
    """Return the discernibility and the average class size of the released keys.

    Returns
    -------
    ClassSizes

    Notes
    -----
    NULL in a key is a value of its own.

    Bayardo & Agrawal (2005), Data privacy through optimal k-anonymization, ICDE; LeFevre, DeWitt & Ramakrishnan (2006),
    Mondrian multidimensional k-anonymity, ICDE.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm'), (NULL, NULL)) AS t(age, sex)"
    ... )
    >>> data = sdc_sql.Microdata(con, "released", keys=["age", "sex"])
    >>> print(data.loss.class_sizes())
    ClassSizes
      records             4
      classes             2
      suppressed          1
      discernibility      9
      average class size  1.5
      share               0.5625
    """
    return ClassSizes(**data.row("sdc_class_sizes", data.table, data.keys))
