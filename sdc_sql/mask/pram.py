"""PRAM: by a matrix, by a retention probability, and with guaranteed protection (SDC handbook, 3.4.6; Nayak)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sdc_sql.masking import MaskingStep, masked, named
from sdc_sql.matrix import matrix_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import duckdb
    from numpy.typing import ArrayLike

    from sdc_sql.roles import Roles


def pram(
    data: Roles,
    columns: str | Iterable[str],
    matrix: str | ArrayLike,
    *,
    labels: Sequence[Any] | None = None,
    stratum: str | None = None,
    stream: str = "pram",
    into: str | None = None,
) -> MaskingStep:
    """Change categories at random with the probabilities of a matrix, in place or in a copy.

    Parameters
    ----------
    columns
        One variable, or several whose crossing is changed.
    matrix
        p_kl, the probability that category k becomes l: the name of a table with the columns ``from``, ``to`` and
        ``probability``, or an array (K, K) with ``labels``. Rows sum to 1; a probability of 0 bars a change.
    labels
        The categories of an array's rows and columns; of a crossing tuples in the order of ``columns``.
    stratum
        A column; the matrix is then a table with a column of that name, and each stratum has its own probabilities.
    stream
        The stream of draws.
    into
        A new table for the masked copy.

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
    >>> data.pram("sex", [[0.9, 0.1], [0.1, 0.9]], labels=["f", "m"], into="released").records
    3
    """
    chosen = named(data, columns)
    with matrix_table(data, chosen, matrix, labels) as table:
        arguments = {
            "columns": chosen, "matrix": table, "id": data.required("id"),
            "stratum": stratum and data.found("stratum", stratum), "stream": stream,
        }  # fmt: skip
        told = matrix if isinstance(matrix, str) else {"labels": labels, "rows": np.asarray(matrix).tolist()}
        macro = "pram" if len(chosen) == 1 else "pram_crossing"
        return masked(data, macro, chosen, arguments, into=into, matrix=told)


def pram_retention(
    data: Roles,
    columns: str | Iterable[str],
    retention: float,
    *,
    stratum: str | None = None,
    stream: str = "pram",
    into: str | None = None,
) -> MaskingStep:
    """Keep each record's category with a probability, or change it to any other with equal chances.

    Parameters
    ----------
    columns
        One variable, or several whose crossing is changed. Records with NULL in one stay as they are.
    retention
        The probability to stay, in [0, 1].
    stratum
        A column within whose values categories are changed.
    stream
        The stream of draws.
    into
        A new table for the masked copy.

    Returns
    -------
    MaskingStep

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().pram_retention("sex", 1.0, into="released").changed
    0
    """
    chosen = named(data, columns)
    arguments = {
        "columns": chosen, "retention": retention, "id": data.required("id"),
        "stratum": stratum and data.found("stratum", stratum), "stream": stream,
    }  # fmt: skip
    return masked(data, "pram_retention", chosen, arguments, into=into)


def pram_guaranteed(
    data: Roles,
    xi: float,
    *,
    keys: Iterable[str] | None = None,
    within: Iterable[str] | None = None,
    stream: str = "pram",
    into: str | None = None,
) -> MaskingStep:
    """Change the keys at random so that no intruder's match to any record is right with a probability above xi.

    Parameters
    ----------
    xi
        The greatest probability of a correct match, in [3/7, 1); 0.75 to 0.90 as a rule.
    keys
        The key variables whose crossing is changed; by default those of the table.
    within
        Columns whose values a record keeps: keys (their counts are then kept), or columns constant in each cell.
    stream
        The stream of draws.
    into
        A new table for the masked copy.

    Returns
    -------
    MaskingStep

    Raises
    ------
    InputError
        Where xi is out of range, below 1/2 with fewer than three cells in a group, or a group has one cell.

    Notes
    -----
    Nayak, Results 1 and 2. File :func:`pram_proof`, taken before masking, with the release.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().pram_guaranteed(0.8, into="released").columns
    ('age', 'sex')
    """
    chosen = data.required("keys", data.keys) if keys is None else named(data, keys)
    arguments = {
        "columns": chosen, "xi": xi, "id": data.required("id"),
        "within": None if within is None else named(data, within), "stream": stream,
    }  # fmt: skip
    return masked(data, "pram_guaranteed", chosen, arguments, into=into)


def pram_proof(
    data: Roles,
    xi: float,
    *,
    keys: Iterable[str] | None = None,
    within: Iterable[str] | None = None,
    most: int = 5,
) -> duckdb.DuckDBPyRelation:
    """Return the proof of a guaranteed release: the exact probability of a correct match for every cell.

    Take it of the original table. Each row has a cell's keys, its frequency T, the cells of its group, theta, the
    probability to stay, the bound psi(T, theta), the largest probability found, and P(CM | S = a, T) for one a.

    Parameters
    ----------
    xi
        As of :func:`pram_guaranteed`.
    keys
        The key variables; by default those of the table.
    within
        As of :func:`pram_guaranteed`.
    most
        The largest a; beyond it the probability is at most 1/a.

    Returns
    -------
    duckdb.DuckDBPyRelation

    Notes
    -----
    Nayak, (8) and (10).

    Examples
    --------
    >>> import sdc_sql
    >>> proof = sdc_sql.example().pram_proof(0.8, most=1).order("frequency").fetchall()
    >>> [round(row[-1], 3) for row in proof]
    [0.763, 0.464]
    """
    chosen = data.required("keys", data.keys) if keys is None else named(data, keys)
    inside = None if within is None else named(data, within)
    return data.relation("sdc_pram_proof", data.table, chosen, xi, data.required("id"), within=inside, most=most)
