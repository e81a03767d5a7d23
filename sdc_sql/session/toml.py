"""Text for TOML files, which Python 3.11 reads and does not write."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from sdc_sql.errors import ParameterError

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")  # some editors take these, too, for the end of a line


def format_toml_value(given: Any) -> str:  # noqa: ANN401 - whatever TOML has
    r"""Return a value as TOML writes it, on one line.

    Raises
    ------
    ParameterError
        Where TOML has no such value: NULL, for one.

    Examples
    --------
    >>> format_toml_value({"a key": ['"quoted"', 1, 0.5, True]})
    '{ "a key" = ["\\"quoted\\"", 1, 0.5, true] }'
    """
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, int) or (isinstance(given, float) and math.isfinite(given)):
        return repr(given)
    if isinstance(given, date):
        return given.isoformat()
    if isinstance(given, str):  # the escapes of JSON are among those of TOML
        return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(given, list | tuple):
        return f"[{', '.join(map(format_toml_value, given))}]"
    if isinstance(given, Mapping):
        return (
            f"{{ {', '.join(f'{format_key(name)} = {format_toml_value(v)}' for name, v in given.items())} }}"
            if given
            else "{}"
        )
    what = "NULL" if given is None else type(given).__name__
    raise ParameterError(f"TOML, in which a release file is written, has no {what} among its values.")


def format_text(given: str) -> str:
    """Return a text, in single quotes where that saves escapes.

    Examples
    --------
    >>> print(format_text('a "word"'), format_text("it's"))
    'a "word"' "it's"
    """
    plain = "'" not in given and not _CONTROL.search(given)
    return f"'{given}'" if plain else format_toml_value(given)


def format_key(name: object) -> str:
    """Return a key, in quotes where it needs them."""
    if not isinstance(name, str):
        raise ParameterError(
            f"TOML, in which a release file is written, has texts as keys, and no {type(name).__name__}."
        )
    return name if _BARE.fullmatch(name) else format_toml_value(name)


def format_line(name: str, given: Any, said: str = "") -> str:  # noqa: ANN401 - whatever TOML has
    """Return a line ``name = value``, with a comment where something is said."""
    return f"{format_key(name)} = {format_toml_value(given)}{f'  {format_comment(said)}' if said else ''}"


def format_comment(text: str) -> str:
    """Return a comment, which is one line whatever the text holds.

    Examples
    --------
    >>> format_comment("one" + chr(10) + "two")
    '# one two'
    """
    return f"# {_CONTROL.sub(' ', text)}"
