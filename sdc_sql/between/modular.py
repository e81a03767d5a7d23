"""Whole numbers modulo 2^160, and their parts: additive shares, each uniform whatever the number is."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sdc_sql.between.errors import ExchangeError

if TYPE_CHECKING:
    from collections.abc import Sequence

BITS = 160
MODULUS = 1 << BITS
WIDTH = BITS // 8  # bytes of an entry, always the same: its length tells nothing
OWN_LIMIT = 1 << 127  # what a sum of one party may be, which DuckDB's HUGEINT holds
MAX_PARTIES = 1000  # their sums are far from half of the modulus


def encode_entry(value: int) -> int:
    """Return a whole number, which may be negative, modulo 2^160.

    Raises
    ------
    ExchangeError
        Where it is too large for a sum of one party: a total could come out as another number.

    Examples
    --------
    >>> encode_entry(-1) == MODULUS - 1, encode_entry(5)
    (True, 5)
    """
    if not -OWN_LIMIT < value < OWN_LIMIT:
        raise ExchangeError(
            "An own sum does not lie within 127 bits: nothing was sent. Agree on the size of each column by its "
            "code book."
        )
    return value % MODULUS


def decode_entry(entry: int, parties: int) -> int:
    """Return the whole number that a total stands for, which must be one that so many parties can have.

    Examples
    --------
    >>> decode_entry(MODULUS - 7, 3), decode_entry(7, 3)
    (-7, 7)
    """
    value = entry - MODULUS if entry >= MODULUS // 2 else entry
    if not -parties * OWN_LIMIT < value < parties * OWN_LIMIT:
        raise ExchangeError(
            "A total is beyond what the parties' sums can come to: a party added what it did not share, or added "
            "twice. Run it again, all of you."
        )
    return value


def split_value(value: int, parts: int) -> list[int]:
    """Return numbers that add up to a value modulo 2^160, of which all but one, whichever, are uniform and independent.

    The draws are the operating system's, new in each call. They are no draws by the masking key, which gives the same
    ones again: two runs with the same masks would give the difference of their values.

    Examples
    --------
    >>> shares = split_value(-3, 4)
    >>> sum(shares) % MODULUS == MODULUS - 3
    True
    """
    drawn = [secrets.randbelow(MODULUS) for _ in range(parts - 1)]
    return [*drawn, (value - sum(drawn)) % MODULUS]


def pack_entries(entries: Sequence[int]) -> bytes:
    """Return entries as bytes, as many for each."""
    return b"".join(entry.to_bytes(WIDTH, "big") for entry in entries)


def unpack_entries(content: bytes, number: int, sender: str) -> list[int]:
    """Return the entries of a message, which must be as many as agreed."""
    if len(content) != number * WIDTH:
        raise ExchangeError(
            f"{sender} has sent {len(content)} bytes where {number} numbers of {WIDTH} bytes were agreed: its "
            "program is of another version, or its message was cut off."
        )
    return [int.from_bytes(content[i : i + WIDTH], "big") for i in range(0, len(content), WIDTH)]


def add_entries(vectors: Sequence[Sequence[int]]) -> list[int]:
    """Return the sums of vectors, entry by entry, modulo 2^160."""
    return [sum(column) % MODULUS for column in zip(*vectors, strict=True)]
