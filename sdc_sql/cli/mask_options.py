"""The methods of ``sdc-sql mask`` and their options, as the headers of the masks declare them."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sdc_sql.cli.options import add_progress, add_readable, add_resources, json_value, names
from sdc_sql.db.catalogue.functions import explain_new_name
from sdc_sql.db.catalogue.macros import index_former_names, read_catalogue
from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter

EPILOG = """The secret key of the draws is read from the environment variable SDC_KEY: whoever holds it can undo the
masking.

examples:
  sdc-sql mask pram_retention persons.duckdb --id id --columns marital --retention 0.9
  sdc-sql mask noise persons.parquet --id id --columns income,wealth --alpha 0.1 --output released.parquet
"""


def _parse_list_or_number(text: str) -> float | list[float | None]:
    """Return a number, or the numbers of a list; one that is left out is None (``,20,10``)."""
    parts = [float(part) if part.strip() else None for part in text.split(",")]
    return parts[0] if len(parts) == 1 and parts[0] is not None else parts


def _list_of_numbers(text: str) -> list[float]:
    return [float(part) for part in text.split(",")]


def _column_or_number(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _parse_option(text: str) -> float | str:
    """Return a number, whole where it is written so, or a text."""
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    return text


def _parse_lists(text: str) -> dict[str, list[str]]:
    """Return lists of columns by name: {"very": ["sex"], "identifying": ["age"]}, {"region": ["district"]}."""
    lists = json_value(text)
    if not isinstance(lists, dict):
        raise argparse.ArgumentTypeError(
            f'{text_for_message(text)} is no JSON object of lists, as in {{"region": ["district"]}}'
        )
    return lists


def _combinations(text: str) -> list[list[str]]:
    """Return sets of columns, one after another: ``age,sex;region,sex,job``."""
    return [names(part) for part in text.split(";") if part.strip()]


TARGETS = {"columns", "column_name", "keys"}  # --columns gives these arguments, where a method masks columns
# Every method takes these: SOURCE, --id and --columns.
_COMMON = {"tbl", "id", *TARGETS}
_KINDS: dict[str, dict[str, Any]] = {
    "number": {"type": float, "metavar": "X"},
    "number or numbers": {"type": _parse_list_or_number, "metavar": "X"},
    "numbers": {"type": _list_of_numbers, "metavar": "X,Y"},
    "names": {"type": names, "metavar": "A,B"},
    "column or number": {"type": _column_or_number, "metavar": "COLUMN"},
    "levels": {"type": _parse_lists, "metavar": "JSON"},
    "lists of columns": {"type": _parse_lists, "metavar": "JSON"},
    "combinations": {"type": _combinations, "metavar": "A,B;B,C,D"},
    "whole number": {"type": int, "metavar": "N"},
    "truth value": {"action": "store_true"},
    "truth value or truth values": {"action": "store_true"},
    "table": {"metavar": "TABLE"},
    "column": {"metavar": "COLUMN"},
    "columns": {"type": names, "metavar": "A,B"},
    "text": {"metavar": "TEXT"},
    "value": {"type": _parse_option, "metavar": "VALUE"},
}


class Spelled(dict[str, argparse.ArgumentParser]):
    """The parsers of the methods, which are also found by a name with hyphens; an earlier name says what it is now."""

    def __contains__(self, name: object) -> bool:
        """Return whether a method is called so, or was."""
        return super().__contains__(str(name).replace("-", "_")) or str(name).replace("-", "_") in index_former_names()

    def __getitem__(self, name: str) -> argparse.ArgumentParser:
        """Return the parser of a method."""
        now = index_former_names().get(name.replace("-", "_"))
        if now is not None:
            raise ParameterError(explain_new_name(name, f"sdc-sql mask {now}"))
        return super().__getitem__(name.replace("-", "_"))


class _Elsewhere(argparse.Action):
    """An option that is of another method, whose name begins alike."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        """Say of which."""
        parser.error(f"{self.option_strings[0]} goes with sdc-sql mask {self.metavar}")


def methods() -> dict[str, list[Declaration]]:
    """Return the masks by the name of their method: several where a required option or a switch tells them apart."""
    found: dict[str, list[Declaration]] = {}
    for declaration in read_catalogue():
        if declaration.is_step:
            found.setdefault(declaration.verb, []).append(declaration)
    return found


def add_method(commands: Any, name: str, masks: list[Declaration]) -> argparse.ArgumentParser:  # noqa: ANN401 - argparse gives no name
    """Add a method with what all of them take, and with its own options, and return its parser."""
    summaries = dict.fromkeys(mask.summary[0].upper() + mask.summary[1:] for mask in masks)
    method: argparse.ArgumentParser = commands.add_parser(
        name, help=masks[0].summary.removesuffix("."), description="\n".join(summaries), epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    method.add_argument("source", metavar="SOURCE", help="a DuckDB, Parquet or CSV file")
    identified = method.add_mutually_exclusive_group(required=True)
    identified.add_argument("--id", metavar="ID", help="the column that identifies each record")
    identified.add_argument(
        "--make-id",
        metavar="NAME",
        help="add a column of this name that numbers the records as they are stored, and mask by it",
    )
    if any(p.name in TARGETS for mask in masks for p in mask.parameters):
        method.add_argument("--columns", required=True, type=names, metavar="A,B", help="the columns to mask")
    method.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    method.add_argument(
        "--where", metavar="CONDITION", help="mask the records only for which it holds, as if they were all there are"
    )
    if any(mask.effect.households.kind != "checked" for mask in masks):
        method.add_argument(
            "--by-household",
            metavar="HOUSEHOLD",
            help="mask one record a household, whose number is in this column: all members get the same masked values",
        )
    where = method.add_mutually_exclusive_group()
    new = "write the masked copy to a new"
    where.add_argument("--into", metavar="NEW", help=f"{new} table of the DuckDB file")
    where.add_argument("--output", metavar="FILE", help=f"{new} file, .parquet or .csv")
    alternatives = {
        p.name for mask in masks for p in _list_own_options(mask) if p.default is None
    } - _find_shared_parameters(masks)
    ways = method.add_mutually_exclusive_group(required=True) if alternatives else method
    options = {p.name: p for mask in masks for p in _list_own_options(mask)}
    for parameter in sorted(options.values(), key=lambda p: p.name not in alternatives):
        _add(ways if parameter.name in alternatives else method, parameter, alternatives)
    for mask in masks:
        if mask.switch:
            words = mask.summary.removesuffix(".")
            method.add_argument(_name_option(mask.switch), action="store_true", default=argparse.SUPPRESS, help=words)
    for other, beside in methods().items():
        if other.startswith(f"{name}_"):
            for parameter in {
                p.name: p for mask in beside for p in _list_own_options(mask) if p.default is None
            }.values():
                if parameter.name not in options:
                    option = _name_option(parameter.name)
                    method.add_argument(option, action=_Elsewhere, metavar=other, help=argparse.SUPPRESS)
    method.add_argument("--json", action="store_true", help="print what was done as JSON")
    method.add_argument("--replace", action="store_true", help="let --output take the place of a file that is there")
    add_readable(method, "the file of --output")
    add_resources(method)
    add_progress(method)
    return method


def choose_masks(arguments: argparse.Namespace) -> tuple[list[Declaration], dict[str, Any]]:
    """Return the masks of the verb that the options choose, and the options that were given.

    What was not given is left to the verb, whose defaults are those of the headers.
    """
    masks = methods()[arguments.masking.replace("-", "_")]
    known = {p.name for mask in masks for p in _list_own_options(mask)} | {mask.switch for mask in masks}
    given = {name: value for name, value in vars(arguments).items() if name in known}
    fitting = [mask for mask in masks if all(p.name in given for p in _list_own_options(mask) if p.default is None)]
    taken = {p.name for mask in fitting for p in _list_own_options(mask)} | {mask.switch for mask in fitting}
    for stray in sorted(given.keys() - taken):
        ways = dict.fromkeys(
            _name_option(p.name)
            for mask in masks
            if any(p.name == stray for p in _list_own_options(mask))
            for p in _list_own_options(mask)
            if p.default is None
        )
        raise ParameterError(f"{_name_option(stray)} goes with {' or '.join(ways)} only.")
    return fitting, given


def _list_own_options(mask: Declaration) -> list[Parameter]:
    return [p for p in mask.parameters if p.name not in _COMMON]


def _find_shared_parameters(masks: Iterable[Declaration]) -> set[str]:
    return set.intersection(*({p.name for p in mask.parameters} for mask in masks))


def _name_option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _add(method: Any, parameter: Parameter, alternatives: set[str]) -> None:  # noqa: ANN401 - a parser, or a group of it
    default = str(parameter.default or "").strip("'")
    said = [parameter.range.words] if parameter.range and parameter.range.words else []
    said += [] if default in {"", "NULL", "false"} else [f"default {default}"]
    kind = {"choices": parameter.choices} if parameter.choices else _KINDS[parameter.type]
    required = {"required": True} if parameter.default is None and parameter.name not in alternatives else {}
    words = (parameter.meaning + (f" ({'; '.join(said)})" if said else "")).replace("%", "%%")
    method.add_argument(_name_option(parameter.name), help=words, default=argparse.SUPPRESS, **kind, **required)
