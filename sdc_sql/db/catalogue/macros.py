"""Find the SQL files, put them in order, and print them as one.

A macro's body is bound when it is created, so a file comes after the files whose macros it calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from graphlib import TopologicalSorter
from importlib.resources import files
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue import functions as catalogue
from sdc_sql.db.catalogue.effects import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

    from sdc_sql.db.catalogue.effects import Effect

CREATE = catalogue.CREATE
_ENTRIES = "sdc__help"


@dataclass(frozen=True)
class SqlFile:
    """One file of macros: where it is, its text, what it defines and what it calls."""

    name: str
    text: str
    defines: tuple[str, ...]
    calls: frozenset[str]


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".sql"):
            yield prefix + entry.name, entry.read_text(encoding="utf-8")


@cache
def file_texts() -> Mapping[str, str]:
    """Return the text of every SQL file of the package by its name, as in ``core/cells.sql``."""
    return dict(_walk(files("sdc_sql.sql")))


# These are expressions, not sqlglot's tokens: the files are read at every start.
_DEFINED = re.compile(rf"^{CREATE} (sdc_\w+)\(", re.MULTILINE)
_SAID = re.compile(r"""'[^']*'|"[^"]*"|--.*""")  # it finds texts, names in quotes and comments
_START = re.compile(rf"^(?={CREATE} sdc_)", re.MULTILINE)
_LINE = re.compile(r"^--.*", re.MULTILINE)
_NAME = re.compile(r"\bsdc_\w+", re.IGNORECASE)
_CALLED = re.compile(r"sdc_\w+(?=\()")  # no word boundary stands before it: this is six times as fast


def _parse_file(name: str, text: str) -> SqlFile:
    defines = tuple(_DEFINED.findall(text))
    return SqlFile(name, text, defines, frozenset(_CALLED.findall(_SAID.sub("", text))) - {*defines})


@cache
def read_catalogue() -> tuple[catalogue.Declaration, ...]:
    """Return what the headers of the files declare of each public macro.

    Examples
    --------
    >>> [e.signature for e in read_catalogue() if e.name == "sdc_theta"]
    ['sdc_theta(tbl, keys, sampling_fraction, confidence := 0.99)']
    """
    return catalogue.read_declarations(file_texts().items())


@cache
def index_catalogue() -> Mapping[str, catalogue.Declaration]:
    """Return the same by the names of the macros.

    Examples
    --------
    >>> index_catalogue()["sdc_theta"].scope
    Word(kind='cells', parameter='', choices=(), otherwise='', reason='', also=())
    """
    return {declaration.name: declaration for declaration in read_catalogue()}


@cache
def index_former_names() -> Mapping[str, str]:
    """Return the names of earlier versions, of macros and of verbs, with those of today.

    Examples
    --------
    >>> index_former_names()["sdc_shuffle"], index_former_names()["shuffle"]
    ('sdc_renumber', 'renumber')
    """
    return {old: d.name if old.startswith("sdc_") else d.verb for d in read_catalogue() for old in d.before}


def find_mask(method: str) -> catalogue.Declaration | None:
    """Return the mask that a log names, also by its name of an earlier version; None where there is none.

    Examples
    --------
    >>> find_mask("random_round").verb, find_mask("elsewhere")
    ('round', None)
    """
    name = f"sdc_{method}"
    return index_catalogue().get(index_former_names().get(name, name))


def find_effect(method: str) -> Effect:
    """Return what a mask does to a file, by its name in the log; of one that is not declared, the safe case.

    Examples
    --------
    >>> find_effect("rank_swap").values.kind, find_effect("elsewhere").loss.kind
    ('numbers', 'withheld')
    """
    found = find_mask(method)
    return found.effect if found else UNKNOWN


@cache
def sql_files() -> tuple[SqlFile, ...]:
    """Return every SQL file of the package, each after the files whose macros it calls.

    One of them is made from the headers of the others: the entries of ``sdc_help``, and the macros that are called
    otherwise now, as errors.

    Examples
    --------
    >>> names = [f.name for f in sql_files()]
    >>> names.index("core/columns.sql") < names.index("core/cells.sql") < names.index("risk/global_risk.sql")
    True
    """
    found = {name: _parse_file(name, text) for name, text in file_texts().items()}
    written = "\n".join([catalogue.write_entries(read_catalogue()), *_write_former_macros().values()])
    found[catalogue.ENTRIES] = SqlFile(catalogue.ENTRIES, written, (_ENTRIES, *_write_former_macros()), frozenset())
    home = {macro: f.name for f in found.values() for macro in f.defines}
    # the names are sorted, so that the order is the same in every process
    order = TopologicalSorter({name: sorted({home[c] for c in f.calls if c in home}) for name, f in found.items()})
    return tuple(found[name] for name in order.static_order())


@cache
def _write_former_macros() -> dict[str, str]:
    return catalogue.write_former_macros(read_catalogue())


@cache
def _list_statements() -> Mapping[str, str]:
    """Return the statement that creates each macro, by its name."""
    return (
        _write_former_macros()
        | {
            _DEFINED.match(statement)[1]: statement  # type: ignore[index] # it begins so
            for text in file_texts().values()
            for statement in _START.split(text)[1:]
        }
    )


def definition(macro: str) -> str:
    """Return the statement that creates a macro.

    Examples
    --------
    >>> definition("sdc__is_weight").partition(" AS")[0]
    'CREATE OR REPLACE MACRO sdc__is_weight(weight)'
    """
    return catalogue.write_entries(read_catalogue()) if macro == _ENTRIES else _list_statements()[macro]


@cache
def _list_called_macros(macro: str) -> tuple[str, ...]:
    """Return the macros that a macro calls, which are there before it is created."""
    return _find_names(macro, _SAID.sub("", _list_statements().get(macro, "")))


@cache
def _list_written_macros(macro: str) -> tuple[str, ...]:
    """Return the macros that a macro calls, also in the text of a query that it writes."""
    return _find_names(macro, _LINE.sub("", _list_statements().get(macro, "")))


def _find_names(macro: str, code: str) -> tuple[str, ...]:
    return tuple(
        n for n in dict.fromkeys(_CALLED.findall(code)) if n != macro and (n in _list_statements() or n == _ENTRIES)
    )


def list_macros() -> tuple[str, ...]:
    """Return the names of all macros, each after those that it calls."""
    return tuple(macro for file in sql_files() for macro in file.defines)


def list_needed_macros(query: str, complete: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the macros that a query calls, and those that these call, each after those that it calls.

    What is ``complete`` is there with all that it calls.

    Examples
    --------
    >>> names = list_needed_macros("FROM sdc_theta('persons', ['age'], 0.1)")
    >>> names.index("sdc__columns") < names.index("sdc_theta"), "sdc_household_risk" in names
    (True, False)
    """
    names = {name.lower() for name in _NAME.findall(query)} - complete
    return _collect_macros(tuple(sorted({name for name in names if name in _list_statements() or name == _ENTRIES})))


@lru_cache(maxsize=1024)
def _collect_macros(macros: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}  # the keys keep their order

    def add(macro: str) -> None:
        for other in _list_called_macros(macro):
            if other not in found:
                add(other)
        found[macro] = None

    waiting = [*macros]
    while waiting:
        for macro in waiting:
            if macro not in found:
                add(macro)
        # a macro in the text of a query is called when the query runs, and may call this one in turn
        waiting = [macro for known in found for macro in _list_written_macros(known) if macro not in found]
    return tuple(found)


def bundle() -> str:
    """Return all macros as one SQL file, for ``duckdb -init sdc.sql`` or to be run by any DuckDB.

    Examples
    --------
    >>> "CREATE OR REPLACE MACRO sdc_theta(" in bundle()
    True
    """
    head = "-- Statistical disclosure control in SQL: the macros of sdc-sql in one file, for DuckDB 1.5 and later.\n"
    return head + "".join(f"\n-- {'=' * 8} {f.name} {'=' * 8}\n\n{f.text}" for f in sql_files())


def example_tables() -> str:
    """Return the SQL that makes the tables of the examples in ``sdc_help``, from the header of its file.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> con.execute(example_tables()).sql("SELECT count(*) FROM persons").fetchall()
    [(8,)]
    """
    (text,) = (file.text for file in sql_files() if "sdc_help" in file.defines)
    header = text.partition("\n\n")[0].partition("Tables of the examples:\n")[2]
    return "\n".join(line.removeprefix("--") for line in header.splitlines())
