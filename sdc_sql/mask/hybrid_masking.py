"""Records combined with the nearest synthetic ones: hybrid masking (SDC handbook, section 3.4.7.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.masking.masking import Masking
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value


def hybrid_masking(
    data: Maskable,
    columns: str | Iterable[str],
    alpha: float,
    *,
    method: Literal["additive", "multiplicative"] = "additive",
    k: int = 1,
    tolerance: float = 0.05,
    size: int = 10,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Combine numeric columns of each record with those of the nearest record of a synthetic sample.

    The synthetic records are drawn by Latin hypercube sampling. Nothing is kept exactly; a record stays by its own, the
    nearer the greater alpha, the smaller k and the fewer columns. Release it once.

    Parameters
    ----------
    columns
        One numeric column or several, without missing values, masked together.
    alpha
        The share of the own value, at least 0 and less than 1.
    method
        ``"additive"``: alpha X + (1 - alpha) X_S; ``"multiplicative"``: X^alpha X_S^(1 - alpha), of numbers above 0.
    k
        For so many records one synthetic record is drawn, which about k of them share.
    tolerance
        Of the synthetic records: the greatest error of a rank correlation.
    size
        Of the synthetic records: the least number of values in a group (``latin_hypercube``).
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
        As of ``latin_hypercube``; where products are asked for of numbers that are not above 0; where what is released
        of a column explains more than 0.99 of its own values. Nothing is changed.

    Notes
    -----
    SDC handbook, section 3.4.7.9; Dandekar, Domingo-Ferrer & Sebe (2002), LHS-based hybrid microdata vs rank swapping
    and microaggregation, LNCS 2316, 153-162.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute(
    ...     "CREATE TABLE many AS SELECT range AS id, range * 7 % 500 * 1e0 AS b, sqrt(range) AS x FROM range(500)"
    ... )
    >>> many = sdc_sql.Microdata(data.con, "many", id="id")
    >>> _ = many.mask.hybrid_masking(["b", "x"], 0.2, k=20, into="mixed")
    >>> data.con.sql(
    ...     "SELECT corr(m.b, t.b) BETWEEN 0.8 AND 0.995 FROM mixed AS m JOIN many AS t USING (id)"
    ... ).fetchall()
    [(True,)]
    """
    chosen = resolve_columns(data, columns)
    arguments: dict[str, Value] = {
        "columns": chosen, "alpha": require_number("hybrid_masking", "alpha", alpha), "id": data.require_role("id"),
        "method": method, "k": require_number("hybrid_masking", "k", k),
        "tolerance": require_number("hybrid_masking", "tolerance", tolerance),
        "size": require_number("hybrid_masking", "size", size),
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
    }  # fmt: skip
    return data.masked(Masking("hybrid_masking", chosen, arguments), into=into)
