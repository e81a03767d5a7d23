# Written from sql/linkage/singling_out.sql by python -m sdc_sql.write: change that file.
"""Whether what is true of a single released record is true of a single person: singling out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, original_table, resolve_columns_or_keys, resolve_table
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class SinglingOut(Result):
    """The attack (``univariate`` or ``multivariate``), its guesses, and the risk beside the holdout.

    ``rate`` and ``error`` are the middle and half the width of Wilson's interval; None where there is no guess.
    """

    attack: str
    guesses: int
    successes: float
    control_guesses: int
    control_successes: float
    rate: float | None
    error: float | None
    control_rate: float | None
    control_error: float | None
    risk: float | None
    risk_lower: float | None
    risk_upper: float | None


def singling_out(
    data: Roles,
    original: Described | str,
    holdout: str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    width: int = 3,
    max_guesses: int = 2000,
    confidence: float = 0.95,
) -> Results[SinglingOut]:
    """Return how often what is true of one released record is true of one person, beside a holdout.

    Parameters
    ----------
    original
        The table from which the released one was made, without the holdout: a Microdata, or its name on this
        connection.
    holdout
        The name of records of the same population of which nothing was made.
    columns
        The variables; those that are not continuous are categories.
    continuous
        Those of them that are numbers.
    width
        The variables of a multivariate guess, or all where there are fewer, at least 1.
    max_guesses
        The most guesses of either attack, at least 1.
    confidence
        Of the intervals, strictly between 0 and 1.

    Returns
    -------
    Results of SinglingOut
        One for each attack.

    Raises
    ------
    ParameterError
        Where ``width`` or ``max_guesses`` or ``confidence`` is out of its range.
    InputError
        Where the holdout holds the very records of the original, or has not about as many.
    ColumnError
        Where a number is none.

    Notes
    -----
    NULL is a value. No id is needed.

    Giomi, Boenisch, Wehmeyer & Tasnadi (2022), A unified framework for quantifying privacy risk in synthetic data,
    PoPETs 2023(2), 312-328: section 4 (the attacks), 5.1 (rates with Wilson's interval, the risk beside a control);
    Wilson (1927), JASA 22, 209-212.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES ('a'), ('b'), ('c'), ('d'), ('e')) AS t(x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES ('a'), ('b'), ('e'), ('e'), ('e')) AS t(x)")
    >>> _ = con.execute("CREATE TABLE holdout AS FROM (VALUES ('e'), ('e'), ('h'), ('f'), ('g')) AS t(x)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.linkage.singling_out("original", "holdout", ["x"], width=1)[0])
    SinglingOut
      attack             univariate
      guesses            2
      successes          2
      control guesses    2
      control successes  0
      rate               0.67119
      error              0.32881
      control rate       0.32881
      control error      0.32881
      risk               0.510109
      risk lower         0
      risk upper         1
    """
    rows = data.rows(
        "sdc_singling_out",
        original_table(data, original),
        data.table,
        resolve_table(data, "holdout", holdout),
        resolve_columns_or_keys(data, columns),
        continuous=list_or_none(continuous),
        width=require_number("singling_out", "width", width),
        max_guesses=require_number("singling_out", "max_guesses", max_guesses),
        confidence=require_number("singling_out", "confidence", confidence),
    )
    return Results(SinglingOut(**row) for row in rows)
