# Written from sql/loss/pram_entropy_loss.sql by python -m sdc_sql.write: change that file.
"""What is uncertain of the original values to one who knows the matrix of PRAM and the released ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_table
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class PramEntropyLoss(Result):
    """The uncertainty that PRAM leaves, in nats, its mean over the released records, and the share of the most."""

    records: int
    loss: float
    mean_loss: float
    share: float


def pram_entropy_loss(data: Roles, original: Described | str, column: str, matrix: str) -> PramEntropyLoss:
    r"""Return what is uncertain of the original values to one who knows the matrix of PRAM and the released ones.

    Parameters
    ----------
    original
        The table before PRAM: a Microdata, or its name on this connection.
    column
        The variable that PRAM changed.
    matrix
        The name of the table of its probabilities: from, to, probability.

    Returns
    -------
    PramEntropyLoss

    Notes
    -----
    SDC handbook, section 3.5.2.3, (3.8).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 'f'), (2, 'm')) AS t(id, sex)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 'f'), (2, 'm')) AS t(id, sex)")
    >>> _ = con.execute(
    ...     "CREATE TABLE matrix AS FROM (VALUES ('f', 'f', 0.8), ('f', 'm', 0.2), ('m', 'f', 0.2), "
    ...     "('m', 'm', 0.8)) AS t(\"from\", \"to\", probability)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.pram_entropy_loss("original", "sex", "matrix"))
    PramEntropyLoss
      records    2
      loss       1.0008
      mean loss  0.500402
      share      0.721928
    """
    row = data.row(
        "sdc_pram_entropy_loss",
        original_table(data, original),
        data.table,
        data.spell_column("column", column),
        resolve_table(data, "matrix", matrix),
    )
    return PramEntropyLoss(**row)
