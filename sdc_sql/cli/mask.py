"""``sdc-sql mask``: mask a table of a DuckDB file, which is written anew, or write a masked copy of any file."""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.cli import serial
from sdc_sql.cli.mask_options import TARGETS, Spelled, add_method, choose_masks, methods
from sdc_sql.cli.options import check_resources, make_progress
from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files.released_file import check_place, is_file, match_files, open_fresh_file
from sdc_sql.db.files.rewritten import rewrite_database
from sdc_sql.db.files.source import detect_kind, open_source
from sdc_sql.db.masking.labels import remove_unused_labels
from sdc_sql.db.masking.replaced import place_arguments
from sdc_sql.errors import ParameterError, TableError, translate_errors
from sdc_sql.mask.columns import is_numeric_mask
from sdc_sql.methods import Methods
from sdc_sql.microdata import Microdata, call_method
from sdc_sql.release.running.place import list_texts

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from sdc_sql.db.masking.steps import MaskingStep

RELEASED = "sdc_released"
NUMBERED = "sdc_numbered"


class _Methods(argparse._SubParsersAction):  # type: ignore[type-arg] # noqa: SLF001 - argparse has no other way
    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **named)
        self.choices = self._name_parser_map = Spelled()


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command and its methods."""
    mask = commands.add_parser("mask", help="mask a table, its database written anew, or a file into a new one")
    mask.set_defaults(handle=run)
    added = mask.add_subparsers(dest="masking", required=True, metavar="METHOD", action=_Methods)
    for name, masks in methods().items():
        serial.add_options(add_method(added, name, masks))


def _run_steps(
    data: Microdata, arguments: argparse.Namespace, into: str | None, progress: Callable[[str], None]
) -> list[MaskingStep]:
    """Mask as asked; methods of one column mask one after another, all in the table that the first one made."""
    masks, given = choose_masks(arguments)
    verb, columns = masks[0].verb, getattr(arguments, "columns", ())
    mask = getattr(Methods, verb)
    takes = [{p.name for p in mask.parameters} for mask in masks]
    by_column = bool(columns) and all("column_name" in names for names in takes)
    if not by_column:
        progress(" ".join([arguments.masking, *columns]))
    if not any(names & TARGETS for names in takes):
        return [call_method(data, verb, **place_arguments(mask, into), **given)]
    if all("keys" in names for names in takes):
        return [call_method(data, verb, keys=columns, **place_arguments(mask, into), **given)]
    if not by_column:
        return [call_method(data, verb, columns, **place_arguments(mask, into), **given)]
    steps = []
    for i, column in enumerate(columns):
        progress(f"{arguments.masking} {column}")
        steps.append(call_method(data, verb, column, **place_arguments(mask, into if i == 0 else None), **given))
        if into is not None and i == 0:
            data = _part(Microdata(data.con, into, id=data.id, series=data.series), arguments)
    return steps


def _describe_input(con: duckdb.DuckDBPyConnection, table: str, arguments: argparse.Namespace) -> Microdata:
    """Return the source with its id; one that is made goes to the table, or with the copy that is written."""
    data = Microdata(con, table, id=arguments.id, series=serial.make_series(arguments))
    if arguments.make_id is None:
        return data
    if arguments.output is not None:
        copied = exp.Create(
            this=exp.table_(NUMBERED, quoted=True), kind="TABLE",
            expression=query.call_macro("query_table", data.table),
            properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        )  # fmt: skip
        with translate_errors():
            execute(con, copied).fetchall()
        data = Microdata(con, f"temp.{NUMBERED}")
    data.add_id(arguments.make_id)
    return data


def _part(data: Microdata, arguments: argparse.Namespace) -> Microdata:
    part = data if arguments.where is None else data.where(arguments.where)
    household = getattr(arguments, "by_household", None)
    return part if household is None else part.by_household(household)


def run(arguments: argparse.Namespace) -> int:
    """Mask a source and print what was done; return the exit code."""
    check_resources(arguments)
    kind, output = detect_kind(arguments.source), arguments.output
    if kind != "duckdb" and output is None:
        raise TableError(f"{arguments.source} is a {kind} file, which is not changed in place: give --output FILE.")
    _check_output(arguments)
    in_place = kind == "duckdb" and output is None and arguments.into is None
    progress = make_progress(arguments.progress)
    progress("copying the database" if in_place else "opening")
    resources = {"threads": arguments.threads, "memory_limit": arguments.memory_limit}
    with rewrite_database(Path(arguments.source), **resources) if in_place else nullcontext() as copy:
        steps = [replace(step, remains="") for step in _mask_source(arguments, kind, copy, progress)]
        if in_place:
            progress("writing the database anew")
    if arguments.json:
        print(json.dumps([step.to_dict() for step in steps], indent=2, default=str))
    else:
        print("\n".join(map(str, steps)))
    return 0


def _check_output(arguments: argparse.Namespace) -> None:
    """Refuse, before any work, a file that cannot be written, or that may not take the place of one that is there."""
    output = arguments.output
    if output is None:
        if arguments.readable != "owner":
            raise ParameterError("--readable goes with --output only: a database keeps who may read it.")
        if arguments.replace:
            raise ParameterError("--replace goes with --output only.")
        return
    check_place(Path(output))
    if Path(output).suffix not in {".parquet", ".csv"}:
        raise TableError(f"{output} must end in .parquet or .csv.")
    if not Path(output).exists():
        return
    if not arguments.replace:
        raise TableError(f"There is a file {output} already: remove it first, give another name, or say --replace.")
    if _is_read(Path(output), arguments):
        raise TableError(f"{output} is read: it is not replaced by what is made of it. Give another name.")


def _is_read(output: Path, arguments: argparse.Namespace) -> bool:
    """Return whether a file is the source, one of those that a pattern names, or another that an option names."""
    given = list_texts({name: value for name, value in vars(arguments).items() if name != "output"})
    return any(is_file(path) and output.samefile(path) for text in given for path in [text, *match_files(text)])


def _mask_source(
    arguments: argparse.Namespace, kind: str, copy: duckdb.DuckDBPyConnection | None, progress: Callable[[str], None]
) -> list[MaskingStep]:
    """Mask a source, or a copy of it, and write the output; return what was done."""
    output = arguments.output
    columns = getattr(arguments, "columns", ())
    numbers = columns if is_numeric_mask(choose_masks(arguments)[0]) else ()
    source = open_source(
        arguments.source, arguments.table, memory_limit=arguments.memory_limit, threads=arguments.threads, on=copy,
        writable=kind == "duckdb" and output is None, numbers=numbers,
    )  # fmt: skip
    with source as (con, table):
        into = arguments.into if output is None else f"temp.{RELEASED}"
        con.begin()  # all columns are masked, or none
        data = _describe_input(con, table, arguments)
        steps = _run_steps(_part(data, arguments), arguments, into, progress)
        if data.series is not None:
            data.series.record()  # durably, before anything leaves
        if output is not None:
            progress("writing")
            with open_fresh_file(Path(output), arguments.readable, replace=arguments.replace) as part:
                released = con.table(f"temp.{RELEASED}")
                (released.write_parquet if output.endswith(".parquet") else released.write_csv)(str(part))
            steps = [replace(step, table=output) for step in steps]
        con.commit()
        if copy is not None:
            remove_unused_labels(con, table)
    return steps
