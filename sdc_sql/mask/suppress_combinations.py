"""Local suppression by a threshold rule (SDC handbook, 3.3.4, 3.4.3.2 and 3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db import query
from sdc_sql.db.checks import flag
from sdc_sql.db.masked_values import NAME
from sdc_sql.mask.suppressible import suppressible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sdc_sql.db.steps import MaskingStep
    from sdc_sql.roles import Roles


def suppress_combinations(
    data: Roles,
    threshold: float | Sequence[float | None],
    *,
    weight: str | float | None = None,
    dimension: int | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    inclusive: bool = True,
    keys: Iterable[str] | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Suppress values of keys, as few as can be, until no combination of a few keys is rare, in place or in a copy.

    Afterwards :func:`threshold_rule` with the same arguments finds nothing in the file with ``nulls="wildcard"``; this
    is checked before anything is written.

    Parameters
    ----------
    threshold
        For every size of a set of keys, or a list of one for each size (None: not checked).
    weight
        The column of weights whose sums are compared, or a number; by default the table's. Without either the records
        of the file are counted.
    dimension
        How many keys are combined at most; 3 by default.
    levels
        The keys' levels of identification, as of :func:`threshold_rule`.
    inclusive
        Whether a frequency equal to the threshold is too low.
    keys
        The key variables; by default those of the table.
    into
        A new table for the suppressed copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the ``suppressions`` of each key.

    Notes
    -----
    SDC handbook, sections 3.3.4 and 3.7. The file is then safe by the rule, not against who knows who took part:
    :func:`compatible_records`.

    Examples
    --------
    >>> import sdc_sql
    >>> step = sdc_sql.example().suppress_combinations(22, into="released")
    >>> step.changed, step.parameters["suppressions"]
    (1, {'age': 1, 'sex': 1})
    """
    chosen = suppressible(data, keys, into)
    given = data.weight if weight is None else weight
    arguments = {
        "columns": chosen, "threshold": list(threshold) if isinstance(threshold, (list, tuple)) else threshold,
        "id": data.required("id"), "weight": data.found("weight", given) if isinstance(given, str) else given,
        "dimension": dimension, "levels": None if levels is None else data.checked_levels(levels),
        "inclusive": flag(inclusive, "inclusive"),
    }  # fmt: skip
    proof = query.call("sdc__combinations_proof", data.table, f"temp.{NAME}", *arguments.values())
    return data.masked("suppress_combinations", chosen, arguments, into=into, kept={"applied": proof})
