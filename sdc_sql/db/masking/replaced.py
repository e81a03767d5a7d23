"""The records of a table replaced by others, in place or in a copy: some leave it, or all stand in another order.

What ``masking`` does for the values of columns, this does for whole records: one transaction, and a step in the log.
"""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, require_key, set_key
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.apply import APART, convert_for_log
from sdc_sql.db.masking.log import Log
from sdc_sql.db.masking.serial import admit_step, leave_out_waiting, note_records
from sdc_sql.db.masking.steps import MaskingStep, name_next_pass
from sdc_sql.db.masking.targets import explain_what_remains
from sdc_sql.db.table import Table, fetch_rows
from sdc_sql.db.transaction import repeat_transaction
from sdc_sql.errors import ColumnError, ParameterError, TableError, Unsupported, translate_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc_sql.db.masking.masking import Masking

NAME = "sdc_replaced_records"
_FORBIDS = (duckdb.BinderException, duckdb.CatalogException, duckdb.DependencyException, duckdb.ConstraintException)


def replace_records(data: Table, masking: Masking, *, into: str | None) -> MaskingStep:
    """Replace the records of a table by those that a macro gives, in the order of their ids, and log the step.

    Parameters
    ----------
    masking
        The macro ``sdc_<macro>`` gives the records, every column of the table by its name; ``columns`` are those whose
        values change, of the records that stay; ``id``, ``stream`` and ``release`` are among its arguments, and a
        stream of None is the next pass of the method over the table.
    into
        A new table; without it the records of the table itself are replaced.
    """
    macro = masking.macro
    if not isinstance(data, Table):
        raise Unsupported(
            f"{macro} replaces whole records and runs in DuckDB only: on Spark use what its DataFrame has."
        )
    if data.part is not None:
        raise ParameterError(f"{macro} is of all records: it takes no where.")
    set_key(data.con)
    with translate_errors():
        require_key(data.con)
    with translate_errors(), admit_step(data, masking) as admitted:
        return repeat_transaction(data.con, lambda: _replace_records(data, admitted, into))


def _replace_records(data: Table, masking: Masking, into: str | None) -> MaskingStep:
    macro, columns, arguments = masking.macro, masking.columns, dict(masking.arguments)
    con, identifier = data.con, str(arguments["id"])
    given = {name: arguments[name] for name in ("stream", "release", "id") if arguments[name] is not None}
    log = Log(data, columns, given, into)
    if arguments["stream"] is None:
        arguments["stream"] = name_next_pass(log.steps, macro)
    every = data.read_columns()
    rows = query.call_macro(f"sdc_{macro}", data.table, *arguments.values())
    new = exp.table_(NAME, db="temp", quoted=True)
    con.execute(f"DROP TABLE IF EXISTS temp.{NAME}")
    ordered = rows.order_by(exp.Ordered(this=_compare_by_bytes(identifier), nulls_first=False))
    temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
    execute(con, exp.Create(this=new, kind="TABLE", expression=ordered, properties=temporary)).fetchall()
    before = data.number(
        exp.select(exp.Count(this=exp.Star())).from_(query.call_macro("query_table", data.table).subquery("r"))
    )
    after = data.number(exp.select(exp.Count(this=exp.Star())).from_(new.copy()))
    changed = _count_changed_records(data, columns, identifier, new)
    kept = (select(arguments) if callable(select) else select for select in masking.kept.values())
    more = {name: value for select in kept for name, value in fetch_rows(con, select)[0].items()}
    _write_records(data, log.target, new, every, in_place=into is None)
    con.execute(f"DROP TABLE temp.{NAME}")
    after -= leave_out_waiting(data, log.target, identifier)
    note_records(data, log.target)
    parameters = {n: v for n, v in arguments.items() if n not in APART} | {"records_before": before} | more
    step = MaskingStep(
        log.target.sql("duckdb"), macro, columns, convert_for_log(parameters), after, changed, None,
        str(arguments["release"]), str(arguments["stream"]),
        explain_what_remains(con, log.target) if into is None else "",
    )  # fmt: skip
    # the columns of earlier steps are logged as they now are, with fewer records
    masked = {c.lower() for earlier in log.steps for c in earlier.columns}
    log.write(step, identifier, {}, masking.confidential, left=tuple(c for c in every if c.lower() in masked))
    return step


def _count_changed_records(data: Table, columns: Sequence[str], identifier: str, new: exp.Table) -> int:
    """Return the number of records that stay of which a value differs from before; all, if ids are drawn anew."""
    if not columns:
        return 0
    if identifier in columns:
        return data.number(exp.select(exp.Count(this=exp.Star())).from_(new.copy()))
    old = exp.select("*").from_(query.call_macro("query_table", data.table).subquery("r")).subquery("o")
    differ = [exp.NullSafeNEQ(this=_quote_column(c, "o"), expression=_quote_column(c, "n")) for c in columns]
    count = exp.select(exp.Count(this=exp.Star())).from_(old)
    count = count.join(
        exp.alias_(new.copy(), "n", table=True),
        on=_compare_by_bytes(identifier, "o").eq(_compare_by_bytes(identifier, "n")),
    )
    return data.number(count.where(exp.or_(*differ)))


def _write_records(data: Table, target: exp.Table, new: exp.Table, every: Sequence[str], *, in_place: bool) -> None:
    con = data.con
    types = [_list_types(con, table, every) for table in (target, new)]
    names = exp.Schema(this=target.copy(), expressions=[exp.to_identifier(c, quoted=True) for c in every])
    records = exp.select(*(exp.column(c, quoted=True) for c in every)).from_(new.copy())
    try:
        for column, (was, is_) in {c: (types[0][c], types[1][c]) for c in every}.items():
            if was != is_:
                kind = exp.DataType.build(is_, dialect="duckdb")
                name = exp.to_identifier(column, quoted=True)
                # the values that stand there are put away: the former ids may be texts that are no numbers
                alter = exp.AlterColumn(this=name, dtype=kind, using=exp.Literal.number(0))
                execute(con, exp.Alter(this=target.copy(), kind="TABLE", actions=[alter])).fetchall()
        if in_place:
            execute(con, exp.Delete(this=target.copy())).fetchall()
        execute(con, exp.Insert(this=names, expression=records)).fetchall()
    except _FORBIDS as error:
        reason = str(error).strip().splitlines()[0].split(":")[0]
        raise TableError(
            f"An index, a constraint, a generated column or a reference to {data.table} does not let its records or "
            f"the type of a column change ({reason}): give into='name' to write a copy, or drop what forbids it."
        ) from error


def _list_types(con: duckdb.DuckDBPyConnection, table: exp.Table, every: Sequence[str]) -> dict[str, str]:
    columns = exp.select(*(exp.column(c, quoted=True) for c in every)).from_(table.copy())
    return {name: kind for name, kind, *_ in execute(con, exp.Describe(this=columns)).fetchall()}


def check_place(mask: str, into: str | None, *, in_place: bool) -> None:
    """Refuse a mask that deletes records where nobody says whether from the table itself or from a copy.

    Raises
    ------
    ParameterError
        Where neither a new table is given nor ``in_place``, or both.

    Examples
    --------
    >>> check_place("sample", "drawn", in_place=False)
    """
    if not isinstance(in_place, bool):
        raise ParameterError(f"in_place is {text_for_message(in_place)}: it must be True or False.")
    if into is None and not in_place:
        raise ParameterError(
            f"{mask} deletes records: give into='name' for a new table of those that stay, or in_place=True to delete "
            "the others from the table itself."
        )
    if into is not None and in_place:
        raise ParameterError("into makes a copy and in_place changes the table itself: give one of them.")


def place_arguments(mask: Callable[..., object], into: str | None) -> dict[str, Any]:
    """Return where a mask is to write, as its arguments: a new table or, where there is none, the table itself.

    Examples
    --------
    >>> place_arguments(check_place, None), place_arguments(check_place, "drawn"), place_arguments(replace_records,
    ...     None)
    ({'in_place': True}, {'into': 'drawn'}, {'into': None})
    """
    return {"in_place": True} if into is None and "in_place" in signature(mask).parameters else {"into": into}


def refuse_fixed_roles(data: Table, *names: str) -> None:
    """Refuse a role that is one number for all records where records get each another one."""
    for name in names:
        if getattr(data, name) is not None and not isinstance(getattr(data, name), str):
            words = name.replace("_", " ")
            raise ColumnError(
                f"The {words} is one number, {getattr(data, name)}, which a sample changes: make a column of it, and "
                f"name that as the {words}, so that the risk of the sample is measured with what holds there."
            )


def _quote_column(name: str, table: str) -> exp.Column:
    return exp.column(name, table=table, quoted=True)


def _compare_by_bytes(name: str, table: str | None = None) -> exp.Expression:
    """Return a column whose texts are compared by their bytes, whatever its collation."""
    return exp.Anonymous(this="sdc__by_bytes", expressions=[exp.column(name, table=table, quoted=True)])
