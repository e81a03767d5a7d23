"""A release of a series as a model of dbt: `sdc.series` compiles to a call, which is run before the table is made.

The records are copied to a database in memory, masked there by what the ledger says, and the ledger is written durably
before the model's table is made. A table `sdc_series` beside the model has a row for each release, written in the
transaction of the model: it says where the ledger of the next release must end.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.dbt.place import RELEASED, find_project, open_cursor
from sdc_sql.dbt.verb_of_macro import mask_by_macro
from sdc_sql.errors import SeriesError, translate_errors
from sdc_sql.microdata import Microdata
from sdc_sql.series.series import Series

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb
    from dbt.adapters.duckdb.relation import DuckDBRelation


TOLD = "sdc_series"  # in the database in memory: the row of this release, which the model writes beside its table


def mask_series(con: duckdb.DuckDBPyConnection, asked: Mapping[str, Any], relation: DuckDBRelation) -> None:
    """Mask the records of a model as a release of a series, into the table that the model selects.

    Parameters
    ----------
    con
        A cursor that works in a database in memory.
    asked
        What the model says: ``source``, ``id``, ``steps``, and the arguments of the series.
    relation
        The table that the model will be.
    """
    source = query.call_macro("query_table", asked["source"])
    if asked["empty"]:
        with translate_errors():
            execute(con, create_from_rows(RELEASED, "TABLE", source.limit(0)))
        write_told(con, None)
        return
    given = {name: value for name, value in asked["series"].items() if value is not None}
    series = begin_series(given, asked["begins"], relation)
    with translate_errors():
        execute(con, create_from_rows(RELEASED, "TABLE", source))
    data = Microdata(con, RELEASED, id=asked["id"], series=series)
    for method, columns, parameter, *options in asked["steps"]:
        mask_by_macro(data, method, columns, parameter, options[0] if options else {})
    series.record()  # durably, before anything leaves
    con.execute("DROP TABLE sdc_steps")
    write_told(con, series)


def begin_series(given: Mapping[str, Any], begins: Any, relation: DuckDBRelation) -> Series:  # noqa: ANN401 - a name, or names
    """Return the release of a series, after the one that the warehouse has; refuse one that begins unsaid.

    A full refresh, another target or a lost disk would else begin the series anew, and release the same values anew.
    """
    named = [begins] if isinstance(begins, str) else list(begins or ())
    path = Path(find_project().project_root, given["ledger"]).resolve()
    _refuse_cleaned(path)
    after = given.get("after") or _find_head(relation, given["name"], given["release"])
    if after and given["name"] in named:
        raise SeriesError(
            f"The series {given['name']} has begun, and sdc_begins names it: take it away, or a lost ledger would be "
            "begun anew unseen."
        )
    if not after and not path.exists() and given["name"] not in named:
        said = json.dumps({"sdc_begins": given["name"]})
        raise SeriesError(
            f"There is no ledger {path}, and no release of the series {given['name']} in the table sdc_series beside "
            f"this model. If this is its first release, say so once: --vars '{said}'. Else restore the ledger: a new "
            "one would release the same values anew."
        )
    return Series(**{**given, "ledger": path, "after": after})


def write_told(con: duckdb.DuckDBPyConnection, series: Series | None) -> None:
    """Write the row that the model is to keep of this release, into the database in memory; none without a series."""
    con.execute(
        f"CREATE OR REPLACE TABLE {TOLD} (series VARCHAR, release VARCHAR, head VARCHAR, records BIGINT, "
        "new BIGINT, returned BIGINT)"
    )
    if series is not None:
        counts = [series.counts.get(name) for name in ("records", "new", "returning")]
        row = [series.name, series.release, series.head, *counts]
        con.execute("INSERT INTO sdc_series VALUES (?, ?, ?, ?, ?, ?)", row)


def _find_head(relation: DuckDBRelation, name: str, release: str) -> str:
    """Return the head after which a release comes, by the table beside the model: of a repeated one the head before."""
    with open_cursor() as con:
        told = [relation.database, relation.schema, TOLD]
        there = "SELECT 1 FROM duckdb_tables() WHERE (database_name, schema_name, table_name) = (?, ?, ?)"
        if not con.execute(there, told).fetchall():
            return ""
        table = exp.table_(TOLD, db=relation.schema, catalog=relation.database, quoted=True)
        select = (
            exp.select("release", "head").from_(table).where(exp.column("series").eq(query.make_text_literal(name)))
        )
        rows = execute(con, select.order_by("rowid")).fetchall()
    heads = [""]
    for known, head in rows:
        if known == release:
            break
        heads.append(str(head))
    return heads[-1]


def _refuse_cleaned(path: Path) -> None:
    """Refuse a ledger in a folder that `dbt clean` removes."""
    project = find_project()
    cleaned = [project.project_target_path, *project.clean_targets]
    for folder in (Path(project.project_root, each).resolve() for each in cleaned):
        if path.is_relative_to(folder):
            raise SeriesError(
                f"The ledger {path} stands in {folder}, which dbt clean removes: give it a place of its own, outside "
                "of the project."
            )
