"""Local suppression to a limit of individual or household risk (SDC handbook, 3.3.5 and 3.4.3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import require_small_weights
from sdc_sql.db.masking.masked_values import NAME
from sdc_sql.db.masking.masking import Masking
from sdc_sql.errors import ParameterError
from sdc_sql.mask.importance import list_importance
from sdc_sql.mask.of_household import require_whole_numbers
from sdc_sql.mask.suppressible import list_suppressible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.roles import Roles


def suppress_risky(
    data: Roles,
    max_risk: float,
    *,
    weight: str | float | None = None,
    household: str | None = None,
    variable: str | None = None,
    importance: Mapping[str, float] | Sequence[float] | float | None = None,
    cost: Literal["equal", "entropy"] = "equal",
    small_weights: Literal["error", "at_least_one"] | None = None,
    keys: Iterable[str] | None = None,
    whole: str | None = None,
    household_columns: Iterable[str] | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Suppress values of keys in risky records, until no individual or household risk is above a limit.

    Afterwards no record of :func:`individual_risk`, or of :func:`household_risk`, is above it in the file with
    ``nulls="wildcard"``; this is counted anew before anything is written.

    Parameters
    ----------
    max_risk
        The greatest risk of a released record or household, between 0 and 1.
    weight
        The column of expansion weights, or a number; by default the table's.
    household
        The column of household numbers: the risk of households is limited, that at least one member is re-identified.
        Without it the risk of each record is.
    variable
        The key that is suppressed in risky records. Without it each loses the cheapest set of keys that will do.
    importance
        What a suppressed value costs: a positive number for each key by its name (1 where it is not named), or in the
        order of the keys.
    cost
        ``"equal"``, or ``"entropy"``: the importance is multiplied by the entropy of the key, in nats.
    small_weights
        Where the weights of records that agree sum to less than these: ``"error"`` or ``"at_least_one"``; by default as
        the table was described.
    keys
        The key variables; by default those of the table.
    whole
        The column of household numbers by which suppression is by household; by default that of the table.
    household_columns
        The keys that are of the household: its members lose such a key all or none. By default those of the table
        (``household_columns=[]``: none); needed with a household that is not the table's. What can be counted, as the
        size, is not suppressed.
    into
        A new table for the suppressed copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the ``suppressions`` of each key, how many records were above the limit (``above_before``,
        NULL agreeing with every value), and the ``greatest_risk`` that is left.

    Raises
    ------
    InputError
        Where records stay above the limit whatever is suppressed, or an argument cannot be used.

    Notes
    -----
    The counts are those of the original file, so each record is decided by itself: in the released file its risk is as
    low or lower. It helps only against an intruder who takes NULL for any value: :func:`compatible_records`.

    Examples
    --------
    >>> import sdc_sql
    >>> step = sdc_sql.example().mask.suppress_risky(0.12, into="released")
    >>> step.changed, step.parameters["suppressions"]
    (1, {'age': 1, 'sex': 1})
    """
    chosen = list_suppressible(data, keys, into)
    given = data.require_role("weight") if weight is None else weight
    only = variable and data.spell_column("key variable", variable)
    if only is not None and only not in chosen:
        raise ParameterError(f"variable is {only}, which is none of the keys {', '.join(chosen)}.")
    limit = require_number("suppress_risky", "max_risk", max_risk)
    arguments = {
        "columns": chosen, "max_risk": limit, "id": data.require_role("id"),
        "weight": data.spell_column("weight", given) if isinstance(given, str) else given,
        "household": household and data.spell_column("household", household),
    }  # fmt: skip
    counting = data.small_weights if small_weights is None else require_small_weights(small_weights)
    proof = query.call_macro("sdc__risk_proof", data.table, f"temp.{NAME}", *arguments.values(), counting)
    arguments |= {
        "variable": only, "importance": list_importance(data, chosen, importance), "cost": cost,
        "small_weights": counting, **require_whole_numbers(data, chosen, whole, household_columns),
    }  # fmt: skip
    return data.masked(Masking("suppress_risky", chosen, arguments, kept={"applied": proof}), into=into)
