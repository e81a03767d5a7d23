"""Quasi-identifiers drawn anew given confidential variables (SDC handbook, section 3.4.7.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db import query
from sdc_sql.db.masking.masking import Masking
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.masking import Kept
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value


def ipso(
    data: Maskable,
    columns: str | Iterable[str],
    confidential: str | Iterable[str] | None = None,
    *,
    method: Literal["A", "B", "C"] = "C",
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Draw numeric quasi-identifiers anew, given the confidential variables, so that regressions on these stay.

    Exactly means to 1e-9 of their size in columns of DOUBLE; whole numbers are rounded. Release it once: two releases
    of which one has a record more give that record's values.

    Parameters
    ----------
    columns
        One numeric column or several, without missing values.
    confidential
        Numeric columns that are released as they are. Without them the columns are wholly synthetic.
    method
        ``"A"``: the fitted values; ``"B"``: with new residuals, the regression coefficients are kept exactly; ``"C"``:
        the covariances of the residuals too, hence all means and covariances.
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
        Its parameters have ``explained``: of each column the share of its variance that the confidential variables
        explain (the greatest of the strata).

    Raises
    ------
    InputError
        Where values are missing, columns are collinear, there are fewer than ``2 |x| + |y| + 1`` records, a record
        counts for more than a quarter of its own fitted value, or more than 0.99 of a column is explained. Nothing is
        changed.

    Notes
    -----
    SDC handbook, section 3.4.7.5, Lemmas 3.3.7.1 and 3.3.7.2; Burridge (2003), Information preserving statistical
    obfuscation, Statistics and Computing 13, 321-327.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute(
    ...     "CREATE TABLE ten AS SELECT range AS id, range * 7 % 10 * 1e0 AS b, sqrt(range) AS x FROM range(10)"
    ... )
    >>> sdc_sql.Microdata(data.con, "ten", id="id").mask.ipso("b", into="drawn").parameters["explained"]
    {'b': 0.0}
    >>> data.con.sql("SELECT round(avg(b), 9), round(var_pop(b), 9) FROM drawn").fetchall()
    [(4.5, 8.25)]
    """
    chosen = resolve_columns(data, columns)
    beside = (confidential,) if isinstance(confidential, str) else tuple(confidential or ())
    arguments: dict[str, Value] = {
        "columns": chosen, "confidential": resolve_columns(data, beside) if beside else None,
        "id": data.require_role("id"), "method": method, "stratum": stratum and data.spell_column("stratum", stratum),
        "stream": stream, "release": release,
    }  # fmt: skip
    read = (arguments[name] for name in ("columns", "id", "confidential", "stratum"))
    kept: dict[str, Kept] = {"applied": query.call_macro("sdc__ipso_explained", data.table, *read)}
    return data.masked(Masking("ipso", chosen, arguments, kept=kept), into=into)
