"""By how much the confidence intervals of a regression's coefficients overlap, before and after masking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table
from sdc_sql.db.catalogue.arguments import checked_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ConfidenceOverlap(Result):
    """A coefficient and its standard error in either file, and the overlap; coefficient None: the mean overlap."""

    coefficient: str | None
    before: float | None
    error_before: float | None
    after: float | None
    error_after: float | None
    overlap: float | None


def confidence_overlap(
    data: Roles,
    original: Described | str,
    response: str,
    predictors: Iterable[str],
    *,
    confidence: float = 0.95,
) -> Results[ConfidenceOverlap]:
    """Return the overlap of the confidence intervals of a regression's coefficients: 1 the same, 0 they touch.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    response
        The numeric variable that is explained.
    predictors
        The numeric variables that explain it.
    confidence
        The probability of each interval, strictly between 0 and 1.

    Returns
    -------
    list of ConfidenceOverlap
        The mean of all first, then the intercept and so on.

    Notes
    -----
    Karr, Kohnen, Oganian, Reiter & Sanil (2006), section 3.1.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.loss.confidence_overlap("persons", "w", ["age"])[0].overlap
    1.0
    """
    found = data.rows(
        "sdc_confidence_overlap", original_table(data, original), data.table, data.found("response", response),
        columns_of(data, predictors, "predictor"),
        confidence=checked_number("confidence_overlap", "confidence", confidence),
    )  # fmt: skip
    return Results(ConfidenceOverlap(**row) for row in found)
