"""The columns of the household among those that are masked: all members of a household are masked alike, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.masking.homes import refuse_cut_household
from sdc_sql.errors import ColumnError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sdc_sql.db.masking.apply import Maskable


def resolve_household_columns(
    data: Maskable, columns: Sequence[str], household: str | None, given: Iterable[str] | None, *, counted: bool = False
) -> tuple[str | None, list[str]]:
    """Return the household, and which of the columns are of it: those that are given, or else those of the table.

    A household that is ``counted`` may be given without columns.

    Raises
    ------
    ColumnError, ParameterError
        Where the household is among the columns, or one is given without the other.
    """
    of_table = getattr(data, "household", None)
    chosen = of_table if household is None else data.spell_column("household", household)
    if chosen is None:
        if given is not None and [*given]:
            raise ParameterError(
                "household_columns are the columns that are the same for all members of a household, and no household "
                "is given: name its column, household=..., too."
            )
        return None, []
    if given is not None:
        if isinstance(given, str):
            raise ColumnError(f"household_columns is {given!r}: it must be a list of column names, as in ['region'].")
        named = [data.spell_column("household column", name) for name in given]
    elif chosen == of_table and hasattr(data, "select_household_columns"):
        named = [*data.select_household_columns(columns)]
    elif household is not None and not counted:
        raise ParameterError(
            f"household is {chosen}, and nothing that is masked by it is named: name the columns that are the same for "
            "all members, household_columns=['region'], or [] where none of the keys is."
        )
    else:
        named = []
    if named and chosen in columns:
        raise ColumnError(f"{chosen} is the household and also a key: leave it out of the keys.")
    return chosen, [name for name in named if name in columns]


def resolve_whole_households(
    data: Maskable, columns: Sequence[str], household: str | None, given: Iterable[str] | None, *, counted: bool = False
) -> dict[str, Any]:
    """Return the arguments of a mask that treats columns by household; None of both where there are no such columns."""
    chosen, named = resolve_household_columns(data, columns, household, given, counted=counted)
    if not named:
        return {"household": None, "household_columns": None}
    refuse_cut_household(data, str(chosen), named)
    return {"household": chosen, "household_columns": named}


def require_whole_numbers(
    data: Maskable, columns: Sequence[str], whole: str | None, given: Iterable[str] | None
) -> dict[str, Any]:
    """Return the same arguments for masks whose ``household`` is another one: the household numbers are ``whole``."""
    found = resolve_whole_households(data, columns, whole, given)
    return {"whole": found["household"], "household_columns": found["household_columns"]}


def refuse_counted_keys(data: Any, keys: Sequence[str], by: dict[str, Any], proof: exp.Select) -> exp.Select:  # noqa: ANN401
    """Return the query of a proof, which is an error where a key that can be counted was suppressed."""
    sizes = query.call_macro(
        "sdc__kept_sizes", data.table, keys, data.require_role("id"), by["whole"], by["household_columns"]
    ).subquery("sdc__k")
    held = exp.Anonymous(this="sdc__not_counted", expressions=[exp.column("suppressions"), exp.column("sdc__counted")])
    both = exp.select("* EXCLUDE (sdc__counted)").from_(proof.subquery("sdc__p"))
    return both.join(sizes, join_type="cross").where(held)
