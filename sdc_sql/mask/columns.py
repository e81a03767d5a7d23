"""The columns that a mask is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.errors import ColumnError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking import Maskable


def named(data: Maskable, columns: str | Iterable[str]) -> tuple[str, ...]:
    """Return the columns to mask, one or several, as the table spells them."""
    given = (columns,) if isinstance(columns, str) else tuple(columns)
    if not given:
        raise ColumnError("The list of columns to mask is empty; name at least one, as in ['income'].")
    return tuple(data.found("column", c) for c in given)
