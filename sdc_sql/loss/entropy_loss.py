# Written from sql/loss/entropy_loss.sql by python -m sdc_sql.write: change that file.
"""What is uncertain of the original values once the released ones are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import name_weight, original_table, resolve_columns_or_keys
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class EntropyLoss(Result):
    """The uncertainty in nats (variable None: of all variables), its mean over records, and the share of the most."""

    variable: str | None
    records: int
    loss: float
    mean_loss: float
    share: float


def entropy_loss(
    data: Roles, original: Described | str, columns: str | Iterable[str], weight: str | None = None
) -> Results[EntropyLoss]:
    """Return what is uncertain of the original values once the released ones are known.

    Parameters
    ----------
    original
        The table before masking or recoding: a Microdata, or its name on this connection.
    columns
        The categorical variables.
    weight
        A column of the original, what each record counts for (whole weights: as many records each); without it the
        records are counted.

    Returns
    -------
    Results of EntropyLoss
        One for each variable, all of them together first.

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Notes
    -----
    SDC handbook, section 3.5.2.3, (3.8); Willenborg & De Waal (2001), Elements of Statistical Disclosure Control;
    non-uniform entropy: Gionis & Tassa (2009), k-anonymization with minimal loss of information, IEEE TKDE 21(2).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 30), (2, 34), (3, 41), (4, 52)) AS t(id, age)")
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (1, '30-39'), (2, '30-39'), (3, '41'), (4, '52')) AS t(id, age)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.loss.entropy_loss("original", ["age"]))
    EntropyLoss
      variable  records     loss  mean loss  share
      NULL            4  1.38629   0.346574   0.25
      age             4  1.38629   0.346574   0.25
    """
    rows = data.rows(
        "sdc_entropy_loss",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        weight=name_weight(weight),
    )
    return Results(EntropyLoss(**row) for row in rows)
