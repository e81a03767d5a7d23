"""theta within strata (Skinner & Elliot 2002, section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, Results, make_optional_field
from sdc_sql.risk.risk_misclassified import note_unmeasured

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class StratumTheta(Result):
    """theta-hat within one stratum.

    ``pram`` says so where a key went through PRAM: theta then is of the keys as they stand.
    """

    stratum: Any
    records: int
    cells: int
    n1: int
    n2: int
    n3: int
    sampling_fraction: float
    theta: float
    standard_error: float
    upper_bound: float
    pram: str | None = make_optional_field()


def theta_by(
    data: Roles,
    stratum: str | None = None,
    sampling_fraction: float | str | None = None,
    *,
    confidence: float = 0.99,
) -> Results[StratumTheta]:
    """Return theta within each stratum, cells and sampling fraction the stratum's own.

    Parameters
    ----------
    stratum
        The name of the column of strata; by default the one given with the table. Where it is a key too, cells are
        those of the other keys, of which there must be one.
    sampling_fraction
        A number in (0, 1), or the name of a column that is constant in each stratum (1: taken whole). What it
        assumes of the sampling: see :func:`theta`.
    confidence
        Of the one-sided interval, in (0, 1).

    Returns
    -------
    Results of StratumTheta
        In the order of the strata.

    Notes
    -----
    Skinner & Elliot (2002), equations (7) and (9) and section 7.

    Examples
    --------
    >>> import sdc_sql
    >>> [(t.stratum, t.n1, t.theta) for t in sdc_sql.example().risk.theta_by("sex", 0.1)]
    [('f', 0, 0.0), ('m', 1, 1.0)]
    """
    column = data.spell_column("stratum", data.require_role("stratum", stratum))
    pi = data.require_role("sampling_fraction", sampling_fraction)
    pi = (
        data.spell_column("sampling fraction", pi)
        if isinstance(pi, str)
        else require_number("theta_by", "sampling_fraction", pi)
    )
    confidence = require_number("theta_by", "confidence", confidence)
    # within a stratum the stratum tells nothing: the cells are those of the other keys
    keys = tuple(k for k in data.keys if k != column) or data.keys
    rows = data.rows("sdc_theta_by", data.table, keys, column, pi, confidence=confidence)
    pram = note_unmeasured(data)
    return Results(StratumTheta(**row, pram=pram) for row in rows)
