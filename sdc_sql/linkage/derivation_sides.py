"""Both sides of a release, record beside record: the variables that are masked, and columns that may give them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
from sqlglot import exp

from sdc_sql.compiler.columns import fold_case
from sdc_sql.db import query
from sdc_sql.errors import translate_errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.roles import Roles

    Columns = dict[str, pa.ChunkedArray]

_PERSON = "sdc__person"
# what Arrow cannot number is numbered by its text
_NUMBERED = {"VARCHAR", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "FLOAT", "DATE"}
_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE", "BOOLEAN"}  # two are equal where their texts are
_FRACTIONS = {"DOUBLE", "FLOAT"}  # and these, where their signs are too


class Sides(NamedTuple):
    """Variables, the places of givers that are variables too with those of these, and columns by their names.

    ``o_0`` and ``r_0`` are the original and the released values of the first variable, ``g_0`` those of the first giver
    where it is no variable, ``home`` the numbers of households, and ``draw`` a number of each id: DuckDB reads the
    records of large tables in no order.
    """

    variables: list[str]
    shown: dict[int, int]
    columns: Columns


def read_sides(data: Roles, original: str, columns: Sequence[str], givers: Sequence[str]) -> Sides:
    """Return the columns whose released value is not the original one of some record, and the givers.

    Tables that give the same ids in one order are read as they are, column by column; others are joined.
    """
    return _read_beside(data, original, columns, givers) or _read_joined(data, original, columns, givers)


def is_id_whole(data: Roles, original: str) -> bool:
    """Return whether the ids of both tables are whole numbers of one type: these are joined as they are."""
    kinds = {_list_types(data, table).get(fold_case(str(data.id))) for table in (original, data.table)}
    return len(kinds) == 1 and kinds <= _WHOLE


def _read_beside(data: Roles, original: str, columns: Sequence[str], givers: Sequence[str]) -> Sides | None:
    """Return what stands beside the same ids in both tables; None where they give these in another order.

    The ids are read with the columns: a view may give its records in another order each time.
    """
    if not is_id_whole(data, original):
        return None
    ids, others = (_read_side(data, table, {}).pop(_PERSON) for table in (original, data.table))
    if not ids.equals(others):
        return None
    alike = _list_numbers_alike(data, original, columns)
    variables: list[str] = []
    found: Columns = {}
    for name in columns:
        value = {"value": _show_variable(name, alike)}
        old, new = (_read_side(data, table, value) for table in (original, data.table))
        if not (old[_PERSON].equals(ids) and new[_PERSON].equals(ids)):
            return None
        if not show_bits(old["value"]).equals(show_bits(new["value"])):
            found |= {f"o_{len(variables)}": old["value"], f"r_{len(variables)}": new["value"]}
            variables.append(name)
    shown = _find_givers_shown(data, original, givers, variables)
    draw = {"draw": _draw(_select_person(data, whole=True))}
    read = _read_side(data, data.table, draw | _show_givers(data, givers, shown))
    return Sides(variables, shown, found | read) if read.pop(_PERSON).equals(ids) else None


def _read_joined(data: Roles, original: str, columns: Sequence[str], givers: Sequence[str]) -> Sides:
    variables = _find_masked_columns(data, original, columns)
    shown = _find_givers_shown(data, original, givers, variables)
    whole, alike = is_id_whole(data, original), _list_numbers_alike(data, original, variables)
    own, released = ({f"{side}_{j}": _show_variable(name, alike) for j, name in enumerate(variables)} for side in "or")
    released |= _show_givers(data, givers, shown)
    old, new = (
        _select_side(data, table, values, whole=whole).subquery(alias)
        for table, values, alias in ((original, own, "a"), (data.table, released, "b"))
    )
    chosen = [exp.alias_(_draw(exp.column(_PERSON)), "draw"), *(exp.column(name) for name in (*own, *released))]
    return Sides(variables, shown, _read(data, exp.select(*chosen).from_(old).join(new, using=[_PERSON])))


def _find_masked_columns(data: Roles, original: str, columns: Sequence[str]) -> list[str]:
    """Return the columns whose released value is not the original one of some record."""
    if not columns:
        return []
    alike = _list_numbers_alike(data, original, columns)
    values = {name: exp.column(name, quoted=True) for name in columns}
    before, after = (
        _select_side(data, table, values, whole=is_id_whole(data, original)) for table in (original, data.table)
    )
    differs = []
    for j, name in enumerate(columns):
        sides: list[exp.Expr] = [exp.column(name, table=side, quoted=True) for side in ("a", "b")]
        if name not in alike:
            sides = [_show_bytes(value) for value in sides]
        differ: exp.Expr = exp.NullSafeNEQ(this=sides[0], expression=sides[1])
        if alike.get(name) in _FRACTIONS:
            signs = [exp.func("signbit", value.copy()) for value in sides]
            differ = exp.or_(differ, exp.NEQ(this=signs[0], expression=signs[1]))
        differs.append(exp.alias_(exp.func("bool_or", differ), f"d_{j}"))
    select = exp.select(*differs).from_(before.subquery("a")).join(after.subquery("b"), using=[_PERSON])
    (row,) = data.select(select)
    return [name for name, found in zip(columns, row.values(), strict=True) if found]


def _find_givers_shown(data: Roles, original: str, givers: Sequence[str], columns: Sequence[str]) -> dict[int, int]:
    """Return the places of givers that are variables too, and of these: their values are numbered once.

    Not of fractions that stand there as texts: as givers 0.0 and -0.0 are equal, as values of a variable they are two.
    """
    kinds, places = _list_types(data, data.table), {fold_case(name): j for j, name in enumerate(columns)}
    texts = {fold_case(name) for name in columns} - {fold_case(n) for n in _list_numbers_alike(data, original, columns)}
    both = {i: fold_case(name) for i, name in enumerate(givers) if fold_case(name) in places}
    return {i: places[name] for i, name in both.items() if kinds[name] not in _FRACTIONS or name not in texts}


def _list_types(data: Roles, table: str) -> dict[str, str]:
    """Return the types of a table's columns, by their names in small letters."""
    its = data.relation("sdc__rows", table)
    return {fold_case(c): str(kind) for c, kind in zip(its.columns, its.types, strict=True)}


def _list_numbers_alike(data: Roles, original: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the types of the columns that are numbers of the same type on both sides: two are alike as their texts."""
    kinds = [_list_types(data, table) for table in (original, data.table)]
    both = {name: kinds[0].get(fold_case(name), "") for name in columns}
    return {n: kind for n, kind in both.items() if kind in _WHOLE | _FRACTIONS and kind == kinds[1].get(fold_case(n))}


def _select_person(data: Roles, *, whole: bool) -> exp.Expr:
    person = exp.column(str(data.id), quoted=True)
    return person if whole else _show_bytes(person)


def _select_side(data: Roles, table: str, values: Mapping[str, exp.Expr], *, whole: bool) -> exp.Select:
    """Return the records of a table, which is known to have some: the id, and values under other names."""
    chosen = [exp.alias_(value.copy(), name, quoted=True) for name, value in values.items()]
    rows = query.call_macro("sdc__unasked", table).subquery("r")  # threads do not share a union
    return exp.select(exp.alias_(_select_person(data, whole=whole), _PERSON), *chosen).from_(rows)


def _read_side(data: Roles, table: str, values: Mapping[str, exp.Expr]) -> Columns:
    return _read(data, _select_side(data, table, values, whole=True))


def _read(data: Roles, select: exp.Select) -> Columns:
    with translate_errors():
        table = data.reading(select).to_arrow_table()
    return dict(zip(table.column_names, table.columns, strict=True))


def _show_bytes(value: exp.Expr) -> exp.Expr:
    """Return the text of a value, compared by its bytes: no collation makes two of them equal."""
    return exp.Anonymous(this="sdc__by_bytes", expressions=[exp.cast(value, "VARCHAR")])


def _draw(person: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="hash", expressions=[person])


def _show_variable(name: str, alike: Mapping[str, str]) -> exp.Expr:
    """Return the values of a variable, as texts where they are no numbers of one type on both sides.

    Of each NaN there is one form; what has two texts, as 0.0 and -0.0, nan and -nan, stays apart.
    """
    value = exp.column(name, quoted=True)
    if name not in alike:
        return exp.cast(value, "VARCHAR")
    if alike[name] not in _FRACTIONS:
        return value
    below, above = (exp.cast(exp.Literal.string(text), alike[name]) for text in ("-nan", "nan"))
    nan = exp.case().when(exp.func("signbit", value.copy()), below).else_(above)
    return exp.case().when(exp.func("isnan", value.copy()), nan).else_(value)


def _show_givers(data: Roles, givers: Sequence[str], shown: Mapping[int, int]) -> dict[str, exp.Expr]:
    """Return the values of the givers that are no variables, and the numbers of households where there are any.

    0.0 and NaN have one form each: however they are written, they are equal to DuckDB.
    """
    kinds = dict(zip(data.columns, map(str, data.relation("sdc__rows", data.table).types), strict=True))
    found: dict[str, exp.Expr] = {}
    if data.household is not None:
        home = exp.cast(exp.column(data.household, quoted=True), "VARCHAR")
        found["home"] = exp.func("coalesce", home, exp.Literal.string(""))
    for i, name in enumerate(givers):
        if i in shown:
            continue
        giver, kind = exp.column(name, quoted=True), kinds[name]
        found[f"g_{i}"] = giver if kind in _NUMBERED else exp.cast(giver, "VARCHAR")
        if kind in _FRACTIONS:
            nan = exp.cast(exp.Literal.string("nan"), kind)
            unified = exp.case().when(exp.func("isnan", giver.copy()), nan)
            unified = unified.when(exp.EQ(this=giver.copy(), expression=exp.Literal.number(0)), exp.Literal.number(0))
            found[f"g_{i}"] = unified.else_(giver.copy())
    return found


def show_bits(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the bits of fractions in the place of these: 0.0 and -0.0 are two, and NaN is one."""
    if not pa.types.is_floating(column.type):
        return column
    bits = pa.int64() if column.type.bit_width == 64 else pa.int32()  # noqa: PLR2004
    return pa.chunked_array([chunk.view(bits) for chunk in column.chunks], bits)
