"""``sdc-sql mask``: mask a table of a DuckDB file in place, or write a masked copy of any file."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.cli.options import add_resources, check_resources, names
from sdc_sql.db.source import kind_of, opened
from sdc_sql.errors import ParameterError, TableError
from sdc_sql.microdata import Microdata

if TYPE_CHECKING:
    from sdc_sql.db.steps import MaskingStep

EPILOG = """The secret key of the draws is read from the environment variable SDC_KEY: whoever holds it can undo the
masking.

examples:
  sdc-sql mask pram persons.duckdb --id id --columns marital --retention 0.9
  sdc-sql mask noise persons.parquet --id id --columns income,wealth --alpha 0.1 --output released.parquet
"""
RELEASED = "sdc_released"


def _method(methods: Any, name: str, words: str, *, stratum: bool = True) -> argparse.ArgumentParser:  # noqa: ANN401
    """Add a method with what all of them take."""
    method: argparse.ArgumentParser = methods.add_parser(
        name, help=words, description=words[0].upper() + words[1:] + ".", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    method.add_argument("source", metavar="SOURCE", help="a DuckDB, Parquet or CSV file")
    method.add_argument("--id", required=True, metavar="ID", help="the column that identifies each record")
    method.add_argument("--columns", required=True, type=names, metavar="A,B", help="the columns to mask")
    method.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    where = method.add_mutually_exclusive_group()
    where.add_argument("--into", metavar="NEW", help="write the masked copy to a new table of the DuckDB file")
    where.add_argument("--output", metavar="FILE", help="write the masked copy to a new file, .parquet or .csv")
    if stratum:
        method.add_argument("--stratum", metavar="S", help="a column within whose values records are masked")
    method.add_argument("--stream", metavar="NAME", help="the stream of draws; another one for masking a second time")
    method.add_argument("--json", action="store_true", help="print what was done as JSON")
    add_resources(method)
    return method


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command and its methods."""
    mask = commands.add_parser("mask", help="mask a table in place, or a file into a new one")
    mask.set_defaults(handle=run)
    methods = mask.add_subparsers(dest="masking", required=True, metavar="METHOD")

    pram = _method(methods, "pram", "change categories at random: by a matrix, a retention, or with a guarantee")
    how = pram.add_mutually_exclusive_group(required=True)
    how.add_argument("--matrix", metavar="TABLE", help="a file, or a table of the DuckDB file: from, to, probability")
    how.add_argument("--retention", type=float, metavar="P", help="the probability to stay; the others alike")
    how.add_argument("--xi", type=float, help="guarantee: no match to the crossing of the columns is right with more")
    pram.add_argument("--within", type=names, metavar="A,B", help="with --xi: columns whose values a record keeps")

    noise = _method(methods, "noise", "add normal noise")
    noise.add_argument("--alpha", type=float, required=True, help="variance of the noise over that of the variable")
    noise.add_argument(
        "--method", default="uncorrelated", choices=["uncorrelated", "correlated", "linear", "nonlinear", "outliers"]
    )
    noise.add_argument("--threshold", type=float, default=3, help="of outliers: robust standard deviations (default 3)")
    noise.add_argument("--lower", type=float, help="a bound that masked values keep")
    noise.add_argument("--upper", type=float, help="a bound that masked values keep")
    noise.add_argument("--rounded", action="store_true", help="masked values are whole numbers")
    noise.add_argument("--discrete", action="store_true", help="of nonlinear: masked values are among the original")

    times = _method(methods, "multiplicative-noise", "multiply by random factors near 1")
    times.add_argument("--size", type=float, required=True, help="s.d. of the factors, or their distance from 1")
    times.add_argument("--method", default="plain", choices=["plain", "hoehne", "hoehne_sum"])
    times.add_argument("--spread", type=float, default=0, help="of Höhne's methods: s.d. of the noise on the factors")

    groups = _method(methods, "microaggregate", "replace numbers by the centroids of groups of at least k records")
    groups.add_argument("--k", type=int, required=True)
    groups.add_argument(
        "--method", default="mdav",
        choices=["mdav", "vmdav", "univariate", "individual_ranking", "principal_component", "sum_of_z"],
    )  # fmt: skip
    groups.add_argument("--centroid", default="mean", choices=["mean", "median"])
    groups.add_argument("--blocks", type=int, default=1, help="of mdav: form groups within so many blocks")
    groups.add_argument("--gamma", type=float, default=0.2, help="of vmdav: the larger, the more groups grow")

    kinds = _method(methods, "microaggregate-categorical", "replace categories by those of groups of k or more")
    kinds.add_argument("--k", type=int, required=True)
    kinds.add_argument("--scale", default="ordinal", choices=["ordinal", "nominal"])

    swap = _method(methods, "rank-swap", "exchange values between records of near rank, column by column")
    far = swap.add_mutually_exclusive_group(required=True)
    far.add_argument("--p", type=float, help="how far ranks may lie apart, in percent of the records")
    far.add_argument("--correlation", type=float, help="the least correlation of a column with its swapped self")

    rounding = _method(methods, "round", "round to multiples of a base", stratum=False)
    rounding.add_argument("--base", type=float, required=True)
    rounding.add_argument("--at-random", action="store_true", help="up or down at random, without bias")

    samples = _method(methods, "resample", "replace values by averages of samples at their rank, column by column")
    samples.add_argument("--samples", type=int, required=True)


COMMON = {
    "command",
    "handle",
    "masking",
    "source",
    "id",
    "columns",
    "table",
    "into",
    "output",
    "json",
    "memory_limit",
    "threads",
}


def _steps(data: Microdata, arguments: argparse.Namespace, into: str | None) -> list[MaskingStep]:
    """Mask as asked; methods of one column mask one after another, all in the table that the first one made."""
    given = {name: v for name, v in vars(arguments).items() if name not in COMMON and v is not None}
    columns, method = arguments.columns, arguments.masking.replace("-", "_")
    if method == "pram":
        if "xi" in given:
            if given.pop("stratum", None):
                raise ParameterError("--stratum does not go with --xi: give the column to --within.")
            return [data.pram_guaranteed(keys=columns, into=into, **given)]
        if given.pop("within", None):
            raise ParameterError("--within goes with --xi only.")
        masked = data.pram_retention if "retention" in given else data.pram
        return [masked(columns, into=into, **given)]
    method = "round_to_base" if method == "round" else method
    if method not in {"rank_swap", "resample"}:
        return [getattr(data, method)(columns, into=into, **given)]
    steps = []
    for i, column in enumerate(columns):
        steps.append(getattr(data, method)(column, into=into if i == 0 else None, **given))
        if into is not None and i == 0:
            data = Microdata(data.con, into, id=data.id)
    return steps


def run(arguments: argparse.Namespace) -> int:
    """Mask a source and print what was done; return the exit code."""
    check_resources(arguments)
    kind, output = kind_of(arguments.source), arguments.output
    if kind != "duckdb" and output is None:
        raise TableError(f"{arguments.source} is a {kind} file, which is not changed in place: give --output FILE.")
    if output is not None and Path(output).suffix not in {".parquet", ".csv"}:
        raise TableError(f"{output} must end in .parquet or .csv.")
    if output is not None and Path(output).exists():
        raise TableError(f"There is a file {output} already: remove it first, or give another name.")
    writable = kind == "duckdb" and output is None
    source = opened(
        arguments.source, arguments.table, memory_limit=arguments.memory_limit, threads=arguments.threads,
        writable=writable,
    )  # fmt: skip
    with source as (con, table):
        into = arguments.into if output is None else f"temp.{RELEASED}"
        con.begin()  # all columns or none
        steps = _steps(Microdata(con, table, id=arguments.id), arguments, into)
        if output is not None:
            _written(con.table(f"temp.{RELEASED}"), output)
            steps = [replace(step, table=output) for step in steps]
        con.commit()
    if arguments.json:
        print(json.dumps([step.to_dict() for step in steps], indent=2, default=str))
    else:
        print("\n".join(map(str, steps)))
    return 0


def _written(released: Any, output: str) -> None:  # noqa: ANN401 - a relation
    """Write a relation to a file that is there whole or not at all."""
    part = f"{output}.part"
    try:
        if output.endswith(".parquet"):
            released.write_parquet(part)
        else:
            released.write_csv(part)
        os.replace(part, output)  # noqa: PTH105 - atomic
    finally:
        Path(part).unlink(missing_ok=True)
