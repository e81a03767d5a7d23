"""A figure as the command line has it: ``register=k_map(population=register.parquet, k=5)``."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

FORM = "it must be a name with a measure and its arguments, as in 'register=k_map(population=register.parquet)'"

_CALL = re.compile(r"\s*(?P<label>\w+)\s*=\s*(?P<measure>\w+)\s*(?:\((?P<arguments>.*)\)\s*)?", re.DOTALL)
_NAME = re.compile(r"""\s*(?:"(?P<quoted>[^"]+)"|(?P<plain>[^\s"'=,\[\]{}]+))\s*=\s*""")
_QUOTED = re.compile(r"""\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)')\s*""")
_PLAIN = re.compile(r"[^,\[\]{}]*")
_WORDS = {"true": True, "false": False, "null": None}


def parse_figure(text: str) -> tuple[str, tuple[str, dict[str, Any]]]:
    """Return what a figure on the command line says: its name, the measure and the arguments.

    An argument is a number, a text (in quotes where it has a comma or a bracket), a list in square brackets, or, in
    braces, several by name.

    Raises
    ------
    ParameterError
        Where it cannot be read.

    Examples
    --------
    >>> parse_figure("register=k_map(population=register.parquet, k=5)")
    ('register', ('k_map', {'population': 'register.parquet', 'k': 5}))
    >>> parse_figure("waves=joint_releases(releases=['a, b.csv', c.csv], keys=[[age, sex], [age]])")[1][1]
    {'releases': ['a, b.csv', 'c.csv'], 'keys': [['age', 'sex'], ['age']]}
    >>> parse_figure("t=theta_misclassified(matrices={sex=sex.csv})")[1][1]
    {'matrices': {'sex': 'sex.csv'}}
    """
    call = _CALL.fullmatch(text)
    if call is None:
        raise ParameterError(f"The figure {text_for_message(text)} cannot be read: {FORM}.")
    reader = _Reader(text, call["arguments"] or "")
    arguments = dict(reader.read_named(""))
    return call["label"], (call["measure"], arguments)


class _Reader:
    """Reads arguments from left to right; ``at`` is the place."""

    def __init__(self, whole: str, text: str) -> None:
        self.whole, self.text, self.at = whole, text, 0

    def read_named(self, closing: str) -> Iterator[tuple[str, Any]]:
        """Yield names with their values up to a closing bracket, or the end."""
        taken: set[str] = set()
        while not self._pass_bracket(closing):
            name = self._match_pattern(_NAME)
            if name is None:
                raise self._make_error()
            label = name["quoted"] or name["plain"]
            if label in taken:
                raise ParameterError(f"The figure {text_for_message(self.whole)} gives {label} twice.")
            taken.add(label)
            yield label, self._value()
            self._pass_comma(closing)

    def _value(self) -> Any:  # noqa: ANN401 - a number, a text, a list, several by name
        quoted = self._match_pattern(_QUOTED)
        if quoted is not None:
            double, single = quoted.groups()
            return single.replace("''", "'") if double is None else double.replace('""', '"')
        first = self.text[self.at : self.at + 1]
        if first == "{":
            self.at += 1
            return dict(self.read_named("}"))
        if first == "[":
            self.at += 1
            return list(self._read_list())
        plain = _PLAIN.match(self.text, self.at)
        # nothing follows, or a quotation mark that is never closed
        if plain is None or plain[0].strip()[:1] in {"", "'", '"'}:
            raise self._make_error()
        self.at = plain.end()
        return _parse_value(plain[0].strip())

    def _read_list(self) -> Iterator[Any]:
        while not self._pass_bracket("]"):
            yield self._value()
            self._pass_comma("]")

    def _pass_bracket(self, closing: str) -> bool:
        """Return whether the closing bracket, or the end, is here; it is passed."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        here = self.text[self.at : self.at + 1]
        if here != closing:
            return False
        self.at += len(closing)
        return True

    def _pass_comma(self, closing: str) -> None:
        """Pass a comma; else the closing bracket has to follow."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        here = self.text[self.at : self.at + 1]
        if here == ",":
            self.at += 1
        elif here != closing:
            raise self._make_error()

    def _match_pattern(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def _make_error(self) -> ParameterError:
        rest = self.text[self.at :].strip()
        where = f"at {text_for_message(rest)}" if rest else "at its end"
        return ParameterError(f"The figure {text_for_message(self.whole)} cannot be read {where}: {FORM}.")


def _parse_value(text: str) -> Any:  # noqa: ANN401 - a word, a number, a text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text
