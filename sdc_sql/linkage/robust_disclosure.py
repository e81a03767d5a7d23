"""Interval disclosure with intervals that grow with the robust distance of a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class RobustDisclosure(Result):
    """The records at risk, their share, and that share with each record counted by its robust distance.

    ``alone`` likewise: those at risk that no other released record is near; ``outlying``: records far from the bulk.
    """

    records: int
    at_risk: int
    share: float
    weighted: float
    alone: int
    alone_share: float
    alone_weighted: float
    outlying: int


def robust_disclosure(
    data: Roles, original: Described | str, columns: str | Iterable[str], *, width: float = 0.01, near: float = 0.05
) -> RobustDisclosure:
    """Return how many records, above all outlying ones, were masked too little for how far out they are.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    width
        Of the interval, on either side, for a record at the distance 1, in standard deviations of the originals.
    near
        How near another released record hides one, in standard deviations of the released values, in every variable.

    Returns
    -------
    RobustDisclosure

    Raises
    ------
    InputError
        Where half of the records lie on a plane, or there are too few.

    Notes
    -----
    Templ & Meindl (2008), RMDID1, RMDID1w and RMDID2. The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.example().con
    >>> _ = con.execute("CREATE TABLE firms AS SELECT i AS id, i % 7 + i // 20 * 99 AS turnover FROM range(21) AS t(i)")
    >>> found = sdc_sql.Microdata(con, "firms", id="id").linkage.robust_disclosure("firms", ["turnover"])
    >>> found.at_risk, found.share, found.alone, found.outlying
    (21, 1.0, 1, 1)
    """
    return RobustDisclosure(
        **data.row("sdc_robust_disclosure", original_table(data, original), data.table,
                   resolve_columns_or_keys(data, columns),
                   data.require_role("id"), **_require_sizes(width, near))
    )  # fmt: skip


def robust_disclosure_records(
    data: Roles, original: Described | str, columns: str | Iterable[str], *, width: float = 0.01, near: float = 0.05
) -> duckdb.DuckDBPyRelation:
    """Return each record's id, robust ``distance``, whether it is ``at_risk``, ``alone`` there, and ``outlying``.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The numeric variables.
    width
        Of the interval, on either side, for a record at the distance 1, in standard deviations of the originals.
    near
        How near another released record hides one, in standard deviations of the released values, in every variable.

    Returns
    -------
    DuckDBPyRelation
        A row a released record without NULL among its originals.

    Notes
    -----
    Templ & Meindl (2008), RMDID1 and RMDID2. The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.example().con
    >>> _ = con.execute("CREATE TABLE firms AS SELECT i AS id, i % 7 + i // 20 * 99 AS turnover FROM range(21) AS t(i)")
    >>> found = sdc_sql.Microdata(con, "firms", id="id").linkage.robust_disclosure_records("firms", ["turnover"])
    >>> found.filter("alone").project("id").fetchall()
    [(20,)]
    """
    return data.relation(
        "sdc_robust_disclosure_records", original_table(data, original), data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"), **_require_sizes(width, near),
    )  # fmt: skip


def _require_sizes(width: float, near: float) -> dict[str, Any]:
    return {name: require_number("robust_disclosure", name, v) for name, v in (("width", width), ("near", near))}
