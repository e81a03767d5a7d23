"""Rounding to given points, of one column or of several together (SDC handbook, 3.4.2.5)."""

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


def round_points(data: Maskable, columns: str | Iterable[str], points: str, *, into: str | None = None) -> MaskingStep:
    """Round numeric columns to the nearest of given points, several columns together, in place or in a copy.

    Parameters
    ----------
    columns
        One column or several, numeric; several go to the nearest point of them all, each column's distances as shares
        of the range of its points.
    points
        A table or file with these columns, a row for each rounding point.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute("CREATE TABLE points AS SELECT unnest([0, 30, 60]) AS age")
    >>> _ = data.mask.round_points("age", "points")
    >>> data.con.sql("SELECT age FROM persons ORDER BY id").fetchall()
    [(30,), (30,), (30,)]
    """
    if not isinstance(data, Table):
        raise Unsupported("Values are rounded to given points in DuckDB only: on Spark round to a base.")
    chosen = resolve_columns(data, columns)
    arguments = {"columns": chosen, "points": data.read_table(points, chosen), "id": data.require_role("id")}
    return data.masked(Masking("round_points", chosen, arguments, measured=True, logged={"points": points}), into=into)
