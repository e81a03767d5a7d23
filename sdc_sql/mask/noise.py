"""Additive noise (SDC handbook, 3.4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db import query
from sdc_sql.db.checks import is_number, text_for_message
from sdc_sql.db.masking.masking import Designed, Masking
from sdc_sql.errors import ParameterError
from sdc_sql.mask.columns import resolve_columns
from sdc_sql.mask.unit import resolve_draw_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep


def noise(
    data: Maskable,
    columns: str | Iterable[str],
    alpha: float | None = None,
    *,
    standard_deviation: float | Sequence[float] | None = None,
    method: Literal["uncorrelated", "correlated", "linear", "nonlinear", "outliers"] = "uncorrelated",
    threshold: float = 3,
    lower: float | Sequence[float | None] | None = None,
    upper: float | Sequence[float | None] | None = None,
    rounded: bool | Sequence[bool] = False,
    discrete: bool | Sequence[bool] = False,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    unit: Literal["record", "household"] = "record",
    household: str | None = None,
    into: str | None = None,
) -> MaskingStep:
    r"""Add normal noise to numeric columns, in place or in a copy.

    NULL stays NULL, and integer columns stay whole numbers. Masked values lie on a grid of 2^-20 of the noise's
    deviation, so that their last digits tell nothing of the original.

    Parameters
    ----------
    columns
        One column or several, numeric.
    alpha
        Variance of the noise over that of the variable, at least 0. The standard deviation that it comes to is rounded
        up to three significant digits.
    standard_deviation
        In place of alpha: the standard deviation of the noise, in the units of the column: one, or one for each column.
        Each record is then masked by itself, whatever the others are (method ``"uncorrelated"``).
    method
        ``"uncorrelated"`` (3.4.4.1), ``"correlated"`` (3.4.4.2: correlations are kept), ``"linear"`` (3.4.4.3, Kim:
        means and covariances are kept), ``"nonlinear"`` (3.4.4.4, Sullivan: distributions are kept), ``"outliers"``
        (correlated noise on outlying records only).
    threshold
        Of ``"outliers"``: robust standard deviations from the median.
    lower
        A lower bound, kept by reflection: one, or one for each column (None for none).
    upper
        An upper bound, likewise.
    rounded
        Whether masked values are whole numbers: one answer, or one for each column.
    discrete
        Of ``"nonlinear"``: whether masked values are among the original ones.
    stratum
        A column within whose values moments are taken.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    unit
        Whose draws: ``"record"``, or of ``"uncorrelated"`` ``"household"``: members with the same value then have the
        same masked value.
    household
        The column of household numbers, where ``unit`` is ``"household"``; by default the table's.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Raises
    ------
    InputError
        Where a column, a number or a choice cannot be used, no id was given with the table, or no secret key is set.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.mask.noise("w", 0.1, lower=0, into="released").records
    3
    """
    chosen = resolve_columns(data, columns)
    if (alpha is None) == (standard_deviation is None):
        raise ParameterError("Give either alpha or standard_deviation: by one of them the size of the noise is set.")
    if alpha is not None and not (is_number(alpha) and 0 <= alpha < float("inf")):
        raise ParameterError(f"alpha is {text_for_message(alpha)}: it must be a number, at least 0.")
    fitted = {"lower": lower, "upper": upper, "rounded": rounded}
    drawn = {"stream": stream, "release": release, **resolve_draw_unit(data, unit, household)}
    identifier = data.require_role("id")
    if standard_deviation is not None:
        if method != "uncorrelated" or stratum is not None:
            raise ParameterError(
                "With standard_deviation noise is uncorrelated, and the same in all strata: give alpha."
            )
        given = {"columns": chosen, "standard_deviation": standard_deviation, "id": identifier, **fitted, **drawn}
        return data.masked(Masking("noise_absolute", chosen, given, measured=True), into=into)
    arguments = {
        "columns": chosen, "alpha": alpha, "id": identifier, "method": method, "threshold": threshold,
        **fitted, "discrete": discrete, "stratum": stratum and data.spell_column("stratum", stratum), **drawn,
    }  # fmt: skip
    designed = None
    if method in {"uncorrelated", "correlated", "linear", "outliers"}:
        rows = query.call_macro(
            "sdc__noise_design", data.table, chosen, alpha, identifier, method, arguments["stratum"]
        )
        designed = Designed(rows, masks="sdc__noise_designed", applied="sdc__noise_applied")
    # whoever knows the constant of Kim's transformation can undo it
    confidential = ("alpha", "applied") if method == "linear" else ()
    return data.masked(
        Masking("noise", chosen, arguments, measured=True, designed=designed, confidential=confidential), into=into
    )
