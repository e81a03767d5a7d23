"""Attribute disclosure: what finding a person's cell tells of a sensitive variable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.checks import fraction, positive, whole
from sdc_sql.errors import ParameterError, TableError
from sdc_sql.results import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from sdc_sql.roles import Roles


DISTANCES = ("equal", "ordered")


@dataclass(frozen=True)
class LDiversity(Result):
    """The least l of the cells: distinct values, entropy l (definition 4.1), recursive l (4.2)."""

    records: int
    cells: int
    distinct_l: int
    entropy_l: float
    recursive_l: int


@dataclass(frozen=True)
class TCloseness(Result):
    """The greatest distance of a cell's distribution from the file's."""

    records: int
    cells: int
    t: float


@dataclass(frozen=True)
class Likeness(Result):
    """The smallest cell k, and the greatest alpha, beta, enhanced beta and delta of the cells."""

    records: int
    cells: int
    k: int
    alpha: float
    beta: float
    enhanced_beta: float
    delta: float


@dataclass(frozen=True)
class AlphaKViolations(Result):
    """The records and cells that violate (alpha, k)-anonymity, and the records by which of the two."""

    alpha: float
    k: int
    records: int
    cells: int
    records_above_alpha: int
    records_below_k: int


@dataclass(frozen=True)
class KMap(Result):
    """The records and cells of the file with fewer than k records in the population."""

    k: int
    records: int
    cells: int
    absent_records: int
    least: int


def _category(data: Roles) -> None:
    if data.nulls != "category":
        raise ParameterError(
            "The table is described with nulls='wildcard', which attribute disclosure and k-map do not take: "
            "describe it with nulls='category' (NULL is then a value of its own)."
        )


def _distance(given: str) -> str:
    if given not in DISTANCES:
        raise ParameterError(f"distance is {given!r}: it must be one of {', '.join(DISTANCES)}.")
    return given


def _several(data: Roles, others: Sequence[str]) -> list[str] | None:
    if isinstance(others, str):
        raise ParameterError(f"others is {others!r}: it must be a list of columns, as in [{others!r}].")
    return [data.found("sensitive variable", name) for name in others] or None


def _values(chosen: Sequence[object] | None) -> list[str] | None:
    if isinstance(chosen, str) or (chosen is not None and not isinstance(chosen, Iterable)):
        raise ParameterError(f"chosen is {chosen!r}: it must be a list of sensitive values, as in [{chosen!r}].")
    # as DuckDB writes them
    return None if chosen is None else [str(v).lower() if isinstance(v, bool) else str(v) for v in chosen]


def l_diversity(data: Roles, sensitive: str, *, c: float = 2.0, others: Sequence[str] = ()) -> LDiversity:
    """Return how diverse a sensitive variable is in the least diverse cell.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    c
        Of recursive (c, l)-diversity, positive.
    others
        Further sensitive variables, which count as keys: a file with several is l-diverse when it is
        so for each of them with the others here.

    Returns
    -------
    LDiversity

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``: compatible records would lend a cell values
        that none of its own bears, and overstate its diversity.

    Notes
    -----
    Machanavajjhala et al. (2007), definitions 4.1 and 4.2, section 4.3.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().l_diversity("w").distinct_l
    1
    """
    _category(data)
    column = data.found("sensitive variable", sensitive)
    named = {"c": positive(c, "c"), "others": _several(data, others)}
    return LDiversity(**data.row("sdc_l_diversity", data.table, data.keys, column, **named))


def l_diversity_cells(
    data: Roles, sensitive: str, *, c: float = 2.0, others: Sequence[str] = ()
) -> duckdb.DuckDBPyRelation:
    """Return the cells of the keys, and how diverse a sensitive variable is in each.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    c
        Of recursive (c, l)-diversity, positive.
    others
        Further sensitive variables, which count as keys.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``distinct_l``, ``entropy_l``, ``recursive_l``.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().l_diversity_cells("w").order("age").fetchall()
    [(30, 'f', 2, 2, 2.0, 2), (41, 'm', 1, 1, 1.0, 1)]
    """
    _category(data)
    column, extra = data.found("sensitive variable", sensitive), _several(data, others)
    return data.relation("sdc_l_diversity_cells", data.table, data.keys, column, c=positive(c, "c"), others=extra)


def l_diversity_records(
    data: Roles, sensitive: str, *, c: float = 2.0, others: Sequence[str] = ()
) -> duckdb.DuckDBPyRelation:
    """Return every record, and how diverse a sensitive variable is in its cell.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    c
        Of recursive (c, l)-diversity, positive.
    others
        Further sensitive variables, which count as keys.

    Returns
    -------
    duckdb.DuckDBPyRelation
        Every column, ``distinct_l``, ``entropy_l``, ``recursive_l``.

    Examples
    --------
    >>> import sdc_sql
    >>> [row[-3:] for row in sdc_sql.example().l_diversity_records("w").order("id").fetchall()]
    [(2, 2.0, 2), (2, 2.0, 2), (1, 1.0, 1)]
    """
    _category(data)
    column, extra = data.found("sensitive variable", sensitive), _several(data, others)
    return data.relation("sdc_l_diversity_records", data.table, data.keys, column, c=positive(c, "c"), others=extra)


def t_closeness(data: Roles, sensitive: str, *, distance: str = "equal") -> TCloseness:
    """Return the greatest Earth Mover's Distance of a cell's distribution from the file's.

    Parameters
    ----------
    sensitive
        The name of the column.
    distance
        ``"equal"`` for nominal variables, ``"ordered"`` for numbers and ordered ones (text in the order of its letters,
        an ENUM in its own).

    Returns
    -------
    TCloseness

    Notes
    -----
    Li, Li & Venkatasubramanian (2007), section 4.

    Examples
    --------
    >>> import sdc_sql
    >>> round(sdc_sql.example().t_closeness("w").t, 3)
    0.667
    """
    _category(data)
    column = data.found("sensitive variable", sensitive)
    return TCloseness(**data.row("sdc_t_closeness", data.table, data.keys, column, distance=_distance(distance)))


def t_closeness_cells(data: Roles, sensitive: str, *, distance: str = "equal") -> duckdb.DuckDBPyRelation:
    """Return the cells of the keys, and the distance of each one's distribution from the file's.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    distance
        ``"equal"`` or ``"ordered"``.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``t``.

    Examples
    --------
    >>> import sdc_sql
    >>> [round(t, 3) for *_, t in sdc_sql.example().t_closeness_cells("w").order("age").fetchall()]
    [0.333, 0.667]
    """
    _category(data)
    column = data.found("sensitive variable", sensitive)
    return data.relation("sdc_t_closeness_cells", data.table, data.keys, column, distance=_distance(distance))


def likeness(data: Roles, sensitive: str, *, chosen: Sequence[object] | None = None) -> Likeness:
    """Return the k, alpha, beta and delta for which the file is (alpha, k)-anonymous, beta-like, delta-private.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    chosen
        The sensitive values that alpha regards; by default all.

    Returns
    -------
    Likeness

    Notes
    -----
    Wong et al. (2006); Cao & Karras (2012); Brickell & Shmatikov (2008).

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().likeness("w").alpha
    1.0
    """
    _category(data)
    column = data.found("sensitive variable", sensitive)
    return Likeness(**data.row("sdc_likeness", data.table, data.keys, column, chosen=_values(chosen)))


def likeness_cells(data: Roles, sensitive: str, *, chosen: Sequence[object] | None = None) -> duckdb.DuckDBPyRelation:
    """Return the cells of the keys, and how far each one's distribution exceeds the file's.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    chosen
        The sensitive values that alpha regards; by default all.

    Returns
    -------
    duckdb.DuckDBPyRelation
        The key columns, ``sample_frequency``, ``alpha``, ``beta``, ``enhanced_beta``, ``delta``.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().likeness_cells("w").order("age").fetchall()[0][:4]
    (30, 'f', 2, 0.5)
    """
    _category(data)
    column = data.found("sensitive variable", sensitive)
    return data.relation("sdc_likeness_cells", data.table, data.keys, column, chosen=_values(chosen))


def alpha_k_anonymity(
    data: Roles, sensitive: str, alpha: float, k: int, *, chosen: Sequence[object] | None = None
) -> AlphaKViolations:
    """Return the records and cells that violate (alpha, k)-anonymity.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    alpha
        The greatest share that a sensitive value may have in a cell, in (0, 1).
    k
        A whole number of at least 2.
    chosen
        The sensitive values that alpha regards; by default all.

    Returns
    -------
    AlphaKViolations

    Notes
    -----
    Wong et al. (2006), definitions 2 and 3.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().alpha_k_anonymity("w", 0.5, 2).records
    1
    """
    _category(data)
    column = data.found("sensitive variable", sensitive)
    limits = (fraction(alpha, "alpha"), whole(k, "k", least=2))
    return AlphaKViolations(
        **data.row("sdc_alpha_k_anonymity", data.table, data.keys, column, *limits, chosen=_values(chosen))
    )


def k_map(data: Roles, population: str, k: int = 3) -> KMap:
    """Return the records and cells that fewer than k of the population bear.

    Parameters
    ----------
    population
        The name of the table (view, file) of the population, with the same keys.
    k
        A whole number of at least 2.

    Returns
    -------
    KMap

    Notes
    -----
    Sweeney (2001). A cell that the population lacks counts as 0 and is never dropped.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().k_map("persons", 2).records
    1
    """
    _category(data)
    if not isinstance(population, str) or not population:
        raise TableError(f"The population is {population!r}: it must be the name of a table, view or file.")
    return KMap(**data.row("sdc_k_map", data.table, population, data.keys, whole(k, "k", least=2)))
