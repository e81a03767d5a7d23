"""What an intruder thinks after looking at what was released, of a value or of a table: no data are needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import is_number, require_whole_number, text_for_message
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.db.table import fetch_rows
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_ONE_AT_A_TIME = Lock()  # a connection answers one question at a time


@dataclass(frozen=True)
class PossibleTable(Result):
    """A table that may be the true one, by its first cell ``a``, and what the intruder thinks of it.

    ``likelihood``: the probability that swapping made the released table of it.
    """

    a: int
    prior: float
    likelihood: float
    posterior: float


def swap_posterior(
    row_totals: Sequence[int],
    column_totals: Sequence[int],
    released: int,
    swaps: int,
    prior: str | Sequence[float] = "uniform",
) -> Results[PossibleTable]:
    """Return what an intruder thinks of a two-way table after swapping, who knows how it was swapped.

    A swap exchanges the categories of the columns of two records, drawn with replacement.

    Parameters
    ----------
    row_totals, column_totals
        The totals of the two rows and of the two columns.
    released
        The first cell of the released table.
    swaps
        How many swaps there were.
    prior
        ``"uniform"``, ``"equilibrium"`` (the hypergeometric distribution), or the probabilities of the possible tables.

    Returns
    -------
    Results of PossibleTable
        By the first cell, from the least.

    Raises
    ------
    ParameterError
        Where there is no such table, or a number is out of its range.

    Notes
    -----
    J. Lynch's slides on Lambert (1993), the addendum.

    Examples
    --------
    >>> tables = swap_posterior([10, 5], [9, 6], released=8, swaps=32)
    >>> [(table.a, round(table.posterior, 3)) for table in tables][-2:]
    [(8, 0.173), (9, 0.177)]
    """
    rows, columns = _sum_totals(row_totals, "row_totals"), _sum_totals(column_totals, "column_totals")
    released = require_number("swap_posterior", "released", released)
    swaps = require_number("swap_posterior", "swaps", swaps)
    chosen = prior if isinstance(prior, str) else list(prior) if isinstance(prior, list | tuple) else None
    found = _answer_query(query.call_macro("sdc_swap_posterior", rows, columns, released, swaps, prior=chosen))
    return Results(PossibleTable(**row) for row in found)


def flip_posterior(prior: float, q: float, released: int) -> float:
    """Return the probability that the true value of a binary attribute is 1, where masking may have flipped it.

    Parameters
    ----------
    prior
        The probability of a true 1 before the released value is looked at.
    q
        The probability that the released value is the true one, above 0.5.
    released
        The released value, 1 or 0.

    Raises
    ------
    ParameterError
        Where a number is out of its range, or the prior and q, both certain, contradict each other.

    Notes
    -----
    Lambert (1993), section 6.

    Examples
    --------
    >>> round(flip_posterior(0.1, 0.8, 1), 4), round(flip_posterior(0.1, 0.8, 0), 4)
    (0.3077, 0.027)
    """
    wrong = [n for n, v in (("prior", prior), ("q", q), ("released", released)) if not is_number(v)]
    if wrong:
        raise ParameterError(f"{wrong[0]} is no number: give prior, q and released as numbers.")
    call = exp.Anonymous(
        this="sdc_flip_posterior", expressions=[query.make_text_literal(v) for v in (prior, q, released)]
    )
    ((found,),) = (row.values() for row in _answer_query(exp.select(call)))
    return float(found)


def _sum_totals(given: Any, name: str) -> list[int]:  # noqa: ANN401 - whatever was given
    if not isinstance(given, list | tuple) or len(given) != 2:  # noqa: PLR2004 - rows, columns
        raise ParameterError(f"{name} is {text_for_message(given)}: it must be two whole numbers, as in [10, 5].")
    return [require_whole_number(v, name, least=0) for v in given]


@cache
def _connect_for_posteriors() -> duckdb.DuckDBPyConnection:
    """Return a connection with the macros: to load them takes longer than any of these queries."""
    return duckdb.connect(config={"threads": 1})


def _answer_query(select: exp.Select) -> list[dict[str, Any]]:
    """Return the rows of a query that reads no table."""
    with _ONE_AT_A_TIME:
        return fetch_rows(_connect_for_posteriors(), select)
