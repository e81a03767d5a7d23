# Written from sql/risk/key_uniques.sql by python -m sdc_sql.write: change that file.
"""What each key adds to the risk: the records that are unique by all keys, and not by the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result
from sdc_sql.pictures.drawn import DrawnResults
from sdc_sql.pictures.keys import draw_keys
from sdc_sql.risk.sensitive import check_category

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class KeyUniques(Result):
    """The records that are unique by all keys, those without this one, and the difference."""

    variable: str
    sample_uniques: int
    without: int
    made_unique: int


def key_uniques(data: Roles) -> DrawnResults[KeyUniques]:
    """Return for each key the records that it makes unique.

    Returns
    -------
    Results of KeyUniques
        One for each variable.

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``.

    Notes
    -----
    Skinner & Elliot (2002), section 2.1 (n_1); SDC handbook, section 3.3.1 (the choice of key variables).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'f'), (30, 'm')) AS t(age, sex)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["age", "sex"])
    >>> print(data.risk.key_uniques())
    KeyUniques
      variable  sample uniques  without  made unique
      age                    2        1            1
      sex                    2        1            1
    """
    check_category(data)
    rows = data.rows("sdc_key_uniques", data.table, data.keys)
    return DrawnResults((KeyUniques(**row) for row in rows), draw_keys)
