"""Figures with arguments of their own, under the names that limits have for them, beside each measure by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError
from sdc_sql.figures.asked import Asked, list_measures
from sdc_sql.figures.condition import list_named_figures
from sdc_sql.figures.registry import find_measure, list_all_measures

if TYPE_CHECKING:
    from collections.abc import Mapping


def name_figures(given: Mapping[str, tuple[str, Mapping[str, Any]]]) -> dict[str, Asked]:
    """Return figures by their names, those that are given besides each measure under its own.

    Parameters
    ----------
    given
        For each name the measure and its arguments.

    Raises
    ------
    ParameterError
        Where there is no such measure or argument, or the name is another measure's.

    Examples
    --------
    >>> found = name_figures({"register": ("k_map", {"population": "register"})})
    >>> found["register"].measure.name, "theta" in found
    ('k_map', True)
    """
    found = dict(list_measures())
    for label, said in given.items():
        if not isinstance(said, list | tuple) or len(said) != 2:  # noqa: PLR2004 - a measure and its arguments
            raise ParameterError(
                f"figures[{text_for_message(label)}] is to be the name of a measure and its arguments, as in "
                "('k_map', {'population': 'register'})."
            )
        name, arguments = said
        asked = Asked(label, find_measure(name), dict(arguments))
        if label in list_all_measures() and label != name:
            raise ParameterError(f"The figure {label} is to be {name}, and {label} is a measure: give it another name.")
        if not _is_read_back(label):
            raise ParameterError(
                f"The name of a figure is {text_for_message(label)}: it must be a word that a limit can have, as in "
                "register."
            )
        found[label] = asked
    return found


def _is_read_back(label: str) -> bool:
    """Return whether a limit that has the name reads it so: before, or a word of SQL, means something else there."""
    try:
        return label.isidentifier() and [n.label for n in list_named_figures(f"{label}.x <= 0")] == [label]
    except ParameterError:
        return False
