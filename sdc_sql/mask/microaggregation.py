"""Microaggregation (SDC handbook, 3.4.2.3 and 3.4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.masking.masking import Masking
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep


def microaggregate(
    data: Maskable,
    columns: str | Iterable[str],
    k: int,
    *,
    method: Literal["mdav", "vmdav", "univariate", "individual_ranking", "principal_component", "sum_of_z"] = "mdav",
    centroid: Literal["mean", "median"] = "mean",
    blocks: int = 1,
    gamma: float = 0.2,
    stratum: str | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Replace numeric values by the centroid of a group of at least k similar records, in place or in a copy.

    Groups of variables: call once for each. NULL stays NULL; records that lack the same columns are grouped together.

    Parameters
    ----------
    columns
        One column or several, numeric; standardised for the distances.
    k
        The least number of records in a group, at least 2.
    method
        ``"mdav"``, ``"vmdav"``, ``"univariate"`` (one column, optimal), ``"individual_ranking"``,
        ``"principal_component"`` or ``"sum_of_z"`` (groups along one axis).
    centroid
        ``"mean"`` or ``"median"``.
    blocks
        Of ``"mdav"``: groups are formed within so many blocks along the first principal component, which saves time and
        costs information: with a thousand records in a block a tenth to six tenths more of the variance is lost, with
        300 twice to four times as much.
    gamma
        Of ``"vmdav"``: the larger, the more groups grow beyond k.
    stratum
        A column within whose values groups are formed.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        With ``sse_sst``, the share of the sum of squares that was lost.

    Raises
    ------
    InputError
        Where k is below 2, a stratum has fewer than k records, or an argument cannot be used.

    Notes
    -----
    SDC handbook, section 3.4.5. V-MDAV: A. Solanas and A. Martinez-Balleste, "V-MDAV: a multivariate microaggregation
    with variable group size", COMPSTAT 2006, 917-925.

    Examples
    --------
    >>> import sdc_sql
    >>> round(sdc_sql.example().mask.microaggregate("w", 3, into="released").sse_sst, 3)
    1.0
    """
    chosen = resolve_columns(data, columns)
    arguments = {
        "columns": chosen, "k": require_number("microaggregate", "k", k), "id": data.require_role("id"),
        "method": method,
        "centroid": centroid, "blocks": require_number("microaggregate", "blocks", blocks), "gamma": gamma,
        "stratum": stratum and data.spell_column("stratum", stratum),
    }  # fmt: skip
    return data.masked(Masking("microaggregate", chosen, arguments, measured=True), into=into)


def microaggregate_categorical(
    data: Maskable,
    columns: str | Iterable[str],
    k: int,
    *,
    scale: Literal["ordinal", "nominal"] = "ordinal",
    stratum: str | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Replace categories by the median or the most frequent one of a group of at least k similar records.

    Parameters
    ----------
    columns
        One column or several; ordinal ones in the order of their type (of an ENUM, its definition's).
    k
        The least number of records in a group, at least 2.
    scale
        ``"ordinal"`` (median) or ``"nominal"`` (most frequent).
    stratum
        A column within whose values groups are formed.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Notes
    -----
    SDC handbook, section 3.4.5.5 (Torra 2004).

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().mask.microaggregate_categorical("sex", 3, scale="nominal", into="released").changed
    1
    """
    chosen = resolve_columns(data, columns)
    arguments = {
        "columns": chosen, "k": require_number("microaggregate", "k", k), "id": data.require_role("id"), "scale": scale,
        "stratum": stratum and data.spell_column("stratum", stratum),
    }  # fmt: skip
    return data.masked(Masking("microaggregate_categorical", chosen, arguments), into=into)
