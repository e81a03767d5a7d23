# Written from sql/loss/synthetic_estimate.sql by python -m sdc_sql.write: change that file.
"""An estimate, its variance and its interval from the copies of a synthetic file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class SyntheticEstimate(Result):
    """The estimate, the variances within and between copies, what they combine to, and the interval."""

    quantity: str | None
    copies: int
    estimate: float
    within: float
    between: float | None
    variance: float
    degrees: float | None
    lower: float
    upper: float
    adjusted: bool


def synthetic_estimate(
    data: Roles,
    estimate: str,
    variance: str,
    synthesis: Literal["partial", "full", "complete"],
    *,
    quantity: str | None = None,
    ratio: float = 1,
    confidence: float = 0.95,
) -> Results[SyntheticEstimate]:
    """Return estimates, variances and intervals from the copies of a synthetic file.

    Parameters
    ----------
    estimate
        The estimate from a copy.
    variance
        Its variance from that copy alone: the squared standard error.
    synthesis
        What was drawn.
    quantity
        Names what is estimated, where there are several quantities; None: there is one.
    ratio
        The records of a copy / the records of the original file, above 0.
    confidence
        The probability of the interval, strictly between 0 and 1.

    Returns
    -------
    Results of SyntheticEstimate
        One for each quantity.

    Raises
    ------
    ParameterError
        Where ``ratio`` or ``confidence`` is out of its range.
    InputError
        Where there is one copy of a file that is not completely synthetic, or an estimate or variance is missing.

    Notes
    -----
    ``degrees`` None: the interval is by the normal quantile. ``adjusted``: the combined variance of a fully synthetic
    file was not positive, and the variance within copies stands in its place. In a fully synthetic file the degrees are
    at least 1.

    Reiter (2003), Inference for partially synthetic, public use microdata sets, Survey Methodology 29(2), 181-188;
    Raghunathan, Reiter & Rubin (2003), Multiple imputation for statistical disclosure limitation, Journal of Official
    Statistics 19(1), 1-16; Reiter (2002), Satisfying disclosure restrictions with synthetic data sets, Journal of
    Official Statistics 18(4), 531-543; Raab, Nowok & Dibben (2016), Practical data synthesis for large samples, Journal
    of Privacy and Confidentiality 7(3), 67-97.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE copies AS FROM (VALUES (10, 3), (12, 4), (14, 5)) AS t(q, u)")
    >>> data = sdc_sql.Microdata(con, "copies")
    >>> print(data.loss.synthetic_estimate("q", "u", "partial"))
    SyntheticEstimate
      quantity  copies  estimate  within  between  variance  degrees   lower    upper  adjusted
          NULL       3        12       4        4   5.33333       32  7.2959  16.7041  False
    """
    rows = data.rows(
        "sdc_synthetic_estimate",
        data.table,
        data.spell_column("estimate", estimate),
        data.spell_column("variance", variance),
        require_choice("synthetic_estimate", "synthesis", synthesis),
        quantity=None if quantity is None else data.spell_column("quantity", quantity),
        ratio=require_number("synthetic_estimate", "ratio", ratio),
        confidence=require_number("synthetic_estimate", "confidence", confidence),
    )
    return Results(SyntheticEstimate(**row) for row in rows)
