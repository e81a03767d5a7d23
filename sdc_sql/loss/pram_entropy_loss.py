"""What is uncertain of the original values to one who knows the matrix of PRAM and the released ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table
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
    """Return what is uncertain of the original values to one who knows the matrix of PRAM and the released ones.

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
    EBIL of the SDC handbook, section 3.5.2.3, (3.8).

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> matrix = "FROM (VALUES ('f', 'f', 0.5), ('f', 'm', 0.5), ('m', 'f', 0.5), ('m', 'm', 0.5)) AS t(a, b, p)"
    >>> _ = data.con.execute(f'CREATE TABLE sexes AS SELECT a AS "from", b AS "to", p AS probability {matrix}')
    >>> round(data.loss.pram_entropy_loss("persons", "sex", "sexes").share, 9)
    1.0
    """
    return PramEntropyLoss(
        **data.row("sdc_pram_entropy_loss", original_table(data, original), data.table,
                   data.found("variable", column), data.read(matrix))
    )  # fmt: skip
