"""Numeric columns drawn wholly anew by Latin hypercube sampling (SDC handbook, section 3.4.7.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.masking.masking import Masking
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value


def latin_hypercube(
    data: Maskable,
    columns: str | Iterable[str],
    tolerance: float,
    *,
    size: int = 10,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Draw numeric columns wholly anew, with their distributions and, to a tolerance, their rank correlations.

    Of each column one value is drawn from each n-th part of its distribution (Latin hypercube sampling); the order is
    refined until Spearman's correlations differ by no more than the tolerance. Relations with columns that are not
    drawn are lost. Release it once.

    Parameters
    ----------
    columns
        One numeric column or several, without missing values, drawn together.
    tolerance
        The greatest error of a rank correlation, above 0 and below 1.
    size
        The least number of consecutive values that are replaced by their mean and deviation, 3 or more.
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
        Where values are missing, a column is constant, there are too few records, or the tolerance is not reached: the
        message says how near the correlations came. Nothing is changed.

    Notes
    -----
    SDC handbook, section 3.4.7.4; Florian (1992), An efficient sampling scheme: updated Latin hypercube sampling,
    Probabilistic Engineering Mechanics 7, 123-130.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute(
    ...     "CREATE TABLE many AS SELECT range AS id, range * 7 % 500 * 1e0 AS b, sqrt(range) AS x FROM range(500)"
    ... )
    >>> _ = sdc_sql.Microdata(data.con, "many", id="id").mask.latin_hypercube(["b", "x"], 0.01, into="drawn")
    >>> data.con.sql(
    ...     "SELECT abs(avg(d.b) - avg(m.b)) < 0.5, abs(corr(m.b, d.b)) < 0.2 FROM drawn AS d JOIN many AS m USING (id)"
    ... ).fetchall()
    [(True, True)]
    """
    chosen = resolve_columns(data, columns)
    arguments: dict[str, Value] = {
        "columns": chosen, "tolerance": require_number("latin_hypercube", "tolerance", tolerance),
        "id": data.require_role("id"), "size": require_number("latin_hypercube", "size", size),
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
    }  # fmt: skip
    return data.masked(Masking("latin_hypercube", chosen, arguments), into=into)
