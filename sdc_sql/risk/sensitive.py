"""What the measures of attribute disclosure check of their arguments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


def check_category(data: Roles) -> None:
    """Refuse wildcards: records that match through one would add values that no record of the cell has."""
    if data.nulls != "category":
        raise ParameterError(
            "The table is described with nulls='wildcard', which attribute disclosure, k-map, log-linear models and "
            "models of the population do not support: describe it with nulls='category' (NULL is a value of its own)."
        )


def list_categories(chosen: Iterable[object] | None) -> list[str] | None:
    """Return sensitive values as text."""
    if isinstance(chosen, str) or (chosen is not None and not isinstance(chosen, Iterable)):
        raise ParameterError(
            f"chosen is {text_for_message(chosen)}: it must be a list of sensitive values, as in "
            f"[{text_for_message(chosen)}]."
        )
    # DuckDB writes them so
    return None if chosen is None else [str(v).lower() if isinstance(v, bool) else str(v) for v in chosen]
