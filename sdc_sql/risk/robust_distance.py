"""Robust distances: how far each record is from the bulk of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.risk.neighbourhood import resolve_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.roles import Roles


def robust_distance_records(data: Roles, columns: str | Iterable[str]) -> duckdb.DuckDBPyRelation:
    """Return each record's id, its robust ``distance`` from the bulk of the file, and whether it is ``outlying``.

    Parameters
    ----------
    columns
        The numeric variables.

    Returns
    -------
    DuckDBPyRelation
        A row a record; without a distance where a variable is NULL. Outlying is one whose squared distance is above the
        0.975 quantile of chi squared.

    Raises
    ------
    InputError
        Where half of the records lie on a plane, or there are too few.

    Notes
    -----
    Rousseeuw & Van Driessen (1999); Hubert, Rousseeuw & Verdonck (2012). The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.example().con
    >>> _ = con.execute("CREATE TABLE firms AS SELECT i AS id, i % 7 + i // 20 * 99 AS turnover FROM range(21) AS t(i)")
    >>> found = sdc_sql.Microdata(con, "firms", id="id").risk.robust_distance_records(["turnover"])
    >>> found.filter("outlying").project("id").fetchall()
    [(20,)]
    """
    return data.relation(
        "sdc_robust_distance_records", data.table, resolve_names(data, columns), data.require_role("id")
    )
