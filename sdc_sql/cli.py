"""The command line: ``sdc-sql`` with ``risk``, ``rules``, ``mask``, ``compile``, ``shell``, ``serve`` and more."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import duckdb

import sdc_sql
from sdc_sql import cli_compile, cli_intrusion, cli_mask, cli_rules, cli_serve, cli_shell, cli_suda
from sdc_sql.errors import ParameterError, SdcError, TableError, translate
from sdc_sql.limits import exceeded
from sdc_sql.microdata import Microdata
from sdc_sql.report import risk_report
from sdc_sql.source import kind_of, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BAD_INPUT = 2
LIMIT_EXCEEDED = 3

EPILOG = f"""exit codes:
  0 done; {BAD_INPUT} bad input (one line on standard error); {LIMIT_EXCEEDED} a --fail-if limit is exceeded

example:
  sdc-sql risk persons.parquet --keys age,sex,region --weight w --sampling-fraction 0.02 \\
      --fail-if 'theta.upper_bound > 0.1' --fail-if 'k_anonymity.3.records > 0'
"""


def _number_or_name(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


class OneLine(argparse.ArgumentParser):
    """A parser whose complaint is one line on standard error."""

    def error(self, message: str) -> NoReturn:
        """Complain and leave."""
        sys.exit(_refuse(ParameterError(f"{message} (see {self.prog} --help)")))


def _plain(value: object) -> object:
    """Return a value as JSON has it: a number that it has no way to write becomes a word."""
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = OneLine(prog="sdc-sql", description="Statistical disclosure control for microdata, inside the database.")
    top.add_argument(
        "--version", action="version", version=f"sdc-sql {sdc_sql.__version__} (duckdb {duckdb.__version__})"
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    risk = commands.add_parser(
        "risk",
        help="report the disclosure risk of a file",
        description="Report the disclosure risk of a Parquet, CSV or DuckDB file.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    risk.add_argument("source", metavar="SOURCE", help="a Parquet, CSV or DuckDB file (read, never written)")
    risk.add_argument("--keys", required=True, type=cli_mask.names, metavar="A,B,C", help="the key variables")
    risk.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    risk.add_argument(
        "--weight", type=_number_or_name, metavar="W", help="the column of expansion weights, or a number"
    )
    risk.add_argument(
        "--sampling-fraction", type=_number_or_name, metavar="PI",
        help="the fraction of the population in the file, in (0, 1), or the column that holds it by stratum; "
        "without --weight every record weighs 1/PI",
    )  # fmt: skip
    risk.add_argument("--household", metavar="H", help="the column of household numbers")
    risk.add_argument("--stratum", metavar="S", help="the column of strata: theta within each")
    risk.add_argument(
        "--nulls", choices=["category", "wildcard"], default="category",
        help="NULL in a key: a value of its own (default), or in agreement with every value",
    )  # fmt: skip
    risk.add_argument(
        "--sensitive", type=cli_mask.names, default=(), metavar="A,B",
        help="sensitive variables: how much a cell discloses of each (limits: 'attribute.distinct_l < 2')",
    )  # fmt: skip
    risk.add_argument(
        "--ordered", type=cli_mask.names, default=(), metavar="A,B",
        help="the sensitive variables that are numbers or ordered: t by the ordered distance",
    )  # fmt: skip
    risk.add_argument(
        "--together", action="store_true",
        help="of several sensitive variables: l-diversity of each with the others among the keys",
    )  # fmt: skip
    cli_suda.add(risk)
    cli_intrusion.add(risk)
    risk.add_argument("--k", type=int, default=5, help="show k-anonymity for 2 .. K (default 5)")
    risk.add_argument("--top", type=int, default=10, metavar="N", help="how many of the riskiest keys (default 10)")
    risk.add_argument("--confidence", type=float, default=0.99, help="of theta's one-sided interval (default 0.99)")
    risk.add_argument("--json", action="store_true", help="print the report as JSON")
    risk.add_argument(
        "--fail-if", action="append", default=[], metavar="LIMIT",
        help=f"exit with {LIMIT_EXCEEDED} when this is so, as in 'theta.upper_bound > 0.1'; can be repeated",
    )  # fmt: skip
    risk.add_argument(
        "--memory-limit", metavar="SIZE", help="how much memory DuckDB may use, as in 2GB; it spills beyond"
    )
    risk.add_argument("--threads", type=int, metavar="N", help="how many threads DuckDB may use")
    risk.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, default=None,
        help="tell each measure on standard error as it is taken (default: where that is a terminal)",
    )  # fmt: skip

    cli_rules.add(commands)
    cli_mask.add(commands)
    cli_shell.add(commands)
    cli_serve.add(commands)
    cli_compile.add(commands)
    commands.add_parser("macros", help="print all SQL macros as one file, for duckdb -init")
    install = commands.add_parser("install", help="store the macros in a DuckDB database file")
    install.add_argument("database", metavar="FILE.duckdb")
    install.add_argument("--create", action="store_true", help="make the file where there is none")
    install.add_argument("--remove", action="store_true", help="take them out again")
    return top


def _progress(wanted: bool | None) -> Callable[[str], None]:
    if not (sys.stderr.isatty() if wanted is None else wanted):
        return lambda _: None
    start = time.monotonic()
    return lambda measure: print(f"{time.monotonic() - start:8.1f} s  {measure} ...", file=sys.stderr, flush=True)


def risk(arguments: argparse.Namespace) -> int:
    """Print the report of a source; return the exit code."""
    if arguments.top < 1:
        raise ParameterError(f"--top is {arguments.top}: it must be at least 1.")
    if arguments.threads is not None and arguments.threads < 1:
        raise ParameterError(f"--threads is {arguments.threads}: it must be at least 1.")
    progress = _progress(arguments.progress)
    progress("opening")
    source = opened(arguments.source, arguments.table, memory_limit=arguments.memory_limit, threads=arguments.threads)
    with source as (con, table):
        data = Microdata(
            con,
            table,
            keys=arguments.keys,
            weight=arguments.weight,
            household=arguments.household,
            stratum=arguments.stratum,
            sampling_fraction=arguments.sampling_fraction,
            nulls=arguments.nulls,
        )
        report = risk_report(
            data,
            k=arguments.k,
            top=arguments.top,
            confidence=arguments.confidence,
            sensitive=arguments.sensitive,
            ordered=arguments.ordered,
            together=arguments.together,
            suda=arguments.suda,
            max_msu=arguments.max_msu,
            progress=progress,
        )
        due = cli_suda.measured(data, arguments)
        found = cli_intrusion.measured(data, arguments, progress)
    # the reader knows the file by its own name
    of_database = kind_of(arguments.source) == "duckdb"
    report = replace(report, table=f"{arguments.source}: {table}" if of_database else arguments.source)
    figures = {**report.to_dict(), **due, **{name: result.to_dict() for name, result in found.items()}}
    broken = [limit for limit in arguments.fail_if if exceeded(limit, figures)]
    if arguments.json:
        print(json.dumps(_plain({**figures, "exceeded": broken}), indent=2, default=str))
    else:
        print(report, *cli_suda.texts(due), *cli_intrusion.texts(found), sep="\n\n")
    for limit in broken:
        print(f"sdc-sql: limit exceeded: {limit}", file=sys.stderr)
    return LIMIT_EXCEEDED if broken else 0


def install(arguments: argparse.Namespace) -> int:
    """Store the macros in a database file."""
    if arguments.create and arguments.remove:
        raise ParameterError("--create and --remove exclude one another.")
    if not Path(arguments.database).exists() and not arguments.create:
        told = "there is nothing to remove" if arguments.remove else "say --create to make one"
        raise TableError(f"There is no file {arguments.database}; {told}.")
    if Path(arguments.database).exists() and kind_of(arguments.database) != "duckdb":
        raise TableError(f"{arguments.database} is not a DuckDB database; the macros can be stored only in one.")
    # a new file is to be read by every DuckDB that has the macros' syntax, not by the newest alone
    with duckdb.connect(arguments.database, config={"storage_compatibility_version": "v1.5.0"}) as con:
        (sdc_sql.uninstall if arguments.remove else sdc_sql.install)(con)
    print(f"{arguments.database}: the macros are {'no longer ' if arguments.remove else ''}in it")
    return 0


def macros(_: argparse.Namespace) -> int:
    """Print all macros as one file."""
    print(sdc_sql.bundle(), end="")
    return 0


def rules(arguments: argparse.Namespace) -> int:
    """Check the rules of a file for researchers or for the public."""
    return cli_rules.rules(arguments, LIMIT_EXCEEDED)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "risk": risk,
    "rules": rules,
    "mask": cli_mask.mask,
    "compile": cli_compile.compiled,
    "shell": cli_shell.shell,
    "serve": cli_serve.serve,
    "macros": macros,
    "install": install,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    arguments = parser().parse_args(argv)
    try:
        return COMMANDS[arguments.command](arguments)
    except SdcError as error:
        return _refuse(error)
    except duckdb.Error as error:
        return _refuse(translate(error) or error)
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        sys.stderr.close()
    return 0


def _refuse(error: Exception) -> int:
    print(f"sdc-sql: {' '.join(str(error).split())}", file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
