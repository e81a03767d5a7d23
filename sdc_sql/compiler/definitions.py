"""The macros as trees: name, parameters, defaults and body, read from the SQL files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import TokenType, exp, tokenize

from sdc_sql.compiler.constants import holds_together
from sdc_sql.db.macros import sql_files
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlglot.tokenizer_core import Token


@dataclass(frozen=True)
class Definition:
    """One macro. `defaults` holds the parameters that have one; `is_table` tells a table macro from a scalar one."""

    name: str
    parameters: tuple[str, ...]
    defaults: Mapping[str, exp.Expression]
    is_table: bool
    body: exp.Expression

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


def parsed(text: str) -> exp.Expression:
    """Return DuckDB's SQL as a tree."""
    tree = sqlglot.parse_one(text, read="duckdb")
    assert isinstance(tree, exp.Expression)  # noqa: S101 - for the type checker: sqlglot is typed loosely
    return tree.transform(_indexed, copy=False)


def _indexed(node: exp.Expression) -> exp.Expression:
    """Say list[i] as list_extract(list, i): sqlglot counts literal places from 0, and i may be replaced by one."""
    if isinstance(node, exp.Bracket) and len(node.expressions) == 1:
        place = node.expressions[0]
        if not isinstance(place, exp.Literal | exp.Slice | exp.Neg):
            return exp.Anonymous(this="list_extract", expressions=[node.this, place])
    return node


def _statements(text: str) -> Iterator[list[Token]]:
    statement: list[Token] = []
    for token in tokenize(text, read="duckdb"):
        if token.token_type is TokenType.SEMICOLON:
            yield statement
            statement = []
        else:
            statement.append(token)


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Split a parameter list at its commas (the defaults are plain literals: no comma inside)."""
    part: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.COMMA:
            yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def _definition(text: str, statement: Sequence[Token]) -> Definition:
    """Cut CREATE OR REPLACE MACRO name(parameters) AS [TABLE] body into its parts."""
    start = next(i for i, token in enumerate(statement) if token.text.upper() == "MACRO") + 1
    close = next(i for i, token in enumerate(statement) if token.token_type is TokenType.R_PAREN)
    defaults = {}
    parameters = []
    for part in _split(statement[start + 2 : close]):
        parameters.append(part[0].text)
        if len(part) > 1:  # name := value
            defaults[part[0].text] = parsed(text[part[2].start : part[-1].end + 1])
    is_table = statement[close + 2].text.upper() == "TABLE"
    body = statement[close + 3 if is_table else close + 2]
    tree = parsed(text[body.start : statement[-1].end + 1])
    return Definition(statement[start].text, tuple(parameters), defaults, is_table, tree)


@cache
def definitions() -> Mapping[str, Definition]:
    """Return every macro of the package by its name.

    Examples
    --------
    >>> definitions()["sdc_theta"].parameters
    ('tbl', 'keys', 'sampling_fraction', 'confidence')
    >>> definitions()["sdc_theta"].defaults["confidence"].sql("duckdb")
    '0.99'
    """
    found = (_definition(file.text, statement) for file in sql_files() for statement in _statements(file.text))
    return {definition.name: definition for definition in found}


def pasted(value: exp.Expression) -> exp.Expression:
    """Return a copy that keeps together wherever it is put."""
    return value.copy() if holds_together(value) else exp.Paren(this=value.copy())


def substituted(tree: exp.Expression, values: Mapping[str, exp.Expression]) -> exp.Expression:
    """Return a body with each parameter replaced by its value (a copy of the body).

    Examples
    --------
    >>> body = parsed("p * (1 - p)")
    >>> substituted(body, {"p": parsed("a + b")}).sql("duckdb")
    '(a + b) * (1 - (a + b))'
    """

    def replace(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Column) and not node.table and node.name in values:
            return pasted(values[node.name])
        return node

    return tree.copy().transform(replace, copy=False)
