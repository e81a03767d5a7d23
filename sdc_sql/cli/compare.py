"""``sdc-sql compare``: risk before and after masking beside what was lost."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdc_sql.cli import intrusion, limits
from sdc_sql.cli.options import (
    BAD_INPUT,
    LIMIT_EXCEEDED,
    add_household_columns,
    add_resources,
    add_small_weights,
    check_resources,
    list_columns_or_none,
    make_progress,
    names,
    number_or_column,
)
from sdc_sql.db.files.source import attach_source, detect_kind, open_source
from sdc_sql.errors import ColumnError, ParameterError
from sdc_sql.figures.measured import Beside
from sdc_sql.microdata import Microdata

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.comparison.page import Comparison
    from sdc_sql.roles import Roles

EPILOG = f"""exit codes:
  0 done; {BAD_INPUT} bad input (one line on standard error); {LIMIT_EXCEEDED} a --fail-if limit is exceeded

figures that a limit names:
  after masking as in sdc-sql risk (k_anonymity.3.records); before masking with before in front
  (before.theta.theta); of losses as in direct_distance.distance, where the worst variable counts

example:
  sdc-sql compare persons.parquet released.parquet --keys age,sex,region --id id --weight w \\
      --fail-if 'k_anonymity.3.records > 0' --fail-if 'direct_distance.distance > 0.2'
"""


def add(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "compare",
        help="risk before and after masking, beside what was lost",
        description="Compare a released file with the original: risk before and after masking, and what was lost.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("original", metavar="ORIGINAL", help="a Parquet, CSV or DuckDB file (read, never written)")
    command.add_argument("released", metavar="RELEASED", help="the file that was made of it (likewise)")
    command.add_argument("--keys", required=True, type=names, metavar="A,B,C", help="the key variables, of either file")
    command.add_argument(
        "--id", metavar="ID", help="the column that identifies a record in both files; without it they are not paired"
    )
    command.add_argument("--original-table", metavar="T", help="the original's table, of a DuckDB file")
    command.add_argument("--table", metavar="T", help="the released table, of a DuckDB file")
    command.add_argument("--weight", metavar="W", help="the column of expansion weights, or a number")
    command.add_argument(
        "--sampling-fraction", metavar="PI", help="the fraction of the population in the file, or a column, as there"
    )
    command.add_argument("--household", metavar="H", help="the column of household numbers")
    add_household_columns(command)
    command.add_argument("--stratum", metavar="S", help="the column of strata: theta within each")
    add_small_weights(command)
    command.add_argument(
        "--nulls", choices=["category", "wildcard"], default="category",
        help="NULL in a key: a value of its own (default), or one that agrees with every value; where keys were "
        "suppressed both are shown, the other under its name (limits: 'wildcard.k_anonymity.3.records > 0')",
    )  # fmt: skip
    command.add_argument("--sensitive", type=names, metavar="A,B", help="sensitive variables, as in sdc-sql risk")
    command.add_argument("--ordered", type=names, metavar="A,B", help="those that are numbers or ordered")
    command.add_argument(
        "--dropped", type=names, metavar="A,B",
        help="keys that the released file has left out (needed where it has columns that the original has not)",
    )  # fmt: skip
    command.add_argument(
        "--pram", action="append", default=[], type=intrusion.matrix, metavar="KEY=FILE",
        help="KEY went through PRAM: a CSV or Parquet file of its matrix: from (the original category), to (the "
        "released one), probability; can be repeated. The steps of a released DuckDB table say so themselves",
    )  # fmt: skip
    command.add_argument(
        "--columns", type=names, metavar="A,B", help="the columns whose loss is measured (default: all of both files)"
    )
    command.add_argument("--categorical", type=names, metavar="A,B", help="those of them that are categories")
    command.add_argument(
        "--continuous", type=names, metavar="A,B", help="those that are numbers (default of either: by the types)"
    )
    command.add_argument("--propensity", action="store_true", help="the propensity score too, which takes longest")
    command.add_argument(
        "--pairs", action=argparse.BooleanOptionalAction, default=True, help="its model has the products of two columns"
    )
    command.add_argument(
        "--linkage", action="store_true",
        help="link the released records to the original ones, by distance and by ranks (distance_linkage.rate)",
    )  # fmt: skip
    command.add_argument(
        "--probabilistic-linkage", type=_parse_variables, metavar="A,B,C=2",
        help="probabilistic record linkage by these variables, three or more; of a number the largest difference that "
        "agrees (C=2). Needs --id",
    )  # fmt: skip
    command.add_argument("--k", type=int, default=5, help="show k-anonymity for 2 .. K (default 5)")
    command.add_argument(
        "--confidence", type=float, default=0.99, help="the confidence of theta's interval (default 0.99)"
    )
    command.add_argument("--json", action="store_true", help="print the comparison as JSON")
    limits.add(command, "k_anonymity.3.records > 0")
    add_resources(command)
    command.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, default=None,
        help="report each part on standard error as it is computed (default: where that is a terminal)",
    )  # fmt: skip
    command.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison; return the exit code."""
    check_resources(arguments)
    asked = limits.read_asked_figures(arguments)
    matrices = intrusion.matrices(arguments.pram, "--pram")
    if any(not isinstance(key, str) for key in matrices):
        raise ParameterError("--pram names several keys: give a matrix of each, as in --pram education=matrix.csv.")
    progress = make_progress(arguments.progress)
    progress("opening")
    compared = (arguments.probabilistic_linkage or {}).items()
    given = (arguments.weight, arguments.sampling_fraction, *(arguments.ordered or ()), *(arguments.continuous or ()),
             *(name for name, tolerance in compared if tolerance is not None))  # fmt: skip
    numbers = [name.strip('"') for name in given if name]
    source = open_source(
        arguments.released, arguments.table, memory_limit=arguments.memory_limit, threads=arguments.threads,
        numbers=numbers,
    )  # fmt: skip
    with source as (con, released):
        original = attach_source(con, arguments.original, arguments.original_table, arguments.released, numbers)
        _check_keys(arguments, {*list_columns_or_none(con, original), *list_columns_or_none(con, released)})
        after, before = _describe_side(con, released, arguments), _describe_side(con, original, arguments)
        found = after.compare(
            before,
            columns=arguments.columns,
            categorical=arguments.categorical,
            continuous=arguments.continuous,
            sensitive=arguments.sensitive,
            ordered=arguments.ordered,
            dropped=arguments.dropped,
            k=limits.find_greatest_k(arguments, arguments.k, asked),
            confidence=arguments.confidence,
            pram={str(key): path for key, path in matrices.items()} or None,
            propensity=arguments.propensity,
            pairs=arguments.pairs,
            linkage=arguments.linkage,
            probabilistic_linkage=arguments.probabilistic_linkage,
            progress=progress,
        )
        figures = limits.complete(
            arguments, found.to_dict(), asked, _make_sides(before, after, found, arguments), progress
        )
    # the reader knows the files by their own names
    found = replace(
        found, table=_format_source(arguments.released, released), original=_format_source(arguments.original, original)
    )
    judged = limits.find_broken(arguments, figures, asked)
    figures |= {"table": found.table, "original": found.original}
    print(limits.format_json(figures, judged) if arguments.json else found)
    return limits.report_broken_limits(arguments, judged)


def _make_sides(
    before: Microdata, after: Microdata, found: Comparison, arguments: argparse.Namespace
) -> dict[str, tuple[Roles, Beside]]:
    """Return the tables of which further figures may be asked, each with what measures ask for besides."""
    given = {"confidence": arguments.confidence}
    sensitive, ordered = tuple(arguments.sensitive or ()), tuple(arguments.ordered or ())
    linked = {
        "columns": [*found.categorical, *found.continuous] or None, "continuous": [*found.continuous] or None,
    }  # fmt: skip
    both = {
        "": Beside(before.table, sensitive, ordered, given, linked),
        "before": Beside(None, sensitive, ordered, given),
    }
    tables = {"": after._roles, "before": before._roles}  # noqa: SLF001 - as methods take them
    return {part: (tables[part], beside) for part, beside in both.items()}


def _parse_variables(text: str) -> dict[str, float | None]:
    """Return 'sex,age=2' as the variables with their tolerances; what is no number belongs to the name."""
    found: dict[str, float | None] = {}
    for name in names(text):
        column, _, tolerance = name.rpartition("=")
        try:
            found[column or name] = float(tolerance) if column else None
        except ValueError:
            found[name] = None
    return found


def _format_source(source: str, table: str) -> str:
    return f"{source}: {table}" if detect_kind(source) == "duckdb" else source


def _check_keys(arguments: argparse.Namespace, columns: set[str]) -> None:
    known = {column.lower() for column in columns}
    given = {"key variable": arguments.keys, "id": [arguments.id], "household": [arguments.household],
             "household column": arguments.household_columns or [], "stratum": [arguments.stratum]}  # fmt: skip
    for option in ("weight", "sampling_fraction"):
        found = number_or_column(f"--{option.replace('_', '-')}", getattr(arguments, option), columns)
        given[option.replace("_", " ")] = [found if isinstance(found, str) else None]
    for role, named in given.items():
        for name in named:
            if name is not None and name.lower() not in known:
                raise ColumnError(
                    f"The {role} {name!r} is a column of neither file; they have {', '.join(sorted(columns))}."
                )


def _describe_side(con: duckdb.DuckDBPyConnection, table: str, arguments: argparse.Namespace) -> Microdata:
    """Return a table with those roles whose columns it has."""
    columns = list_columns_or_none(con, table)
    known = {column.lower() for column in columns}

    def find_known(name: str | None) -> str | None:
        return name if name is not None and name.lower() in known else None

    def number(option: str, text: str | None) -> str | float | None:
        found = number_or_column(option, text, columns)
        return find_known(found) if isinstance(found, str) else found

    of_household = arguments.household_columns and [c for c in arguments.household_columns if find_known(c)]
    return Microdata(
        con,
        table,
        keys=[key for key in arguments.keys if find_known(key)] or None,
        weight=number("--weight", arguments.weight),
        household=find_known(arguments.household),
        household_columns=of_household,
        id=find_known(arguments.id),
        stratum=find_known(arguments.stratum),
        sampling_fraction=number("--sampling-fraction", arguments.sampling_fraction),
        nulls=arguments.nulls,
        small_weights=arguments.small_weights,
    )
