"""Hybrid data: a share of each own value, the rest drawn anew given other columns (SDC handbook, section 3.4.7.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.masking.masking import Masking
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value


def hybrid(
    data: Maskable,
    columns: str | Iterable[str],
    alpha: float | list[float],
    *,
    given: str | Iterable[str] | None = None,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Mix numeric columns with what is drawn given other ones; means and covariances stay exactly (Muralidhar-Sarathy).

    Exactly means to 1e-9 of their size in columns of DOUBLE; whole numbers are rounded. Release it once: the mean of
    several releases tends to the own values.

    Parameters
    ----------
    columns
        One numeric column or several, without missing values.
    alpha
        The share of the own value, at least 0 and less than 1: one, or one for each column.
    given
        Numeric columns that are released as they are; None: none.
    stratum
        A column within whose values all is done.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Raises
    ------
    InputError
        Where values are missing, columns are collinear, there are fewer than ``2 |x| + |y| + 1`` records, a record
        counts for more than a quarter of its own expectation, more than 0.99 of a column is explained, or the noise of
        different alphas would have a negative variance: the message names the largest alphas. Nothing is changed.

    Notes
    -----
    SDC handbook, section 3.4.7.7; Muralidhar & Sarathy (2008), Generating sufficiency-based non-synthetic perturbed
    data, Transactions on Data Privacy 1, 17-33.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute(
    ...     "CREATE TABLE ten AS SELECT range AS id, range * 7 % 10 * 1e0 AS b, sqrt(range) AS x FROM range(10)"
    ... )
    >>> _ = sdc_sql.Microdata(data.con, "ten", id="id").mask.hybrid("b", 0.5, into="mixed")
    >>> data.con.sql(
    ...     "SELECT round(avg(m.b), 8), round(var_pop(m.b), 8), round(corr(m.b, t.b), 8) "
    ...     "FROM mixed AS m JOIN ten AS t USING (id)"
    ... ).fetchall()
    [(4.5, 8.25, 0.5)]
    """
    chosen = resolve_columns(data, columns)
    beside = (given,) if isinstance(given, str) else tuple(given or ())
    arguments: dict[str, Value] = {
        "columns": chosen, "alpha": alpha, "id": data.require_role("id"),
        "given": resolve_columns(data, beside) if beside else None,
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
    }  # fmt: skip
    return data.masked(Masking("hybrid", chosen, arguments), into=into)
