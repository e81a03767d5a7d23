"""``sdc-sql compile``: a macro as one standalone query for another engine."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sdc_sql import compiler
from sdc_sql.cli.options import number_or_column
from sdc_sql.db.catalogue.macros import index_catalogue
from sdc_sql.db.files.source import open_source
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

_LISTS = {"columns", "names", "values", "tables"}
_WORDS = {"column", "table", "text", "date", "choice"}


def add(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    compile_ = commands.add_parser(
        "compile",
        help="write a macro as one query for Spark, PostgreSQL or DuckDB",
        description="Write a macro as one standalone query for another engine.",
        epilog="example: sdc-sql compile theta persons age,sex,region 0.02 confidence=0.95 --dialect spark "
        "--columns id,age,sex,region,weight",
    )
    compile_.add_argument("macro", metavar="MACRO", help="its name, with or without sdc_")
    compile_.add_argument(
        "arguments", nargs="*", metavar="ARGUMENT",
        help="the macro's own, in its order or as name=value; lists as a,b,c; tables as the engine calls them",
    )  # fmt: skip
    compile_.add_argument("--dialect", required=True, choices=compiler.DIALECTS, help="the engine")
    columns = compile_.add_mutually_exclusive_group(required=True)
    columns.add_argument("--columns", metavar="A,B,C", help="the columns of the table, as the engine stores them")
    columns.add_argument("--like", metavar="FILE", help="a Parquet, CSV or DuckDB file with the table's columns")
    compile_.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    compile_.set_defaults(handle=run)


def _parse_value(kind: str, text: str) -> Any:  # noqa: ANN401 - whatever the macro takes
    """Return an argument as its declared type; another one is left to the macro, which refuses it in its words."""
    if text == "NULL" or kind in _WORDS:
        return None if text == "NULL" else text
    if kind in _LISTS:
        return [part.strip() for part in text.split(",") if part.strip()]
    if kind == "number or numbers" and "," in text:
        return [_parse_value("number", part.strip()) for part in text.split(",")]
    if text in {"true", "false"}:
        return text == "true"
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    return text


def parse_arguments(
    name: str, types: dict[str, str], texts: list[str], columns: Iterable[str]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a macro by their places and by name, each of its declared type.

    A number that is also one of the columns is refused where either may stand, as by the options of the other commands.
    """
    parameters = tuple(types)

    def read_value(parameter: str, text: str) -> Any:  # noqa: ANN401 - whatever the macro takes
        if types[parameter] == "column or number":
            either = number_or_column(parameter, text, columns)
            if isinstance(either, str) and text != "NULL":
                return either
        return _parse_value(types[parameter], text)

    by_position: list[Any] = []
    named: dict[str, Any] = {}
    for text in texts:
        parameter, equals, value = text.partition("=")
        if equals and parameter in parameters:
            named[parameter] = read_value(parameter, value)
        elif len(by_position) < len(parameters):
            by_position.append(read_value(parameters[len(by_position)], text))
        elif parameters:
            raise ParameterError(f"{name}({', '.join(parameters)}) has no place for {text!r}.")
    return by_position, named


def _list_columns(arguments: argparse.Namespace) -> list[str]:
    if arguments.columns is not None:
        return [name.strip() for name in arguments.columns.split(",") if name.strip()]
    with open_source(arguments.like, arguments.table) as (con, table):
        return [name for name, *_ in con.table(table).limit(0).description]


def run(arguments: argparse.Namespace) -> int:
    """Print the query; return the exit code."""
    name = arguments.macro if arguments.macro.startswith("sdc_") else f"sdc_{arguments.macro}"
    types = {p.name: p.type for p in index_catalogue()[name].parameters} if name in index_catalogue() else {}
    columns = _list_columns(arguments)
    by_position, named = parse_arguments(name, types, arguments.arguments, columns)
    sql = compiler.compile(name, *by_position, dialect=arguments.dialect, columns=columns, **named)
    print(f"{sql};")
    return 0
