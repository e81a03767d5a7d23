"""What cannot be compiled for other engines, and why: its header says so."""

from __future__ import annotations

from sdc_sql.db.macros import by_name
from sdc_sql.errors import Unsupported


def refuse(name: str) -> None:
    """Raise an error that says why, where a macro cannot be compiled.

    Examples
    --------
    >>> refuse("sdc_theta")
    >>> refuse("sdc_noise")
    Traceback (most recent call last):
    sdc_sql.errors.Unsupported: sdc_noise cannot be compiled: it masks records: on Spark use ...
    """
    if name in by_name() and by_name()[name].not_compiled:
        raise Unsupported(f"{name} cannot be compiled: {by_name()[name].not_compiled}.")
