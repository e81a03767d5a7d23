"""theta where the intruder's data differ from the file (Skinner & Elliot 2002, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ParameterError
from sdc_sql.risk.misclassification import (
    PROBABILITY,
    list_misclassified_keys,
    require_one_fraction,
    resolve_misclassified_key,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class MisclassifiedTheta(Result):
    """theta-hat (12).

    ``kept_uniques``, ``kept_pairs``: the sums of M_jj over sample uniques and pairs; ``false_matches``: n A.
    ``most_theta`` is (12) without A: what follows from the diagonals alone.
    """

    records: int
    cells: int
    n1: int
    n2: int
    kept_uniques: float
    kept_pairs: float
    false_matches: float
    theta: float
    most_theta: float


def theta_misclassified(
    data: Roles, matrices: Mapping[str | tuple[str, ...], str], sampling_fraction: float | None = None
) -> MisclassifiedTheta:
    """Return the probability that a unique match is correct, where keys are misclassified.

    Parameters
    ----------
    matrices
        For each misclassified key the table of its matrix, with columns ``from`` (the file's category), ``to`` (the
        intruder's) and ``probability``; keys that are not named agree. Or one matrix for several keys together,
        ``{("age", "sex"): "joint"}``, with structs as categories. PRAM's matrix goes from the original to the released
        category: where the file is released, ``sdc_pram_reversed`` inverts it by Bayes' theorem.
    sampling_fraction
        In (0, 1); by default the one given with the table.

    Returns
    -------
    MisclassifiedTheta

    Raises
    ------
    ParameterError
        Where a matrix's rows do not sum to 1, lacks a category of the file, or is of a column that is no key.

    Notes
    -----
    Skinner & Elliot (2002), equations (11) to (13). The paper gives no standard error for it.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = sdc_sql.load(data.con).execute("CREATE TABLE m AS FROM sdc_pram_retention_matrix('persons', 'sex', 0.75)")
    >>> print(round(data.risk.theta_misclassified({"sex": "m"}, 0.5).theta, 6))
    0.333333
    """
    pi = require_one_fraction(data, sampling_fraction)
    joint = [names for names in matrices if isinstance(names, tuple)] if hasattr(matrices, "items") else []
    if joint:
        if len(matrices) > 1:
            raise ParameterError("A matrix for several keys together must be the only one.")
        columns = [resolve_misclassified_key(data, n) for n in joint[0]]
        macro, last = "sdc_theta_misclassified_crossing", (columns, data.read_table(matrices[joint[0]], PROBABILITY))
        return MisclassifiedTheta(**data.row(macro, data.table, data.keys, pi, *last))
    columns, tables = list_misclassified_keys(data, matrices)
    return MisclassifiedTheta(**data.row("sdc_theta_misclassified", data.table, data.keys, pi, columns, tables))
