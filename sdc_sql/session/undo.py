"""Undo the last step: the other steps are replayed on a copy of the original."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, require_key, set_key
from sdc_sql.db.catalogue.macros import find_effect
from sdc_sql.db.masking import step_table
from sdc_sql.db.masking.identity import digest_columns, read_plain_comment
from sdc_sql.db.masking.meanwhile import Meanwhile
from sdc_sql.db.masking.replaced import place_arguments
from sdc_sql.db.masking.steps import find_last_step, is_changed_since, name_chain
from sdc_sql.db.masking.subset import find_part
from sdc_sql.db.masking.targets import create_new_table, find_known_table
from sdc_sql.db.transaction import repeat_transaction
from sdc_sql.errors import ParameterError, SdcError, TableError, translate_errors
from sdc_sql.methods import Methods
from sdc_sql.roles import Roles
from sdc_sql.session.calls import name_step, parse_step
from sdc_sql.session.original import find_original
from sdc_sql.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from sdc_sql.db.masking.steps import LoggedStep, MaskingStep
    from sdc_sql.db.table import Part
    from sdc_sql.session.calls import Call
    from sdc_sql.session.original import Original

_OWN = """
    SELECT 'constraint' AS kind FROM duckdb_constraints() WHERE (database_name, schema_name, table_name) = ($d, $s, $t)
    UNION SELECT 'index' FROM duckdb_indexes() WHERE (database_name, schema_name, table_name) = ($d, $s, $t)
    UNION SELECT CASE WHEN comment IS NULL THEN 'default' ELSE 'comment of a column' END FROM duckdb_columns()
    WHERE (database_name, schema_name, table_name) = ($d, $s, $t)
      AND (column_default IS NOT NULL OR comment IS NOT NULL)
"""


def steps(data: Roles) -> list[LoggedStep]:
    """Return the steps that a table went through, the oldest first; none of a view or a file."""
    whole = data if data.part is None else data.part.whole
    place = find_known_table(whole, whole.table)
    return name_chain(data.con, place) if place is not None and not whole.file else []


def undo(data: Roles) -> LoggedStep:
    """Undo the last step of a table: it becomes what its other steps make of the original, replayed.

    The original must be there: a file, or a table that is not masked itself, from which the first step made a copy
    (``into``). Draws are the same again, by the same secret key. Nothing is changed where a digest in the log, or a
    column that no step has masked, tells that the result would be another one. The log keeps the steps of before under
    the table's former mark; the table has a new one, with those that were replayed.

    Returns
    -------
    LoggedStep
        The step that was undone.

    Raises
    ------
    InputError
        Where there is no step, the original is not there any more (it was masked in place), the log does not hold all
        that a step was given, or the table was changed otherwise: with the reason and what can be done.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.round("age", 25, into="masked")
    >>> masked = sdc_sql.Microdata(data.con, "masked", id="id")
    >>> _ = masked.mask.pram_retention("sex", 0.5)
    >>> masked.undo().method, [step.method for step in masked.steps]
    ('pram_retention', ['round'])
    """
    whole = data if data.part is None else data.part.whole
    con = data.con
    set_key(con)
    table = find_known_table(whole, whole.table)
    if table is None or whole.file:
        raise TableError(f"{whole.file or whole.table} is no table of a database: nothing was masked in it.")
    done = name_chain(con, table)
    if not done:
        raise ParameterError(f"{whole.table} has no step in sdc_steps: there is nothing to undo.")
    source = find_original(con, done)
    calls = [parse_step(step) for step in done[:-1]]
    if find_effect(done[-1].method).records.kind == "reordered":
        raise ParameterError(
            f"{name_step(done[-1])} has given the records other ids, and only by the former ones are they compared "
            "with "
            "the original: mask a copy of the original again, without that step."
        )
    found = con.execute(_OWN, {"d": table.catalog, "s": table.db, "t": table.name}).fetchall()
    if found:
        kinds = ", ".join(sorted(str(kind) for (kind,) in found))
        raise TableError(f"{whole.table} has of its own: {kinds}. It would be made anew without: drop them first.")
    if any(call.stream is not None for call in calls):
        with translate_errors():
            require_key(con)
    _refuse_changed_columns(con, table, done, whole.read_columns())
    scratch = exp.table_(f"sdc_undone_{uuid.uuid4().hex[:12]}", db=table.db, catalog=table.catalog, quoted=True)
    with translate_errors():
        try:
            repeat_transaction(con, lambda: _replay_steps(whole, table, scratch, source, done))
        except BaseException:  # the scratch table would stay in a transaction of the caller's
            con.execute(f"DROP TABLE IF EXISTS {scratch.sql('duckdb')}")
            _forget(con, table, scratch.name)
            raise
    for roles in {id(r): r for r in (data, whole)}.values():
        if isinstance(roles, Roles):
            object.__setattr__(roles, "columns", roles.read_columns())  # the undone step may have given a column back
    return done[-1]


def _quote_column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)


def _refuse_changed_columns(
    con: duckdb.DuckDBPyConnection, table: exp.Table, done: Sequence[LoggedStep], columns: Sequence[str]
) -> None:
    """Refuse where a masked column is not as its last step left it: later changes would be lost."""
    for column in columns:
        last = find_last_step(done, column)
        if last is not None and is_changed_since(con, table, last, column, columns):
            raise ParameterError(
                f"{column} of {table.sql('duckdb')} has changed since {name_step(last)}: undoing would lose that "
                "change. "
                "Copy the table if it is to be kept, and fill in what the step left."
            )


def _replay_steps(
    data: Any,  # noqa: ANN401 - a table or its roles
    table: exp.Table,
    scratch: exp.Table,
    source: Original,
    done: Sequence[LoggedStep],
) -> None:
    con, name, replay = data.con, scratch.sql("duckdb"), done[:-1]
    meanwhile = Meanwhile(con, table, data.read_columns())  # the records that others insert would be lost otherwise
    calls = [parse_step(step) for step in replay]
    numbers = _list_numbers(con, table) if source.path is not None else []
    if not calls:
        raw = _describe_scratch(con, source.name, None, numbers)
        create_new_table(raw, name)
        rows = query.call_macro("query_table", raw.table)
        execute(con, exp.Insert(this=scratch.copy(), expression=rows)).fetchall()
    for i, (call, step) in enumerate(zip(calls, replay, strict=True)):
        try:
            masked = run(con, source.name if i == 0 else name, call, into=name if i == 0 else None, numbers=numbers)
        except SdcError as error:
            raise TableError(f"{name_step(step)} cannot be replayed, and nothing is changed: {error}") from None
        if masked.records != step.records:
            raise TableError(_OTHER.format(step=name_step(step), then=step.version))
    for step, again in zip(replay, name_chain(con, scratch) if calls else [], strict=True):
        before, now = (json.loads(s.digests or "{}") for s in (step, again))
        same_version = {v.partition(":")[0] for v in (*before.values(), *now.values())}
        if len(same_version) == 1 and before != now:
            raise TableError(_OTHER.format(step=name_step(step), then=step.version))
    _refuse_changed_rest(con, table, scratch, done)
    comment = read_plain_comment(con, table)
    if comment:
        mark = read_plain_comment(con, scratch, kept=True)
        said = query.make_text_literal("\n".join(part for part in (comment, mark) if part))
        execute(con, exp.Comment(this=scratch.copy(), kind="TABLE", expression=said)).fetchall()
    con.execute(f"DROP TABLE {table.sql('duckdb')}").fetchall()
    con.execute(f"ALTER TABLE {name} RENAME TO {exp.to_identifier(table.name, quoted=True).sql('duckdb')}").fetchall()
    log = step_table.name_step_table(table).sql("duckdb")
    con.execute(f"UPDATE {log} SET target = ? WHERE target = ?", [table.name, scratch.name]).fetchall()  # noqa: S608
    con.execute(f"UPDATE {log} SET source = ? WHERE source = ?", [table.sql("duckdb"), name]).fetchall()  # noqa: S608
    meanwhile.check()


_OTHER = (
    "{step}, replayed, does not give what it gave: the original or the secret key is another one than then, or the "
    f"version (then {{then}}, now {VERSION}). Nothing is changed. Set the key of then, or go back to the original "
    "as it was."
)


def run(
    con: duckdb.DuckDBPyConnection, table: str, call: Call, *, into: str | None = None, numbers: Sequence[str] = ()
) -> MaskingStep:
    """Make a call on a table, in place or into a new one."""
    roles = _describe_scratch(con, table, call.id, numbers)
    if call.where is not None:
        part = find_part(roles, call.where)
        roles = _describe_scratch(con, part.name, call.id, (), part)
    if call.by_household is not None:
        roles = roles.describe_anew(household=roles.spell_column("household", call.by_household), by_household=True)
    mask = getattr(Methods(roles), call.verb)
    step: MaskingStep = mask(**call.all_arguments(), **place_arguments(mask, into))
    if roles.part is not None and into is None:  # the view of the part reads a table that is to be renamed
        con.execute(f"DROP VIEW IF EXISTS temp.main.{roles.part.name}")
    return step


def _describe_scratch(
    con: duckdb.DuckDBPyConnection, table: str, identifier: str | None, numbers: Sequence[str], part: Part | None = None
) -> Roles:
    given: Any = {"keys": None, "numbers": [*numbers] or None}
    return Roles(con=con, table=table, id=identifier, part=part, **given)


def _refuse_changed_rest(
    con: duckdb.DuckDBPyConnection, table: exp.Table, scratch: exp.Table, done: Sequence[LoggedStep]
) -> None:
    """Refuse where columns that no step has masked are others than in the original: they were changed by hand."""
    both = [[str(n) for n in _list_columns(con, place)] for place in (table, scratch)]
    rest = [[n for n in names if not any(step.masked([n]) for step in done)] for names in both]
    identifier = str(done[-1].id)
    if rest[0] != rest[1]:
        differ = sorted({*rest[0]} ^ {*rest[1]})
        raise TableError(f"{table.sql('duckdb')} has other columns than the original ({', '.join(differ)}): {_BY_HAND}")
    staying: exp.Expression = scratch
    if find_effect(done[-1].method).records.kind == "fewer":  # the dropped records are back, as they were
        ids = exp.select(_quote_column(identifier)).from_(table.copy())
        staying = exp.select("*").from_(scratch.copy()).where(_quote_column(identifier).isin(query=ids)).subquery("s")
    now, then = (
        digest_columns(con, place, identifier, names) for place, names in zip((table, staying), rest, strict=True)
    )
    changed = [n for n in rest[0] if now[n.lower()] != then[n.lower()]]
    if changed:
        raise TableError(
            f"{', '.join(changed)} of {table.sql('duckdb')}, which no step has masked, is not as in the original: "
            f"{_BY_HAND}"
        )


_BY_HAND = "it was changed otherwise, here or there, which undoing would lose. Nothing is changed."


def _list_columns(con: duckdb.DuckDBPyConnection, table: exp.Table) -> dict[str, str]:
    rows = execute(con, exp.select("*").from_(table.copy()).limit(0)).description or ()
    return {str(name): str(kind) for name, kind, *_ in rows}


def _list_numbers(con: duckdb.DuckDBPyConnection, table: exp.Table) -> list[str]:
    numeric = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "HUGEINT")
    return [n for n, kind in _list_columns(con, table).items() if kind.endswith(numeric) or kind.startswith("DECIMAL")]


def _forget(con: duckdb.DuckDBPyConnection, table: exp.Table, name: str) -> None:
    log = step_table.name_step_table(table)
    if step_table.check_step_table(con, log):
        con.execute(f"DELETE FROM {log.sql('duckdb')} WHERE target = ?", [name]).fetchall()  # noqa: S608
