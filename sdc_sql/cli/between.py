"""``sdc-sql between``: sums and regressions with other houses, whose databases never meet."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.between import run as runs
from sdc_sql.between import terms as agreed
from sdc_sql.between.folders import Folders
from sdc_sql.between.identity import make_identity, name_keys, read_identity, read_public
from sdc_sql.between.log import list_runs, open_log
from sdc_sql.between.signatures import list_unsigned, sign_agreement
from sdc_sql.between.sockets import Sockets, parse_address
from sdc_sql.cli.options import add_wait, names, seconds
from sdc_sql.db.files.source import open_source
from sdc_sql.db.showing.results import format_value
from sdc_sql.errors import ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc_sql.between.agreement import Agreement
    from sdc_sql.between.exchange import Transport
    from sdc_sql.between.regression import Regression

TOLD = """what is told to whom: nobody but its own house sees a party's records or sums; what crosses is uniform noise.
All learn the totals, and so each party learns the totals less its own: with three parties, the sums of the other two
together. If all parties but one put together what they know, they have the sums of that one. All are taken to be honest
but curious: each reports rightly and keeps to the protocol; one that adds false sums spoils the answer, and nobody sees
it.
"""
EPILOG = f"""{TOLD}
each house: its keys once, an agreement for each question, then all run it at about the same time:
  sdc-sql between key office-a --folder keys            # and gives keys/public.json to the others
  sdc-sql between draft wages.json --party a.json --party b.json --party c.json --response wage \\
      --regressors age,schooling --size wage=1000000 --size age=120 --size schooling=40     # one of them
  sdc-sql between agree wages.json --keys keys          # each, and gives wages.office-a.signature to the others
  sdc-sql between regress wages.json a.duckdb --keys keys --record person --log between.duckdb --folder exchange
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse gives it no public name
    """Add the command."""
    command = commands.add_parser(
        "between", help="sums and regressions with other houses, whose databases never meet", epilog=EPILOG,
        description="Secure sums and regressions among three and more parties, each with its own database.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    inner = command.add_subparsers(dest="step", required=True, metavar="STEP")
    _add_key(inner)
    _add_draft(inner)
    _add_agree(inner)
    _add_show(inner)
    _add_run(inner, "regress", "take part in a regression on all parties' records", print_regression)
    _add_run(inner, "sum", "take part in the sums of cells over all parties' records", print_sums)
    _add_log(inner)


def _add_step(inner: Any, name: str, words: str, epilog: str = "") -> argparse.ArgumentParser:  # noqa: ANN401
    step: argparse.ArgumentParser = inner.add_parser(
        name, help=words, description=words[0].upper() + words[1:] + ".", epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    return step


def _add_key(inner: Any) -> None:  # noqa: ANN401
    step = _add_step(inner, "key", "make the keys of a party, in a new folder")
    step.add_argument("name", metavar="NAME", help="what the party is called: small letters, digits and hyphens")
    step.add_argument("--folder", required=True, type=Path, help="a folder that is not there yet")
    step.set_defaults(handle=make_keys)


def _add_draft(inner: Any) -> None:  # noqa: ANN401
    step = _add_step(inner, "draft", "write an agreement, for all parties to sign")
    step.add_argument("agreement", metavar="AGREEMENT.json", type=Path)
    step.add_argument(
        "--party", action="append", default=[], metavar="public.json", help="the public.json of a party; three or more"
    )
    step.add_argument("--response", metavar="Y", help="of a regression: the column that is explained")
    step.add_argument(
        "--regressors", type=names, default=[], metavar="A,B", help="and those that explain it, beside a constant"
    )
    step.add_argument("--by", type=names, default=[], metavar="A,B", help="of sums: the columns that make the cells")
    step.add_argument(
        "--cell",
        type=names,
        action="append",
        default=[],
        metavar="a,b",
        help="a cell by its values; each cell is named",
    )
    step.add_argument(
        "--size", type=_parse_size, action="append", default=[], metavar="COLUMN=NUMBER",
        help="the greatest absolute value of a numeric column, by the code book; sums are of the columns with a size",
    )  # fmt: skip
    step.add_argument("--purpose", default="", metavar="TEXT", help="what it is for")
    step.add_argument(
        "--threshold", type=int, default=agreed.THRESHOLD, metavar="K",
        help="no party answers what tells of fewer than K of its records (%(default)s)",
    )  # fmt: skip
    _add_method(step)
    step.set_defaults(handle=draft)


def _add_agree(inner: Any) -> None:  # noqa: ANN401
    step = _add_step(inner, "agree", "sign an agreement as it stands in a file", TOLD)
    step.add_argument("agreement", metavar="AGREEMENT.json", type=Path)
    _add_keys(step)
    step.set_defaults(handle=agree)


def _add_show(inner: Any) -> None:  # noqa: ANN401
    step = _add_step(inner, "show", "show an agreement, its digest, and who has signed it", TOLD)
    step.add_argument("agreement", metavar="AGREEMENT.json", type=Path)
    step.set_defaults(handle=show)


def _add_log(inner: Any) -> None:  # noqa: ANN401
    step = _add_step(inner, "log", "show what a house has answered")
    step.add_argument("log", metavar="LOG.duckdb", type=Path)
    step.set_defaults(handle=show_log)


def _add_run(inner: Any, name: str, words: str, handle: Callable[[argparse.Namespace], int]) -> None:  # noqa: ANN401
    step = _add_step(inner, name, words, TOLD)
    step.add_argument("agreement", metavar="AGREEMENT.json", type=Path, help="the signatures of all stand beside it")
    step.add_argument(
        "source", metavar="SOURCE", help="the own table: a Parquet, CSV or DuckDB file (read, never written)"
    )
    step.add_argument("--table", metavar="T", help="the table of a DuckDB file")
    _add_keys(step)
    step.add_argument(
        "--record", required=True, metavar="C", help="the column that identifies each record, for the log"
    )
    step.add_argument(
        "--log",
        required=True,
        type=Path,
        metavar="LOG.duckdb",
        help="the own log of what was answered, in every run the same",
    )
    step.add_argument(
        "--folder", type=Path, help="messages as files: a folder that all parties read and write, or carry"
    )
    step.add_argument("--listen", metavar="HOST:PORT", help="messages over mutual TLS: where this house listens")
    step.add_argument(
        "--address", action="append", default=[], metavar="PARTY=HOST:PORT", help="and where each of the others does"
    )
    _add_method(step)
    step.add_argument(
        "--within",
        type=seconds,
        default=runs.WAIT,
        metavar="SECONDS",
        help="how long to wait for the others (%(default)g)",
    )
    step.add_argument("--json", action="store_true", help="print the answer as JSON")
    add_wait(step)
    step.set_defaults(handle=handle)


def _add_keys(step: argparse.ArgumentParser) -> None:
    step.add_argument("--keys", required=True, type=Path, metavar="FOLDER", help="the folder of the own keys")


def _add_method(step: argparse.ArgumentParser) -> None:
    step.add_argument(
        "--method", choices=agreed.METHODS, default="shares",
        help="shares (default), or for comparison the paper's ring, in which two neighbours see the party between them",
    )  # fmt: skip


def _parse_size(text: str) -> tuple[str, float]:
    column, sign, number = text.rpartition("=")
    try:
        size = float(number)
    except ValueError:
        sign = ""
    if not sign or not column:
        raise argparse.ArgumentTypeError(f"{text!r} is no size: give a column and a number, as in income=1000000")
    return column, size


def make_keys(arguments: argparse.Namespace) -> int:
    """Make the keys of a party."""
    public = make_identity(arguments.name, arguments.folder)
    print(f"{public}: give it to the other parties; what else is in {arguments.folder} stays in this house")
    print(f"keys {name_keys(read_public(public))}")
    return 0


def draft(arguments: argparse.Namespace) -> int:
    """Write an agreement."""
    if bool(arguments.response) == bool(arguments.by):
        raise ParameterError("Give --response and --regressors for a regression, or --by and --cell for sums.")
    if (arguments.response and arguments.cell) or (arguments.by and arguments.regressors):
        raise ParameterError("--regressors go with --response, and --cell with --by.")
    if len({column for column, _ in arguments.size}) < len(arguments.size):
        raise ParameterError("--size names a column twice.")
    if arguments.agreement.exists():
        raise TableError(f"There is a file {arguments.agreement} already: remove it first, or give another name.")
    drafted = agreed.draft_agreement(
        [read_public(file) for file in arguments.party], dict(arguments.size), response=arguments.response,
        regressors=arguments.regressors, by=arguments.by, cells=arguments.cell, purpose=arguments.purpose,
        threshold=arguments.threshold, method=arguments.method,
    )  # fmt: skip
    arguments.agreement.write_text(json.dumps(drafted.terms, indent=2) + "\n", encoding="utf-8", newline="\n")
    print(f"{arguments.agreement}: agreement {drafted.digest}, to be signed by {', '.join(drafted.parties)}")
    return 0


def agree(arguments: argparse.Namespace) -> int:
    """Sign an agreement."""
    signature = sign_agreement(arguments.agreement, read_identity(arguments.keys))
    print(f"{signature}: give it to the other parties, who put it beside the same agreement")
    return 0


def show(arguments: argparse.Namespace) -> int:
    """Show an agreement."""
    found = agreed.read_agreement(arguments.agreement)
    terms = found.terms
    unsigned = list_unsigned(arguments.agreement, found)
    asked = (
        f"{terms['response']} on {', '.join(terms['regressors'])}"
        if terms["kind"] == "regression"
        else f"{', '.join(['records', *terms['totals']])} in {len(terms['cells'])} cells of {' x '.join(terms['by'])}"
    )
    print(f"agreement  {found.digest}\n{terms['kind']:<9}  {asked}")
    for label, value in (("purpose", terms["purpose"]), ("method", terms["method"]), ("threshold", terms["threshold"])):
        print(f"{label:<9}  {value}")
    for column, size in terms["sizes"].items():
        print(f"size       {column}: at most {format_value(size)}")
    for name in found.parties:
        keys = name_keys(found.party(name))
        print(f"party      {name}: {'NOT SIGNED' if name in unsigned else 'signed'}, keys {keys}")
    return 0


def show_log(arguments: argparse.Namespace) -> int:
    """Show what was answered."""
    if not arguments.log.is_file():
        raise TableError(f"There is no file {arguments.log}.")
    with open_log(arguments.log) as log:
        for run, at, digest, terms, records in list_runs(log):
            print(
                f"{run:>4}  {at:%Y-%m-%d %H:%M}  {digest[:16]}  {terms['kind']}, {format_value(records)} own "
                f"records, with {', '.join(party['name'] for party in terms['parties'])}"
            )
    return 0


def print_regression(arguments: argparse.Namespace) -> int:
    """Take part in a regression, and print it."""
    found: Regression = _run(arguments, runs.run_regression)
    if arguments.json:
        print(json.dumps(found.to_dict(), indent=2))
        return 0
    width = max(len(c.name) for c in found.coefficients)
    print(f"{'':<{width}}  {'estimate':>14}  {'standard error':>14}  {'t':>9}")
    for c in found.coefficients:
        print(f"{c.name:<{width}}  {c.estimate:>14.7g}  {c.standard_error:>14.7g}  {c.t:>9.4g}")
    print(
        f"{format_value(found.records)} records, {format_value(found.degrees_of_freedom)} degrees of freedom, R2 "
        f"{found.r_squared:.6g}, adjusted {found.adjusted_r_squared:.6g}, residual deviation "
        f"{found.residual_deviation:.7g}"
    )
    return 0


def print_sums(arguments: argparse.Namespace) -> int:
    """Take part in the sums of cells, and print them."""
    found: Sequence[runs.CellTotal] = _run(arguments, runs.run_sums)
    if arguments.json:
        print(json.dumps([cell.to_dict() for cell in found], indent=2))
        return 0
    for cell in found:
        sums = "".join(f", {column} {total:.15g}" for column, total in cell.sums.items())
        print(f"{' x '.join(cell.cell)}: {format_value(cell.records)} records{sums}")
    return 0


def _run(arguments: argparse.Namespace, run: Callable[..., Any]) -> Any:  # noqa: ANN401
    identity = read_identity(arguments.keys)
    if (arguments.folder is None) == (arguments.listen is None):
        raise ParameterError("Give --folder for messages as files, or --listen and an --address of each other party.")
    if arguments.folder is not None and arguments.address:
        raise ParameterError("--address goes with --listen.")
    listen = parse_address(arguments.listen) if arguments.listen else None
    addresses = {}
    for text in arguments.address:
        party, _, where = text.partition("=")
        addresses[party] = parse_address(where)

    def connect(terms: Agreement) -> Transport:
        others = [name for name in terms.parties if name != identity.name]
        if listen is None:
            return Folders(arguments.folder, identity.name, others)
        return Sockets(terms, identity, listen, addresses)

    with open_source(arguments.source, arguments.table, numbers=_list_numbers(arguments)) as (con, table):
        house = runs.House(
            identity, con, table, arguments.record, arguments.log, connect, arguments.method, arguments.within
        )
        return run(arguments.agreement, house)


def _list_numbers(arguments: argparse.Namespace) -> list[str]:
    return agreed.read_agreement(arguments.agreement).columns
