"""Direct identifiers removed (SDC handbook, 3.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import duckdb
import sqlglot
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, set_key
from sdc_sql.db.masking.log import Log
from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.masking.serial import admit_step, leave_out_waiting
from sdc_sql.db.masking.steps import MaskingStep
from sdc_sql.db.masking.targets import explain_what_remains
from sdc_sql.db.table import Table
from sdc_sql.db.transaction import repeat_transaction
from sdc_sql.errors import ColumnError, ParameterError, Unsupported, translate_errors
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.roles import Roles

_ROLES = ("keys", "weight", "household", "stratum", "sampling_fraction")
_FORBIDS = (duckdb.DependencyException, duckdb.CatalogException, duckdb.BinderException, duckdb.NotImplementedException)


def drop_identifiers(data: Roles, columns: str | Iterable[str], *, into: str | None = None) -> MaskingStep:
    """Remove columns that name persons, in place or in a copy: those that are named here, and no others.

    Parameters
    ----------
    columns
        The columns to remove; :func:`identifiers` proposes some. The id is none of them: the log and later steps find
        the records by it. ``write(ids="drop")``, or ``"recode"``, leaves it out of the released file.
    into
        A new table without them. Without it they are removed from the table itself; a database file then keeps the
        old values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its ``columns`` are those that were removed.

    Raises
    ------
    InputError
        Where a column is not there, is the id or (in place) has another role, or where an index or a constraint of the
        table does not let it go. Nothing is removed then.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.mask.drop_identifiers("household", into="released").columns
    ('household',)
    >>> data.con.table("released").columns
    ['id', 'age', 'sex', 'w']
    """
    if not isinstance(data, Table):
        raise Unsupported("Columns are removed by drop_identifiers in DuckDB only: on Spark use its DataFrame.drop.")
    if data.part is not None:
        raise ParameterError("A column is removed from all records: drop_identifiers takes no where.")
    chosen, identifier = resolve_columns(data, columns), str(data.require_role("id"))
    if identifier in chosen:
        raise ColumnError(
            f"{identifier} is the id, by which the log and later steps find the records: it stays. "
            "write(ids='drop') leaves it out of the released file."
        )
    if into is None:
        for role in _ROLES:
            given = getattr(data, role)
            used = {*(given if isinstance(given, tuple) else (given,))} & {*chosen}
            if used:
                raise ColumnError(
                    f"{', '.join(sorted(used))} is described as the table's {role.replace('_', ' ')}: describe it "
                    "without, or give into='name' to write a copy."
                )
    set_key(data.con)
    masking = Masking("drop_identifiers", chosen, {"columns": chosen, "id": identifier})
    with translate_errors(), admit_step(data, masking):
        return repeat_transaction(data.con, lambda: _drop_columns(data, chosen, identifier, into))


def _drop_columns(data: Roles, columns: tuple[str, ...], identifier: str, into: str | None) -> MaskingStep:
    rows = query.call_macro("sdc_drop_identifiers", data.table, columns, identifier)
    records = data.number(exp.select(exp.Count(this=exp.Star())).from_(rows.subquery("r")))
    log = Log(data, columns, {"columns": columns, "id": identifier}, into)
    for column in columns:
        # sqlglot's form of it differs from version to version
        alter = cast("exp.Alter", sqlglot.parse_one("ALTER TABLE t DROP COLUMN c", read="duckdb"))
        for node, name in ((exp.Table, log.target.copy()), (exp.Column, exp.column(column, quoted=True))):
            next(alter.find_all(node)).replace(name)
        try:
            execute(data.con, alter).fetchall()
        except _FORBIDS as e:
            raise ColumnError(
                f"{column} cannot be removed from {data.table}, by an index, a constraint or a generated column "
                f"({str(e).splitlines()[0]}): give into='name' to write a copy, or drop what forbids it."
            ) from e
    if into is not None:
        execute(data.con, exp.Insert(this=log.target.copy(), expression=rows)).fetchall()
    records -= leave_out_waiting(data, log.target, identifier)
    step = MaskingStep(
        log.target.sql("duckdb"), "drop_identifiers", columns, {}, records, records,
        remains=explain_what_remains(data.con, log.target) if into is None else "",
    )  # fmt: skip
    log.write(step, identifier, {}, (), gone=True)
    return step
