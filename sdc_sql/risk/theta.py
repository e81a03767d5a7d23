"""theta, the probability that a unique match is correct (Skinner & Elliot 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, make_optional_field
from sdc_sql.errors import ParameterError
from sdc_sql.risk.risk_misclassified import find_after_pram

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Theta(Result):
    """theta-hat (7), its standard error (9), and the upper bound of the one-sided interval.

    ``n1``, ``n2``, ``n3`` are the numbers of cells with one, two and three records. Where the table's steps say that a
    key went through PRAM, ``pram`` says so, and ``theta_misclassified`` is theta where the intruder's data hold the
    true keys, from the steps' matrices (:func:`theta_misclassified`).
    """

    records: int
    cells: int
    n1: int
    n2: int
    n3: int
    theta: float
    standard_error: float
    upper_bound: float
    theta_misclassified: float | None = make_optional_field()
    pram: str | None = make_optional_field()


def theta(data: Roles, sampling_fraction: float | None = None, *, confidence: float = 0.99) -> Theta:
    """Return the probability that a unique match of a person to the file is correct.

    Parameters
    ----------
    sampling_fraction
        The fraction of the population in the file, in (0, 1); by default the one given with the table.
        It assumes that all persons had the same chance to be sampled, each by himself: with strata of differing
        fractions use :func:`theta_by`. Where persons with equal keys enter the sample together (households taken
        whole, a systematic sample whose step falls in with the order of the file) theta and its bound are too low.
    confidence
        Of the one-sided interval, in (0, 1).

    Returns
    -------
    Theta

    Raises
    ------
    ParameterError
        Where a number lies outside (0, 1), or no sampling fraction was given.

    Notes
    -----
    Skinner & Elliot (2002), equations (7) and (9), sections 3 and 5.4. NULL in a key is a category of its own.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.theta(0.1).n1
    1
    """
    pi = data.require_role("sampling_fraction", sampling_fraction)
    if isinstance(pi, str):
        raise ParameterError(
            f"The sampling fraction is the column {pi!r}: theta of the whole file needs one number; "
            "use theta_by for strata."
        )
    pi, confidence = require_number("theta", "sampling_fraction", pi), require_number("theta", "confidence", confidence)
    row, after = data.row("sdc_theta", data.table, data.keys, pi, confidence=confidence), find_after_pram(data)
    if after is None:
        return Theta(**row)
    found = after.theta(pi)
    lacking = (
        " There is no theta of these: several sets of keys changed, of many cells."
        if found is None and after.told
        else ""
    )
    return Theta(**row, theta_misclassified=found, pram=after.note + lacking)
