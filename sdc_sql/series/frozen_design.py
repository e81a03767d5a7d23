"""What a mask is computed from stays that of the first release: the deviation of noise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.series.temporary import fetch_arrow

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from sdc_sql.db.masking.masking import Masking

NAME = "sdc_series_design"


def freeze_design(
    con: duckdb.DuckDBPyConnection, masking: Masking, step: int, fixed: dict[str, pa.Table], new: dict[str, pa.Table]
) -> Masking:
    """Return the step with the design of the first release, which is taken there.

    Parameters
    ----------
    fixed
        What the ledger has.
    new
        What it is to have.
    """
    assert masking.designed is not None  # noqa: S101 - it is called for such steps
    name = f"design {step}"
    design = fixed.get(name)
    if design is None:
        design = new[name] = fetch_arrow(con, masking.designed.rows)
    view = f"{NAME}_{step}"
    con.execute(f"DROP TABLE IF EXISTS temp.{view}")
    con.register(f"{view}_given", design)
    try:
        con.execute(f"CREATE TEMP TABLE {view} AS FROM {view}_given").fetchall()
    finally:
        con.unregister(f"{view}_given")
    rows = exp.select("*").from_(exp.table_(view, db="main", catalog="temp", quoted=True))
    return replace(masking, designed=replace(masking.designed, rows=rows))
