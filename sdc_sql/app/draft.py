"""A release file as it is being made: a nested dict in the words of the release schema, and its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.session import toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FIRST = ("title", "producer", "version", "description", "population", "release", "rules", "to_decide")
WINDOW = "window"  # what the page keeps beside the release file, and no run reads: steps that are switched off
ORDER = (
    *FIRST, "source", "roles", "figures", "scenarios", "steps", "loss", "estimates", "intruder", "frontier",
    "governance", "series", "output",
)  # fmt: skip


def format_release(said: Mapping[str, Any]) -> str:
    """Return a release file as TOML: single values first, then a head for each table and for each of several.

    Examples
    --------
    >>> print(format_release({"steps": [{"mask": "round", "column": "age"}], "title": "Persons", "roles": {}}))
    title = "Persons"
    <BLANKLINE>
    [[steps]]
    mask = "round"
    column = "age"
    <BLANKLINE>
    """
    names = sorted(said.keys() - {WINDOW}, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
    single = [name for name in names if not _is_table(said[name]) and not _is_tables(said[name])]
    lines = [toml.format_line(name, said[name]) for name in single if said[name] not in ("", [])]
    for name in names:
        if name not in single:
            lines += _write_tables(name, said[name])
    return "\n".join(lines).lstrip("\n") + "\n"


def _write_tables(name: str, given: Any) -> Iterator[str]:  # noqa: ANN401 - a table, or several
    head = toml.format_key(name)
    for table in [given] if _is_table(given) else given:
        if table:
            yield ""
            yield f"[{head}]" if _is_table(given) else f"[[{head}]]"
            yield from (toml.format_line(field, value) for field, value in table.items())


def _is_table(given: object) -> bool:
    return isinstance(given, dict)


def _is_tables(given: object) -> bool:
    return isinstance(given, list) and bool(given) and all(isinstance(one, dict) for one in given)
