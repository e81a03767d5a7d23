"""A value of a step, checked by the type, the choices and the range that its header declares."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue import arguments, headers
from sdc_sql.db.checks import text_for_message
from sdc_sql.release.reading.problems import NUMBERS, hint_nearest, is_finite, is_whole

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.headers import Parameter
    from sdc_sql.release.reading.fields import Reading

# a table can be given as one of these instead of a file
TABLES = {"mapping": dict, "hierarchies": dict, "matrix": list}
_Nothing: Any = ()
BY_KEY = {"importance", "max_share"}  # these numbers can be given by the names of keys


class Values:
    """The values of one step."""

    def __init__(self, reading: Reading, path: str) -> None:
        self.reading, self.path = reading, path

    def convert_value(self, parameter: Parameter, value: Any) -> Any:  # noqa: ANN401 - of the file
        """Return a value as the verb takes it; errors are added to the problems."""
        at = f"{self.path}.{parameter.name}"
        if parameter.choices:
            self._choice(at, parameter.choices, value)
            return value
        kind = parameter.type
        if kind in {"column", "columns"} or (kind == "column or number" and isinstance(value, str)):
            return self._columns(at, "columns" if kind == "columns" else "column", value)
        if kind == "table":
            return self._table(at, parameter.name, value)
        if kind in {"levels", "lists of columns"} and isinstance(value, dict):
            return {n: list(self._columns(f"{at}.{n}", "columns", v) or ()) for n, v in value.items()}
        if kind == "combinations" and isinstance(value, list):
            return [list(self._columns(f"{at}[{i}]", "columns", v) or ()) for i, v in enumerate(value)]
        self._numbers(at, parameter, value)
        return value

    def _choice(self, at: str, choices: tuple[str, ...], value: object) -> None:
        if value not in choices:
            hint = hint_nearest(value, choices) if isinstance(value, str) else "."
            hint = "." if hint.startswith("; there") else hint.partition("? ")[0] + "?"
            self.reading.problems.add(
                at, f"it is {text_for_message(value)}: it must be {headers.format_choice(choices)}{hint}"
            )

    def _numbers(self, at: str, parameter: Parameter, value: Any) -> None:  # noqa: ANN401 - of the file
        if parameter.type == "number or numbers" and parameter.name in BY_KEY and isinstance(value, dict):
            for name, number in value.items():
                self.reading.column(f"{at}.{name}", "key variable", name)
                self._number(f"{at}.{name}", parameter, number)
        elif (wanted := self._describe_wanted(parameter, value)) is not None:
            self.reading.problems.add(at, f"it is {text_for_message(value)}: it must be {wanted}.")
        elif parameter.type in headers.NUMBERS:
            for i, number in enumerate(value if isinstance(value, list) else [value]):
                self._number(f"{at}[{i}]" if isinstance(value, list) else at, parameter, number)

    def _describe_wanted(self, parameter: Parameter, value: Any) -> str | None:  # noqa: ANN401 - of the file
        """Return what a value must be, where it is not."""
        truths = isinstance(value, list) and all(isinstance(v, bool) for v in value)
        texts = isinstance(value, list) and all(isinstance(v, str) for v in value)
        scalar = isinstance(value, str | date) or is_finite(value)
        ways: dict[str, tuple[bool, str]] = {
            "number": (is_finite(value), "a finite number"),
            "column or number": (is_finite(value), "a column or a number"),
            "whole number": (is_whole(value), "a whole number"),
            "number or numbers": (NUMBERS[0](value), NUMBERS[1]),
            "numbers": (isinstance(value, list) and NUMBERS[0](value), "a list of numbers"),
            "truth value": (isinstance(value, bool), "true or false"),
            "truth value or truth values": (isinstance(value, bool) or truths, "true or false, or a list of them"),
            "names": (texts, "a list of texts"),
            "text": (isinstance(value, str) or (parameter.name == "level" and is_whole(value)), "a text"),
            "value": (scalar, "a number, a text or a date"),
            "levels": (False, 'lists of columns by level, as in { very = ["sex"] }'),
            "lists of columns": (False, 'lists of columns by name, as in { region = ["district"] }'),
            "combinations": (False, 'a list of lists of columns, as in [["age", "sex"]]'),
        }
        right, words = ways.get(parameter.type, (True, ""))
        return None if right else words

    def _number(self, at: str, parameter: Parameter, number: object) -> None:
        if (must := arguments.describe_wanted_number(parameter, number)) is not None:
            said = f" ({parameter.meaning})" if is_finite(number) else ""
            self.reading.problems.add(at, f"it is {text_for_message(number)}: it must be {must}{said}.")

    def _columns(self, at: str, kind: str, value: Any) -> Any:  # noqa: ANN401 - of the file
        if kind == "column" and isinstance(value, str):
            return self.reading.column(at, "column", value)
        if kind == "columns" and isinstance(value, list) and all(isinstance(v, str) for v in value):
            return list(self.reading.resolve_columns(at, "column", value))
        wanted = "the name of a column" if kind == "column" else "a list of columns"
        self.reading.problems.add(at, f"it is {text_for_message(value)}: it must be {wanted}.")
        return None

    def _table(self, at: str, name: str, value: Any) -> Any:  # noqa: ANN401 - of the file
        """Return a table: the path of a file, or what the method takes instead of one."""
        if isinstance(value, str):
            path = self.reading.resolve_path(value)
            if not path.exists():
                self.reading.problems.add(at, f"there is no file {path}.")
            return str(path)
        if isinstance(value, TABLES.get(name, _Nothing)):
            if name == "hierarchies":
                return {
                    self.reading.column(f"{at}.{key}", "key variable", key): self._table(f"{at}.{key}", "file", file)
                    for key, file in value.items()
                }
            return value
        self.reading.problems.add(at, f"it is {text_for_message(value)}: it must be the path of a file.")
        return value
