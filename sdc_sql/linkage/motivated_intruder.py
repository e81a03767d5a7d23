# Written from sql/linkage/motivated_intruder.sql by python -m sdc_sql.write: change that file.
"""A motivated intruder: persons drawn at random, looked for in the released file by every linkage that fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import list_or_none, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class MotivatedIntruder(Result):
    """Whom an intruder finds of the persons drawn, with Wilson's interval.

    ``linkage``: NULL for whoever is found by one of them at least.
    """

    linkage: str | None
    records: int
    found: int
    rate: float
    lower: float
    upper: float


def motivated_intruder_records(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    linkage: Literal["all", "keys", "distance", "agreement", "ranks"] = "all",
    records: int = 1000,
    stream: str = "",
) -> duckdb.DuckDBPyRelation:
    """Return whom a motivated intruder finds of the persons drawn, by each linkage.

    Parameters
    ----------
    original
        The source, before masking, what was recoded in its released classes: a Microdata, or its name on this
        connection.
    columns
        The variables that an intruder knows; those that are not continuous are categories.
    continuous
        Those of them that are numbers.
    linkage
        The linkage that is tried; 'all' that fit the columns.
    records
        How many persons are drawn; of a file that has no more, all, at least 1.
    stream
        Names the test: another one draws other persons.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The id, the linkage, the probability that it takes the person's own record, and whether it does.

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``records`` is out of its range.

    Notes
    -----
    Information Commissioner's Office (2012), Anonymisation: managing data protection risk, code of practice, pages
    22-24 (the motivated intruder); Elliot et al. (2016), The Anonymisation Decision-Making Framework, component 7
    (intrusion tests); Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22,
    209-212.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("SET VARIABLE sdc_key = concat(uuid(), uuid())")
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (1, 'f', 30), (2, 'm', 40), (3, 'f', 50)) AS t(id, sex, age)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (1, 'f', 30), (2, 'm', 40), (3, 'f', 50)) AS t(id, sex, age)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> for row in released.linkage.motivated_intruder_records("original", ["sex", "age"]).order("ALL").fetchall():
    ...     print(row)
    (1, 'distance', 1.0, True)
    (1, 'keys', 1.0, True)
    (2, 'distance', 1.0, True)
    (2, 'keys', 1.0, True)
    (3, 'distance', 1.0, True)
    (3, 'keys', 1.0, True)
    """
    return data.relation(
        "sdc_motivated_intruder_records",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        continuous=list_or_none(continuous),
        linkage=require_choice("motivated_intruder_records", "linkage", linkage),
        records=require_number("motivated_intruder_records", "records", records),
        stream=str(stream),
    )


def motivated_intruder(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    linkage: Literal["all", "keys", "distance", "agreement", "ranks"] = "all",
    records: int = 1000,
    confidence: float = 0.95,
    stream: str = "",
) -> Results[MotivatedIntruder]:
    """Return how many persons of the source, drawn at random, a motivated intruder finds in the released file.

    Parameters
    ----------
    original
        The source, before masking, what was recoded in its released classes: a Microdata, or its name on this
        connection.
    columns
        The variables that an intruder knows; those that are not continuous are categories.
    continuous
        Those of them that are numbers.
    linkage
        The linkage that is tried; 'all' that fit the columns.
    records
        How many persons are drawn; of a file that has no more, all, at least 1.
    confidence
        The probability of the intervals, strictly between 0 and 1.
    stream
        Names the test: another one draws other persons.

    Returns
    -------
    Results of MotivatedIntruder
        One for each linkage, by any of them first.

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``records`` or ``confidence`` is out of its range. Where what
        tells most cannot be estimated: name another linkage.
    ColumnError
        Where a category was recoded: the original has to be recoded alike first.

    Notes
    -----
    The secret key draws the persons, and one of several records as near.

    Information Commissioner's Office (2012), Anonymisation: managing data protection risk, code of practice, pages
    22-24 (the motivated intruder); Elliot et al. (2016), The Anonymisation Decision-Making Framework, component 7
    (intrusion tests); Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22,
    209-212.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("SET VARIABLE sdc_key = concat(uuid(), uuid())")
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (1, 'f', 30), (2, 'm', 40), (3, 'f', 50)) AS t(id, sex, age)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (1, 'f', 30), (2, 'm', 40), (3, 'f', 50)) AS t(id, sex, age)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.linkage.motivated_intruder("original", ["sex", "age"]))
    MotivatedIntruder
      linkage   records  found  rate     lower  upper
      NULL            3      3     1  0.438503      1
      distance        3      3     1  0.438503      1
      keys            3      3     1  0.438503      1
    """
    rows = data.rows(
        "sdc_motivated_intruder",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        continuous=list_or_none(continuous),
        linkage=require_choice("motivated_intruder", "linkage", linkage),
        records=require_number("motivated_intruder", "records", records),
        confidence=require_number("motivated_intruder", "confidence", confidence),
        stream=str(stream),
    )
    return Results(MotivatedIntruder(**row) for row in rows)
