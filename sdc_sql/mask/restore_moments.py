"""Means and covariances restored after masking, without a greater risk (SDC handbook, section 3.4.7.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.table import Table
from sdc_sql.errors import Unsupported
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value


def restore_moments(
    data: Maskable, columns: str | Iterable[str], original: str, *, into: str | None = None
) -> MaskingStep:
    """Move masked numeric columns so that their means and covariances are those of the original ones again.

    Records are moved by the linear map that moves them least; where they would be linked to their originals by
    distance more often than before, some masked records are exchanged. Release it once.

    Parameters
    ----------
    columns
        One masked numeric column or several, without missing values.
    original
        The table or file before masking, with these columns and the same ids.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Raises
    ------
    InputError
        Where values are missing in either table, the ids are not the same, or columns are constant or collinear.
        Nothing is changed.

    Notes
    -----
    SDC handbook, section 3.4.7.9; Sebe, Domingo-Ferrer, Mateo-Sanz & Torra (2002), Post-masking optimization of the
    tradeoff between information loss and disclosure risk in masked microdata sets, LNCS 2316, 163-171.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute(
    ...     "CREATE TABLE ten AS SELECT range AS id, range * 7 % 10 * 1e0 AS b, sqrt(range) AS x FROM range(10)"
    ... )
    >>> _ = sdc_sql.Microdata(data.con, "ten", id="id").mask.noise(["b", "x"], 0.5, into="noisy")
    >>> _ = sdc_sql.Microdata(data.con, "noisy", id="id").mask.restore_moments(["b", "x"], "ten", into="restored")
    >>> for table in ("ten", "restored"):
    ...     data.con.sql(f"SELECT round(avg(b), 8), round(var_pop(b), 8), round(corr(b, x), 8) FROM {table}").fetchall()
    [(4.5, 8.25, 0.37123427)]
    [(4.5, 8.25, 0.37123427)]
    """
    if not isinstance(data, Table):
        raise Unsupported("Moments are restored in DuckDB only.")
    chosen = resolve_columns(data, columns)
    arguments: dict[str, Value] = {
        "columns": chosen,
        "original": data.read_table(original, chosen),
        "id": data.require_role("id"),
    }
    return data.masked(Masking("restore_moments", chosen, arguments, logged={"original": original}), into=into)
