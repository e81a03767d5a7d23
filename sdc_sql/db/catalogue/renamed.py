"""The arguments of measures that had another name before version 0.2.0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEW = {
    ("factor_distance", "most"): "max_variation",
    ("il1", "most"): "max_term",
    ("log_linear_search", "most_keys"): "max_keys",
    ("matrix_distance", "most"): "max_variation",
}


def refuse_old_names(measure: str, given: Iterable[str]) -> None:
    """Refuse an argument by its name of before.

    Raises
    ------
    ParameterError
        It gives the name of now.

    Examples
    --------
    >>> refuse_old_names("il1", ["most"])
    Traceback (most recent call last):
    sdc_sql.errors.ParameterError: most of il1 is called max_term: give max_term=... in its place.
    """
    for name in given:
        if new := _NEW.get((measure, name)):
            raise ParameterError(f"{name} of {measure} is called {new}: give {new}=... in its place.")
