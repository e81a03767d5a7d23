"""The grammar of a header: what the comments of a SQL file declare of its macros.

::

    -- Source: Skinner & Elliot (2002), (7) and (9).
    -- Scope: cells.
    -- Parameters:
    --   tbl    table                      the table, view, common table expression or file
    --   nulls  'category' or 'wildcard'   how NULL in a key counts
    --   k      whole number in [2, ...)   the least number of records that is safe

A tag and what follows it go on in lines that are indented. Whatever else a comment says is prose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue import ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sdc_sql.db.catalogue.ranges import Range

TAGS = (
    "Source", "Scope", "Python", "Not compiled", "Compiled", "Keeps", "Guarantees", "Parameters", "Gives", "Rows",
    "Words", "Title", "Verb", "Command", "Before", "Limit", "Completed", "Underestimates", "Example",
    # these tags say what a mask does to a file, and what users of it are told (effects.py)
    "Values", "Bits", "Coarsens", "Suppresses", "Records", "Loss", "Told", "Matrix", "Publicly", "Users", "Households",
    "Repeated", "Series", "Strata",
    # these tell of its function in Python, where that is written from the header (returned.py)
    "Result", "Notes", "Raises", "Wildcards", "Picture",
)  # fmt: skip
# These are the kinds of arguments; a choice is written as its values, 'mean' or 'median'.
TYPES = (
    "table", "tables", "column", "columns", "column or number", "names", "number", "numbers", "number or numbers",
    "whole number", "truth value", "truth value or truth values", "text", "date", "value", "values", "levels",
    "lists of columns", "combinations",
)  # fmt: skip
CHOICE = "choice"
# arguments of these kinds may have a range
NUMBERS = ("number", "numbers", "number or numbers", "whole number", "column or number")
SCOPES = ("record", "cells", "moments", "table")

_TAG = re.compile(rf"(sdc_\w+|{'|'.join(TAGS)}):(?: +(.*))?$")
_PARAMETER = re.compile(r"  (?P<name>\w+)  +(?P<type>\S+(?: \S+)*)  +(?P<meaning>\S.*)$")
_CHOICES = re.compile(r"'[^']*'(?:, '[^']*')*(?: or '[^']*')?")
_RANGED = re.compile(rf"(?P<type>.+?)(?: in (?P<range>{ranges.FORM.pattern}))?(?P<null> or NULL)?")
_WHERE = rf" where (?P<parameter>\w+) is (?P<choices>{_CHOICES.pattern})"
_ALSO = re.compile(rf", (?P<kind>[\w ]+?) where (?P<parameter>\w+) is (?P<choices>{_CHOICES.pattern})")
_MORE = rf"(?P<also>(?:, [\w ]+? where \w+ is {_CHOICES.pattern})*)"
_WORD = re.compile(rf"(?P<kind>[\w ]+?)(?:{_WHERE}{_MORE}, else (?P<otherwise>[\w ]+?))?(?: \((?P<reason>.+)\))?\.")
_NAMES = re.compile(rf"(?P<names>\w+(?:, \w+)*)(?:{_WHERE})?")
_TITLE = re.compile(r"(?P<method>[^;]+); (?P<step>[^;]*\{\}[^;]*)\.")
_LIMIT = re.compile(r"(?P<figure>\w+)(?: as (?P<test>sdc_\w+))?\. (?P<meaning>.+)\.")


class HeaderError(ValueError):
    """A declaration that is missing or cannot be read; the message begins with its file and line."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        super().__init__(f"sql/{file}:{line}: {problem}")


@dataclass(frozen=True)
class Parameter:
    """An argument of a macro: its type (`choices` are the values of a choice), its default as SQL, and its meaning.

    ``range``: what a number lies in; ``or_null``: it, or one of several, may be NULL although that is not its default.
    """

    name: str
    type: str
    meaning: str
    choices: tuple[str, ...] = ()
    default: str | None = None
    line: int = 0
    range: Range | None = None
    or_null: bool = False

    def __str__(self) -> str:
        """Return the argument as a person reads it: ``k (whole number): at least 2``."""
        return f"{self.name} ({self.kind}): {self.meaning}"

    @property
    def kind(self) -> str:
        """Return the type as a header writes it."""
        if self.choices:
            return format_choice(self.choices)
        return f"{self.type}{f' in {self.range.text}' if self.range else ''}{' or NULL' if self.or_null else ''}"


@dataclass(frozen=True)
class Word:
    """What a tag says in a word, which may hang on a choice, and why.

    A scope is what a method must know to treat one record: the record, the table's cells, its moments, or all its
    records.
    """

    kind: str
    parameter: str = ""
    choices: tuple[str, ...] = ()
    otherwise: str = ""
    reason: str = ""
    also: tuple[Word, ...] = ()  # further words, each where a choice is one of some

    def __str__(self) -> str:
        """Return the word as a header writes it, without its reason."""
        if not self.parameter:
            return self.kind
        some = [f"{w.kind} where {w.parameter} is {format_choice(w.choices)}" for w in (self, *self.also)]
        return f"{', '.join(some)}, else {self.otherwise}"

    def find_word(self, arguments: Mapping[str, object]) -> str:
        """Return the word for a call. An argument that is not given must stand there with its default.

        Examples
        --------
        >>> Word("record", "method", ("plain",), "table").find_word({"method": "hoehne"})
        'table'
        """
        if not self.parameter:
            return self.kind
        there = (w.kind for w in (self, *self.also) if arguments.get(w.parameter) in w.choices)
        return next(there, self.otherwise)


@dataclass(frozen=True)
class Names:
    """Some names that a tag lists, of parameters or columns, which may hang on a choice."""

    names: tuple[str, ...]
    parameter: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Limit:
    """A figure that a test of dbt holds below a maximum: its column, the name of the test, and its meaning."""

    figure: str
    test: str
    meaning: str


@dataclass(frozen=True)
class Comment:
    """A comment that was read: its tags, the line of each, the parameters it declares, and its prose."""

    file: str
    tags: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    prose: tuple[str, ...] = ()

    def fail(self, tag: str, problem: str) -> HeaderError:
        """Return the error of what a tag says."""
        return HeaderError(self.file, self.lines.get(tag, 0), problem)


def read_comment(file: str, first: int, lines: Iterable[str]) -> Comment:
    """Read a comment, whose first line has a number in its file.

    Examples
    --------
    >>> read = read_comment("risk/x.sql", 1, ["-- Scope: cells.", "-- Parameters:", "--   k  whole number  at least 2"])
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
    if text.startswith("      ") and found.parameters:  # the line continues the meaning of the last parameter
        last = list(found.parameters.values())[-1]
        more = f"{last.meaning} {text.strip()}"
        found.parameters[last.name] = replace(last, meaning=more)
        return
    read = _PARAMETER.match(text)
    if not read:
        raise HeaderError(
            found.file, number, f"{text.strip()!r} is to be a name, a type and a meaning, two blanks apart."
        )
    if read["name"] in found.parameters:
        raise HeaderError(found.file, number, f"the parameter {read['name']} is declared twice.")
    kind = read["type"]
    choices = parse_choices(kind) if _CHOICES.fullmatch(kind) else ()
    ranged = _RANGED.fullmatch(kind)
    range_ = ranges.parse_range(ranged["range"]) if ranged and ranged["range"] else None
    if not choices and ranged and (range_ or not ranged["range"]) and (ranged["type"] in NUMBERS or kind in TYPES):
        kind = ranged["type"]
    if not choices and kind not in TYPES:
        known = f"give one of {', '.join(TYPES)}, 'a' or 'b', or of a number its range too, as in `number in (0, 1]`."
        raise HeaderError(found.file, number, f"{kind!r} is no type: {known}")
    found.parameters[read["name"]] = Parameter(
        read["name"], CHOICE if choices else kind, read["meaning"], choices, line=number, range=range_,
        or_null=not choices and bool(ranged and ranged["null"]),
    )  # fmt: skip


def format_choice(choices: Iterable[str]) -> str:
    """Return a choice as a header writes it: 'a', 'b' or 'c'."""
    *first, last = (f"'{c}'" for c in choices)
    return f"{', '.join(first)} or {last}" if first else last


def parse_choices(text: str) -> tuple[str, ...]:
    """Return the values of a choice.

    Examples
    --------
    >>> parse_choices("'mdav', 'vmdav' or 'univariate'")
    ('mdav', 'vmdav', 'univariate')
    """
    return tuple(re.findall(r"'([^']*)'", text))


def read_word(read: Comment, tag: str, words: tuple[str, ...], parameters: Mapping[str, Parameter]) -> Word | None:
    """Return the word that a comment has under a tag, for a macro with these parameters; None where it has none."""
    if tag not in read.tags:
        return None
    said = _WORD.fullmatch(read.tags[tag])
    if not said or not {said["kind"], said["otherwise"] or said["kind"]} <= {*words}:
        form = f"`{words[0]} where x is 'a', else {words[-1]}.`"
        raise read.fail(tag, f"{tag} is to be one of {', '.join(words)}, or {form}")
    if not said["parameter"]:
        return Word(said["kind"], reason=said["reason"] or "")
    choices = _choices_there(read, tag, said, parameters)
    more = [*_ALSO.finditer(said["also"] or "")]
    also = tuple(Word(m["kind"], m["parameter"], _choices_there(read, tag, m, parameters)) for m in more)
    if not {w.kind for w in also} <= {*words}:
        raise read.fail(tag, f"{tag} is to be one of {', '.join(words)} in each case.")
    return Word(said["kind"], said["parameter"], choices, said["otherwise"], said["reason"] or "", also)


def read_names(read: Comment, tag: str, parameters: Mapping[str, Parameter], known: Iterable[str]) -> tuple[Names, ...]:
    """Return the names that a comment lists under a tag, ``a, b; c where x is 'y'.``, each of them a known one."""
    text = read.tags.get(tag, "")
    if text in {"", "nothing."}:
        return ()
    found, there = [], {*known}
    for part in text.removesuffix(".").split("; "):
        said = _NAMES.fullmatch(part)
        if not said or not text.endswith("."):
            raise read.fail(tag, f"{tag} is to be names, as in `a, b; c where x is 'y'.`, or `nothing.`")
        if strange := [name for name in said["names"].split(", ") if name not in there]:
            raise read.fail(tag, f"{', '.join(strange)} is none of {', '.join(sorted(there))}.")
        choices = _choices_there(read, tag, said, parameters) if said["parameter"] else ()
        found.append(Names(tuple(said["names"].split(", ")), said["parameter"] or "", choices))
    return tuple(found)


def _choices_there(
    read: Comment, tag: str, said: re.Match[str], parameters: Mapping[str, Parameter]
) -> tuple[str, ...]:
    choices = parse_choices(said["choices"])
    if said["parameter"] not in parameters or not {*choices} <= {*parameters[said["parameter"]].choices}:
        raise read.fail(tag, f"{said['parameter']} is no choice with the values {said['choices']}.")
    return choices


def read_words(read: Comment, known: Iterable[str], by: Iterable[str]) -> dict[str, str]:
    """Return what figures mean in words, ``records: records that fewer than {k} are like; cells: ...``, by figure.

    A name in braces is one of the columns that tell the rows apart.
    """
    found: dict[str, str] = {}
    for part in read.tags.get("Words", "").removesuffix(".").split("; "):
        name, colon, words = part.partition(": ")
        if not part:
            continue
        strange = not colon or name not in known or not {*re.findall(r"\{(\w+)\}", words)} <= {*by}
        if strange or not read.tags["Words"].endswith("."):
            raise read.fail("Words", f"Words is to be `figure: what it is; figure: what it is.`, and has {part!r}.")
        found[name] = words
    return found


@dataclass(frozen=True)
class Title:
    """What a method is called where one chooses it from a list, and a step by it, of some columns ({})."""

    method: str
    step: str


def read_title(read: Comment) -> Title | None:
    """Return the title of a method, ``Title: in a list; as a step of {}.``, None where it has none.

    Examples
    --------
    >>> read_title(read_comment("mask/x.sql", 1, ["-- Title: Rounding to a base; Rounding of {}."]))
    Title(method='Rounding to a base', step='Rounding of {}')
    """
    if "Title" not in read.tags:
        return None
    found = _TITLE.fullmatch(read.tags["Title"])
    if found is None:
        raise read.fail("Title", "Title is to be `what it is called in a list; as a step of {}.`")
    return Title(found["method"], found["step"])


def read_limit(read: Comment, macro: str) -> Limit | None:
    """Return the limit that a comment declares, if it does."""
    if "Limit" not in read.tags:
        return None
    said = _LIMIT.fullmatch(read.tags["Limit"])
    if not said:
        raise read.fail("Limit", "Limit is to be `column. Its meaning.` or `column as sdc_test. Its meaning.`")
    return Limit(said["figure"], said["test"] or f"{macro}_below", said["meaning"])
