"""The name of a table, read as DuckDB's query_table reads it: by DuckDB itself, never by a second parser."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import product

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.errors import TableError

MAIN = "main"
_HELP = 'write database.schema.table, schema.table or table, what is no plain name in double quotes, as in "my table"'


def quote_address(name: str) -> str:
    """Return a name so that any DuckDB reads it: one with more dots than a table's is the address of a file.

    DuckDB 1.5 reads such an address in quotes only.

    Examples
    --------
    >>> quote_address("s3://bucket/v1.2.3/x.parquet"), quote_address("database.schema.table")
    ('"s3://bucket/v1.2.3/x.parquet"', 'database.schema.table')
    """
    return f'"{name}"' if name.count(".") > 2 and '"' not in name else name  # noqa: PLR2004 - database.schema.table


@lru_cache(maxsize=256)
def _parts(name: str) -> tuple[str, ...]:
    """Return a name's parts, the table last: by an empty database, in which it can mean nothing else."""
    call = exp.Anonymous(this="query_table", expressions=[query.make_text_literal(name)])
    try:
        with duckdb.connect(config={"threads": 1}) as con:
            (read,) = con.get_table_names(query.write_sql(exp.select("*").from_(exp.Table(this=call))), qualified=True)
            ((tree,),) = con.execute("SELECT json_serialize_sql('FROM ' || $name)", {"name": read}).fetchall()
        found = json.loads(tree)["statements"][0]["node"]["from_table"]
    except (duckdb.Error, KeyError, ValueError) as error:
        raise TableError(f"{name!r} is no name of a table: {_HELP}.") from error
    parts = tuple(found[part] for part in ("catalog_name", "schema_name", "table_name") if found[part])
    before, _, rest = name.partition(".")
    if before.strip('"').lower() == MAIN and len(parts) == 1 and _is_spelling(rest, parts):
        return (MAIN, *parts)  # DuckDB tells the parts from an empty database, and leaves the schema of that out
    if not _is_spelling(name, parts):  # DuckDB 1.5 skips empty parts, and takes no quotes in quotes
        read = ".".join(exp.to_identifier(part, quoted=True).sql("duckdb") for part in parts)
        raise TableError(f"{name!r} is read by DuckDB {duckdb.__version__} as {read}: {_HELP}.")
    return parts


def _is_spelling(name: str, parts: tuple[str, ...]) -> bool:
    """Say whether a name is written of these parts, each with or without quotes."""
    ways = ((part, '"' + part.replace('"', '""') + '"') for part in parts)
    return name in {".".join(spelled) for spelled in product(*ways)}


def parse_table_name(name: str) -> exp.Table:
    """Return the table that a name means, each part in quotes.

    Raises
    ------
    TableError
        Where it is no name.

    Examples
    --------
    >>> parse_table_name('s."my table"').sql("duckdb"), parse_table_name("x; --").sql("duckdb")
    ('"s"."my table"', '"x; --"')
    """
    table, schema, database, *_ = (*reversed(_parts(quote_address(name))), None, None)
    return exp.table_(table, db=schema, catalog=database, quoted=True)
