"""What the parties agree on before anything is computed: a file that each of them signs, and the digest that names it.

A run is of one agreement, signed by all of its parties: a column that another adds, a party that is left out, or
another threshold is another agreement, with another digest.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

from sdc_sql.errors import ParameterError

UNIT_BITS = 50  # a value is a whole number of at most 2^50 (sql/between/units.sql)


@dataclass(frozen=True)
class Agreement:
    """An agreement, checked: ``terms`` is what is signed."""

    terms: dict[str, Any]

    @property
    def digest(self) -> str:
        """The name of the agreement: the SHA-256 of its terms."""
        return hashlib.sha256(write_plainly(self.terms)).hexdigest()

    @property
    def parties(self) -> list[str]:
        """The names of the parties, in the order of the agreement."""
        return [party["name"] for party in self.terms["parties"]]

    @property
    def columns(self) -> list[str]:
        """The numeric columns of each party's table: the regressors and the response, or those that are summed."""
        if self.terms["kind"] == "regression":
            return [*self.terms["regressors"], self.terms["response"]]
        return list(self.terms["totals"])

    @property
    def bits(self) -> list[int]:
        """The binary digits behind the point of each column, so that the agreed size is at most 2^50 units."""
        return [UNIT_BITS - count_bits(self.terms["sizes"][column]) for column in self.columns]

    @property
    def entries(self) -> int:
        """How many sums are added up."""
        if self.terms["kind"] == "regression":
            width = len(self.columns) + 1
            return width * (width + 1) // 2
        return len(self.terms["cells"]) * (1 + len(self.columns))

    def party(self, name: str) -> dict[str, str]:
        """Return the public half of a party."""
        for party in self.terms["parties"]:
            if party["name"] == name:
                return dict(party)
        raise ParameterError(f"{name} is no party of the agreement, whose parties are {', '.join(self.parties)}.")


def count_bits(size: float) -> int:
    """Return the least exponent of two that is no smaller than a size.

    Examples
    --------
    >>> count_bits(100), count_bits(128), count_bits(0.3)
    (7, 7, -1)
    """
    mantissa, exponent = math.frexp(size)
    return exponent - 1 if mantissa == 0.5 else exponent  # noqa: PLR2004 - frexp's mantissa of a power of two


def write_plainly(content: object) -> bytes:
    """Return the one way of writing something as JSON, which is what is digested and signed."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")
