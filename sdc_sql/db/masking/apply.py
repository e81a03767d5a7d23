"""Mask the columns of a table in place, or in a copy, all or nothing, and log what was done.

In place the old values stay in the bytes of a database file: ``released_file`` writes what is handed over.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue import arguments as arguments_of
from sdc_sql.db.catalogue.load import execute, require_key, set_key
from sdc_sql.db.masking import homes as homes_of
from sdc_sql.db.masking.log import Log
from sdc_sql.db.masking.masked_values import NAME, MaskedValues
from sdc_sql.db.masking.serial import (
    admit_step,
    choose_proof,
    collect_kept,
    count_waiting_changed,
    finish_records,
    leave_out_waiting,
    select_kept,
)
from sdc_sql.db.masking.steps import MaskingStep
from sdc_sql.db.masking.subset import select_others, show_part
from sdc_sql.db.masking.targets import explain_what_remains
from sdc_sql.db.table import fetch_rows
from sdc_sql.db.transaction import repeat_transaction
from sdc_sql.errors import ColumnError, ParameterError, translate_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from sdc_sql.db.masking.masking import Designed, Masking
    from sdc_sql.db.masking.subset import Subset
    from sdc_sql.db.query import Value
    from sdc_sql.db.table import Homes, Part, Table

OF_PART, OF_HOMES = f"{NAME}_of_part", f"{NAME}_of_homes"
DESIGN = "sdc_design"
APART = {"columns", "id", "release", "stream"}  # these arguments have columns of their own in the log


class Maskable(Protocol):
    """What a masking method needs of a table, on any engine."""

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """Return a connection, for the table that holds a matrix."""
        ...

    @property
    def table(self) -> str:
        """Return the table's name."""
        ...

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the key variables."""
        ...

    def spell_column(self, role: str, name: str) -> str:
        """Return a column's name as the table spells it."""
        ...

    def require_role(self, role: str, given: Value = None) -> Any:  # noqa: ANN401 - a name or a number
        """Return an argument or, by default, the role of that name; an error where neither was given."""
        ...

    def masked(self, masking: Masking, *, into: str | None = None, subset: Subset | None = None) -> MaskingStep:
        """Mask columns by a macro, as :func:`apply_mask` does."""
        ...


def apply_mask(data: Table, masking: Masking, *, into: str | None = None, subset: Subset | None = None) -> MaskingStep:
    """Mask columns by a macro, in one transaction (the caller's, where one is open), and return what was done.

    Parameters
    ----------
    masking
        The macro, the columns, and what the log is to tell.
    into
        A new table for the masked copy; without it the table itself is changed.
    subset
        The records that may be changed: the macro reads the table by its name for it, and is given its column among the
        arguments.
    """
    arguments_of.check_arguments(masking.macro, masking.arguments)
    set_key(data.con)
    if "stream" in masking.arguments:
        with translate_errors():
            require_key(data.con)
    with translate_errors(), admit_step(data, masking, subset=subset is not None) as admitted:
        return repeat_transaction(data.con, lambda: _apply_mask(data, admitted, into, subset))


def _apply_mask(data: Table, masking: Masking, into: str | None, subset: Subset | None) -> MaskingStep:
    macro, columns = masking.macro, masking.columns
    identifier = str(masking.arguments["id"])
    homes, part, whole = _choose_records(data)
    log = Log(whole, columns, dict(masking.arguments), into)
    arguments = log.arguments
    asked = {name: select(arguments) if callable(select) else select for name, select in masking.kept.items()}
    every = whole.read_columns()  # the table may have gained or lost columns since it was described
    in_order = tuple(c for c in every if c in columns)
    if part is not None:
        show_part(part)
    if homes is not None:
        homes_of.make_homes(homes)
    read = data.table if subset is None else subset.table
    values, applied = _make_values_query(data, macro, (read, *arguments.values()), masking.designed)
    if data.engine is not None:
        values = _compute_elsewhere(data, replace(masking, arguments=arguments), values, subset)
    asked |= applied
    selected = exp.select(
        exp.alias_(exp.column("sdc__id"), identifier, quoted=True), *(exp.column(c, quoted=True) for c in in_order)
    ).from_(values.subquery("v"))
    selected = selected if subset is None else subset.wrap_query(selected)
    selected, found, more = _select_all_records(data, selected, asked, identifier, in_order)
    new = MaskedValues(
        data.con, whole.table, identifier, in_order, select_kept(data, selected), stored=log.stored,
        retyped=masking.retyped,
        of_value=None if part is not None or subset is not None or data.engine is not None else masking.of_value,
    )  # fmt: skip
    _drop_parts(data)
    collect_kept(data, NAME)
    asked = choose_proof(data, asked)
    changed = new.count_changed()
    of_waiting = count_waiting_changed(data, new)
    _check_households(data, whole.table, identifier, in_order, macro)
    lost = new.share_lost() if masking.measured else None
    found |= {name: fetch_rows(data.con, select)[0] for name, select in asked.items() if name not in found}
    new.retype(log.target)
    if into is not None:
        new.fill(log.target, every)
    else:
        if changed:
            new.replace(log.target, every)
        new.overwrite_minus_zeros(log.target)
    new.drop()
    left_out = finish_records(data, log.target) + leave_out_waiting(data, log.target, identifier)
    data.con.execute(f"DROP TABLE IF EXISTS temp.{DESIGN}")
    parameters = {n: masking.logged.get(n, value) for n, value in arguments.items() if n not in APART}
    if parameters.get("unit") == "record":  # no step by record names its unit, whether it draws or not
        del parameters["unit"]
    if subset is not None and "subset" in parameters:
        parameters["subset"] = subset.said
    if part is not None:
        show_part(part)
    parameters |= more | found.pop("applied", {})
    release, stream = (None if arguments.get(n) is None else str(arguments[n]) for n in ("release", "stream"))
    step = MaskingStep(
        log.target.sql("duckdb"), macro, columns, convert_for_log(parameters), new.records - left_out,
        changed - of_waiting, lost, release, stream,
        explain_what_remains(data.con, log.target) if into is None else "",
    )  # fmt: skip
    log.write(step, identifier, {name: str(row["json"]) for name, row in found.items()}, masking.confidential)
    return step


def _drop_parts(data: Table) -> None:
    for name in (OF_PART, OF_HOMES):
        data.con.execute(f"DROP TABLE IF EXISTS temp.{name}")
    if data.homes is not None:
        homes_of.drop_homes(data.homes)


def _choose_records(data: Table) -> tuple[Homes | None, Part | None, Table]:
    """Return whether the records are those of households, or some of them, and the table in which these are."""
    own = data if data.homes is None else data.homes.of
    return data.homes, own.part, own if own.part is None else own.part.whole


def _select_all_records(
    data: Table, selected: exp.Select, asked: Mapping[str, exp.Select], identifier: str, columns: tuple[str, ...]
) -> tuple[exp.Select, dict[str, dict[str, Any]], dict[str, Any]]:
    """Return the masked values of all records, where those of households or of a part are given.

    With them what the queries for the log say of these, and what is logged besides.
    """
    homes, part, whole = _choose_records(data)
    found: dict[str, dict[str, Any]] = {}
    more: dict[str, Any] = {}
    if homes is not None:
        of_homes, found = _store_part(data, selected, asked, OF_HOMES)
        selected = homes_of.spread_to_members(homes, of_homes)
        more = {"by_household": homes.household, "household_records": _count_rows(data, of_homes)}
    if part is not None:
        identified = query.call_macro("sdc__identified", whole.table, identifier)
        _count_rows(data, identified.subquery("r"))  # the check of the id raises its error here, if there is one
        left = {name: select for name, select in asked.items() if name not in found}
        of_part, of_records = _store_part(data, selected, left, OF_PART)
        selected, found = _join_other_records(part, of_part, (identifier, *columns)), found | of_records
        records = _count_rows(data, exp.table_(part.name, db="main", catalog="temp", quoted=True))
        more = {"where": part.said, "part_records": records, **more}
    return selected, found, more


def _check_households(data: Table, table: str, identifier: str, columns: tuple[str, ...], macro: str) -> None:
    """Refuse masked values that tell members of a household apart in a column that is of the household.

    Of the columns that were named as such: what one member shows gives the others back.
    """
    household, named = getattr(data, "household", None), getattr(data, "household_columns", None)
    guessed = getattr(data, "looked_at", {})
    asked = [c for c in columns if named is not None and c in named and c not in guessed]
    if household is None or not asked:
        return
    rows = fetch_rows(
        data.con, query.call_macro("sdc__parted_households", table, f"temp.{NAME}", identifier, household, asked)
    )
    parted = [f"{row['variable']} in {row['households']:,}" for row in rows if row["households"]]
    if parted:
        raise ColumnError(
            f"{macro} gives members of a household different values of a column that is of the household: "
            f"{', '.join(parted)} households. What one member shows is true of the others: mask it by household "
            "(unit='household', household=..., where the method has it), or so that like values become like ones."
        )


def _make_values_query(
    data: Table, macro: str, arguments: tuple[Value, ...], designed: Designed | None
) -> tuple[exp.Select, dict[str, exp.Select]]:
    """Return the query of the masked values, and the one for the log of what was designed for them."""
    if designed is None:
        return query.call_macro(f"sdc__{macro}", *arguments), {}
    design = _store_rows(data, DESIGN, designed.rows).sql("duckdb")
    return query.call_macro(designed.masks, *arguments, design), {"applied": query.call_macro(designed.applied, design)}


def _compute_elsewhere(data: Table, masking: Masking, values: exp.Select, subset: Subset | None) -> exp.Select:
    """Return the query of the masked values that another engine computes, like that of DuckDB in names and types."""
    if subset is not None or data.homes is not None or data.part is not None:
        raise ParameterError(
            f"{masking.macro} of some of the records, or of one record a household, is masked in DuckDB alone."
        )
    found: exp.Select = data.engine.mask_values(data.table, masking, values)
    return found


def _store_rows(data: Table, name: str, rows: exp.Select) -> exp.Table:
    """Return a temporary table of the rows of a query, in the place of one that was left behind."""
    data.con.execute(f"DROP TABLE IF EXISTS temp.{name}")
    table = exp.table_(name, db="main", catalog="temp", quoted=True)
    properties = exp.Properties(expressions=[exp.TemporaryProperty()])
    made = exp.Create(this=table, kind="TABLE", expression=rows, properties=properties)
    execute(data.con, made).fetchall()
    return table


def _count_rows(data: Table, records: exp.Expression) -> int:
    return data.number(exp.select(exp.Count(this=exp.Star())).from_(records))


def _store_part(
    data: Table, values: exp.Select, kept: Mapping[str, exp.Select], name: str
) -> tuple[exp.Table, dict[str, dict[str, Any]]]:
    """Return a temporary table of the masked values of a part, and what the queries for the log say of it."""
    of_part = exp.table_(name, db="main", catalog="temp", quoted=True)
    data.con.execute(f"DROP TABLE IF EXISTS temp.{name}")
    _store_rows(data, NAME, values)
    found = {name: fetch_rows(data.con, select)[0] for name, select in kept.items()}
    data.con.execute(f"ALTER TABLE temp.{NAME} RENAME TO {of_part.name}")
    return of_part, found


def _join_other_records(part: Part, of_part: exp.Table, columns: tuple[str, ...]) -> exp.Select:
    """Return the masked values of a part, and beside them the own values of the other records."""
    masked_ones = exp.select(*(exp.column(c, quoted=True) for c in columns)).from_(of_part)
    return exp.select("*").from_(exp.union(masked_ones, select_others(part, columns), distinct=False).subquery("v"))


def convert_for_log(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as the log holds them: lists for tuples, and only what was given."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in parameters.items() if v is not None}
