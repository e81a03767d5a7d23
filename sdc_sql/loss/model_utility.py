# Written from sql/loss/model_utility.sql by python -m sdc_sql.write: change that file.
"""How well the log-linear model that describes the original best still describes the released file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_choice
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ModelUtility(Result):
    """The model's interactions and parameters, its criterion, and the log-likelihoods whose difference is the utility.

    ``mean_utility`` is per record; ``outside`` counts the released records in cells that the model holds impossible.
    """

    interactions: list[list[str]]
    parameters: int
    criterion: float
    log_likelihood_before: float
    log_likelihood_after: float
    utility: float
    mean_utility: float
    outside: int


def model_utility(
    data: Roles, original: Described | str, columns: str | Iterable[str], criterion: Literal["bic", "aic"] = "bic"
) -> ModelUtility:
    """Return the log-likelihood ratio of the best log-linear model of the original.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The categorical variables, at least two.
    criterion
        The criterion by which the model is the best.

    Returns
    -------
    ModelUtility

    Notes
    -----
    The utility is 0, or less for what is lost.

    Karr & Sanil, The risk-utility approach to statistical disclosure limitation, (3); the search: Edwards (2000),
    Introduction to graphical modelling, section 6.1.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES ('x', 'y'), ('x', 'y'), ('x', 'y'), ('x', 'y'), ('x', 'y'), "
    ...     "('u', 'v'), ('u', 'v'), ('u', 'v'), ('u', 'v'), ('u', 'v')) AS t(a, b)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES ('x', 'y'), ('x', 'y'), ('x', 'y'), ('u', 'v'), ('u', 'v'), "
    ...     "('u', 'v'), ('x', 'v'), ('x', 'v'), ('u', 'y'), ('u', 'y')) AS t(a, b)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.model_utility("original", ["a", "b"]))
    ModelUtility
      interactions           [['a', 'b']]
      parameters             3
      criterion              20.7707
      log likelihood before  -6.93147
      log likelihood after   -16.1418
      utility                -9.21034
      mean utility           -0.921034
      outside                4
    """
    row = data.row(
        "sdc_model_utility",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        criterion=require_choice("model_utility", "criterion", criterion),
    )
    return ModelUtility(**row)
