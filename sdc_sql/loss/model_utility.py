"""How well the log-linear model that describes the original best still describes the released file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table
from sdc_sql.db.catalogue.arguments import checked_choice
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
    data: Roles, original: Described | str, columns: Iterable[str], *, criterion: str = "bic"
) -> ModelUtility:
    """Return the log-likelihood ratio of the best log-linear model of the original: 0, or less for what is lost.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The categorical variables, at least two.
    criterion
        ``"bic"`` or ``"aic"``: by which the model is the best.

    Returns
    -------
    ModelUtility

    Notes
    -----
    Karr & Sanil, (3).

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().loss.model_utility("persons", ["age", "sex"]).utility
    0.0
    """
    criterion = checked_choice("model_utility", "criterion", criterion)
    return ModelUtility(
        **data.row("sdc_model_utility", original_table(data, original), data.table, columns_of(data, columns),
                   criterion=criterion)
    )  # fmt: skip
