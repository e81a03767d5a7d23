"""Masks of columns of the household: its members get one masked value, since what one of them shows is true of all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.db.completion import MANY, collect_texts
from sdc_sql.db.masking.homes import NAME, refuse_cut_household
from sdc_sql.db.table import Homes
from sdc_sql.errors import ColumnError

if TYPE_CHECKING:
    from collections.abc import Sequence

TARGETS = ("columns", "column", "keys")


def choose_household_records(data: Any, verb: str, given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 - roles
    """Return what a mask reads, and its arguments, where it masks columns of the household.

    A method that draws for a household itself (``unit``) does so; others read one record a household. Of what maps like
    values to like ones nothing is changed.

    Parameters
    ----------
    given
        All arguments of the verb, by name.

    Raises
    ------
    ColumnError, ParameterError
        Where some of the columns only are of the household, or the mask is of some members only.
    """
    ways = _ways(verb, given)
    # the caller chose whose draws are taken, right or wrong
    chosen = given.get("unit", "record") != "record" or given.get("household") is not None
    if data.household is None or chosen or not ways:
        return data, given
    target = next((name for name in TARGETS if name in given), None)
    asked = given.get(target) if target else None
    if asked is None:
        asked = data.keys
    if not isinstance(asked, str | Iterable):
        return data, given  # the mask refuses the argument, with its reason
    names = [asked] if isinstance(asked, str) else [*asked]
    listed = target in {"columns", "keys"} and isinstance(given[target], Iterable) and not isinstance(asked, str)
    changed = dict(given)
    if target is not None and listed:
        changed[target] = names  # an iterator can be read only once
    columns = [data.spell_column("column", name) for name in names]
    ours = _find_household_columns(data, columns)
    if not ours:
        return data, changed
    others = [name for name in columns if name not in ours]
    if others:
        raise ColumnError(
            f"{', '.join(ours)} is of the household and {', '.join(others)} is not: what is masked for the household "
            f"is the same for all its members, so mask them in two steps, {', '.join(ours)} by itself. (If it is not "
            "of the household after all: household_columns says which are, [] none.)"
        )
    if data.household in columns or data.id in columns:
        return data, changed  # the mask refuses such a column, with its reason
    refuse_cut_household(data, data.household, ours)
    if "as one record" not in ways:
        return data, {**changed, "unit": "household", "household": data.household}
    texts = {
        text.lower()
        for text in collect_texts([changed[name] for name in _list_column_arguments(verb) & changed.keys()])
    }
    beside = tuple(c for c in data.columns if c.lower() in texts and c not in {*columns, data.household, data.id})
    homes = Homes(data, data.require_role("id"), data.household, tuple(columns), beside)
    return data.describe_anew(table=f"temp.{NAME}", homes=homes), changed


def _list_column_arguments(verb: str) -> set[str]:
    """Return the arguments of a verb that name columns which it asks for besides those that it masks."""
    every = [p for d in read_catalogue() if d.verb == verb and d.is_step for p in d.parameters]
    return {p.name for p in every if p.type in {"column", "columns"}} - {*TARGETS, "column_name", "id"}


def _ways(verb: str, given: dict[str, Any]) -> set[str]:
    """Return how the methods that the arguments may choose treat households, without those that need nothing."""
    masks = [d for d in read_catalogue() if d.verb == verb and d.is_step and (not d.switch or given.get(d.switch))]
    return {d.effect.households.find_word(given) for d in masks} - {"checked"}


def _find_household_columns(data: Any, columns: Sequence[str]) -> list[str]:  # noqa: ANN401 - likewise
    """Return which of the columns are of the household, for a mask: all of them where the caller asked for it."""
    if data.by_household:
        return [*columns]
    if data.household_columns is not None:
        return [c for c in columns if c in data.household_columns and c not in data.looked_at]
    return [found.name for found in data.list_found_columns(columns) if found.households >= MANY]
