"""What an intruder infers of a binary attribute that masking may have flipped (Lambert 1993)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.checks import is_number, text_for_message
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ColumnError, ParameterError

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class FlippedTerm(Result):
    """A coefficient of the logistic regression of the true values, ``(intercept)`` or of a column."""

    term: str
    estimate: float
    standard_error: float


def flip_regression(data: Roles, column: str, columns: str | Iterable[str], q: float) -> Results[FlippedTerm]:
    """Return the logistic regression of a binary attribute on others, where masking may have flipped it.

    Parameters
    ----------
    column
        The binary attribute: 0 and 1, or false and true.
    columns
        The attributes it is inferred from, numbers without NULL.
    q
        The probability that a released value is the true one, above 0.5 and at most 1.

    Returns
    -------
    Results of FlippedTerm
        The intercept first.

    Raises
    ------
    InputError
        Where a value is missing, or the likelihood has no maximum.

    Notes
    -----
    Lambert (1993), section 6: maximum likelihood of the flipped values.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute("CREATE TABLE known AS SELECT i AS id, i % 2 AS x, i % 3 = 0 AS y FROM range(12) t(i)")
    >>> known = sdc_sql.Microdata(data.con, "known", id="id")
    >>> [round(t.estimate, 3) for t in known.risk.flip_regression("y", ["x"], 0.9)]
    [-0.887, 0.0]
    """
    found = data.rows(
        "sdc_flip_regression", data.table, *_resolve_flipped_column(data, column, columns), _require_kept_share(q)
    )
    return Results(FlippedTerm(**row) for row in found)


def flip_posterior_records(data: Roles, column: str, columns: str | Iterable[str], q: float) -> duckdb.DuckDBPyRelation:
    """Return for each record the probability that the true value of a binary attribute is 1.

    Parameters
    ----------
    column
        The binary attribute: 0 and 1, or false and true.
    columns
        The attributes it is inferred from, numbers without NULL.
    q
        The probability that a released value is the true one, above 0.5 and at most 1.

    Returns
    -------
    DuckDBPyRelation
        record (the id, as text), prior (from the other attributes alone) and posterior (with the released value).

    Notes
    -----
    Lambert (1993), section 6.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute("CREATE TABLE known AS SELECT i AS id, i % 2 AS x, i % 3 = 0 AS y FROM range(12) t(i)")
    >>> found = sdc_sql.Microdata(data.con, "known", id="id").risk.flip_posterior_records("y", ["x"], 0.9)
    >>> [tuple(round(float(v), 3) for v in row) for row in found.order("record").limit(2).fetchall()]
    [(0.0, 0.292, 0.788), (1.0, 0.292, 0.044)]
    """
    return data.relation(
        "sdc_flip_posterior_records",
        data.table,
        *_resolve_flipped_column(data, column, columns),
        data.require_role("id"),
        _require_kept_share(q),
    )


def _resolve_flipped_column(data: Roles, column: str, columns: str | Iterable[str]) -> tuple[str, list[str]]:
    names = [columns] if isinstance(columns, str) else list(columns) if isinstance(columns, Iterable) else []
    if not names:
        raise ColumnError(
            f"columns is {text_for_message(columns)}: it must be a list of column names, as in ['age', 'income']."
        )
    name = data.spell_column("attribute", column)
    found = [data.spell_column("column", n) for n in names]
    if name in found:
        raise ColumnError(f"{name!r} is among the columns that it is inferred from: leave it out there.")
    return name, found


def _require_kept_share(q: object) -> float:
    if isinstance(q, int | float) and is_number(q):
        return float(q)
    raise ParameterError(f"q is {text_for_message(q)}: it must be a number above 0.5 and at most 1.")
