"""``sdc-sql risk``: report the disclosure risk of a file."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from sdc_sql.cli import intrusion, limits, pages, suda
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
)  # fmt: skip
from sdc_sql.db.files.source import detect_kind, open_source
from sdc_sql.errors import ParameterError
from sdc_sql.figures.measured import Beside
from sdc_sql.microdata import Microdata
from sdc_sql.report import risk_report

EPILOG = f"""exit codes:
  0 done; {BAD_INPUT} bad input (one line on standard error); {LIMIT_EXCEEDED} a --fail-if limit is exceeded

example:
  sdc-sql risk persons.parquet --keys age,sex,region --weight w --sampling-fraction 0.02 \\
      --fail-if 'theta.upper_bound > 0.1' --fail-if 'k_anonymity.3.records > 0'
"""


def add(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the command line."""
    risk = commands.add_parser(
        "risk",
        help="report the disclosure risk of a file",
        description="Report the disclosure risk of a Parquet, CSV or DuckDB file.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    risk.add_argument("source", metavar="SOURCE", help="a Parquet, CSV or DuckDB file (read, never written)")
    risk.add_argument("--keys", required=True, type=names, metavar="A,B,C", help="the key variables")
    risk.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    risk.add_argument(
        "--weight",
        metavar="W",
        help="the column of expansion weights (in double quotes if its name is a number), or a number",
    )
    risk.add_argument(
        "--sampling-fraction", metavar="PI",
        help="the fraction of the population in the file, in (0, 1), or the column that holds it by stratum; "
        "without --weight every record weighs 1/PI",
    )  # fmt: skip
    risk.add_argument("--household", metavar="H", help="the column of household numbers")
    add_household_columns(risk)
    risk.add_argument("--stratum", metavar="S", help="the column of strata: theta within each")
    add_small_weights(risk)
    risk.add_argument(
        "--nulls", choices=["category", "wildcard"], default="category",
        help="NULL in a key: a value of its own (default), or one that agrees with every value",
    )  # fmt: skip
    risk.add_argument(
        "--sensitive", type=names, default=(), metavar="A,B",
        help="sensitive variables: how much a cell discloses of each (limits: 'l_diversity.distinct_l < 2')",
    )  # fmt: skip
    risk.add_argument(
        "--ordered", type=names, default=(), metavar="A,B",
        help="the sensitive variables that are numbers or ordered: t by the ordered distance",
    )  # fmt: skip
    risk.add_argument(
        "--together", action="store_true",
        help="l-diversity of each sensitive variable with the others counted as keys",
    )  # fmt: skip
    suda.add(risk)
    intrusion.add(risk)
    risk.add_argument("--k", type=int, default=5, help="show k-anonymity for 2 .. K (default 5)")
    risk.add_argument("--top", type=int, default=10, metavar="N", help="how many of the riskiest keys (default 10)")
    risk.add_argument(
        "--confidence", type=float, default=0.99, help="the confidence of theta's interval (default 0.99)"
    )
    risk.add_argument("--json", action="store_true", help="print the report as JSON")
    limits.add(risk, "theta.upper_bound > 0.1")
    pages.add(risk)
    add_resources(risk)
    risk.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, default=None,
        help="report each measure on standard error as it is computed (default: where that is a terminal)",
    )  # fmt: skip
    risk.set_defaults(handle=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the report of a source; return the exit code."""
    if arguments.top < 1:
        raise ParameterError(f"--top is {arguments.top}: it must be at least 1.")
    check_resources(arguments)
    pages.check(arguments)
    asked = limits.read_asked_figures(arguments)
    progress = make_progress(arguments.progress)
    progress("opening")
    given = (arguments.weight, arguments.sampling_fraction, *arguments.ordered, *(arguments.continuous or ()))
    numbers = [n for n in given if n]
    source = open_source(
        arguments.source, arguments.table, memory_limit=arguments.memory_limit, threads=arguments.threads,
        numbers=[n.strip('"') for n in numbers],
    )  # fmt: skip
    with source as (con, table):
        columns = list_columns_or_none(con, table)
        data = Microdata(
            con,
            table,
            keys=arguments.keys,
            weight=number_or_column("--weight", arguments.weight, columns),
            household=arguments.household,
            household_columns=arguments.household_columns,
            stratum=arguments.stratum,
            sampling_fraction=number_or_column("--sampling-fraction", arguments.sampling_fraction, columns),
            nulls=arguments.nulls,
            small_weights=arguments.small_weights,
        )
        report = risk_report(
            data,
            k=limits.find_greatest_k(arguments, arguments.k, asked),
            top=arguments.top,
            confidence=arguments.confidence,
            sensitive=arguments.sensitive,
            ordered=arguments.ordered,
            together=arguments.together,
            suda=arguments.suda,
            max_msu=arguments.max_msu,
            progress=progress,
        )
        due = suda.measure_contributions(data, arguments)
        found = intrusion.measure_intrusion(data, arguments, progress)
        figures = {**report.to_dict(), **due, **{name: result.to_dict() for name, result in found.items()}}
        beside = Beside(
            None, tuple(arguments.sensitive), tuple(arguments.ordered), {"confidence": arguments.confidence}
        )
        figures = limits.complete(arguments, figures, asked, {"": (data._roles, beside)}, progress)  # noqa: SLF001 - as methods take them
    # the reader knows the file by its own name
    of_database = detect_kind(arguments.source) == "duckdb"
    report = replace(report, table=f"{arguments.source}: {table}" if of_database else arguments.source)
    figures["table"] = report.table
    judged = limits.find_broken(arguments, figures, asked)
    shown = pages.limits(judged, arguments.require)
    pages.write(
        arguments, report.page([*suda.list_suda_sections(due), *intrusion.list_intrusion_sections(found), *shown])
    )
    if arguments.json:
        print(limits.format_json(figures, judged))
    else:
        print(report, *suda.list_suda_texts(due), *intrusion.list_intrusion_texts(found), sep="\n\n")
    return limits.report_broken_limits(arguments, judged)
