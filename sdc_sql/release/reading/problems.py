"""Every error of a release file at once, each with the place where it stands: ``steps[3].k``."""

from __future__ import annotations

import difflib
import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from sdc_sql.db.checks import is_number, text_for_message
from sdc_sql.errors import InputError, ReleaseFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path


class Kind(NamedTuple):
    """What a field may be: whether a value is such, what is said where it is not, and the same as a JSON Schema."""

    fits: Callable[[Any], bool]
    words: str
    schema: Mapping[str, Any]


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number (True and False are none)."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_finite(value: object) -> bool:
    """Return whether a value is a finite number."""
    return is_number(value) and math.isfinite(value)  # type: ignore[arg-type] # a number


_TEXT, _NUMBER = {"type": "string"}, {"type": "number"}
_TEXTS = {"type": "array", "items": _TEXT}
TEXT = Kind(lambda v: isinstance(v, str), "a text", _TEXT)
TEXTS = Kind(_is_texts, 'a list of texts, as in ["age", "sex"]', _TEXTS)
NUMBER = Kind(is_finite, "a finite number", _NUMBER)
WHOLE = Kind(is_whole, "a whole number", {"type": "integer"})
TRUTH = Kind(lambda v: isinstance(v, bool), "true or false", {"type": "boolean"})
COLUMN_OR_NUMBER = Kind(
    lambda v: isinstance(v, str) or is_finite(v), "the name of a column, or a number", {"type": ["string", "number"]}
)
NUMBERS = Kind(
    lambda v: is_finite(v) or (isinstance(v, list) and bool(v) and all(map(is_finite, v))),
    "a number, or a list of them",
    {"type": ["number", "array"], "items": _NUMBER, "minItems": 1},
)
TABLE = Kind(lambda v: isinstance(v, dict), "a table, [name]", {"type": "object"})
TABLES = Kind(
    lambda v: isinstance(v, list) and all(isinstance(r, dict) for r in v),
    "a list of tables, [[name]]",
    {"type": "array", "items": {"type": "object"}},
)
LISTS = Kind(
    lambda v: isinstance(v, dict) and all(map(_is_texts, v.values())),
    'lists of columns by name, { region = ["district"] }',
    {"type": "object", "additionalProperties": _TEXTS},
)


class Problems:
    """The errors found so far."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, path: str, message: str) -> None:
        """Add one."""
        self.found.append(f"{path}: {message}")

    @contextmanager
    def collect_at(self, path: str) -> Iterator[None]:
        """Take an error of ours as one of that place."""
        try:
            yield
        except InputError as error:
            self.add(path, str(error))

    def raise_if_any(self, file: Path) -> None:
        """Raise all of them as one error.

        Raises
        ------
        ReleaseFileError
            Where there are any.
        """
        if self.found:
            raise ReleaseFileError(file.name, tuple(self.found))

    def table(self, path: str, given: Any, kinds: Mapping[str, Kind]) -> dict[str, Any]:  # noqa: ANN401 - of the file
        """Return the fields of a table that are what they must be; what is unknown is named with the nearest."""
        if given is None:
            return {}
        if not isinstance(given, dict):
            self.add(path, f"it is {text_for_message(given)}: it must be {TABLE[1]}.")
            return {}
        found = {}
        for name, value in given.items():
            at = f"{path}.{name}" if path else name
            if name not in kinds:
                self.add(at, f"there is no such field{hint_nearest(name, kinds)}")
            elif not kinds[name][0](value):
                self.add(at, f"it is {text_for_message(value)}: it must be {kinds[name][1]}.")
            else:
                found[name] = value
        return found


def hint_nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint at the nearest of the names there are, or all of them.

    Examples
    --------
    >>> hint_nearest("colum", ["column", "k"])
    "; did you mean 'column'? There are column, k."
    """
    names = list(known)
    close = difflib.get_close_matches(name.lower(), names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"; {hint}{'T' if hint else 't'}here are {', '.join(names)}."
