"""A table of every type to mask, the methods to mask it by, and what there is to see of a database afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from sdc_sql.db.masking.steps import MaskingStep

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 300
COLUMNS = """
    id BIGINT {key}, x DOUBLE NOT NULL CHECK (x > -1e9), cat VARCHAR, n SMALLINT, price DECIMAL(9, 2),
    grade ENUM ('low', 'middle', 'high') DEFAULT 'low', born DATE NOT NULL, tags VARCHAR[], f FLOAT CHECK (f IS NULL OR f < 1e9)
"""  # noqa: E501
ROWS = f"""
    SELECT range, (range * 37 % 101) / 7, ['a', 'b', NULL][1 + range % 3], CASE WHEN range % 7 <> 2 THEN range % 50 END,
           range * 1.25, ['low', 'middle', 'high'][1 + range % 3], DATE '1970-01-01' + range::INTEGER, ['t' || range],
           range / 3
    FROM range({N})
"""

METHODS: dict[str, tuple[tuple[str, ...], Callable[..., MaskingStep]]] = {
    "noise": (("x", "n", "price", "f"), lambda data, **k: data.mask.noise(["x", "n", "price", "f"], 0.1, **k)),
    "multiplicative_noise": (("x",), lambda data, **k: data.mask.multiplicative_noise("x", 0.1, **k)),
    "pram_retention": (("cat", "grade"), lambda data, **k: data.mask.pram_retention(["cat", "grade"], 0.5, **k)),
    "pram": (("cat",), lambda data, **k: data.mask.pram("cat", [[0.5, 0.5], [0.5, 0.5]], labels=["a", "b"], **k)),
    "pram_guaranteed": (("cat", "grade"), lambda data, **k: data.mask.pram_guaranteed(0.8, keys=["cat", "grade"], **k)),
    "rank_swap": (("born",), lambda data, **k: data.mask.rank_swap("born", 10, **k)),
    "resample": (("price",), lambda data, **k: data.mask.resample("price", 3, **k)),
    "microaggregate": (("x", "price"), lambda data, **k: data.mask.microaggregate(["x", "price"], 3, **k)),
    # (categorical microaggregation takes NULL as a category: test_numbers)
    "round": (("n", "f"), lambda data, **k: data.mask.round(["n", "f"], 5, **k)),
}


def made(con: duckdb.DuckDBPyConnection, table: str = "t", key: str = "", kind: str = "") -> None:
    con.execute(f"CREATE {kind} TABLE {table} ({COLUMNS.format(key=key)})")
    con.execute(f"INSERT INTO {table} {ROWS}")


def rows(con: duckdb.DuckDBPyConnection, table: str = "t") -> list[tuple[Any, ...]]:
    return con.execute(f"FROM {table} ORDER BY id").fetchall()


def shape(con: duckdb.DuckDBPyConnection) -> list[list[tuple[Any, ...]]]:
    """Return every column, constraint, index, table and view there is, but for the table of steps."""
    queries = (
        """SELECT database_name, schema_name, table_name, column_name, column_index, column_default, is_nullable,
                  data_type FROM duckdb_columns() WHERE table_name <> 'sdc_steps' AND NOT internal""",
        """SELECT schema_name, table_name, constraint_type, constraint_text
           FROM duckdb_constraints() WHERE table_name <> 'sdc_steps'""",
        "SELECT schema_name, index_name, table_name, is_unique, is_primary, expressions FROM duckdb_indexes()",
        "SELECT database_name, schema_name, table_name FROM duckdb_tables() WHERE table_name <> 'sdc_steps'",
        "SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal",
    )
    return [con.execute(f"{query} ORDER BY ALL").fetchall() for query in queries]


def steps(con: duckdb.DuckDBPyConnection, where: str = "sdc_steps") -> list[tuple[Any, ...]]:
    return con.execute(
        f"SELECT step, target, method, columns, parameters, records, changed, sse_sst FROM {where} ORDER BY step"
    ).fetchall()


def differing(before: list[tuple[Any, ...]], after: list[tuple[Any, ...]]) -> int:
    """Count the records of which some value is another than before."""
    return sum(b != a for b, a in zip(before, after, strict=True))


def open_steps(con: duckdb.DuckDBPyConnection) -> int:
    """Count tables of steps, wherever they stand."""
    return con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'sdc_steps'").fetchall()[0][0]
