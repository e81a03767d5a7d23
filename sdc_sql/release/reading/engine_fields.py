"""``engine = "spark"`` of a release file: its source, and what cannot run there, refused before any work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.elsewhere import OF_HOUSEHOLDS, explain_not_on_spark, find_scope
from sdc_sql.db.catalogue.macros import index_catalogue
from sdc_sql.db.completion import collect_texts
from sdc_sql.db.files.source import ELSEWHERE
from sdc_sql.errors import ParameterError, TableError
from sdc_sql.release.reading.plan import Source
from sdc_sql.release.reading.problems import Kind
from sdc_sql.release.running import raw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.release.reading.fields import Reading
    from sdc_sql.release.reading.plan import RolesOfColumns, Step

ENGINES = ("duckdb", "spark")
KIND = Kind(lambda v: v in ENGINES, f"one of {', '.join(ENGINES)}", {"enum": [*ENGINES]})
# the types that Spark and DuckDB read from Parquet as one value, and write there alike; DECIMAL has its digits besides
TYPES = {
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
    "FLOAT", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP",
}  # fmt: skip
IDS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "VARCHAR"}
# what a step may ask for that is not of the records, or of the cells, of the whole table
_IN_DUCKDB_ALONE = {
    "where": "masks a part of the records", "subset": "masks a part of the records",
    "by_household": "masks one record a household",
}  # fmt: skip
# what is besides where records are masked by themselves: the draw is that of the household
_OF_DRAWS = {"unit": "draws by household", **dict.fromkeys(OF_HOUSEHOLDS, "looks at who lives with whom")}
_IN_DUCKDB = 'leave engine = "spark" out, so that DuckDB runs the file.'


def read_engine(reading: Reading) -> str:
    """Return what masks the records."""
    given = reading.said.get("engine", ENGINES[0])
    return str(given) if given in ENGINES else ENGINES[0]


def describe_spark_source(reading: Reading, given: Mapping[str, Any]) -> tuple[Source, dict[str, str]] | None:
    """Return the source of a release on Spark and its columns with their types; errors go to the problems.

    A source is a Parquet file, a folder of such, or a pattern that names some; or a table of Spark's catalogue.
    """
    problems = reading.problems
    ways = [name for name in ("path", "database", "table") if name in given]
    if ways not in (["path"], ["table"]):
        problems.add("source", 'with engine = "spark" give either path = (a Parquet file, or a folder of such) or '
                               'table = (a table of Spark\'s catalogue, as in "survey.persons").')  # fmt: skip
        return None
    with problems.collect_at(f"source.{ways[0]}"):
        if ways == ["table"]:
            # pyspark is an extra: who has a file of DuckDB's does without
            from sdc_sql.spark.staged import describe_spark_table  # noqa: PLC0415

            return Source(Path(given["table"]), None, "Spark"), describe_spark_table(given["table"])
        if ELSEWHERE.match(given["path"]):
            raise ParameterError(
                f"{given['path']} is not on this machine: name it as a table of Spark's catalogue, with table =."
            )
        path = reading.resolve_path(given["path"])
        if path.is_dir():
            return Source(path, None, "Parquet"), raw.describe_folder(path)
        source, columns = raw.describe_source(path, None)
        if source.kind != "Parquet":
            raise TableError(
                f"{path} is of the kind {source.kind}: Spark reads a source from Parquet. Write it to Parquet, or "
                f"{_IN_DUCKDB}"
            )
        return source, columns
    return None


def check_engine(
    reading: Reading, source: Source | None, roles: RolesOfColumns, steps: Sequence[Step], *, elsewhere: bool
) -> None:
    """Add a problem for each step, and each part of the file, that does not run on Spark, with its reason.

    ``elsewhere``: the release is one of a warehouse, which has its source already.
    """
    problems = reading.problems
    if elsewhere:
        problems.add("engine", f"the source is a table of DuckDB's: {_IN_DUCKDB}")
    if "series" in reading.said:
        problems.add("series", f"its ledger is asked in DuckDB: {_IN_DUCKDB}")
    for step in steps:
        why = _explain_refused(step, roles)
        if why:
            problems.add(step.path, f"{step.verb} does not run on Spark: {why}. Take another method, or {_IN_DUCKDB}")
    used = list_used_columns(reading.columns, roles, steps)
    if source is not None and source.kind == "Spark":  # all of it is written for DuckDB to read
        used = [*reading.columns]
    for name in used:
        kind = reading.columns[name]
        if kind.partition("(")[0] not in TYPES | {"DECIMAL"}:
            asked = next((s.path for s in steps if name in _list_step_columns(reading.columns, s)), "source")
            how = f"which Spark does not write as DuckDB does: cast it in the source, or {_IN_DUCKDB}"
            problems.add(asked, f"{name} is of the type {kind}, {how}")
    if roles.id in used and (kind := reading.columns[roles.id]) not in IDS:
        how = "on Spark an id is an integer or a text, which every engine writes alike (draws depend on it as text)."
        problems.add("roles.id", f"{roles.id} is of the type {kind}: {how}")


def list_used_columns(columns: Mapping[str, str], roles: RolesOfColumns, steps: Sequence[Step]) -> list[str]:
    """Return the columns that steps mask or ask for, by name or by their role, in the order of the source."""
    used: set[object] = {roles.id, roles.weight, roles.sampling_fraction, *roles.strata} if steps else set()
    for step in steps:
        used |= _list_step_columns(columns, step)
        if any(p.name in OF_HOUSEHOLDS for macro in step.macros for p in index_catalogue()[macro].parameters):
            used.add(roles.household)
    return [name for name in columns if name in used]


def _list_step_columns(columns: Mapping[str, str], step: Step) -> set[str]:
    """Return every column that a step names, as what is masked or in an argument."""
    texts = {text.lower() for text in collect_texts([dict(step.arguments), *step.columns])}
    return {name for name in columns if name.lower() in texts}


def _explain_refused(step: Step, roles: RolesOfColumns) -> str:
    """Return why a step does not run on Spark; nothing where it does."""
    given = {"where": step.where, "by_household": step.by_household, **step.arguments}
    if given.get("unit") != "household":  # the unit of a threshold is another one
        given["unit"] = None
    masks = [index_catalogue()[name] for name in step.macros]
    scopes = {find_scope(mask, step.arguments) for mask in masks}
    drawn = any(mask.effect.households.kind != "checked" for mask in masks) or scopes != {"cells"}
    reasons = _IN_DUCKDB_ALONE | (_OF_DRAWS if drawn else {})
    alone = [name for name in reasons if given.get(name) not in (None, [])]
    if alone:
        return f"{alone[0]} = {reasons[alone[0]]}, which DuckDB alone does"
    for mask in masks:
        if why := explain_not_on_spark(mask, step.arguments):
            return why
        alike = mask.effect.households.kind == "checked"  # like values become like ones, or all members' together
        if roles.household is not None and not alike:
            return (
                f"the file has households ({roles.household}), whose members are masked together where a column is of "
                "the household, and DuckDB alone does that"
            )
    return ""
