"""What can be worked out is not suppressed: hidden values that other released columns give back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.compiler.columns import fold_case
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ColumnError

if TYPE_CHECKING:
    from sdc_sql.compared import Described
    from sdc_sql.linkage.derivations import Derivations
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class DerivedValues(Result):
    """Hidden values of a variable that a column, or a pair of them (``giver``), gives back.

    ``masked`` is ``suppressed`` or ``coarsened``; ``rule`` is ``exact`` (no known value contradicts, and it is no
    chance), ``near`` (at most 0.1 % of the ``support`` are ``contradictions``) or ``cells`` (some cells show at least
    ten known values, all equal). Of the ``hidden`` values ``given_back`` are told, ``share_right`` of them truly, where
    the commonest value would be right for ``margin``; ``narrowed`` to three values at most.
    """

    giver: list[str]
    variable: str
    masked: str
    rule: str
    hidden: int
    given_back: int
    share_right: float | None
    margin: float
    gain: float | None
    support: int
    contradictions: int
    narrowed: int


@dataclass(frozen=True)
class DerivedValuesSummary(Result):
    """How many hidden values are given back: by exact givers, by near ones, and the greatest share predicted.

    ``predicted_gain`` is the greatest share of a variable's hidden values that one giver, not an exact one, gets right
    beyond those for which the commonest value would be right.
    """

    suppressed: int
    coarsened: int
    exact_givers: int
    given_back: int
    near_givers: int
    nearly_given_back: int
    predicted_share: float
    predicted_gain: float
    narrowed: int


def derived_values(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str] | None = None,
    givers: Iterable[Iterable[str]] | None = None,
) -> Results[DerivedValues]:
    """Return the released columns, and pairs of them, that give suppressed or coarsened values back.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The variables whose hidden values are looked for; without it every column that both tables have.
    givers
        Lists of one or two released columns that may give them back; without it every column and every pair. Of the
        pairs that predict in some cells only, the five best of each variable are then told; the numbers of households
        are taken to say nothing of what was made coarser.

    Returns
    -------
    Results of DerivedValues
        Exact givers first.

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Notes
    -----
    Huhtala, Karkkainen, Porkka & Toivonen (1999), for rules with exceptions. That givers are not NULL, and that two
    known values at least share a cell, is what a rule is tried on.

    See Also
    --------
    local_suppression : its ``ghosts`` take a giver along.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.example().con
    >>> _ = con.execute("CREATE TABLE old AS SELECT i id, i % 8 AS area, i % 8 // 2 AS region FROM range(80) t(i)")
    >>> _ = con.execute("CREATE TABLE new AS SELECT * REPLACE (CASE WHEN id > 3 THEN region END AS region) FROM old")
    >>> [(d.giver, d.rule, d.given_back) for d in sdc_sql.Microdata(con, "new", id="id").linkage.derived_values("old")]
    [(['area'], 'exact', 4)]
    """
    if givers is None:
        return measure_given_back(data, original, columns)
    table, name, wanted = _resolve_sides(data, original, columns)
    rows = data.rows(
        "sdc_derived_values", table, data.table, name, wanted, _resolve_givers(data, givers), household=data.household
    )
    return Results(DerivedValues(**row) for row in rows)


def derived_values_summary(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str] | None = None,
    givers: Iterable[Iterable[str]] | None = None,
) -> DerivedValuesSummary:
    """Return how many suppressed or coarsened values other released columns give back.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The variables whose hidden values are looked for; without it every column that both tables have.
    givers
        Lists of one or two released columns that may give them back; without it every column and every pair.

    Returns
    -------
    DerivedValuesSummary

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.example().con
    >>> _ = con.execute("CREATE TABLE old AS SELECT i id, i % 8 AS area, i % 8 // 2 AS region FROM range(80) t(i)")
    >>> _ = con.execute("CREATE TABLE new AS SELECT * REPLACE (CASE WHEN id > 3 THEN region END AS region) FROM old")
    >>> found = sdc_sql.Microdata(con, "new", id="id").linkage.derived_values_summary("old")
    >>> found.suppressed, found.exact_givers, found.given_back
    (4, 1, 4)
    """
    table, name, wanted = _resolve_sides(data, original, columns)
    if givers is not None:
        row = data.row(
            "sdc_derived_values_summary",
            table,
            data.table,
            name,
            wanted,
            _resolve_givers(data, givers),
            household=data.household,
        )
        return DerivedValuesSummary(**row)
    found = _sieve_columns(data, table, wanted)
    row = {**dict.fromkeys(DerivedValuesSummary.__dataclass_fields__, 0), "predicted_share": 0.0, "predicted_gain": 0.0}
    if found.tasks:
        from sdc_sql.linkage.counted_derivations import count_derivations  # noqa: PLC0415 - with pyarrow

        (row,) = count_derivations(data, table, found, "sdc__summed_derivations")
    # no derivation was counted of a variable that nothing gives back
    return DerivedValuesSummary(**{**row, "suppressed": found.hidden[0], "coarsened": found.hidden[1]})


def measure_given_back(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str] | None = None,
    left_out: Iterable[str] = (),
    over: float | None = None,
) -> Results[DerivedValues]:
    """Return what all columns and pairs of them give back, but for those left out as givers.

    With ``over`` some may be left out: but no rule, nothing that gains more than that beyond the commonest value, and
    not the greatest gain.
    """
    table, _, wanted = _resolve_sides(data, original, columns)
    found = _sieve_columns(data, table, wanted, left_out)
    if not found.tasks:
        return Results()
    from sdc_sql.linkage.counted_derivations import count_derivations  # noqa: PLC0415 - with pyarrow

    return Results(DerivedValues(**row) for row in count_derivations(data, table, found, "sdc__derived_told", over))


def _resolve_sides(
    data: Roles, original: Described | str, columns: str | Iterable[str] | None
) -> tuple[str, str, list[str]]:
    """Return the original's name, the id, and the variables: by default what both tables have."""
    table, name = original_table(data, original), data.require_role("id")
    return (
        table,
        name,
        resolve_columns_or_keys(data, columns) if columns is not None else _list_shared_columns(data, table),
    )


def _sieve_columns(data: Roles, original: str, columns: list[str], left_out: Iterable[str] = ()) -> Derivations:
    from sdc_sql.linkage.derivations import sieve_derivations  # noqa: PLC0415 - with numpy and pyarrow, which few measures need

    return sieve_derivations(data, original, columns, [c for c in data.columns if c not in {data.id, *left_out}])


def _list_shared_columns(data: Roles, original: str) -> list[str]:
    """Return the columns that both tables have, but for the id."""
    with_original = {fold_case(column) for column in _list_columns(data, original)}
    return [column for column in data.columns if fold_case(column) in with_original and column != data.id]


def _list_columns(data: Roles, table: str) -> tuple[str, ...]:
    return tuple(data.relation("sdc__rows", table).limit(0).columns)


def _resolve_givers(data: Roles, givers: Iterable[Iterable[str]]) -> list[list[str]]:
    if isinstance(givers, str) or not isinstance(givers, Iterable):
        raise ColumnError(
            f"givers is {text_for_message(givers)}: it must be a list of lists of columns, as in [['district']]."
        )
    found = [*givers]
    if not found or any(isinstance(one, str) or not isinstance(one, Iterable) for one in found):
        raise ColumnError(
            f"givers is {text_for_message(givers)}: it must be a list of lists of columns, as in [['district']]."
        )
    return [[data.spell_column("giver", name) for name in one] for one in found]
