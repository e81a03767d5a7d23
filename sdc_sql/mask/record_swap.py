"""Targeted record swapping of households (SDC handbook, 3.4.2.4; sdcMicro's recordSwap)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.masked_values import NAME
from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.table import Table
from sdc_sql.errors import ParameterError, Unsupported
from sdc_sql.mask.columns import resolve_columns, resolve_optional_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import duckdb

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value
    from sdc_sql.roles import Roles

CONFIDENTIAL = (
    "rate", "k", "risk_keys", "risk", "max_risk", "profiles", "households", "asked", "swapped", "at_risk",
    "left_at_risk",
)  # fmt: skip
NEARLY_ALL = 0.8


def record_swap(
    data: Maskable,
    columns: str | Iterable[str],
    rate: float,
    *,
    household: str | None = None,
    risk_keys: Iterable[str] | None = None,
    k: int | None = None,
    profiles: Sequence[Sequence[str]] | None = None,
    carry_along: Iterable[str] | None = None,
    risk: Iterable[str] | None = None,
    max_risk: float | None = None,
    shortfall: Literal["refuse", "report"] = "refuse",
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Let households exchange the area they live in, those at risk first, in place or in a copy.

    In each area the households of each size stay as many as they were, and so do the persons by the columns of the
    profile by which they exchanged. It is meant for tables made of the file: after it a count of records below k takes
    every area for true.

    Parameters
    ----------
    columns
        The areas, from the widest to the narrowest: the same for all members of a household.
    rate
        The share of the households that are swapped, those at risk among them, above 0 and at most 1.
    household
        The column with the number of the household; by default the table's.
    risk_keys
        The key variables of the cells in which persons are counted, area by area; with k, by default the table's keys
        but for the areas.
    k
        Households with a member in a cell of fewer than k persons are at risk; None: none by their counts.
    profiles
        The columns in which partners are alike besides their size, ``[["tenure", "type"], ["tenure"]]``: several lists
        are tried one after another. None: the size alone.
    carry_along
        Other columns that go with the area (a finer code): the same for all members of a household.
    risk
        The columns of the risk of each person, given: one for each of ``columns``, in their order.
    max_risk
        Households with a member whose risk is above it are at risk.
    shortfall
        Where households at risk find no partner, or fewer are found than the rate asks for: ``"refuse"`` is an error,
        ``"report"`` swaps as many as there are, and counts the others.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the number of ``households``, those ``asked`` to be swapped by the rate and those that were
        (``swapped``; more, where more are at risk), and with ``shortfall="report"`` those ``at_risk`` and of them the
        ones that stay in the area where they are (``left_at_risk``): they found no partner from another one.

    Raises
    ------
    InputError
        Where too few partners are found, members of a household differ in what is swapped or are divided by a
        ``where``, or an argument cannot be used. Nothing is changed then.

    Warns
    -----
    UserWarning
        Where so many households are at risk that nearly all are swapped, whatever the rate.

    Notes
    -----
    Who exchanged with whom is told by :func:`record_swap_partners`, to the data holder.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute("CREATE TABLE homes AS SELECT *, household % 2 AS area FROM persons WHERE id <> 1")
    >>> homes = sdc_sql.Microdata(data.con, "homes", id="id", household="household")
    >>> homes.mask.record_swap("area", 1, into="released").parameters["swapped"]
    2
    """
    if not isinstance(data, Table):
        raise Unsupported(
            "Households are swapped in DuckDB only, where their partners are looked for in the whole table and those "
            "without one are counted: write the table as a Parquet file, and mask that into a new table."
        )
    chosen, carried = resolve_columns(data, columns), resolve_optional_columns(data, carry_along)
    home = data.spell_column("household", data.require_role("household", household))
    _refuse_divided_households(data, home)
    arguments: dict[str, Value] = {
        "columns": chosen, "rate": rate, "id": data.require_role("id"), "household": home,
        "risk_keys": _risk_keys(data, chosen, risk_keys, k), "k": k,
        "profiles": _profiles(data, profiles), "carry_along": carried, "risk": resolve_optional_columns(data, risk),
        "max_risk": max_risk, "shortfall": shortfall, "stream": stream, "release": release,
    }  # fmt: skip
    masking = Masking(
        "record_swap", (*chosen, *(carried or ())), arguments,
        kept={"applied": lambda given: _select_counts(data, given)}, confidential=CONFIDENTIAL,
    )  # fmt: skip
    step = data.masked(masking, into=into)
    swapped, asked, households = (step.parameters.get(name) or 0 for name in ("swapped", "asked", "households"))
    if swapped > asked and swapped >= NEARLY_ALL * households:
        warnings.warn(
            "So many households are at risk that nearly all were swapped, whatever the rate: hardly an area is still a "
            "true one, and who is said to live in an area lives elsewhere nearly for certain. Take fewer or coarser "
            "risk_keys, wider areas or a lower k (or a higher max_risk), or recode first.",
            stacklevel=3,
        )
    return step


def record_swap_partners(
    data: Roles,
    columns: str | Iterable[str],
    rate: float,
    *,
    household: str | None = None,
    risk_keys: Iterable[str] | None = None,
    k: int | None = None,
    profiles: Sequence[Sequence[str]] | None = None,
    carry_along: Iterable[str] | None = None,
    risk: Iterable[str] | None = None,
    max_risk: float | None = None,
    stream: str | None = None,
    release: str = "",
) -> duckdb.DuckDBPyRelation:
    """Return each household with its partner in a record swap, None where it stays, and where it is at risk.

    To be taken of the original table, with the arguments of :func:`record_swap`. Confidential: whoever has it undoes
    the swap. ``risk_level`` is the first of ``columns`` in which the household is at risk, by its number, from 1; None
    where in none.

    Parameters
    ----------
    columns
        The areas, from the widest to the narrowest.
    rate
        The share of the households that are swapped.
    household
        The column with the number of the household; by default the table's.
    risk_keys
        The key variables of the cells; with k, by default the table's keys but for the areas.
    k
        Households with a member in a cell of fewer than k persons are at risk.
    profiles
        The columns in which partners are alike besides their size.
    carry_along
        Other columns that go with the area.
    risk
        The columns of the risk of each person, given.
    max_risk
        Households with a member whose risk is above it are at risk.
    stream
        The pass of draws, as the swap's step names it (``step.stream``).
    release
        The name of the release.

    Returns
    -------
    duckdb.DuckDBPyRelation

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute("CREATE TABLE homes AS SELECT *, household % 2 AS area FROM persons WHERE id <> 1")
    >>> homes = sdc_sql.Microdata(data.con, "homes", id="id", household="household")
    >>> homes.mask.record_swap_partners("area", 1).order("household").fetchall()
    [(1, 2, None), (2, 1, None)]
    """
    chosen = resolve_columns(data, columns)
    return data.relation(
        "sdc_record_swap_partners", data.table, chosen, rate, data.require_role("id"),
        household=data.spell_column("household", data.require_role("household", household)),
        risk_keys=_risk_keys(data, chosen, risk_keys, k), k=k, profiles=_profiles(data, profiles),
        carry_along=resolve_optional_columns(data, carry_along), risk=resolve_optional_columns(data, risk),
        max_risk=max_risk, stream=stream,
        release=release,
    )  # fmt: skip


def _refuse_divided_households(data: Maskable, household: str) -> None:
    """Refuse a part of the records that has some members of a household only: they would move without the others."""
    if not isinstance(data, Table) or data.part is None:
        return
    whole, inside = data.part.whole, data.part.condition
    home = exp.Anonymous(this="sdc__by_bytes", expressions=[exp.column(household, quoted=True)])
    homes = exp.select(home).from_(query.call_macro("sdc__rows", whole.table).subquery("r")).group_by(home.copy())
    divided = homes.having(exp.and_(exp.func("bool_or", inside.copy()), exp.not_(exp.func("bool_and", inside.copy()))))
    number = data.number(exp.select(exp.Count(this=exp.Star())).from_(divided.subquery("h")))
    if number:
        raise ParameterError(
            f"where holds for some members of {number} households and not for the others, who would stay where they "
            "are: give a condition that is the same for all members of a household."
        )


def _risk_keys(
    data: Maskable, areas: tuple[str, ...], given: Iterable[str] | None, k: int | None
) -> tuple[str, ...] | None:
    if given is not None:
        return resolve_columns(data, given)
    return tuple(key for key in data.keys if key not in areas) or None if k is not None else None


def _profiles(data: Maskable, given: Sequence[Sequence[str]] | None) -> list[list[str]] | None:
    """Return lists of columns as the table spells them."""
    if given is None:
        return None
    listed = isinstance(given, Sequence) and not isinstance(given, str) and len(given) > 0
    if not listed or any(isinstance(names, str) or not isinstance(names, Sequence) or not names for names in given):
        raise ParameterError(
            f"profiles is {text_for_message(given)}: it must be a list of lists of columns, as in [['tenure', 'type'], "
            "['tenure']]."
        )
    return [[data.spell_column("column", name) for name in names] for names in given]


def _select_counts(data: Maskable, given: Mapping[str, Value]) -> exp.Select:
    """Return the query of what was asked and what was found, counted in the masked values where nobody is left."""
    if given["shortfall"] == "report":
        arguments = (value for name, value in given.items() if name != "shortfall")
        return query.call_macro("sdc__record_swap_counts", data.table, *arguments)
    arguments = (given[name] for name in ("columns", "rate", "id", "household"))
    return query.call_macro("sdc__record_swap_seen", data.table, f"temp.{NAME}", *arguments)
