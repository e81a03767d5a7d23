# Written from sql/loss/sse_sst.sql by python -m sdc_sql.write: change that file.
"""Information lost by masking numeric columns: the share of the sum of squares that was masked away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class SseSst(Result):
    """The number of columns that vary, the records compared, and the share of the sum of squares that was lost."""

    columns: int
    records: int
    sse_sst: float


def sse_sst(data: Roles, original: Described | str, columns: str | Iterable[str]) -> SseSst:
    """Return the share of the sum of squares that masking took away.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The masked columns, numeric.

    Returns
    -------
    SseSst

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Notes
    -----
    For microaggregation by means it is the share within groups, 0 (nothing lost) to 1.

    SDC handbook, section 3.4.5.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 0), (2, 1), (3, 2), (4, 5)) AS t(id, x)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 0.5), (2, 0.5), (3, 3.5), (4, 3.5)) AS t(id, x)")
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.loss.sse_sst("original", ["x"]))
    SseSst
      columns  1
      records  4
      sse sst  0.357143
    """
    row = data.row(
        "sdc_sse_sst",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
    )
    return SseSst(**row)
