"""Mask the columns of a table in place, or in a copy, all or nothing, and write down what was done."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sdc_sql import query
from sdc_sql.errors import ColumnError, ParameterError, TableError, translated
from sdc_sql.results import Result
from sdc_sql.transaction import transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sdc_sql.query import Value
    from sdc_sql.roles import Roles

VALUES = "sdc_masked_values"
STEPS = "sdc_steps"


@dataclass(frozen=True)
class MaskingStep(Result):
    """What was done to a table: the row that stands in its table of steps, ``sdc_steps``.

    ``changed`` counts the records of which a value is another than before. ``sse_sst`` is the share of the sum of
    squares of the standardised columns that was masked away (numeric columns), None where it was not measured.
    """

    table: str
    method: str
    columns: tuple[str, ...]
    parameters: dict[str, Any]
    records: int
    changed: int
    sse_sst: float | None = None


class Elsewhere(ABC):
    """A table of another engine, for which the verbs check their arguments and which then masks itself."""

    @abstractmethod
    def masked(
        self, macro: str, columns: tuple[str, ...], arguments: dict[str, Value], *, into: str | None = None
    ) -> Any:  # noqa: ANN401 - what the engine has for a table
        """Return the masked records: `macro` and its arguments as of :func:`masked`."""


def named(data: Roles, columns: str | Iterable[str]) -> tuple[str, ...]:
    """Return the columns to mask, one or several, as the table spells them."""
    given = (columns,) if isinstance(columns, str) else tuple(columns)
    if not given:
        raise ColumnError("The list of columns to mask is empty; name at least one, as in ['income'].")
    return tuple(data.found("column", c) for c in given)


def masked(
    data: Roles,
    macro: str,
    columns: tuple[str, ...],
    arguments: dict[str, Value],
    *,
    into: str | None = None,
    measured: bool = False,
    **told: object,
) -> MaskingStep:
    """Mask columns by a macro, in one transaction (yours, where one is open), and return what was done.

    Parameters
    ----------
    macro
        The name without its prefix: ``sdc__<macro>`` gives the id and the masked columns.
    columns
        As the table spells them.
    arguments
        What the macro takes after the table, in its order.
    into
        A new table for the masked copy; without it the table itself is changed.
    measured
        Whether to measure SSE/SST, of numeric columns.
    told
        Parameters for the log in place of arguments of the same name.
    """
    if isinstance(data, Elsewhere):
        return data.masked(macro, columns, arguments, into=into)  # type: ignore[no-any-return]
    identifier = data.required("id")
    values = query.call(f"sdc__{macro}", data.table, *arguments.values())
    selected = exp.select(
        exp.alias_(exp.column("sdc__id"), identifier, quoted=True), *(exp.column(c, quoted=True) for c in columns)
    ).from_(values.subquery("v"))
    temporary = exp.table_(VALUES, db="temp", quoted=True)
    data.load_again()
    with _converted(), translated(), transaction(data.con):
        target = _new_table(data, into) if into is not None else _base_table(data)
        data.con.execute(f"DROP TABLE IF EXISTS temp.{VALUES}")
        kept = exp.Properties(expressions=[exp.TemporaryProperty()])
        _run(data, exp.Create(this=temporary.copy(), kind="TABLE", expression=selected, properties=kept))
        records = _number(data, exp.select(exp.Count(this=exp.Star())).from_(temporary.copy()))
        lost = None
        if measured:
            lost = data.row("sdc_sse_sst", data.table, f"temp.{VALUES}", list(columns), identifier)["sse_sst"]
        changed = _number(data, _update(target, temporary, identifier, columns))
        data.con.execute(f"DROP TABLE temp.{VALUES}")
        parameters = {name: told.get(name, value) for name, value in arguments.items() if name not in {"columns", "id"}}
        step = MaskingStep(target.sql("duckdb"), macro, columns, _plain(parameters), records, changed, lost)
        _write_down(data, target, step)
    return step


@contextmanager
def _converted() -> Iterator[None]:
    """Raise what cannot be cast to the type of its column, such as a category of a matrix, as an error of ours."""
    try:
        yield
    except duckdb.ConversionException as error:
        raise ParameterError(str(error).partition("Error: ")[2].split("\n\nLINE ")[0]) from error


def _run(data: Roles, statement: exp.Expression) -> list[tuple[Any, ...]]:
    return data.con.execute(query.text(statement)).fetchall()


def _number(data: Roles, statement: exp.Expression) -> int:
    ((number,),) = _run(data, statement)
    return int(number)


def _update(target: exp.Table, values: exp.Table, identifier: str, columns: tuple[str, ...]) -> exp.Update:
    """Return the update of what differs: what does not stays untouched."""
    old, new = exp.alias_(target.copy(), "t", table=True), exp.alias_(values.copy(), "v", table=True)
    same = exp.column(identifier, table="t", quoted=True).eq(exp.column(identifier, table="v", quoted=True))
    differs = [
        exp.NullSafeNEQ(this=exp.column(c, table="t", quoted=True), expression=exp.column(c, table="v", quoted=True))
        for c in columns
    ]
    new_values = [exp.column(c, quoted=True).eq(exp.column(c, table="v", quoted=True)) for c in columns]
    return exp.Update().table(old).set_(*new_values).from_(new).where(exp.and_(same, exp.or_(*differs)))


def _parsed(name: str) -> exp.Table:
    try:
        table = exp.to_table(name, dialect="duckdb")
    except SqlglotError:
        table = exp.table_(name)
    return exp.table_(table.name, db=table.db or None, catalog=table.catalog or None, quoted=True)


def _found(data: Roles, name: exp.Table) -> list[tuple[str, str, str, str]]:
    """Return the tables and views that a name can mean (database, schema, name, kind), the one that is read first.

    DuckDB's order: what is temporary, then the database in use; a qualifier is a schema or a database.
    """
    rows = data.con.execute(
        """
        SELECT * FROM (SELECT database_name, schema_name, table_name AS name, 'table' AS kind FROM duckdb_tables()
                       UNION ALL
                       SELECT database_name, schema_name, view_name, 'view' FROM duckdb_views() WHERE NOT internal)
        WHERE sdc__folded(name) = sdc__folded($name)
          AND CASE WHEN $catalog <> ''
                       THEN (sdc__folded(database_name), sdc__folded(schema_name)) = (sdc__folded($catalog), sdc__folded($db))
                   WHEN $db <> ''
                       THEN (sdc__folded(schema_name) = sdc__folded($db) AND database_name IN ('temp', current_database()))
                            OR (sdc__folded(database_name) = sdc__folded($db) AND schema_name = 'main')
                   ELSE database_name = 'temp' OR (database_name, schema_name) = (current_database(), current_schema()) END
        ORDER BY database_name <> 'temp', database_name <> current_database()
        """,  # noqa: E501
        {"name": name.name, "db": name.db, "catalog": name.catalog},
    )
    return [(str(d), str(s), str(n), str(k)) for d, s, n, k in rows.fetchall()]


def _base_table(data: Roles) -> exp.Table:
    """Return the table itself, if it is one that can be changed in place."""
    found = _found(data, _parsed(data.table))
    catalog, schema, table, kind = found[0] if found else ("", "", "", "")
    if kind != "table":
        what = "a view" if kind else "no table of the database (a file, or the result of a query)"
        raise TableError(
            f"{data.table} is {what}: it cannot be masked in place. "
            "Give into='name' to write the masked copy to a new table."
        )
    return exp.table_(table, db=schema, catalog=catalog, quoted=True)


def _new_table(data: Roles, into: str) -> exp.Table:
    """Return a new table that holds the records as they are."""
    if not isinstance(into, str) or not into:
        raise TableError(f"into is {into!r}: it must be the name of a new table.")
    table = _parsed(into)
    if _found(data, table):
        raise TableError(f"There is a table or view {into} already: drop it first, or give another name.")
    kept = exp.Properties(expressions=[exp.TemporaryProperty()] if "temp" in (table.db, table.catalog) else [])
    rows = query.call("sdc__rows", data.table)
    _run(data, exp.Create(this=exp.table_(table.name, quoted=True) if kept.expressions else table, kind="TABLE",
                          expression=rows, properties=kept))  # fmt: skip
    catalog, schema, name, _ = _found(data, table)[0]
    return exp.table_(name, db=schema, catalog=catalog, quoted=True)


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: list(v) if isinstance(v, tuple) else v for name, v in parameters.items() if v is not None}


def _write_down(data: Roles, target: exp.Table, step: MaskingStep) -> None:
    """Add the step to the table of steps beside the target. The key is nowhere in it."""
    steps = exp.table_(STEPS, db=target.args.get("db"), catalog=target.args.get("catalog"), quoted=True)
    kind = "TEMP TABLE" if target.catalog == "temp" else "TABLE"
    form = (
        f"CREATE {kind} IF NOT EXISTS t (step BIGINT, at TIMESTAMP, target VARCHAR, method VARCHAR, columns VARCHAR[], "
        "parameters VARCHAR, records BIGINT, changed BIGINT, sse_sst DOUBLE)"
    )
    for sql in (form, "INSERT INTO t SELECT 1 + count(*), current_timestamp::TIMESTAMP, ?, ?, ?, ?, ?, ?, ? FROM t"):
        tree: exp.Expression = exp.maybe_parse(sql, dialect="duckdb").transform(
            lambda node: steps.copy() if isinstance(node, exp.Table) and node.name == "t" else node
        )
        values = [target.name, step.method, list(step.columns), json.dumps(step.parameters, default=str),
                  step.records, step.changed, step.sse_sst]  # fmt: skip
        data.con.execute(query.text(tree), values if sql != form else None).fetchall()
