"""Attribute disclosure: what finding a person's cell tells of a sensitive variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.checks import whole
from sdc_sql.errors import ParameterError, TableError
from sdc_sql.results import Result

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


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
    """The smallest cell k, and the greatest alpha, beta and delta of the cells."""

    records: int
    cells: int
    k: int
    alpha: float
    beta: float
    delta: float


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


def l_diversity(data: Roles, sensitive: str, *, c: float = 2.0) -> LDiversity:
    """Return how diverse a sensitive variable is in the least diverse cell.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.
    c
        Of recursive (c, l)-diversity, positive.

    Returns
    -------
    LDiversity

    Notes
    -----
    Machanavajjhala et al. (2007), definitions 4.1 and 4.2.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().l_diversity("w").distinct_l
    1
    """
    _category(data)
    column = data.found("sensitive variable", sensitive)
    return LDiversity(**data.row("sdc_l_diversity", data.table, data.keys, column, c=c))


def t_closeness(data: Roles, sensitive: str, *, distance: str = "equal") -> TCloseness:
    """Return the greatest Earth Mover's Distance of a cell's distribution from the file's.

    Parameters
    ----------
    sensitive
        The name of the column.
    distance
        ``"equal"`` for nominal variables, ``"ordered"`` for numbers and ordered ones.

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
    return TCloseness(**data.row("sdc_t_closeness", data.table, data.keys, column, distance=distance))


def likeness(data: Roles, sensitive: str) -> Likeness:
    """Return the k, alpha, beta and delta for which the file is (alpha, k)-anonymous, beta-like, delta-private.

    Parameters
    ----------
    sensitive
        The name of the column; NULL in it is a value of its own.

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
    return Likeness(**data.row("sdc_likeness", data.table, data.keys, column))


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
