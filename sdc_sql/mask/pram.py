"""PRAM: by a matrix, by a retention probability, and with guaranteed protection (SDC handbook, 3.4.6; Nayak)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from sdc_sql.db.masking.masking import Masking
from sdc_sql.mask.array_matrix import list_numbers, matrix_table
from sdc_sql.mask.columns import resolve_columns
from sdc_sql.mask.pram_log import CONFIDENTIAL, category_counts, matrix_rows
from sdc_sql.mask.unit import resolve_draw_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep


def pram(
    data: Maskable,
    columns: str | Iterable[str],
    matrix: str | ArrayLike,
    *,
    labels: Sequence[Any] | None = None,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    unit: Literal["record", "household"] = "record",
    household: str | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Change categories at random with the probabilities of a matrix, in place or in a copy.

    Parameters
    ----------
    columns
        One variable, or several whose crossing is changed.
    matrix
        p_kl, the probability that category k becomes l: the name of a table with the columns ``from``, ``to`` and
        ``probability``, or an array (K, K) with ``labels``. Rows sum to 1; a probability of 0 excludes a change.
    labels
        The categories of an array's rows and columns; of a crossing tuples in the order of ``columns``.
    stratum
        A column; the matrix is then a table with a column of that name, and each stratum has its own probabilities.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    unit
        Whose draws: ``"record"``, or ``"household"``: members with the same value then have the same masked value.
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
        Where rows do not sum to 1, a category of the table has no row, or an argument cannot be used.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.mask.pram("sex", [[0.9, 0.1], [0.1, 0.9]], labels=["f", "m"], into="released").records
    3
    """
    chosen = resolve_columns(data, columns)
    with matrix_table(data, chosen, matrix, labels) as table:
        arguments = {
            "columns": chosen, "matrix": table, "id": data.require_role("id"),
            "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
            **resolve_draw_unit(data, unit, household),
        }  # fmt: skip
        logged = matrix if isinstance(matrix, str) else {"labels": labels, "rows": list_numbers(matrix)}
        macro = "pram" if len(chosen) == 1 else "pram_crossing"
        strata = [arguments["stratum"]] if stratum else []
        kept = {
            "matrix": matrix_rows(table, arguments["stratum"]),
            "counts": category_counts(data.table, chosen, strata),
        }
        return data.masked(
            Masking(macro, chosen, arguments, kept=kept, confidential=CONFIDENTIAL, logged={"matrix": logged}),
            into=into,
        )
