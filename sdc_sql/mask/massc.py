"""MASSC: micro agglomeration, substitution, subsampling and calibration (SDC handbook, 3.4.2.8)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import check_arguments
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.masking.replaced import check_place, refuse_fixed_roles, replace_records
from sdc_sql.errors import ParameterError
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.roles import Roles

# with the rates an intruder reckons how often a match is true
CONFIDENTIAL = ("bias", "variance", "strata", "most_substituted", "design", "risk", "risk_after")


def massc(
    data: Roles,
    bias: float,
    variance: float,
    *,
    weight: str | None = None,
    strata: Sequence[float] | None = None,
    most_substituted: float = 0.5,
    margins: Iterable[str] | None = None,
    stream: str | None = None,
    release: str = "",
    keys: Iterable[str] | None = None,
    into: str | None = None,
    in_place: bool = False,
) -> MaskingStep:
    """Change and leave out risky records most, within bounds of bias and variance, in place or in a copy.

    The records form strata of risk by the frequency of their keys. In each a share of them takes the keys of another
    record of the stratum, and a share stays in the file, with its weight raised; the shares make the expected number of
    right matches least within the bounds. The weighted totals of the margins are then calibrated to those of before.

    Parameters
    ----------
    bias
        The greatest expected share of the weighted records whose keys are another's, from 0 and below 1: no share on
        the keys is biased by more, before calibration.
    variance
        By how much the variance of a weighted total may grow, 0 or more: 0.25 as of a sample of 80 in 100.
    weight
        The column of sampling weights; by default that of the table. Without one all records weigh 1.
    strata
        The greatest frequency of each stratum of risk but the last, ascending; by default 1, 2 and 4.
    most_substituted
        The greatest share that is substituted in a stratum, from 0 to 1.
    margins
        Variables whose weighted totals are kept exactly; it needs a weight.
    stream
        Names the pass of draws; by default the next one, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    keys
        The key variables; by default those of the table.
    into
        A new table for the masked copy.
    in_place
        In its place: change the table itself, and delete records from it; a database file then keeps the old values in
        its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the ``design`` (as :func:`massc_design` gives it), ``risk`` and ``risk_after``.

    Raises
    ------
    InputError
        Where neither ``into`` nor ``in_place`` is given, an argument cannot be used,
        or the totals of the margins cannot be met: fewer categories then help.

    Notes
    -----
    Singh, Yu & Dunteman (2003). Its risk is that of the keys alone: it is for files without continuous variables that
    others know (SDC handbook, 3.4.2.8).

    Examples
    --------
    >>> import sdc_sql
    >>> step = sdc_sql.example().mask.massc(0.1, 0.25, weight="w", into="released")
    >>> step.parameters["records_before"], step.parameters["risk_after"] <= step.parameters["risk"]
    (3, True)
    """
    check_place("massc", into, in_place=in_place)
    chosen, design, given = _design(data, bias, variance, weight, strata, most_substituted, keys)
    if weight is None:
        refuse_fixed_roles(data, "weight")
    known = None if margins is None else resolve_columns(data, margins)
    if known is not None and given is None:
        raise ParameterError("margins are kept by weights: name the column of weights too, weight='...'.")
    figures = query.call_macro("sdc__massc_figures", data.table, *design.values())
    arguments: dict[str, Any] = {**design, "margins": known, "stream": stream, "release": release}
    columns = chosen if given is None else (*chosen, given)
    return replace_records(
        data,
        Masking("massc", columns, arguments, kept={"applied": figures}, confidential=CONFIDENTIAL),
        into=into,
    )


def massc_design(
    data: Roles,
    bias: float,
    variance: float,
    *,
    weight: str | None = None,
    strata: Sequence[float] | None = None,
    most_substituted: float = 0.5,
    keys: Iterable[str] | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return the strata of risk of MASSC, with their rates and the risk before and after.

    Parameters
    ----------
    bias
        The greatest expected share of the weighted records whose keys are another's, as of :func:`massc`.
    variance
        By how much the variance of a weighted total may grow.
    weight
        The column of sampling weights; by default that of the table.
    strata
        The greatest frequency of each stratum of risk but the last.
    most_substituted
        The greatest share that is substituted in a stratum.
    keys
        The key variables; by default those of the table.

    Returns
    -------
    duckdb.DuckDBPyRelation
        ``frequencies`` of the stratum on the keys, its ``records``, the shares that are ``substituted`` and
        ``staying``, ``risk`` and ``risk_after``: the expected number of right matches.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().mask.massc_design(0.1, 0.25).columns
    ['frequencies', 'records', 'substituted', 'staying', 'risk', 'risk_after']
    """
    _, design, _ = _design(data, bias, variance, weight, strata, most_substituted, keys)
    return data.relation("sdc_massc_design", data.table, *design.values())


def _design(  # noqa: PLR0917 - what both take
    data: Roles, bias: float, variance: float, weight: str | None, strata: Sequence[float] | None,
    most_substituted: float, keys: Iterable[str] | None,
) -> tuple[tuple[str, ...], dict[str, Any], str | None]:  # fmt: skip
    """Return the keys, the arguments that the macros share, in their order, and the weight."""
    chosen = data.keys if keys is None else resolve_columns(data, keys)
    if not chosen:
        raise ParameterError("MASSC needs keys: give keys=[...] here or when describing the table.")
    if strata is not None and (isinstance(strata, str) or not isinstance(strata, Iterable)):
        raise ParameterError(
            f"strata is {text_for_message(strata)}: it must be a list of frequencies, ascending, as in [1, 2, 4]."
        )
    check_arguments("massc", {"bias": bias, "variance": variance, "most_substituted": most_substituted})
    own = weight if weight is not None else data.weight
    given = data.spell_column("weight", own) if isinstance(own, str) else None
    design = {
        "keys": chosen, "bias": bias, "variance": variance, "id": data.require_role("id"), "weight": given,
        "strata": None if strata is None else list(strata), "most_substituted": most_substituted,
    }  # fmt: skip
    return chosen, design, given
