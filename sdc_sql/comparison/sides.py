"""The two tables of a comparison, described alike: the same roles and keys, as far as each has the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.compared import original_table
from sdc_sql.db.checks import is_number
from sdc_sql.errors import ColumnError, ParameterError
from sdc_sql.roles import Roles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described

ROLES = ("weight", "household", "id", "stratum", "sampling_fraction")


def has_column(data: Roles, name: str) -> bool:
    """Return whether a table has a column, in any case of its letters."""
    return name.lower() in {column.lower() for column in data.columns}


def _list_numeric_roles(data: Roles) -> list[str]:
    return [name for name in (data.weight, data.sampling_fraction, *(data.numbers or ())) if isinstance(name, str)]


def describe_sides(data: Roles, original: Described | str, dropped: Iterable[str] = ()) -> tuple[Roles, Roles]:
    """Return the original and the released table, described alike.

    A key or a role that only one of them was described with is the other's too, where that has the column. So a key
    that the release has dropped counts before and not after, and any other key counts in both.
    """
    if data.part is not None or getattr(getattr(original, "_roles", None), "part", None) is not None:
        raise ParameterError("A comparison is of whole tables, not of the part that where gives: leave where out.")
    table = (
        original_table(data, original)
        if not isinstance(original, str)
        else data.read_table(original, _list_numeric_roles(data))
    )
    given = Roles(con=data.con, table=table, keys=None)  # type: ignore[arg-type] # none yet: made a tuple there
    keys = list(dict.fromkeys([*data.keys, *(getattr(original, "keys", ()) or ())]))
    if not keys:
        raise ColumnError("A comparison needs the key variables: give keys=[...] when describing the released table.")

    def describe_one(own: Roles, first: object, second: object) -> Roles:
        roles: dict[str, Any] = {}
        for role in ROLES:
            for from_ in (first, second):
                value = getattr(from_, role, None)
                if value is not None and (is_number(value) or has_column(own, value)):
                    roles[role] = value
                    break
        known = {k.lower(): k for k in keys if has_column(own, k)}
        if not known:
            raise ColumnError(f"The keys are {', '.join(keys)}: {own.table} has none of them.")
        named = [getattr(getattr(one, "_roles", one), "household_columns", None) for one in (first, second)]
        of_household = next((names for names in named if names is not None), None)
        if roles.get("household") and of_household is not None:
            roles["household_columns"] = tuple(c for c in of_household if has_column(own, c))
        roles |= {"keys": tuple(known.values()), "numbers": data.numbers, **data.counting}
        return Roles(con=own.con, table=own.table, **roles)

    before, after = describe_one(given, original, data), describe_one(data, data, original)
    _check_dropped_keys(before, after, list(dropped))
    return before, after


def _check_dropped_keys(before: Roles, after: Roles, dropped: list[str]) -> None:
    """Refuse a key that the release may have under another name: it would count before masking, and not after."""
    for name in dropped:
        if has_column(after, name) or not has_column(before, name):
            there = "is in the released table" if has_column(after, name) else "is no column of the original"
            raise ColumnError(f"{name} is given as dropped, and {there}.")
    known = {name.lower() for name in dropped}
    gone = [key for key in before.keys if not has_column(after, key) and key.lower() not in known]
    new = [column for column in after.columns if not has_column(before, column)]
    if gone and new:
        raise ColumnError(
            f"The released table has no key {', '.join(gone)}, and the original none of {', '.join(new)}: was a key "
            "renamed? It would count before masking and not after. Give it one name in both tables, or say that it was "
            f"left out: dropped={gone!r} (--dropped {','.join(gone)})."
        )
