"""The example of a written measure: the small table of its header, asked from Python, and what that prints."""

from __future__ import annotations

import re
from dataclasses import make_dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

import duckdb
import sqlglot
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.headers import HeaderError
from sdc_sql.db.catalogue.load import load
from sdc_sql.db.catalogue.macros import file_texts, index_catalogue
from sdc_sql.db.catalogue.worked import read_worked_examples
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.write.measure_arguments import MEASURED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.worked import Drawn, Worked
    from sdc_sql.write.measure_arguments import Argument

_WIDTH = 120 - 4
_KEY = "SET VARIABLE sdc_key = concat(uuid(), uuid())"  # whatever it is, the example shows what does not hang on it
_LONG = 80  # the call's rows are gone through in the same line
_ROLES = ("keys", "weight", "household", "id", "nulls")


def example(macro: Declaration, arguments: tuple[Argument, ...]) -> str:
    """Return the section of the example."""
    drawn = _find_worked(macro)
    known = {p.name for p in macro.parameters}
    given = {n: v for n, v in _index_given(index_catalogue()[drawn.macro], drawn.call).items() if n in known}
    in_sql = _called(macro, given)
    name = next(given[n] for n in MEASURED if n in given).name
    tables = {n: t for n, t in drawn.tables.items() if any(n in _texts(value) for value in given.values())}
    created = [*([_KEY] if macro.needs_key else []), *(_create(n, t) for n, t in tables.items())]
    of_table = {a.parameter.name for a in arguments if not a.is_given and a.parameter.name in _ROLES}
    roles = "".join(f", {n}={_python(v)}" for n, v in given.items() if n in of_table)
    data = "released" if "released" in given else "data"
    call = f"{data}.{macro.room}.{macro.verb}({_write_asked(arguments, given)})"
    lines = ["import duckdb", "import sdc_sql", "con = duckdb.connect()"]
    lines += [line for statement in created for line in _write_executed(statement)]
    lines.append(f'{data} = sdc_sql.Microdata(con, "{name}"{roles})')
    shown = _write_printed(macro, in_sql, created)
    if macro.result.is_relation:
        if len(call) > _LONG:
            lines, call = [*lines, f"found = {call}"], "found"
        lines += [f'for row in {call}.order("ALL").fetchall():', "    print(row)"]
    else:
        lines += [f"print({call})"]
        if any(len(line) > _WIDTH for line in shown):  # one result takes a line for each of its fields
            lines[-1], shown = f"print({call}[0])", _write_printed(macro, in_sql, created, first=True)
    long = [line for line in lines if len(line) > _WIDTH - 4]
    if long:
        raise HeaderError(macro.file, drawn.result.line, f"the example of {macro.name} has too long a line: {long[0]}")
    prompts = (f"    {'...' if line.startswith('    ') or line == ')' else '>>>'} {line}" for line in lines)
    return "\n".join(["    Examples", "    --------", *prompts, *(f"    {line}".rstrip() for line in shown)])


def _write_asked(arguments: tuple[Argument, ...], given: Mapping[str, exp.Expression]) -> str:
    """Return the arguments of the call: by name those that may be left out, but for one alone."""
    several = sum(a.is_given and a.default is not None for a in arguments) > 1
    there = [(a, _python(given[a.parameter.name])) for a in arguments if a.is_given and a.parameter.name in given]
    return ", ".join(f"{a.name}={value}" if several and a.default is not None else value for a, value in there)


def _find_worked(macro: Declaration) -> Worked:
    """Return the worked example of a macro, or one of another macro of its file, whose tables and arguments do."""
    found = read_worked_examples(macro.file, file_texts()[macro.file])
    wanted = {p.name for p in macro.required}
    for one in (*(w for w in found if w.macro == macro.name), *found):
        if wanted <= _index_given(index_catalogue()[one.macro], one.call).keys():
            return one
    raise HeaderError(macro.file, 0, f"{macro.name} has no small table in the header, which its example would show.")


def _index_given(macro: Declaration, call: str) -> dict[str, exp.Expression]:
    """Return the arguments of a call by the names of the parameters."""
    parsed = next(c for c in sqlglot.parse_one(f"SELECT {call}", read="duckdb").find_all(exp.Anonymous))
    given = zip((p.name for p in macro.parameters), parsed.expressions, strict=False)
    return dict((v.this.name, v.expression) if isinstance(v, exp.PropertyEQ) else (name, v) for name, v in given)


def _called(macro: Declaration, given: Mapping[str, exp.Expression]) -> str:
    """Return the call of a macro with these arguments, as SQL."""
    required = [given[p.name].sql("duckdb") for p in macro.required]
    named = [f"{p.name} := {given[p.name].sql('duckdb')}" for p in macro.optional if p.name in given]
    return f"{macro.name}({', '.join([*required, *named])})"


def _texts(value: exp.Expression) -> set[str]:
    return {text.name for text in value.find_all(exp.Literal) if text.is_string}


def _python(value: exp.Expression) -> str:
    """Return an argument of a call as Python writes it."""
    if isinstance(value, exp.Array):
        return f"[{', '.join(map(_python, value.expressions))}]"
    if isinstance(value, exp.Boolean):
        return str(bool(value.this))
    if isinstance(value, exp.Null):
        return "None"
    return f'"{value.name}"' if value.is_string else value.sql()


def _create(name: str, table: Drawn) -> str:
    """Return the statement that makes a table."""
    records = ", ".join(f"({', '.join(map(_literal, row))})" for row in table.values())
    return f"CREATE TABLE {name} AS FROM (VALUES {records}) AS t({', '.join(map(_name, table.names))})"


def _literal(value: Any) -> str:  # noqa: ANN401 - what is drawn
    """Return a drawn value as SQL: a number as it is drawn."""
    return repr(value) if isinstance(value, float) else query.write_sql(query.make_text_literal(value))


def _name(column: str) -> str:
    return query.write_sql(exp.to_identifier(column, quoted=column in {"from", "to", "values", "columns"}))


def _write_executed(statement: str) -> list[str]:
    """Return the lines that run a statement, broken between its parts where one is too short for it."""
    statement = statement.replace('"', '\\"')
    if len(line := f'_ = con.execute("{statement}")') <= _WIDTH - 4:
        return [line]
    parts = [""]
    for piece in re.split(r"(?<=\), )(?=\()|(?<=\)\) )|(?<=VALUES )", statement):
        if len(parts[-1] + piece) > _WIDTH - 10 - 4:
            parts.append("")
        parts[-1] += piece
    return ["_ = con.execute(", *(f'    "{part}"' for part in parts), ")"]


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    con = load(duckdb.connect(config={"threads": 1}))
    return con.execute("SET enable_progress_bar = false")


def _write_printed(macro: Declaration, call: str, created: list[str], *, first: bool = False) -> list[str]:
    """Return what the example prints, computed by the macro."""
    con, its = _connection(), macro.result
    con.execute("BEGIN")
    try:
        for statement in created:
            con.execute(statement)
        # (a relation would be bound twice)
        found = con.execute(f"FROM {call}{' ORDER BY ALL' if its.is_relation else ''}")
        names, rows = [column[0] for column in found.description or ()], found.fetchall()
    finally:
        con.execute("ROLLBACK")
    if any(isinstance(value, Decimal) for row in rows for value in row):
        raise HeaderError(macro.file, 0, f"{macro.name} gives decimals in its example: draw whole numbers.")
    if its.is_relation:
        return [str(row) for row in rows]
    record = make_dataclass(its.name, names, bases=(Result,), frozen=True)
    results = Results(record(*row) for row in rows)
    return str(results[0] if first or macro.given.is_one else results).splitlines()
