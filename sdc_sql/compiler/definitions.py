"""The macros as trees: name, parameters, defaults and body, read from the SQL files."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import TokenType, exp, tokenize

from sdc_sql.compiler.constants import holds_together
from sdc_sql.db.catalogue.macros import CREATE, file_texts
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sqlglot.tokenizer_core import Token


@dataclass(frozen=True)
class Definition:
    """One macro. `defaults` holds the parameters that have one; `is_table` tells a table macro from a scalar one."""

    name: str
    parameters: tuple[str, ...]
    defaults: Mapping[str, exp.Expression]
    is_table: bool
    body: exp.Expression
    text: str = ""  # the statement that creates it

    def bind(self, arguments: Sequence[exp.Expression]) -> dict[str, exp.Expression]:
        """Return the value of each parameter, from arguments by position and by name.

        Raises
        ------
        ParameterError
            Where one is missing, or unknown, or given twice.
        """
        bound: dict[str, exp.Expression] = {}
        for position, argument in enumerate(arguments):
            if isinstance(argument, exp.PropertyEQ):
                name, value = argument.this.name, argument.expression
            elif position < len(self.parameters):
                name, value = self.parameters[position], argument
            else:
                name, value = f"number {position + 1}", argument
            if name not in self.parameters or name in bound:
                problem = "is given twice" if name in bound else "is not an argument of it"
                raise ParameterError(f"{self.name}({', '.join(self.parameters)}): {name} {problem}.")
            bound[name] = value
        missing = [p for p in self.parameters if p not in bound and p not in self.defaults]
        if missing:
            raise ParameterError(f"{self.name}({', '.join(self.parameters)}) needs {', '.join(missing)}.")
        return {p: bound.get(p, self.defaults.get(p, exp.null())) for p in self.parameters}


def parse_sql(text: str) -> exp.Expression:
    """Return DuckDB's SQL as a tree."""
    tree = sqlglot.parse_one(text, read="duckdb")
    assert isinstance(tree, exp.Expression)  # noqa: S101 - for the type checker: sqlglot is typed loosely
    return tree.transform(_replace_index, copy=False)


def _replace_index(node: exp.Expression) -> exp.Expression:
    """Write list[i] as list_extract(list, i): sqlglot counts literal places from 0, and i may be replaced by one.

    The place in the text is forgotten: every copy would copy it.
    """
    node._meta = None  # noqa: SLF001 - sqlglot can only empty it, and copies it then too
    if isinstance(node, exp.Bracket) and len(node.expressions) == 1:
        place = node.expressions[0]
        if not isinstance(place, exp.Literal | exp.Slice | exp.Neg):
            return exp.Anonymous(this="list_extract", expressions=[node.this, place])
    return node


def _split_parameters(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Split a parameter list at its commas (the defaults are plain literals, without a comma)."""
    part: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.COMMA:
            yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def _cut_definition(text: str) -> Definition:
    """Cut CREATE OR REPLACE MACRO name(parameters) AS [TABLE] body; into its parts."""
    tokens = tokenize(text, read="duckdb")
    end = next(i for i, token in enumerate(tokens) if token.token_type is TokenType.SEMICOLON)
    statement = tokens[:end]
    start = next(i for i, token in enumerate(statement) if token.text.upper() == "MACRO") + 1
    close = next(i for i, token in enumerate(statement) if token.token_type is TokenType.R_PAREN)
    defaults = {}
    parameters = []
    for part in _split_parameters(statement[start + 2 : close]):
        parameters.append(part[0].text)
        if len(part) > 1:  # the parameter has a default: name := value
            defaults[part[0].text] = parse_sql(text[part[2].start : part[-1].end + 1])
    is_table = statement[close + 2].text.upper() == "TABLE"
    body = statement[close + 3 if is_table else close + 2]
    tree = parse_sql(text[body.start : statement[-1].end + 1])
    return Definition(statement[start].text, tuple(parameters), defaults, is_table, tree, text[: statement[-1].end + 1])


class _Definitions(MutableMapping[str, Definition]):
    """Every macro by its name; each is parsed when it is first asked for, since a call needs some ten of hundreds."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._parsed: dict[str, Definition] = {}

    def __getitem__(self, name: str) -> Definition:
        if name not in self._parsed:
            self._parsed[name] = _cut_definition(self._texts[name])
        return self._parsed[name]

    def __setitem__(self, name: str, definition: Definition) -> None:
        self._parsed[name] = definition

    def __delitem__(self, name: str) -> None:
        del self._parsed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts.keys() | self._parsed.keys())

    def __len__(self) -> int:
        return len(self._texts.keys() | self._parsed.keys())


@cache
def load_definitions() -> MutableMapping[str, Definition]:
    """Return every macro of the package by its name.

    Examples
    --------
    >>> load_definitions()["sdc_theta"].parameters
    ('tbl', 'keys', 'sampling_fraction', 'confidence')
    >>> load_definitions()["sdc_theta"].defaults["confidence"].sql("duckdb")
    '0.99'
    """
    return read_definitions(file_texts().values())


def read_definitions(files: Iterable[str]) -> MutableMapping[str, Definition]:
    """Return the macros of some texts by their names."""
    head = re.compile(rf"^{CREATE} (\w+)", re.MULTILINE)
    texts: dict[str, str] = {}
    for text in files:
        starts = list(head.finditer(text))
        ends = [*(start.start() for start in starts[1:]), len(text)]
        texts |= {start[1]: text[start.start() : end] for start, end in zip(starts, ends, strict=True)}
    return _Definitions(texts)


def wrap_value(value: exp.Expression) -> exp.Expression:
    """Return a copy that keeps together wherever it is put."""
    return value.copy() if holds_together(value) else exp.Paren(this=value.copy())


def substitute_parameters(tree: exp.Expression, values: Mapping[str, exp.Expression]) -> exp.Expression:
    """Return a body with each parameter replaced by its value (a copy of the body).

    Examples
    --------
    >>> body = parse_sql("p * (1 - p)")
    >>> substitute_parameters(body, {"p": parse_sql("a + b")}).sql("duckdb")
    '(a + b) * (1 - (a + b))'
    """

    def replace(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Column) and not node.table and node.name in values:
            return wrap_value(values[node.name])
        return node

    return tree.copy().transform(replace, copy=False)
