"""Digests: one of all numbers of a stratum, and draws from those of its records (sql/mask/synthetic.sql)."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sdc_sql.udfs.adapters import declare_function
from sdc_sql.udfs.arrow_function import TABLE

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats

Bytes = npt.NDArray[np.uint8]
RECORDS = 65_536  # so many are computed at a time


def draw_normals(digests: Bytes, p: int) -> Floats:
    """Return p standard normal draws of each record, (n, p): of two words of 32 bits two (Box & Muller 1958).

    Examples
    --------
    >>> draw_normals(np.zeros((1, 32), dtype=np.uint8), 2).round(6).tolist()  # sqrt(2 ln 2^33) cos 0, sin 0
    [[6.763706, 0.0]]
    """
    found = np.empty((p + p % 2, len(digests)))
    for first in range(0, len(digests), RECORDS):
        part = slice(first, first + RECORDS)
        words = np.ascontiguousarray(digests[part]).view(">u4").T
        for j in range(0, p, 2):
            size = np.sqrt(-2 * np.log((words[j] + 0.5) / 2**32))
            angle = (words[j + 1] + 0.5) * (2 * np.pi / 2**32)
            np.multiply(size, np.cos(angle), out=found[j, part])
            np.multiply(size, np.sin(angle), out=found[j + 1, part])
    return found[:p].T


def draw_uniforms(digests: Bytes, p: int) -> Floats:
    """Return p uniform draws of each record in [0, 1), (n, p): a word of 32 bits each.

    Examples
    --------
    >>> draw_uniforms(np.full((1, 32), 128, dtype=np.uint8), 2).round(6).tolist()
    [[0.501961, 0.501961]]
    """
    words = np.ascontiguousarray(digests).view(">u4")[:, :p]
    found: Floats = words / 2.0**32
    return found


def content(y: Floats, x: Floats | None) -> str:
    """Return a digest of all numbers, in the order of the records; 0 and -0 are one number.

    Examples
    --------
    >>> content(np.zeros((1, 2)), None) == content(-np.zeros((1, 2)), None) != content(np.zeros((2, 1)), None)
    True
    """
    found = sha256(f"{y.shape} {None if x is None else x.shape}".encode())
    for part in (y, x):
        if part is not None:
            found.update(np.ascontiguousarray(part + 0.0).data)
    return found.hexdigest()


def _content(_stratum: str | None, y: Floats, x: Floats | None) -> list[list[str]]:
    return [[content(y, x)]]


FUNCTIONS = (declare_function("content", _content, "VARCHAR[][]", y=TABLE, x=TABLE),)
