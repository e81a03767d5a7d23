"""What the headers of the SQL files declare of each function: the one place from which everything else takes it.

Help, the dbt package, the verbs on Spark, the options of the command line, the list in ``sql/README.md`` and the
contract tests come from these declarations; ``sdc_sql.db.catalogue.headers`` says how a header is written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue import headers
from sdc_sql.db.catalogue.effects import UNKNOWN, Effect, read_effect
from sdc_sql.db.catalogue.gives import Given, read_gives
from sdc_sql.db.catalogue.returned import read_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sdc_sql.db.catalogue.headers import Comment, Limit, Parameter, Title, Word
    from sdc_sql.db.catalogue.returned import Returned

CREATE = "CREATE OR REPLACE MACRO"
ENTRIES = "core/help (made from the headers)"

_MACRO = re.compile(
    rf"^{CREATE} (?P<name>sdc_\w+)\((?P<arguments>.*?)\) AS\b(?P<table> TABLE)?", re.MULTILINE | re.DOTALL
)
_MASKED = "it masks records: on Spark use sdc_sql.spark.load(spark), for other engines mask the table in DuckDB"
_NOT_COMPLETED = re.compile(r"no \(.+\)\.")
_METHODS = ("risk/", "linkage/", "mask/", "loss/")


@dataclass(frozen=True)
class Declaration:
    """One public function, as it is declared and as a person looks it up.

    ``verb`` is the method of Microdata that calls it (``switch`` the argument that chooses it among several), and of a
    mask the method of ``sdc-sql mask`` and of a release file. ``before`` are names of earlier versions, of the macro
    (``sdc_...``) or the verb. ``masks``: it releases all records; ``is_step``: it does that, or some
    columns or records leave the table; ``needs_python``: it calls a kernel, by every method (a tag ``Python`` says by
    which, where others do without); ``needs_key``: it draws; ``not_compiled``: why it cannot be compiled for another
    engine; ``effect``: what a mask does to a file; ``returned``: what Python returns, where its function is written;
    ``completed``: whether a measure of risk counts on the file as its households complete it; ``words``: what a figure
    is, as a reader of a report is told; ``title``: what it is called where one chooses from a list; ``underestimates``:
    whether many sample uniques may make its estimates far too low, of which who asks for it is warned.
    """

    name: str
    arguments: str
    summary: str
    gives: str
    example: str
    scope: Word | None
    keeps: str
    guarantees: str
    source: str
    needs_python: bool
    needs_key: bool
    masks: bool
    is_step: bool
    is_table: bool
    file: str
    parameters: tuple[Parameter, ...]
    verb: str
    switch: str
    limit: Limit | None
    not_compiled: str
    description: str
    given: Given
    effect: Effect = UNKNOWN
    before: tuple[str, ...] = ()
    returned: Returned | None = None
    completed: bool = True
    words: Mapping[str, str] = field(default_factory=dict)
    title: Title | None = None
    underestimates: bool = False

    @property
    def room(self) -> str:
        """Where its function stands in Python: what every measure is made of is measured as risk is."""
        room = self.file.partition("/")[0]
        return "risk" if room == "core" else room

    @property
    def result(self) -> Returned:
        """Return what the header says of the function in Python, which is written from it."""
        if self.returned is None:
            raise headers.HeaderError(self.file, 0, f"{self.name} says no `Result:`: all macros of a file do, or none.")
        return self.returned

    @property
    def signature(self) -> str:
        """Return the call with all its arguments and their defaults."""
        return f"{self.name}({self.arguments})"

    @property
    def repeated(self) -> str:
        """Return of a mask whether a table that changes may be released again, and why it may not."""
        return self._say_word(self.effect.repeated)

    @property
    def series(self) -> str:
        """Return of a mask what is kept of it in a series of releases, or why it is refused in one."""
        return self._say_word(self.effect.series)

    def _say_word(self, word: Word) -> str:
        if not self.is_step:
            return ""
        return f"{word} ({word.reason})" if word.reason else str(word)

    @property
    def required(self) -> tuple[Parameter, ...]:
        """Return the parameters that have no default."""
        return tuple(p for p in self.parameters if p.default is None)

    @property
    def optional(self) -> tuple[Parameter, ...]:
        """Return the parameters that have one."""
        return tuple(p for p in self.parameters if p.default is not None)


@dataclass(frozen=True)
class _Macro:
    """A macro as it stands in its file: the comment above it, its head, and the macros it calls."""

    header: Comment
    own: Comment
    name: str
    arguments: str
    is_table: bool
    line: int
    calls: frozenset[str]


def read_declarations(files: Iterable[tuple[str, str]]) -> tuple[Declaration, ...]:
    r"""Return what is declared of each public macro of the files, given by name and text.

    Raises
    ------
    HeaderError
        Where something is missing, or cannot be read: with the file and the line.

    Examples
    --------
    >>> header = "-- Source: A (2002).\n-- Scope: cells.\n-- Parameters:\n--   tbl  table  the table\n\n"
    >>> own = "-- sdc_x: the x.\n-- Gives: x BIGINT.\n-- Rows: one.\n-- Example: FROM sdc_x('t');\n"
    >>> text = header + own + "CREATE OR REPLACE MACRO sdc_x(tbl) AS TABLE FROM t;\n"
    >>> (x,) = read_declarations([("risk/x.sql", text)])
    >>> x.signature, x.summary, x.source, x.parameters[0].type
    ('sdc_x(tbl)', 'the x.', 'A (2002).', 'table')
    """
    macros = [macro for file, text in files for macro in _macros(file, text)]
    calls = {macro.name: macro.calls for macro in macros}
    python = _find_callers(calls, {name for name in calls if name.startswith("sdc__kernel_")})
    draws = _find_callers(calls, {"sdc__secret_key_of"})
    found = [_declaration(m, m.name in python, m.name in draws) for m in macros if not m.name.startswith("sdc__")]
    _refuse_unused(macros)
    return tuple(found)


def _macros(file: str, text: str) -> list[_Macro]:
    heads = list(_MACRO.finditer(text))
    ends = [*(h.start() for h in heads[1:]), len(text)]
    lines = text.splitlines()
    header = headers.read_comment(file, 1, lines[: next((i for i, t in enumerate(lines) if not t.startswith("--")), 0)])
    found = []
    for head, end in zip(heads, ends, strict=True):
        line = text.count("\n", 0, head.start()) + 1
        above = next((i for i in range(line - 1, 0, -1) if not lines[i - 1].startswith("--")), 0)
        own = lines[above : line - 1] if above else []
        body = re.sub(r"^--.*", "", text[head.end() : end], flags=re.MULTILINE)
        found.append(
            _Macro(
                header, headers.read_comment(file, line - len(own), own), head["name"],
                " ".join(head["arguments"].split()),
                head["table"] is not None, line, frozenset(re.findall(r"sdc_\w+(?=\()", body)),
            )
        )  # fmt: skip
    return found


def _find_callers(calls: Mapping[str, frozenset[str]], reached: set[str]) -> set[str]:
    """Return these macros, those that call one of them, and those that call such a macro."""
    while more := {name for name, called in calls.items() if called & reached} - reached:
        reached |= more
    return reached


def _declaration(macro: _Macro, needs_python: bool, draws: bool) -> Declaration:
    header, own, name = macro.header, macro.own, macro.name
    tags = header.tags | own.tags
    parameters = _parameters(macro)
    masks = "sdc__released" in macro.calls
    for tag in _list_documented_arguments(macro, masks):
        if not tags.get(tag):
            at = headers.Comment(header.file, lines={tag: macro.line})
            raise at.fail(tag, f"`-- {tag}: ...` is to stand above {name}, or in the header of the file.")
    by_name = {p.name: p for p in parameters}
    given = read_gives(own) if "Gives" in own.tags else Given(names=("every column",) if masks else ())
    verb, _, switch = tags.get("Verb", name.removeprefix("sdc_")).partition(", ")
    if tags.get("Command", verb) != verb:
        raise own.fail("Command", f"the command is {verb}, as the verb: a mask has one name at all doors.")
    return Declaration(
        name,
        macro.arguments,
        tags[name],
        tags.get("Gives", "every column." if masks else ""),
        tags["Example"],
        headers.read_word(own if "Scope" in own.tags else header, "Scope", headers.SCOPES, by_name),
        tags.get("Keeps", ""),
        tags.get("Guarantees", ""),
        tags.get("Source", ""),
        needs_python and "Python" not in tags,
        # a method without a stream needs no computation of what sdc__gathered draws
        draws and any(p.name == "stream" for p in parameters),
        masks,
        masks or (header.file.startswith("mask/") and "Command" in tags),
        macro.is_table,
        header.file,
        parameters,
        verb,
        switch,
        headers.read_limit(own, name),
        tags.get(
            "Not compiled", _MASKED if header.file.startswith("mask/") and "Compiled" not in tags else ""
        ).removesuffix("."),
        "\n".join([*header.prose, "", *own.prose]).strip(),
        given,
        read_effect(header, own, by_name, own.tags.get("Gives", "")),
        tuple(own.tags["Before"].removesuffix(".").split(", ")) if "Before" in own.tags else (),
        read_result(own, tags),
        _read_completed(header),
        headers.read_words(own, given.names, given.by),
        headers.read_title(own),
        macro.is_table and "Underestimates" in header.tags,
    )


def _read_completed(header: headers.Comment) -> bool:
    """Return whether the measures of a file count on the completed one: `Completed: no (why).` is the exception."""
    said = header.tags.get("Completed")
    if said is not None and not _NOT_COMPLETED.fullmatch(said):
        raise header.fail("Completed", "Completed is to be `no (why).`: measures of risk count on the completed file.")
    return said is None


def _list_documented_arguments(macro: _Macro, masks: bool) -> list[str]:
    wanted = [macro.name, "Example"]
    if macro.header.file.startswith(_METHODS):
        wanted.append("Source")
        if macro.is_table:
            wanted += ["Scope", "Keeps"] if masks else ["Scope", "Gives", "Rows"]
    return wanted


def _parameters(macro: _Macro) -> tuple[Parameter, ...]:
    """Return the arguments in their order, each as it is declared, with the default of the CREATE line."""
    declared = macro.header.parameters | macro.own.parameters
    found = []
    for argument in macro.arguments.split(", "):
        name, _, default = argument.partition(" := ")
        if name not in declared:
            raise headers.HeaderError(
                macro.header.file, macro.line,
                f"{macro.name} takes {name}: declare it under `-- Parameters:` in the header of the file.",
            )  # fmt: skip
        parameter = replace(declared[name], default=default or None)
        if parameter.choices and default not in {"", "NULL", *(f"'{c}'" for c in parameter.choices)}:
            raise headers.HeaderError(
                macro.header.file, parameter.line, f"{name} is {default} by default, which is none of its values."
            )
        found.append(parameter)
    return tuple(found)


def _refuse_unused(macros: Iterable[_Macro]) -> None:
    """Refuse a declaration of an argument that no macro of the file takes, or not the macro below it."""
    taken: dict[str, set[str]] = {}
    for macro in macros:
        names = {argument.partition(" ")[0] for argument in macro.arguments.split(", ")}
        taken.setdefault(macro.header.file, set()).update(() if macro.name.startswith("sdc__") else names)
        _refuse(macro.own, names)
    for header in {macro.header.file: macro.header for macro in macros}.values():
        _refuse(header, taken[header.file])


def _refuse(read: Comment, names: set[str]) -> None:
    for parameter in read.parameters.values():
        if parameter.name not in names:
            raise headers.HeaderError(read.file, parameter.line, f"{parameter.name} is no argument of a macro below.")


# These are the columns of sdc_help(), in their order.
HELP = (
    "name", "arguments", "summary", "gives", "example", "parameters", "scope", "keeps", "guarantees", "repeated",
    "series", "source", "needs_python", "needs_key", "file", "description",
)  # fmt: skip


def write_entries(found: Iterable[Declaration]) -> str:
    """Return the declarations as a table macro, ``sdc__help()``."""
    rows = ",\n".join(f"    ({', '.join(_write_literal(getattr(entry, name)) for name in HELP)})" for entry in found)
    return (
        "-- What the headers of the other files say of each function; made when the files are read.\n"
        f"{CREATE} sdc__help() AS TABLE FROM (VALUES\n{rows}\n) AS t({', '.join(HELP)});\n"
    )


def write_former_macros(found: Iterable[Declaration]) -> dict[str, str]:
    """Return the macros of earlier versions that are called otherwise now, each as an error that says how."""
    return {
        before: f"{CREATE} {before}({entry.arguments}) AS TABLE\n    SELECT "
        f"error({_write_literal(f'ParameterError: {explain_new_name(before, entry.name)}')}) AS sdc__error;\n"
        for entry in found
        for before in entry.before
        if before.startswith("sdc_")
    }


def explain_new_name(before: str, now: str) -> str:
    """Return what is said where a name of an earlier version is used.

    Examples
    --------
    >>> explain_new_name("sdc_x", "sdc_y")
    'sdc_x is the name of versions before 0.2.0: write sdc_y.'
    """
    return f"{before} is the name of versions before 0.2.0: write {now}."


def _write_literal(value: Any) -> str:  # noqa: ANN401 - a text, a truth value, or what a header says
    """Return a value as SQL.

    It is not written by sqlglot's trees: every load needs some thousand of these texts, all of them our own.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):  # the value is a tuple of parameters
        return f"[{', '.join(map(_write_literal, value))}]"
    if isinstance(value, headers.Parameter):
        return _write_literal(str(value))
    return "NULL" if value is None else "'" + str(value).replace("'", "''") + "'"
