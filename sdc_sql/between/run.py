"""A run in one house: the agreement is signed, the own sums are computed, judged and logged, and then added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.between.exchange import Exchange
from sdc_sql.between.log import open_log, write_answer
from sdc_sql.between.own import compute_own
from sdc_sql.between.refusal import judge_model
from sdc_sql.between.regression import fit_regression
from sdc_sql.between.signatures import require_own_keys, require_signatures
from sdc_sql.between.terms import read_agreement
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import duckdb

    from sdc_sql.between.agreement import Agreement
    from sdc_sql.between.exchange import Transport
    from sdc_sql.between.identity import Identity
    from sdc_sql.between.regression import Regression

WAIT = 600.0


@dataclass(frozen=True)
class CellTotal(Result):
    """The records of a cell in all parties' tables together, and the sums of the agreed columns."""

    cell: tuple[str, ...]
    records: int
    sums: dict[str, float]


@dataclass(frozen=True)
class House:
    """What a party takes part with; nothing of it leaves but sums, in shares.

    Parameters
    ----------
    identity
        This party (:func:`read_identity`).
    con, table
        Its own table, with the columns of the agreement.
    record
        The column that identifies each record, for the log.
    log
        Its own log, in every run the same file.
    connect
        What carries the messages, given the agreement: ``Folders`` or ``Sockets``. It is called when all else is in
        order.
    method
        ``ring`` where the agreement says so: the ring must be asked for by name in each house.
    wait
        How many seconds to wait for the others.
    """

    identity: Identity
    con: duckdb.DuckDBPyConnection
    table: str
    record: str
    log: str | Path
    connect: Callable[[Agreement], Transport]
    method: str = "shares"
    wait: float = WAIT


def run_regression(file: str | Path, house: House) -> Regression:
    """Take part in a regression on all parties' records together; return it.

    Each party calls this at about the same time, with the same agreement and its own table.

    Parameters
    ----------
    file
        The agreement; the signatures of all parties stand beside it.
    house
        What this party takes part with.

    Raises
    ------
    RefusedError
        Where the own sums would tell too much of a few records; nothing was sent.
    ExchangeError
        Where a signature, a party or a message is missing or wrong.
    """
    agreement = _read_own(file, house, "regression")
    return fit_regression(_add_up(agreement, house), agreement.terms["regressors"], agreement.bits)


def run_sums(file: str | Path, house: House) -> list[CellTotal]:
    """Take part in the sums of cells over all parties' records together; return them.

    The arguments and what is raised are those of :func:`run_regression`.
    """
    agreement = _read_own(file, house, "sums")
    totals = iter(_add_up(agreement, house))
    units = list(zip(agreement.columns, agreement.bits, strict=True))
    return [
        CellTotal(tuple(cell), next(totals), {column: next(totals) / 2**bits for column, bits in units})
        for cell in agreement.terms["cells"]
    ]


def _read_own(file: str | Path, house: House, kind: str) -> Agreement:
    agreement = read_agreement(file)
    require_own_keys(agreement, house.identity)
    require_signatures(file, agreement)
    if agreement.terms["kind"] != kind:
        raise ParameterError(f"The agreement is on {agreement.terms['kind']}, not on {kind}.")
    if agreement.terms["method"] != house.method:
        raise ParameterError(
            f"The agreement asks for the method {agreement.terms['method']}, and this run for {house.method}: name "
            "it in both. In a ring the two neighbours of a party have its sums between them, and so has whoever "
            "reads an open wire; shares are the default."
        )
    return agreement


def _add_up(agreement: Agreement, house: House) -> list[int]:
    own = compute_own(house.con, house.table, house.record, agreement)
    with open_log(house.log) as log:  # before anything is sent: what is broken off counts as answered
        write_answer(log, agreement, own, judge_model(log, agreement, own))
    transport = house.connect(agreement)
    try:
        totals = Exchange(agreement, house.identity, transport, house.wait).add_up(own.sums)
    except BaseException:
        transport.close(0)
        raise
    transport.close(house.wait)
    return totals
