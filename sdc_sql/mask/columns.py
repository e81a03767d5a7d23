"""The columns that a mask is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sdc_sql.db.checks import told
from sdc_sql.errors import ColumnError

if TYPE_CHECKING:
    from collections.abc import Container

    from sdc_sql.db.masking import Maskable

# What masks categories: the codes of a file stay text where they are no plain numbers.
OF_CODES = {
    "pram", "pram_retention", "pram_guaranteed", "microaggregate_categorical", "local_suppression",
    "suppress_combinations", "suppress_risky", "mondrian", "recode", "generalise", "drop_identifiers",
    "data_swap", "record_swap", "massc",
}  # fmt: skip
OF_NUMBERS = ("breaks", "classes")  # arguments by which a method of codes masks numbers


def masks_numbers(verb: str, arguments: Container[str]) -> bool:
    """Return whether what a verb masks with these arguments is numbers, however a CSV file writes them."""
    return verb not in OF_CODES or any(name in arguments for name in OF_NUMBERS)


def named(data: Maskable, columns: str | Iterable[str]) -> tuple[str, ...]:
    """Return the columns to mask, one or several, as the table spells them."""
    if not isinstance(columns, Iterable):
        raise ColumnError(f"The columns to mask are {told(columns)}: give one, or a list of them, as in ['income'].")
    given = (columns,) if isinstance(columns, str) else tuple(columns)
    if not given:
        raise ColumnError("The list of columns to mask is empty; name at least one, as in ['income'].")
    found = tuple(data.found("column", c) for c in given)
    if len(set(found)) < len(found):
        raise ColumnError(f"A column to mask is named twice: {', '.join(given)}.")
    return found


def named_or_none(data: Maskable, columns: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return further columns as the table spells them; None, where none are given, stays None."""
    return None if columns is None else named(data, columns)
