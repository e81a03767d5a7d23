"""What the measures with misclassified keys check of their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError

PROBABILITY = ("probability",)  # these columns of a matrix in a CSV file are no categories

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.roles import Roles


def require_one_fraction(data: Roles, given: float | str | None) -> float:
    """Return the sampling fraction, one number for the file."""
    pi = data.require_role("sampling_fraction", given)
    if isinstance(pi, str):
        raise ParameterError(
            f"The sampling fraction is the column {pi!r}: with misclassification it must be one number."
        )
    found: float = require_number("theta_misclassified", "sampling_fraction", pi)
    return found


def resolve_misclassified_key(data: Roles, name: str) -> str:
    """Return a misclassified key as the table spells it."""
    found = data.spell_column("misclassified key", name)
    if found not in data.keys:
        raise ParameterError(
            f"{name!r} has a misclassification matrix and is not among the keys, {', '.join(data.keys)}."
        )
    return found


def list_misclassified_keys(data: Roles, matrices: Mapping[str | tuple[str, ...], str]) -> tuple[list[str], list[str]]:
    """Return the keys that are misclassified, and the tables of their matrices."""
    if (
        not hasattr(matrices, "items")
        or not matrices
        or not all(isinstance(t, str) for pair in matrices.items() for t in pair)
    ):
        raise ParameterError(
            f"matrices is {text_for_message(matrices)}: it must give the name of a table for each key, as in "
            f"{{'sex': 'm'}}."
        )
    return [resolve_misclassified_key(data, str(n)) for n in matrices], [
        data.read_table(t, PROBABILITY) for t in matrices.values()
    ]
