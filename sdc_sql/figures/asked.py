"""A measure with the arguments that it is to have, under the name that limits have for it."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import told
from sdc_sql.errors import ParameterError
from sdc_sql.figures.registry import measure, measures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.figures.registry import Measure

FORM = "it must be a name with a measure and its arguments, as in 'register=k_map(population=register.parquet)'"

_CALL = re.compile(r"\s*(?P<label>\w+)\s*=\s*(?P<measure>\w+)\s*(?:\((?P<arguments>.*)\))?\s*", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*", re.DOTALL)
# between commas: what stands in quotes or in brackets goes together
_PART = re.compile(r"""(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|\[[^\]]*\]|[^,])+""")
_OF_FILES = ("matrices", "releases")  # tables by the keys that they are of, or several
_WORDS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True)
class Asked:
    """A figure that limits name ``label``: the measure, and the arguments that it is given."""

    label: str
    measure: Measure
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse arguments that the measure has not."""
        strange = [name for name in self.arguments if name not in self.measure.arguments]
        if strange:
            raise ParameterError(
                f"{self.measure.name} takes no {strange[0]}: it takes {', '.join(self.measure.arguments) or 'nothing'}."
            )

    @property
    def tables(self) -> tuple[str, ...]:
        """Return which of the arguments are tables, or files, besides the one that is measured."""
        kinds = {name: self.measure.parameter(name) for name in self.arguments}
        by_type = (name for name, p in kinds.items() if p is not None and p.type in {"table", "tables"})
        return (*by_type, *(name for name in self.arguments if name in _OF_FILES and name not in by_type))


@cache
def every() -> Mapping[str, Asked]:
    """Return each measure without arguments, under its own name."""
    return {name: Asked(name, found) for name, found in measures().items()}


def named(given: Mapping[str, tuple[str, Mapping[str, Any]]]) -> dict[str, Asked]:
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
    >>> found = named({"register": ("k_map", {"population": "register"})})
    >>> found["register"].measure.name, "theta" in found
    ('k_map', True)
    """
    found = dict(every())
    for label, (name, arguments) in given.items():
        asked = Asked(label, measure(name), dict(arguments))
        if label in measures() and label != name:
            raise ParameterError(f"The figure {label} is to be {name}, and {label} is a measure: give it another name.")
        if not label.isidentifier():
            raise ParameterError(f"The name of a figure is {told(label)}: it must be a word, as in register.")
        found[label] = asked
    return found


def written(text: str) -> tuple[str, tuple[str, dict[str, Any]]]:
    """Return what a figure on the command line says: its name, the measure and the arguments.

    Raises
    ------
    ParameterError
        Where it cannot be read.

    Examples
    --------
    >>> written("register=k_map(population=register.parquet, k=5)")
    ('register', ('k_map', {'population': 'register.parquet', 'k': 5}))
    >>> written("il1=il1(columns=[income, 'a, b'])")
    ('il1', ('il1', {'columns': ['income', 'a, b']}))
    """
    call = _CALL.fullmatch(text)
    if call is None:
        raise ParameterError(f"The figure {told(text)} cannot be read: {FORM}.")
    arguments = {}
    for part in _PART.findall(call["arguments"] or ""):
        one = _ARGUMENT.fullmatch(part)
        if one is None:
            raise ParameterError(f"The figure {told(text)} cannot be read at {told(part.strip())}: {FORM}.")
        arguments[one[1]] = _value(one[2])
    return call["label"], (call["measure"], arguments)


def _value(text: str) -> Any:  # noqa: ANN401 - a number, a text, a list
    if text[:1] == "[" and text[-1:] == "]":
        return [_value(part.strip()) for part in _PART.findall(text[1:-1]) if part.strip()]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace(text[0] * 2, text[0])
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text
