"""``sdc-sql measure``: any measure of the catalogue on a file, with the arguments of its macro."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from sdc_sql.cli import limits
from sdc_sql.cli.compile import parse_arguments
from sdc_sql.cli.options import add_resources, check_resources, list_columns_or_none, names
from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, set_key
from sdc_sql.db.catalogue.macros import index_catalogue
from sdc_sql.db.files.source import attach_named_table, open_source
from sdc_sql.db.showing.results import format_value
from sdc_sql.errors import ParameterError, translate_errors
from sdc_sql.figures.measured import limit_rows
from sdc_sql.risk.many_uniques import warn_of_uniques

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from sdc_sql.figures.asked import Asked

EPILOG = """ARGUMENT: the macro's own after its table, in its order or as name=value; lists as a,b,c; a further
table is a CSV or Parquet file, or a table of the same DuckDB file. FROM sdc_help('perceived_risk') in sdc-sql shell
says more.

exit codes: 0; 2 bad input; 3 a limit of --fail-if is exceeded

examples:
  sdc-sql measure perceived_risk external.parquet released.parquet income id 50
  sdc-sql measure log_linear_fit persons.csv age,sex,region weight --numbers weight
  sdc-sql measure neighbourhood firms.parquet turnover width=0.1 --fail-if 'neighbourhood.share > 0'
"""
SHOWN = 40  # so many rows are shown; more go to a file, or as JSON


def add(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    words = "any measure of the catalogue, with the arguments of its macro"
    command = commands.add_parser(
        "measure", help=words, description=words[0].upper() + words[1:] + ".", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("macro", metavar="MEASURE", help="its name, with or without sdc_")
    command.add_argument("source", metavar="SOURCE", help="a Parquet, CSV or DuckDB file (read, never written)")
    command.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="the macro's own, see below")
    command.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    command.add_argument("--numbers", type=names, default=[], metavar="A,B",
                         help="columns of a CSV file that are numbers, however it writes them")  # fmt: skip
    limits.add(command, "perceived_risk.maximum > 0.2", figures=False)
    command.add_argument("--json", action="store_true", help="print all rows as JSON")
    add_resources(command)
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what the measure gives; return the exit code."""
    check_resources(arguments)
    asked = limits.read_asked_figures(arguments)
    stem = arguments.macro.removeprefix("sdc_")
    declaration = index_catalogue().get(f"sdc_{stem}")
    if declaration is None or not declaration.is_table or declaration.is_step:
        more = " It is a mask: see sdc-sql mask." if declaration is not None and declaration.is_step else ""
        raise ParameterError(f"There is no measure {stem} of a table.{more} FROM sdc_help() lists them.")
    first, *others = declaration.parameters
    if first.type != "table":
        raise ParameterError(f"sdc_{stem} is not of one table: use it in SQL, as in {declaration.example}.")
    types = {p.name: p.type for p in others}
    numbers = [name.strip('"') for name in arguments.numbers]
    source = open_source(
        arguments.source, arguments.table, memory_limit=arguments.memory_limit, threads=arguments.threads,
        numbers=numbers,
    )  # fmt: skip
    with source as (con, table):
        set_key(con)
        by_position, named = parse_arguments(
            f"sdc_{stem}", types, arguments.arguments, list_columns_or_none(con, table)
        )
        given = {**dict(zip(types, by_position, strict=False)), **named}
        missing = [p.name for p in others if p.default is None and p.name not in given]
        if missing:
            raise ParameterError(f"sdc_{stem} needs {', '.join(missing)} too: {declaration.example}.")
        for name in [n for n, v in given.items() if types[n] == "table" and v is not None]:
            given[name] = attach_named_table(con, given[name], arguments.source, name, numbers)
        with translate_errors():
            result = execute(con, query.call_macro(f"sdc_{stem}", table, **given))
            columns = [str(d[0]) for d in result.description or ()]
            wanted = None if arguments.json or arguments.fail_if or arguments.require else SHOWN + 1
            rows = result.fetchall() if wanted is None else result.fetchmany(wanted)
            if declaration.underestimates:
                warn_of_uniques(_count_uniques(con, table, given))
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    return _report_measure(stem, columns, found, arguments, asked)


def _count_uniques(con: duckdb.DuckDBPyConnection, table: str, given: Mapping[str, Any]) -> float | None:
    """Return the share of sample uniques where a measure has estimated, None of a whole population."""
    weights = {"nulls": "category"} | {n: given[n] for n in ("keys", "weight", "nulls", "small_weights") if n in given}
    ((rate, whole),) = execute(con, query.call_macro("sdc__check_cells", table, **weights)).fetchall()
    return None if whole else rate


def _report_measure(
    stem: str,
    columns: list[str],
    found: list[dict[str, Any]],
    arguments: argparse.Namespace,
    asked: Mapping[str, Asked],
) -> int:
    figures = {stem: found[0] if len(found) == 1 else found}
    judged = limits.find_broken(arguments, {stem: limit_rows(asked[stem], found)} if stem in asked else {}, asked)
    if arguments.json:
        print(limits.format_json(figures, judged))
    elif len(found) == 1:
        width = max(map(len, columns))
        print("\n".join(f"{name:<{width}}  {format_value(value)}" for name, value in found[0].items()))
    else:
        print("\t".join(columns))
        for row in found[:SHOWN]:
            print("\t".join(format_value(value) for value in row.values()))
        if len(found) > SHOWN:
            print(f"... and more: --json prints all; FROM sdc_{stem}(...) in sdc-sql shell makes a table of them")
    return limits.report_broken_limits(arguments, judged)
