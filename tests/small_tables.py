"""Small random tables for property tests, and their way into the database."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from brute_force import plain
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    import duckdb
    from brute_force import Record

# A table is replaced in each example, so the connection may be shared by all of them. An example is several queries:
# a tenth of the usual 100 is tried, more with --hypothesis-profile thorough.
PROPERTY = settings(
    max_examples=settings.default.max_examples // 10,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
NULLS = ("category", "wildcard")

# Values that are easily mistaken for one another, or for NULL.
KEYS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "age": (pa.int32(), [0, 1, -1]),
    "name": (pa.string(), ["", "a", "A", "NULL"]),
    "born": (pa.date32(), [dt.date(1970, 1, 1), dt.date(2000, 2, 29)]),
    "employed": (pa.bool_(), [False, True]),
    "height": (pa.float64(), [0.0, 5e-324, math.nan, math.inf]),
}
OTHERS = {"id": pa.int32(), "weight": pa.float64(), "household": pa.int32(), "region": pa.string(), "kept": pa.bool_()}


@dataclass(frozen=True)
class SmallTable:
    """Some keys, and rows of (values of the keys, id, weight, household, region, kept)."""

    keys: list[str]
    rows: list[tuple[Any, ...]]

    @property
    def columns(self) -> list[str]:
        return [*self.keys, *OTHERS]

    def column(self, name: str) -> list[Any]:
        return [row[self.columns.index(name)] for row in self.rows]

    @property
    def records(self) -> list[Record]:
        return [plain(row[: len(self.keys)]) for row in self.rows]

    def where(self, name: str, value: object) -> SmallTable:
        return SmallTable(self.keys, [row for row in self.rows if row[self.columns.index(name)] == value])

    def store(self, db: duckdb.DuckDBPyConnection, name: str) -> None:
        types = [KEYS[k][0] for k in self.keys] + list(OTHERS.values())
        columns = [pa.array(self.column(c), t) for c, t in zip(self.columns, types, strict=True)]
        db.register("stored_rows", pa.table(columns, names=self.columns))
        db.execute(f'CREATE OR REPLACE TABLE "{name}" AS FROM stored_rows')
        db.unregister("stored_rows")


@st.composite
def small_tables(draw: st.DrawFn, max_rows: int = 14) -> SmallTable:
    """Two to four keys of mixed types with NULLs. Weights are quarters, at least 1: their sums are exact."""
    keys = draw(st.lists(st.sampled_from(list(KEYS)), min_size=2, max_size=4, unique=True))
    row = st.tuples(
        *(st.none() | st.sampled_from(KEYS[key][1]) for key in keys),
        st.integers(4, 400).map(lambda quarters: quarters / 4),
        st.integers(1, 4),
        st.none() | st.sampled_from(["north", "south"]),
        st.booleans(),
    )
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    return SmallTable(keys, [(*r[: len(keys)], i, *r[len(keys) :]) for i, r in enumerate(rows)])


def fetch(db: duckdb.DuckDBPyConnection, query: str, *parameters: object) -> list[dict[str, Any]]:
    """Return the rows of a result as dictionaries."""
    result = db.execute(query, list(parameters))
    names = [d[0] for d in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
