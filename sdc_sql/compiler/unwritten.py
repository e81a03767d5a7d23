"""What is not written out for other engines, and why: its header says so."""

from __future__ import annotations

from sdc_sql.db.macros import by_name
from sdc_sql.errors import Unsupported


def refuse_unwritten(name: str) -> None:
    """Raise an error that says why, where a macro is not written out.

    Examples
    --------
    >>> refuse_unwritten("sdc_theta")
    >>> refuse_unwritten("sdc_noise")
    Traceback (most recent call last):
    sdc_sql.errors.Unsupported: sdc_noise is not written out: it masks records: on Spark use ...
    """
    if name in by_name() and by_name()[name].not_compiled:
        raise Unsupported(f"{name} is not written out: {by_name()[name].not_compiled}.")
