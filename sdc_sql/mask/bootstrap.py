"""Records drawn anew from the smoothed joint distribution of numbers and categories (SDC handbook, section 3.4.7.3)."""

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


def bootstrap(
    data: Maskable,
    columns: str | Iterable[str],
    categories: str | Iterable[str] | None = None,
    *,
    smoothing: float = 0.3,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Draw the columns of all records anew, together, from their smoothed joint distribution.

    Each released record is that of another person who is drawn: its numbers with noise, each category with a chance
    that it is drawn from the margin instead. Means, variances and covariances of numbers and margins of categories stay
    in expectation. Relations with columns that are not drawn are lost. Release it once.

    Parameters
    ----------
    columns
        One column or several, numbers and categories, all drawn together.
    categories
        Those of them that are categories, of any type; the others must be numeric.
    smoothing
        The deviation of the noise, in deviations of its column, and the share of the categories that are drawn from
        their margin: above 0 and at most 1.
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
        With fewer than 4 records, or a number with fewer than 2 different values, in a stratum. Nothing is changed.

    Notes
    -----
    SDC handbook, section 3.4.7.3; Silverman & Young (1987), The bootstrap: to smooth or not to smooth? Biometrika 74,
    469-479, equation (2.2).

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute(
    ...     "CREATE TABLE hundred AS SELECT range AS id, range % 10 * 1e0 AS b, range % 2 = 0 AS even FROM range(100)"
    ... )
    >>> _ = sdc_sql.Microdata(data.con, "hundred", id="id").mask.bootstrap(["b", "even"], "even", into="drawn")
    >>> data.con.sql("SELECT count(*), count(DISTINCT even), count(*) FILTER (b = floor(b)) FROM drawn").fetchall()
    [(100, 2, 0)]
    """
    chosen = resolve_columns(data, columns)
    named = (categories,) if isinstance(categories, str) else tuple(categories or ())
    arguments: dict[str, Value] = {
        "columns": chosen, "categories": resolve_columns(data, named) if named else None, "id": data.require_role("id"),
        "smoothing": require_number("bootstrap", "smoothing", smoothing),
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
    }  # fmt: skip
    return data.masked(Masking("bootstrap", chosen, arguments), into=into)
