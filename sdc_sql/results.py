"""What the measures return: small frozen records that show themselves in a terminal and a notebook."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass, fields
from typing import Any


def shown(value: object) -> str:
    """Return a value as a person reads it: six significant digits, thousands apart.

    Examples
    --------
    >>> shown(1234567), shown(0.0123456789), shown(None), shown("north")
    ('1,234,567', '0.0123457', 'NULL', 'north')
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


@dataclass(frozen=True)
class Result:
    """One row of a measure, a field a column."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)

    def __str__(self) -> str:
        """Return the name of the measure and a line a field."""
        names = [f.name.replace("_", " ") for f in fields(self)]
        width = max(len(n) for n in names)
        lines = (f"  {n:<{width}}  {shown(getattr(self, f.name))}" for n, f in zip(names, fields(self), strict=True))
        return "\n".join([type(self).__name__, *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(f.name.replace('_', ' '))}</th>"
            f"<td style='text-align:right'>{html.escape(shown(getattr(self, f.name)))}</td></tr>"
            for f in fields(self)
        )
        return f"<table><caption>{type(self).__name__}</caption>{rows}</table>"
