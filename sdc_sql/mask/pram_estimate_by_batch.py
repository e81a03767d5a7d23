"""The correction of frequencies for PRAM that was done in batches, as in a series of releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.db.showing.results import Result, Results
from sdc_sql.mask.array_matrix import PROBABILITY

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class PramBatchEstimate(Result):
    """The unbiased estimate of an original frequency from values released in batches, and its standard error.

    ``batches``: in how many of them the category can occur.
    """

    category: Any
    released: float
    estimate: float
    standard_error: float
    batches: int


def pram_estimate_by_batch(data: Roles, column: str, batch: str, matrix: str) -> Results[PramBatchEstimate]:
    """Return the unbiased estimates of the original frequencies of a variable that was released in batches.

    In a series of releases guaranteed PRAM draws each batch of new values by a matrix of its own. Each is estimated by
    its own, and the estimates are added; by one matrix for all of them they would be biased.

    Parameters
    ----------
    column
        The variable in the released table.
    batch
        A column of the table and of the matrices: the batch that a record's value was drawn in.
    matrix
        The table of the matrices of all batches: the batch, from, to, probability.

    Returns
    -------
    list of PramBatchEstimate
        In the order of the categories.

    Raises
    ------
    InputError
        Where a batch has no matrix, or the batch of a record is NULL.

    Notes
    -----
    SDC handbook, section 3.4.6.1, for each batch: (P^-1)^t T. Batches are drawn independently: variances add.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute('''CREATE TABLE p AS
    ...     SELECT household, "from", "to", CASE WHEN "from" = "to" THEN stays ELSE 1 - stays END AS probability
    ...     FROM (VALUES (1, 0.9), (2, 0.7)) AS h(household, stays), (VALUES ('f'), ('m')) AS a("from"),
    ...          (VALUES ('f'), ('m')) AS b("to")''')
    >>> _ = data.con.execute("UPDATE persons SET household = 2 WHERE household > 2")
    >>> [round(e.estimate, 3) for e in data.mask.pram_estimate_by_batch("sex", "household", "p")]
    [1.5, 1.5]
    """
    name, of = data.spell_column("column", column), data.spell_column("batch", batch)
    table = data.read_table(matrix, PROBABILITY)
    rows = data.rows("sdc_pram_estimate_by_batch", data.table, name, of, table)
    return Results(PramBatchEstimate(**row) for row in rows)
