"""A release file as a model of dbt: `sdc.release` compiles to a call, which is run before the table is made.

The run is on a cursor of dbt's own connection, in a database in memory that nobody else names: the raw records are
copied there and nowhere else. What it leaves there, the released records, is what the model selects. The documents are
written beside their place, and put in it once the table is committed.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import duckdb
from dbt_common.exceptions import DbtRuntimeError
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.db.files.work import OWNER
from sdc_sql.dbt.place import RELEASED, find_project, forget_database, open_own_database
from sdc_sql.dbt.series import begin_series, mask_series, write_told
from sdc_sql.errors import SdcError, translate_errors
from sdc_sql.release.reading.plan import ORIGINAL, Output, Place, Source
from sdc_sql.release.reading.plan import RELEASED as MASKED
from sdc_sql.release.reading.read import read_release_at
from sdc_sql.release.running.documents import list_in_order, write_document
from sdc_sql.release.running.run import ask_for_key, record_release, run_release, select_released_records

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dbt.adapters.duckdb.relation import DuckDBRelation

    from sdc_sql.release.reading.plan import Plan

FILES = {
    "report": "internal.html", "public_report": "public.html", "certificate": "certificate.json",
    "public_certificate": "certificate-public.json",
}  # fmt: skip
_COMMENTS = r"(?:\s|--(?! sdc\.release )[^\n]*(?:\n|$)|/\*[^*/]*\*/)*"
_CALL = re.compile(_COMMENTS + r'-- sdc\.release (\{.*\})\nselect \* from "(?:[^"]|"")+"\.main\.released\b' + _COMMENTS)
_ONE_BY_ONE = Lock()  # the databases that a run attaches have names of their own, for all cursors


def run(relation: DuckDBRelation, *, database: str, model: str, code: str, drawn: Mapping[str, str]) -> None:
    """Run the release of a model.

    Parameters
    ----------
    relation
        The table that the model will be.
    database
        The name of the database in memory.
    model, code
        The name of the model and what it was compiled to.
    drawn
        The columns for which a model that it is made of has drawn already, each with the name of that model.

    Raises
    ------
    DbtRuntimeError
        With the reasons of a refusal, the errors of the release file, or what is wrong with the model.
    """
    call = _CALL.fullmatch(code)
    if call is None:
        kind = "series" if '"series": {' in code else "release"
        raise DbtRuntimeError(f"sdc: the model {model} must be the call of sdc.{kind} and nothing else: what is added "
                              "to it, or taken from it, would not be what was measured and certified.")  # fmt: skip
    asked = json.loads(call[1])
    staged = _name_staged_file(model)
    shutil.rmtree(staged, ignore_errors=True)
    with _ONE_BY_ONE:
        try:
            with open_own_database(database) as con:
                if asked["series"] is not None and asked["file"] is None:
                    mask_series(con, asked, relation)
                else:
                    _run_plan(con, asked, relation, staged, drawn)
        except BaseException as error:
            forget_database(database)
            shutil.rmtree(staged, ignore_errors=True)
            if isinstance(error, SdcError):
                raise DbtRuntimeError(f"sdc: {error}") from None
            if isinstance(error, duckdb.ConnectionException) and asked["source"] is None:
                raise DbtRuntimeError(
                    f"sdc: the source of {asked['file']} cannot be opened. A table of the project's own database is "
                    "given as sdc.release(file, ref(...))."
                ) from None
            raise


def finish(_: DuckDBRelation, *, database: str, model: str) -> None:
    """Put the documents of a release in their place, and forget its database: the model's table is committed."""
    staged, folder = _name_staged_file(model), _folder(model)
    old = staged.with_suffix(".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    if staged.exists():
        staged.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
    forget_database(database)


def _run_plan(
    con: duckdb.DuckDBPyConnection, asked: dict[str, Any], relation: DuckDBRelation, staged: Path,
    drawn: Mapping[str, str],
) -> None:  # fmt: skip
    plan = _read_plan(con, asked, relation, staged)
    _refuse_second_pass(plan, drawn)
    if asked["empty"]:
        rows = exp.select("*").from_(query.call_macro("query_table", plan.source.relation).subquery("r")).limit(0)
        kept = [c for c in plan.columns if c != plan.roles.id or plan.output.ids != "drop"]
        rows.set("expressions", [exp.column(c, quoted=True) for c in kept])
        execute(con, create_from_rows(RELEASED, "TABLE", rows))
        write_told(con, None)
        return
    ask_for_key(con)
    series = None if plan.series is None else begin_series(plan.series, asked["begins"], relation)
    outcome = run_release(plan, con, write=False, series=series)
    if not outcome.accepted:
        raise DbtRuntimeError("\n".join(["sdc: the release is refused, nothing is written:", *outcome.reasons]))
    record_release(outcome, series)  # durably, before anything leaves
    write_told(con, series)
    with translate_errors():
        execute(con, create_from_rows(RELEASED, "TABLE", select_released_records(outcome)))
    staged.mkdir(parents=True, mode=0o700)
    for name, path in list_in_order(plan.output.documents):
        write_document(name, outcome, path)
        path.chmod(OWNER)
    for table in (ORIGINAL, MASKED):
        con.execute(f"DROP TABLE {table}")


def _read_plan(con: duckdb.DuckDBPyConnection, asked: dict[str, Any], relation: DuckDBRelation, staged: Path) -> Plan:
    source, columns = None, {}
    if asked["source"] is not None:
        source = Source(Path(asked["name"]), kind="relation", relation=asked["source"])
        with translate_errors():
            described = execute(con, query.call_macro("query_table", asked["source"]).limit(0)).description
        columns = {str(name): str(kind) for name, kind, *_ in described or ()}
    # (a table of a database: that is the format of its content)
    output = Output(Path(f"{relation.identifier}.duckdb"), documents={n: staged / f for n, f in FILES.items()})
    place = Place(output, source, columns, con, asked["release"])
    return read_release_at(Path(find_project().project_root, asked["file"]), place)


def _refuse_second_pass(plan: Plan, drawn: Mapping[str, str]) -> None:
    for step in plan.steps:
        named = plan.release or step.arguments.get("release") or step.arguments.get("stream")
        for column in step.columns if step.draws and not named else ():
            if column.lower() in drawn:
                raise DbtRuntimeError(
                    f"sdc: {step.path} masks {column} by {step.verb}, which the model {drawn[column.lower()]} has "
                    "masked already: a second pass must have a name of its own, or its draws are those of the first. "
                    'Give it, as in stream = "2", or give the release a name, release = "...".'
                )


def _folder(model: str) -> Path:
    """Return where the documents of a model are: in dbt's folder of artifacts, by target."""
    config = find_project()
    return Path(config.project_root, config.project_target_path, "sdc", config.target_name, model)


def _name_staged_file(model: str) -> Path:
    return _folder(model).with_name(f".{model}.new")
