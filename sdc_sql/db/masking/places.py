"""A table and its masked values cut alike into runs of places, where no record was deleted.

Each run finds its own by position, so that runs are read by several threads (a positional join takes one), and a run
is joined within the processor's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db.catalogue.load import execute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

RUN = 491_520  # a run has so many records: four of DuckDB's row groups


def split_places(
    con: duckdb.DuckDBPyConnection, table: exp.Table, values: exp.Table, *, a_thread: bool = False
) -> list[tuple[range, range]]:
    """Return the places (rowids) of each run in the table and in its values, first to last.

    Parameters
    ----------
    table, values
        Tables of as many records, each beside its own.
    a_thread
        One run for each thread; else runs of one size.

    Returns
    -------
    list
        Empty where either table has gaps, is not DuckDB's, or is too small to be cut.
    """
    ((kind, threads),) = con.execute(
        "SELECT (SELECT type FROM duckdb_databases() WHERE database_name = ?), current_setting('threads')",
        [table.catalog],
    ).fetchall()
    spans = [_span(con, place) for place in (table, values)] if kind == "duckdb" else [(0, 0, 0)]
    records = spans[0][2]
    if records < 2 * RUN or any(last - first + 1 != records or count != records for first, last, count in spans):
        return []
    size = max(RUN, -(-records // threads)) if a_thread else RUN
    (before, *_), (after, *_) = spans
    cut = (range(start, min(start + size, records)) for start in range(0, records, size))
    return [(range(before + r.start, before + r.stop), range(after + r.start, after + r.stop)) for r in cut]


def select_run(run: range, table: str = "") -> exp.Condition:
    """Return whether a record stands in a run."""
    return exp.column("rowid", table=table or None).between(run.start, run.stop - 1)


def join_runs(select: exp.Select, tables: Mapping[str, exp.Expr], runs: tuple[range, range]) -> exp.Select:
    """Return a query of a run of both tables, by their aliases, each record beside its own."""
    before, after = (
        exp.select("*").from_(table.copy()).where(select_run(run)).subquery(alias)
        for (alias, table), run in zip(tables.items(), runs, strict=True)
    )
    found = select.copy().from_(before)
    found.append("joins", exp.Join(this=after, method="POSITIONAL"))
    return found


def unite_runs(runs: Sequence[exp.Select]) -> exp.Select | exp.Union:
    """Return one query of those of all runs, which threads take one by one where their order does not matter."""
    return exp.union(*runs, distinct=False) if len(runs) > 1 else runs[0]


def _span(con: duckdb.DuckDBPyConnection, table: exp.Table) -> tuple[int, int, int]:
    place = exp.column("rowid")
    extent = exp.select(exp.Min(this=place), exp.Max(this=place.copy()), exp.Count(this=exp.Star())).from_(table.copy())
    ((first, last, count),) = execute(con, extent).fetchall()
    return first or 0, last or 0, count
