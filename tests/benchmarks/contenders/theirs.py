"""What the contenders of PyPI read: the table and its changed values, as data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
from columns import CHANGED

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def read_frame(path: Path) -> pd.DataFrame:
    return duckdb.sql(f"SELECT * REPLACE (coalesce(income, 0) AS income) FROM '{path}' ORDER BY person").df()


def read_both(path: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    con = duckdb.connect()
    con.execute(f"CREATE TABLE t AS FROM '{path}'")
    before = con.sql("SELECT * REPLACE (coalesce(income, 0) AS income) FROM t ORDER BY person").df()
    return before, con.sql(f"FROM ({CHANGED}) ORDER BY person").df()
