"""What the Tab key offers: this package's functions, DuckDB's keywords and functions, tables, columns, dot commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEYWORD = 3
_NAMES = """
    SELECT name, min(place) AS place FROM (
        SELECT function_name AS name, 0 AS place FROM duckdb_functions()
        WHERE starts_with(function_name, 'sdc_') AND NOT starts_with(function_name, 'sdc__')
        UNION ALL SELECT table_name, 1 FROM duckdb_tables() WHERE NOT internal
        UNION ALL SELECT view_name, 1 FROM duckdb_views() WHERE NOT internal
        UNION ALL SELECT column_name, 2 FROM duckdb_columns() WHERE NOT internal
        UNION ALL SELECT upper(keyword_name), 3 FROM duckdb_keywords()
        UNION ALL SELECT function_name, 4 FROM duckdb_functions()
        WHERE regexp_full_match(function_name, '[a-z][a-z0-9_]*') AND NOT starts_with(function_name, 'sdc_')
    )
    WHERE starts_with(lower(name), lower(?))
    GROUP BY name ORDER BY place ASC, name ASC LIMIT 200
"""


def candidates(con: duckdb.DuckDBPyConnection, word: str, commands: Sequence[str] = ()) -> list[str]:
    """Return what begins with a word, this package's functions first; keywords in the word's case.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.load(sdc_sql.example().con)
    >>> candidates(con, "sdc_k_a"), candidates(con, "sel")
    (['sdc_k_anonymity'], ['select'])
    """
    if word.startswith("."):
        return [command for command in commands if command.startswith(word)]
    if not word:
        return []
    try:
        found = con.execute(_NAMES, [word]).fetchall()
    except duckdb.Error:  # an earlier statement of the transaction has failed
        return []
    return [name.lower() if place == _KEYWORD and word.islower() else name for name, place in found]
