"""The grammar of a header: what the comments of a SQL file declare of its macros.

::

    -- Source: Skinner & Elliot (2002), (7) and (9).
    -- Scope: cells.
    -- Parameters:
    --   tbl    table                      the table, view, common table expression or file
    --   nulls  'category' or 'wildcard'   how NULL in a key counts

A tag and what follows it go on in lines that are indented. Whatever else a comment says is prose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TAGS = (
    "Source", "Scope", "Python", "Not compiled", "Compiled", "Keeps", "Guarantees", "Parameters", "Gives", "Rows",
    "Verb", "Command", "Limit", "Example",
)  # fmt: skip
# What an argument is; a choice is written as its values, 'mean' or 'median'.
TYPES = (
    "table", "tables", "column", "columns", "column or number", "names", "number", "numbers", "number or numbers",
    "whole number", "truth value", "truth value or truth values", "text", "date", "value", "values", "levels",
    "lists of columns", "combinations",
)  # fmt: skip
CHOICE = "choice"
SCOPES = ("record", "cells", "moments", "table")

_TAG = re.compile(rf"(sdc_\w+|{'|'.join(TAGS)}):(?: +(.*))?$")
_PARAMETER = re.compile(r"  (?P<name>\w+)  +(?P<type>\S+(?: \S+)*)  +(?P<meaning>\S.*)$")
_CHOICES = re.compile(r"'[^']*'(?:, '[^']*')*(?: or '[^']*')?")
_SCOPE = re.compile(
    rf"(?P<kind>\w+)(?: where (?P<parameter>\w+) is (?P<choices>{_CHOICES.pattern}), else (?P<otherwise>\w+))?\."
)
_LIMIT = re.compile(r"(?P<figure>\w+)(?: as (?P<test>sdc_\w+))?\. (?P<meaning>.+)\.")


class HeaderError(ValueError):
    """A declaration that is missing or cannot be read; the message begins with its file and line."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        super().__init__(f"sql/{file}:{line}: {problem}")


@dataclass(frozen=True)
class Parameter:
    """An argument of a macro: its type (`choices` are the values of a choice), its default as SQL, and its meaning."""

    name: str
    type: str
    meaning: str
    choices: tuple[str, ...] = ()
    default: str | None = None
    line: int = 0

    def __str__(self) -> str:
        """Return the argument as a person reads it: ``k (whole number): at least 2``."""
        return f"{self.name} ({self.kind}): {self.meaning}"

    @property
    def kind(self) -> str:
        """Return the type as a header writes it."""
        return said(self.choices) if self.choices else self.type


@dataclass(frozen=True)
class Scope:
    """What a method must know to treat one record: the record, the table's cells, its moments, or all its records."""

    kind: str
    parameter: str = ""
    choices: tuple[str, ...] = ()
    otherwise: str = ""

    def __str__(self) -> str:
        """Return the scope as a header writes it."""
        if not self.parameter:
            return self.kind
        return f"{self.kind} where {self.parameter} is {said(self.choices)}, else {self.otherwise}"

    def of(self, arguments: Mapping[str, object]) -> str:
        """Return the scope of a call. An argument that is not given must stand there with its default.

        Examples
        --------
        >>> Scope("record", "method", ("plain",), "table").of({"method": "hoehne"})
        'table'
        """
        return self.kind if not self.parameter or arguments[self.parameter] in self.choices else self.otherwise


@dataclass(frozen=True)
class Limit:
    """A figure that a test of dbt holds below a maximum: its column, the name of the test, and its meaning."""

    figure: str
    test: str
    meaning: str


@dataclass(frozen=True)
class Comment:
    """A comment, read: its tags, the line of each, the parameters it declares, and its prose."""

    file: str
    tags: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    prose: tuple[str, ...] = ()

    def fail(self, tag: str, problem: str) -> HeaderError:
        """Return the error of what a tag says."""
        return HeaderError(self.file, self.lines.get(tag, 0), problem)


def comment(file: str, first: int, lines: Iterable[str]) -> Comment:
    """Read a comment, whose first line has a number in its file.

    Examples
    --------
    >>> read = comment("risk/x.sql", 1, ["-- Scope: cells.", "-- Parameters:", "--   k  whole number  at least 2"])
    >>> read.tags["Scope"], read.parameters["k"].type
    ('cells.', 'whole number')
    """
    found = Comment(file)
    tag, prose = "", []
    for number, line in enumerate(lines, first):
        text = line.removeprefix("--").removeprefix(" ").rstrip()
        if head := _TAG.match(text):
            tag = head[1]
            if tag in found.tags:
                raise HeaderError(file, number, f"{tag}: stands twice in one comment.")
            found.tags[tag], found.lines[tag] = head[2] or "", number
        elif tag == "Parameters" and text.startswith("  "):
            _add_parameter(found, number, text)
        elif tag and text.startswith("  "):
            found.tags[tag] = f"{found.tags[tag]} {text.strip()}".strip()
        else:
            tag = ""
        if tag in ("", *TAGS) and tag not in {"Example", "Parameters"}:
            prose.append(text)
    return Comment(file, found.tags, found.lines, found.parameters, tuple(prose))


def _add_parameter(found: Comment, number: int, text: str) -> None:
    if text.startswith("      ") and found.parameters:  # the meaning of the last one goes on
        last = list(found.parameters.values())[-1]
        more = f"{last.meaning} {text.strip()}"
        found.parameters[last.name] = Parameter(last.name, last.type, more, last.choices, line=last.line)
        return
    read = _PARAMETER.match(text)
    if not read:
        raise HeaderError(
            found.file, number, f"{text.strip()!r} is to be a name, a type and a meaning, two blanks apart."
        )
    if read["name"] in found.parameters:
        raise HeaderError(found.file, number, f"the parameter {read['name']} is declared twice.")
    kind = read["type"]
    choices = choices_of(kind) if _CHOICES.fullmatch(kind) else ()
    if not choices and kind not in TYPES:
        raise HeaderError(found.file, number, f"{kind!r} is no type: give one of {', '.join(TYPES)}, or 'a' or 'b'.")
    found.parameters[read["name"]] = Parameter(
        read["name"], CHOICE if choices else kind, read["meaning"], choices, line=number
    )


def said(choices: Iterable[str]) -> str:
    """Return a choice as a header writes it: 'a', 'b' or 'c'."""
    *first, last = (f"'{c}'" for c in choices)
    return f"{', '.join(first)} or {last}" if first else last


def choices_of(text: str) -> tuple[str, ...]:
    """Return the values of a choice.

    Examples
    --------
    >>> choices_of("'mdav', 'vmdav' or 'univariate'")
    ('mdav', 'vmdav', 'univariate')
    """
    return tuple(re.findall(r"'([^']*)'", text))


def scope(read: Comment, parameters: Mapping[str, Parameter]) -> Scope:
    """Return the scope that a comment declares, for a macro with these parameters."""
    said = _SCOPE.fullmatch(read.tags["Scope"])
    if not said or not {said["kind"], said["otherwise"] or said["kind"]} <= {*SCOPES}:
        raise read.fail("Scope", f"Scope is to be one of {', '.join(SCOPES)}, or `record where x is 'a', else table.`")
    if not said["parameter"]:
        return Scope(said["kind"])
    choices = choices_of(said["choices"])
    if said["parameter"] not in parameters or not {*choices} <= {*parameters[said["parameter"]].choices}:
        raise read.fail("Scope", f"{said['parameter']} is no choice with the values {said['choices']}.")
    return Scope(said["kind"], said["parameter"], choices, said["otherwise"])


def limit(read: Comment, macro: str) -> Limit | None:
    """Return the limit that a comment declares, if it does."""
    if "Limit" not in read.tags:
        return None
    said = _LIMIT.fullmatch(read.tags["Limit"])
    if not said:
        raise read.fail("Limit", "Limit is to be `column. Its meaning.` or `column as sdc_test. Its meaning.`")
    return Limit(said["figure"], said["test"] or f"{macro}_below", said["meaning"])
