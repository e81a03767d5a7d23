"""How good a log-linear model is for the risk, and the search for one (Skinner & Shlomo 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import is_number, text_for_message
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ParameterError
from sdc_sql.risk.log_linear_risk import choose_weight, require_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.roles import Roles

_FAR = 100  # no quantile


@dataclass(frozen=True)
class LogLinearFit(Result):
    """The model, the risk under it, and what that is expected to be too great by: B1 of tau1, B2 of tau2.

    ``z1`` and ``z2`` are B over its standard error: far above 0 the model is too simple, far below 0 too rich.
    ``dispersion`` is the variance of a gamma distribution of mean 1 by which the counts vary more than Poisson's.
    ``reason`` says why there is no tau1 or tau2 (None): :func:`log_linear_risk`.
    """

    interactions: list[list[str]]
    cells: int
    parameters: int
    tau1: float | None
    tau2: float | None
    b1: float
    z1: float
    b2: float
    z2: float
    dispersion: float
    reason: str | None


@dataclass(frozen=True)
class LogLinearStep(Result):
    """A step of the search: the interaction that it added, the model's interactions, and how good it is."""

    step: int
    added: list[str]
    interactions: list[list[str]]
    parameters: int
    tau1: float | None
    tau2: float | None
    b1: float
    z1: float
    b2: float
    z2: float
    reason: str | None


def log_linear_fit(data: Roles, *, model: str | Sequence[Sequence[str]] = "tree") -> LogLinearFit:
    """Return whether a log-linear model is good enough for the measures of risk.

    Parameters
    ----------
    model
        As in :func:`log_linear_risk`; it is fitted over the whole crossing of the keys.

    Returns
    -------
    LogLinearFit

    Raises
    ------
    InputError
        Where the crossing has too many cells.

    Notes
    -----
    Skinner & Shlomo (2008), section 3.3.

    Examples
    --------
    >>> import sdc_sql
    >>> found = sdc_sql.example().risk.log_linear_fit(model="independence")
    >>> found.cells, found.z2 < 1.96
    (4, True)
    """
    row = data.row(
        "sdc_log_linear_fit", data.table, data.keys, choose_weight(data), model=require_model(data, model),
        small_weights=data.small_weights,
    )  # fmt: skip
    return LogLinearFit(**row)


def log_linear_search(data: Roles, *, enough: float = 1.96, max_keys: int = 3) -> Results[LogLinearStep]:
    """Search forward for a log-linear model whose risk is right: from independence on, an interaction a step.

    On a terminal it says how far a step is. The interactions of the last step are a model for :func:`log_linear_risk`.

    Parameters
    ----------
    enough
        The z of B2 at which the search ends, a quantile of the normal distribution.
    max_keys
        How many keys an interaction has at most, from 2.

    Returns
    -------
    Results of LogLinearStep

    Raises
    ------
    InputError
        Where the crossing has too many cells.

    Notes
    -----
    Skinner & Shlomo (2008), section 3.4; SDC handbook, section 3.3.6.

    Examples
    --------
    >>> import sdc_sql
    >>> [step.added for step in sdc_sql.example().risk.log_linear_search()]
    [[]]
    """
    if not is_number(enough) or not 0 <= enough < _FAR:
        raise ParameterError(
            f"enough is {text_for_message(enough)}: it must be a number from 0 to 100, a quantile of the normal "
            "distribution."
        )
    found = data.rows(
        "sdc_log_linear_search", data.table, data.keys, choose_weight(data), enough=enough,
        max_keys=require_number("log_linear_search", "max_keys", max_keys), small_weights=data.small_weights,
    )  # fmt: skip
    return Results(LogLinearStep(**row) for row in found)
