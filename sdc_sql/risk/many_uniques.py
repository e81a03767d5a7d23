"""Where estimates of individual, household and global risk may be far too low, and how a reader is told.

They take the frequency of a cell in the population from its weights. Where many records are alone with their keys, many
cells of the population are missing from the sample, and those that are there are rarer than their weights say: the
headers of ``sql/risk/individual_risk.sql`` and ``global_risk.sql``, and ``tests/studies/test_many_uniques.py``.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from sdc_sql.errors import ManyUniquesWarning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sdc_sql.roles import Roles

MANY, MOST = 0.2, 0.5  # of the records
_TOLD: ContextVar[bool] = ContextVar("told", default=False)


def describe_many_uniques(uniques_rate: float | None) -> str | None:
    """Return what a reader of the estimates has to know, None where fewer than a fifth are sample uniques.

    Parameters
    ----------
    uniques_rate
        The share of the records that are sample uniques, as ``frequency_summary`` has it; None where nothing is
        estimated, since the file is its population.

    Examples
    --------
    >>> describe_many_uniques(0.625)[:72]
    '62.5 per cent of the records are sample uniques (alone with their keys):'
    >>> describe_many_uniques(0.19)
    """
    if uniques_rate is None or uniques_rate < MANY:
        return None
    return (
        f"{100 * uniques_rate:.3g} per cent of the records are sample uniques (alone with their keys): the estimates "
        f"of individual, household and global risk may be {'far ' if uniques_rate >= MOST else ''}too low. Recode the "
        "keys first, until fewer than a fifth of the records are, and measure again."
    )


def describe_estimated(frequencies: Mapping[str, Any], overall: Mapping[str, Any] | None) -> str | None:
    """Return the same of what was measured: ``frequency_summary`` and ``global_risk``, None without an estimate.

    Of a whole population each cell gives one re-identification, its records each of them 1/f: that is no estimate.

    Examples
    --------
    >>> frequencies = {"cells": 3, "uniques_rate": 0.75}
    >>> describe_estimated(frequencies, {"expected_reidentifications": 0.4})[:38]
    '75 per cent of the records are sample '
    >>> describe_estimated(frequencies, {"expected_reidentifications": 3.0}), describe_estimated(frequencies, None)
    (None, None)
    """
    if overall is None or overall["expected_reidentifications"] >= frequencies["cells"]:
        return None
    return describe_many_uniques(frequencies["uniques_rate"])


def require_estimating_weight(data: Roles, *, checked: bool = False) -> str | float:
    """Return the weight of an estimate, and warn where a fifth of the records or more are sample uniques.

    Parameters
    ----------
    data
        The described table.
    checked
        Whether every cell is looked at in any case, for an error where its weights cannot be used.
    """
    weight: str | float = data.require_role("weight")
    told = _TOLD.get()
    if checked or not told:
        rate = data.check_cells(weight)
        if not told:
            warn_of_uniques(rate, stacklevel=5)  # past the measure and the method that it is
    return weight


@contextmanager
def tell_beside() -> Iterator[None]:
    """Let no estimate warn that is made inside: whoever asks for it tells its reader what it is worth."""
    token = _TOLD.set(True)
    try:
        yield
    finally:
        _TOLD.reset(token)


def warn_of_uniques(uniques_rate: float | None, *, stacklevel: int = 2) -> None:
    """Warn where a fifth of the records or more are sample uniques."""
    said = describe_many_uniques(uniques_rate)
    if said is not None:
        warnings.warn(said, ManyUniquesWarning, stacklevel=stacklevel)
