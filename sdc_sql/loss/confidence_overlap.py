# Written from sql/loss/confidence_overlap.sql by python -m sdc_sql.write: change that file.
"""By how much the confidence intervals of a regression's coefficients overlap, before and after masking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import name_weight, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
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
    predictors: str | Iterable[str],
    *,
    confidence: float = 0.95,
    weight: str | None = None,
) -> Results[ConfidenceOverlap]:
    """Return the overlap of the confidence intervals of a regression's coefficients.

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
    weight
        Of both tables; None: records count alike.

    Returns
    -------
    Results of ConfidenceOverlap
        One for each coefficient, the mean of all first, then the intercept.

    Raises
    ------
    ParameterError
        Where ``confidence`` is out of its range.

    Notes
    -----
    The overlap is 1 where the intervals are the same, 0 where they touch, and less the further they are apart.

    Karr, Kohnen, Oganian, Reiter & Sanil (2006), A framework for evaluating the utility of data altered to protect
    confidentiality, The American Statistician 60(3), section 3.1; the regression: any textbook; with weights Binder
    (1983), On the variances of asymptotically normal estimators from complex surveys, International Statistical Review
    51, 279-292.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (0, 0), (1, 1), (2, 3), (3, 4)) AS t(x, y)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (0, 1), (1, 1), (2, 3), (3, 4)) AS t(x, y)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.confidence_overlap("original", "y", ["x"]))
    ConfidenceOverlap
      coefficient  before  error before  after  error after   overlap
      NULL           NULL          NULL   NULL         NULL    0.6348
      (intercept)    -0.1      0.264575    0.6     0.494975  0.583476
      x               1.4      0.141421    1.1     0.264575  0.686124
    """
    rows = data.rows(
        "sdc_confidence_overlap",
        original_table(data, original),
        data.table,
        data.spell_column("response", response),
        resolve_columns_or_keys(data, predictors, "predictor"),
        confidence=require_number("confidence_overlap", "confidence", confidence),
        weight=name_weight(weight),
    )
    return Results(ConfidenceOverlap(**row) for row in rows)
