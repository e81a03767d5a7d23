"""The harm that an intruder is expected to do (Lambert 1993)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.checks import text_for_message
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import TableError

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ExpectedHarm(Result):
    """The expected harm to all respondents together, to one on average, and at most; in the unit of the costs."""

    respondents: int
    total: float
    average: float
    maximum: float


def expected_harm(data: Roles, costs: str) -> ExpectedHarm:
    """Return the expected harm of what may happen to the respondents of this table.

    The table has, for each of its respondents (the id), a row for each thing that may happen: ``identification`` and
    ``inference`` (``'correct'``, ``'incorrect'`` or ``'none'``), and its ``probability``.

    Parameters
    ----------
    costs
        The name of the table of costs: identification, inference, cost.

    Returns
    -------
    ExpectedHarm

    Raises
    ------
    InputError
        Where probabilities of a respondent sum to more than 1, or what may happen has no cost.

    Notes
    -----
    Lambert (1993), section 6. No identification costs 0 where nothing else is said.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.example().con
    >>> _ = con.execute("CREATE TABLE costs AS SELECT 'correct' AS identification, 'none' AS inference, 40 AS cost")
    >>> _ = con.execute("CREATE TABLE outcomes AS SELECT 1 AS person, *, 0.25 AS probability FROM costs")
    >>> sdc_sql.Microdata(con, "outcomes", id="person").risk.expected_harm("costs").total
    10.0
    """
    return ExpectedHarm(**data.row("sdc_expected_harm", data.table, _costs(data, costs), data.require_role("id")))


def expected_harm_records(data: Roles, costs: str) -> duckdb.DuckDBPyRelation:
    """Return the expected harm to each respondent of this table (:func:`expected_harm`).

    Parameters
    ----------
    costs
        The name of the table of costs: identification, inference, cost.

    Returns
    -------
    DuckDBPyRelation
        respondent (the id, as text) and expected_harm.

    Notes
    -----
    Lambert (1993), section 6.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.example().con
    >>> _ = con.execute("CREATE TABLE costs AS SELECT 'correct' AS identification, 'none' AS inference, 40 AS cost")
    >>> _ = con.execute("CREATE TABLE outcomes AS SELECT 1 AS person, *, 0.25 AS probability FROM costs")
    >>> sdc_sql.Microdata(con, "outcomes", id="person").risk.expected_harm_records("costs").fetchall()
    [('1', 10.0)]
    """
    return data.relation("sdc_expected_harm_records", data.table, _costs(data, costs), data.require_role("id"))


def _costs(data: Roles, costs: str) -> str:
    if not isinstance(costs, str) or not costs:
        raise TableError(f"costs is {text_for_message(costs)}: it must be the name of a table, view or file.")
    return data.read_table(costs, ["cost"])
