"""Local suppression by a threshold rule (SDC handbook, 3.3.4, 3.4.3.2 and 3.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import require_choice
from sdc_sql.db.checks import require_flag, require_small_weights, require_thresholds, text_for_message
from sdc_sql.db.masking.masked_values import NAME
from sdc_sql.db.masking.masking import Masking
from sdc_sql.errors import ParameterError
from sdc_sql.mask.importance import list_importance
from sdc_sql.mask.of_household import refuse_counted_keys, require_whole_numbers
from sdc_sql.mask.suppressible import list_suppressible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sdc_sql.db.masking.masking import Kept
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.roles import Roles


def suppress_combinations(
    data: Roles,
    threshold: float | Sequence[float | None],
    *,
    weight: str | float | None = None,
    dimension: int | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    inclusive: bool = True,
    guarantee: Literal["strong", "wildcard"] = "strong",
    combinations: Sequence[Sequence[str]] | None = None,
    importance: Mapping[str, float] | Sequence[float] | float | None = None,
    cost: Literal["equal", "entropy"] = "equal",
    small_weights: Literal["error", "at_least_one"] | None = None,
    keys: Iterable[str] | None = None,
    whole: str | None = None,
    household_columns: Iterable[str] | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Suppress values of keys, as few as can be, until no combination of a few keys is rare, in place or in a copy.

    Afterwards :func:`threshold_rule` with the same arguments finds nothing in the file with ``nulls="wildcard"``; this
    is counted anew before anything is written.

    Parameters
    ----------
    threshold
        For every size of a set of keys, or a list of one for each size, or one for each of the ``combinations`` (None:
        not checked). It is compared with sums of weights where the table has a weight, so in persons of the population,
        else with numbers of records. One that a single record of the smallest weight does not break is an error.
    weight
        The column of weights whose sums are compared, or a number; by default the table's. Without either, and with 1,
        the records of the file are counted.
    dimension
        How many keys are combined at most; 3 by default.
    levels
        The keys' levels of identification, as of :func:`threshold_rule`.
    inclusive
        Whether a frequency equal to the threshold is too low.
    guarantee
        ``"strong"``: what a record keeps of each set is frequent enough in the original file; the fewest suppressions.
        ``"wildcard"``: it is in the released file, NULL agreeing with every value (sdcMicro's reading); far fewer.
    combinations
        The sets of keys to be checked, ``[["age", "sex"], ["region", "job"]]``, in the place of all of some size.
    importance
        What a suppressed value costs: a positive number for each key by its name (1 where it is not named), or in the
        order of the keys. sdcMicro's ranks (1: kept the longest) are the other way round: of m keys give ``2**(m - r)``
        for rank r.
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
        size, must not be among the keys that would be suppressed: that is an error.
    into
        A new table for the suppressed copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the ``suppressions`` of each key, what was ``counted`` (records, or sums of weights),
        and the released records that have a too rare combination:
        ``below_identical`` counted in the released file, NULL a value; ``below_strong`` in the original;
        ``below_wildcard`` in the released file, NULL agreeing with every value; and ``compatible_below``: the original
        records that have one which too few released records are compatible with.

    Raises
    ------
    InputError
        Where all records together are fewer than a threshold, where one of the smallest weight is more, or an argument
        cannot be used.

    Notes
    -----
    SDC handbook, sections 3.3.4 and 3.7. The file is then safe by the rule, not against who knows who took part:
    :func:`compatible_records`. There are no strata: list the stratum in each combination, with a high importance.

    Examples
    --------
    >>> import sdc_sql
    >>> step = sdc_sql.example().mask.suppress_combinations(22, into="released")
    >>> step.changed, step.parameters["suppressions"]
    (1, {'age': 1, 'sex': 1})
    """
    chosen = list_suppressible(data, keys, into)
    guarantee = require_choice("suppress_combinations", "guarantee", guarantee)
    given = data.weight if weight is None else weight
    arguments = {
        "columns": chosen, "threshold": require_thresholds(threshold),
        "id": data.require_role("id"),
        "weight": data.spell_column("weight", given) if isinstance(given, str) else given,
        "dimension": dimension, "levels": None if levels is None else data.checked_levels(levels),
        "inclusive": require_flag(inclusive, "inclusive"), "guarantee": guarantee,
        "combinations": None if combinations is None else _resolve_combinations(data, combinations),
    }  # fmt: skip
    counting = data.small_weights if small_weights is None else require_small_weights(small_weights)
    proof = query.call_macro("sdc__combinations_proof", data.table, f"temp.{NAME}", *arguments.values(), counting)
    arguments |= {"importance": list_importance(data, chosen, importance), "cost": cost, "small_weights": counting}
    by_household = require_whole_numbers(data, chosen, whole, household_columns)
    arguments |= by_household
    kept: dict[str, Kept] = {"applied": proof}
    if by_household["household_columns"]:
        kept["applied"] = refuse_counted_keys(data, chosen, by_household, proof)
    return data.masked(Masking("suppress_combinations", chosen, arguments, kept=kept), into=into)


def _resolve_combinations(data: Roles, combinations: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return sets of keys as the table spells them."""
    listed = isinstance(combinations, Sequence) and not isinstance(combinations, str)
    if not listed or any(isinstance(s, str) or not isinstance(s, Sequence) for s in combinations):
        raise ParameterError(
            f"combinations is {text_for_message(combinations)}: it must be a list of lists of keys, as in "
            "[['age', 'sex'], ['region', 'sex', 'job']]."
        )
    return [[data.spell_column("key variable", name) for name in names] for names in combinations]
