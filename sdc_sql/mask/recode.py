"""Recoding: mappings, intervals and classes, codes, hierarchies, dates, relative places (SDC handbook, 3.4.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import require_choice
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.masking import Designed, Masking
from sdc_sql.errors import ParameterError
from sdc_sql.mask.columns import resolve_columns
from sdc_sql.mask.recode_tables import TABLES, store_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.mask.hierarchies import Hierarchy

# Of each way to recode: its macro, and the options that go with it, with their defaults.
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "mapping": ("recode", {"others": "error", "label": None}),
    "breaks": ("recode_intervals", {"ends": "closed", "labels": None}),
    "classes": ("recode_classes", {"method": "equal_width", "labels": None}),
    "keep_first": ("recode_keep_first", {"digits": None}),
    "drop_last": ("recode_drop_last", {"digits": None}),
    "hierarchy": ("recode_level", {"level": 1}),
    "period": ("recode_date", {}),
    "relative_to": ("recode_relative", {"geography": None, "labels": None}),
}


def recode(
    data: Maskable,
    column: str,
    *,
    mapping: str | Mapping[Any, Any] | None = None,
    others: Literal["error", "keep", "label"] | None = None,
    label: str | None = None,
    breaks: Iterable[float] | None = None,
    ends: Literal["closed", "open", "open_below", "open_above"] | None = None,
    classes: int | None = None,
    method: Literal["equal_width", "equal_count", "logarithmic"] | None = None,
    keep_first: int | None = None,
    drop_last: int | None = None,
    digits: int | None = None,
    hierarchy: str | Path | Hierarchy | None = None,
    level: int | str | None = None,
    period: Literal["week", "month", "quarter", "year", "decade"] | None = None,
    relative_to: str | None = None,
    geography: str | Path | Hierarchy | None = None,
    labels: Iterable[str] | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Replace the values of a column by groups that they belong to, in place or in a copy.

    One of ``mapping``, ``breaks``, ``classes``, ``keep_first``, ``drop_last``, ``hierarchy``, ``period`` and
    ``relative_to`` says how. Nothing is drawn. The column takes the type of the new values; labels are text.

    Parameters
    ----------
    column
        The column.
    mapping
        What each value becomes: a dict, or the name of a table with the columns ``from`` and ``to``. NULL stays NULL
        unless it is listed; a value that is listed twice is an error.
    others
        Of a mapping: a value that is not listed is an error (``"error"``, the default), stays as it is (``"keep"``), or
        becomes ``label`` (``"label"``).
    label
        What values that are not listed become.
    breaks
        The limits of intervals, ascending, in the units of the column. An interval holds its lower limit and not its
        upper one; a value outside is an error.
    ends
        Of breaks: ``"closed"`` (the default), or ``"open"``, ``"open_below"``, ``"open_above"``: what lies beyond the
        first or the last break is an interval too.
    classes
        How many classes are made from the data, at least 2.
    method
        Of classes: ``"equal_width"`` (the default), ``"equal_count"`` (equal values are never divided), or
        ``"logarithmic"``.
    keep_first
        How many first characters of a code are kept.
    drop_last
        How many last characters of a code are dropped.
    digits
        Of codes that are whole numbers: how many digits a code has, leading zeros included.
    hierarchy
        What each value becomes at every level: a :class:`Hierarchy`, the path of a CSV file as ARX writes it (a
        ``Path``, or a text that ends in .csv), or the name of a table with a column for each level.
    level
        Of a hierarchy: the level, by name or number; by default 1, the first above the values.
    period
        ``"week"``, ``"month"``, ``"quarter"``, ``"year"`` or ``"decade"``: a date becomes the first day of it.
    relative_to
        Another column: of the place in this one only how near it is to that one is told.
    geography
        Of relative places: their hierarchy, as above; without it they are the same or different.
    labels
        Of breaks and classes: a label for each, the lowest first; of relative places: for each level, the nearest
        first, and for places that agree at none. By default they are made: ``20-29``, ``[2.5, 5)``, ``same region``.
    into
        A new table for the recoded copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Of classes its parameters have the ``breaks`` that were found.

    Raises
    ------
    InputError
        Where none or several ways are given, an option of another way, or a value has no place in what is given.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.recode("age", breaks=range(20, 60, 10), ends="open_above")
    >>> _ = data.mask.recode("sex", mapping={"f": "woman", "m": "man"})
    >>> data.con.sql("SELECT age, sex FROM persons ORDER BY id").fetchall()
    [('30-39', 'woman'), ('30-39', 'woman'), ('40-49', 'man')]
    """
    given: dict[str, Any] = {
        "mapping": mapping, "others": others, "label": label, "breaks": breaks, "ends": ends, "classes": classes,
        "method": method, "keep_first": keep_first, "drop_last": drop_last, "digits": digits,
        "hierarchy": hierarchy, "level": level, "period": period, "relative_to": relative_to,
        "geography": geography, "labels": labels,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    if others is not None:
        require_choice("recode", "others", others)
    if label is not None and mapping is not None and others != "label":
        raise ParameterError(
            f"A label is given and others is {text_for_message(others or 'error')}: it is for others='label'."
        )
    if others == "label" and label is None:
        raise ParameterError("others is 'label' and there is none: give it, as in label='other'.")
    way = _choose_way(given)
    chosen = resolve_columns(data, column)
    if len(chosen) != 1:
        raise ParameterError(f"recode takes one column, not {len(chosen)}: call it once for each.")
    given |= {name: _list_values(given[name], name) for name in ("breaks", "labels") if name in given}
    if way == "relative_to":
        given[way] = data.spell_column("column that it is relative to", given[way])
    macro, defaults = WAYS[way]
    with store_tables(data, {way: given[way], **defaults, **given}) as options:
        arguments = {"columns": chosen[0], way: options.pop(way), "id": data.require_role("id"), **options}
        kept, designed = {}, None
        if way == "classes":
            known = [value for name, value in arguments.items() if name != "labels"]
            limits = query.call_macro("sdc__recode_applied", data.table, *known)
            if getattr(data, "series", None) is None:
                kept["applied"] = limits
            else:  # what was found in the first release stays
                designed = Designed(limits, masks="sdc__recode_classes_designed", applied="sdc__recode_classes_applied")
        logged = {name: _describe_table_argument(given[name]) for name in TABLES if name in given}
        masking = Masking(macro, chosen, arguments, kept=kept, designed=designed, retyped=True, logged=logged)
        return data.masked(masking, into=into)


def _choose_way(given: Mapping[str, Any]) -> str:
    """Return the one way that is given, where everything else goes with it."""
    ways = [name for name in given if name in WAYS]
    if len(ways) != 1:
        found = f" ({', '.join(ways)} are given)" if ways else ""
        raise ParameterError(f"Say how to recode by one of {', '.join(WAYS)}{found}.")
    for name in given:
        if name not in (*ways, *WAYS[ways[0]][1]):
            of = " or ".join(way for way, (_, options) in WAYS.items() if name in options)
            raise ParameterError(f"{name} goes with {of}, and {ways[0]} is given: leave one of them out.")
    return ways[0]


def _list_values(values: Any, name: str) -> list[Any]:  # noqa: ANN401 - what a caller gives
    kind, example = ((int, float), "[20, 40, 60]") if name == "breaks" else (str, "['young', 'old']")
    try:
        found = [] if isinstance(values, str) else [v.item() if hasattr(v, "item") else v for v in values]
    except TypeError:
        found = []
    if not found or not all(isinstance(value, kind) and not isinstance(value, bool) for value in found):
        raise ParameterError(f"{name} is {text_for_message(values)}: give a list, as in {example}.")
    return found


def _describe_table_argument(given: Any) -> Any:  # noqa: ANN401 - a table, a mapping, a hierarchy or a path
    """Return what the log says of a table: its name, or what it holds."""
    if hasattr(given, "items"):
        return {"from": list(given.keys()), "to": list(given.values())}
    return {"levels": list(given.names), "values": len(given.rows)} if hasattr(given, "rows") else str(given)
