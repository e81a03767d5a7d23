"""The columns that a mask is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ColumnError

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.masking.apply import Maskable


def is_numeric_mask(masks: Iterable[Declaration]) -> bool:
    """Return whether what these masks change is numbers, however a CSV file writes them."""
    return any(mask.effect.values.kind == "numbers" for mask in masks)


def resolve_columns(data: Maskable, columns: str | Iterable[str]) -> tuple[str, ...]:
    """Return the columns to mask, one or several, as the table spells them."""
    if not isinstance(columns, Iterable):
        raise ColumnError(
            f"The columns to mask are {text_for_message(columns)}: give one, or a list of them, as in ['income']."
        )
    given = (columns,) if isinstance(columns, str) else tuple(columns)
    if not given:
        raise ColumnError("The list of columns to mask is empty; name at least one, as in ['income'].")
    found = tuple(data.spell_column("column", c) for c in given)
    if len(set(found)) < len(found):
        raise ColumnError(f"A column to mask is named twice: {', '.join(given)}.")
    return found


def resolve_optional_columns(data: Maskable, columns: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return further columns as the table spells them; None, where none are given, stays None."""
    return None if columns is None else resolve_columns(data, columns)
