"""How well a model tells released records from original ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table, some_of
from sdc_sql.db.checks import flag
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Propensity(Result):
    """pMSE, its expectation and their ratio; ``share``: of the most that pMSE can be."""

    records: int
    parameters: int
    pmse: float
    expected: float
    ratio: float | None
    share: float


def propensity(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    continuous: Iterable[str] | None = None,
    pairs: bool = True,
) -> Propensity:
    """Return how well a logistic regression tells released records from original ones.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The variables; those that are not continuous are categories.
    continuous
        Those of them that are numbers.
    pairs
        Whether the model has the products of every two variables.

    Returns
    -------
    Propensity

    Notes
    -----
    Woo, Reiter, Oganian & Karr (2009); Snoke et al. (2018), theorem 1.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().loss.propensity("persons", ["age", "sex"]).pmse
    0.0
    """
    return Propensity(
        **data.row("sdc_propensity", original_table(data, original), data.table, columns_of(data, columns),
                   continuous=some_of(continuous), pairs=flag(pairs, "pairs"))
    )  # fmt: skip
