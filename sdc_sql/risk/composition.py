"""The make-up of households as a key: whole households looked for by the keys of all their members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import require_fraction, text_for_message
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ParameterError, TableError
from sdc_sql.risk.sensitive import check_category

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class CompositionSummary(Result):
    """The households that are made up as no other, or as fewer than k, of the file, and the persons in them."""

    records: int
    households: int
    k: int
    cells: int
    unique_households: int
    persons_in_unique_households: int
    households_below_k: int
    persons_below_k: int


@dataclass(frozen=True)
class CompositionKMap(Result):
    """The households, and persons, that are made up as fewer than k households of the population.

    ``absent_households`` are made up as none of it, and counted among the expected re-identifications.
    """

    k: int
    households: int
    persons: int
    cells: int
    absent_households: int
    least: int
    population_uniques: int
    expected_reidentified_households: float
    expected_reidentified_persons: float


@dataclass(frozen=True)
class CompositionTheta(Result):
    """Theta of whole households, its standard error, and the upper bound."""

    households: int
    cells: int
    n1: int
    n2: int
    n3: int
    theta: float
    standard_error: float
    upper_bound: float


@dataclass(frozen=True)
class CompositionRisk(Result):
    """The households expected to be re-identified by the keys of all members: Pitman's, between other estimates.

    ``by_weights`` is None where most compositions are rare in the population, and it would be far too low;
    ``chao_lin`` was below the truth wherever it was tried, ``cells`` is always above.
    """

    households: int
    population_households: float
    cells: int
    unique_households: int
    population_cells: float
    by_weights: float | None
    chao_lin: float
    expected_reidentified_households: float
    reidentification_rate: float


def composition_frequencies(data: Roles) -> duckdb.DuckDBPyRelation:
    """Return every record with the households made up as its own: ``household_frequency`` of the file.

    With a weight also ``population_households``, the sum of their weights.

    Raises
    ------
    ParameterError
        Where the table was described without a household, or NULL counts as a wildcard.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.composition_frequencies().order("id").fetchall()[0][-2:]
    (1, 12.5)
    """
    check_category(data)
    return data.relation(
        "sdc_composition_frequencies", data.table, data.keys, data.require_role("household"), weight=data.weight
    )


def composition_summary(data: Roles, k: int = 3) -> CompositionSummary:
    """Return how many households no other is made up as, or fewer than k are.

    Parameters
    ----------
    k
        The least number of households that is safe, at least 2.

    Raises
    ------
    ParameterError
        Where the table was described without a household, or NULL counts as a wildcard.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.composition_summary().unique_households
    2
    """
    check_category(data)
    k = require_number("composition_summary", "k", k)
    return CompositionSummary(
        **data.row("sdc_composition_summary", data.table, data.keys, data.require_role("household"), k)
    )


def composition_k_map(data: Roles, population: str, k: int = 3) -> CompositionKMap:
    """Return the households that are made up as fewer than k of the population's: the measure that assumes nothing.

    Parameters
    ----------
    population
        The name of the table (view, file) of the population, with the same keys and household numbers of its own.
    k
        The least number of households that is safe, at least 2.

    Raises
    ------
    ParameterError
        Where the table was described without a household, or NULL counts as a wildcard.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.composition_k_map("persons", 2).population_uniques
    2
    """
    check_category(data)
    if not isinstance(population, str) or not population:
        raise TableError(
            f"The population is {text_for_message(population)}: it must be the name of a table, view or file."
        )
    k = require_number("composition_k_map", "k", k)
    household = data.require_role("household")
    row = data.row("sdc_composition_k_map", data.table, data.read_table(population), data.keys, household, k)
    return CompositionKMap(**row)


def composition_theta(
    data: Roles, sampling_fraction: float | None = None, *, confidence: float = 0.99
) -> CompositionTheta:
    """Return the probability that a unique match of a whole household is correct (Skinner & Elliot 2002).

    Parameters
    ----------
    sampling_fraction
        The share of the population's households that is in the file; by default that of the table.
    confidence
        The confidence of the upper bound.

    Raises
    ------
    ParameterError
        Where the table was described without a household or a sampling fraction, or NULL counts as a wildcard.

    Notes
    -----
    Households are taken to be sampled with equal probability, each by itself.

    Examples
    --------
    >>> import sdc_sql
    >>> round(sdc_sql.example().risk.composition_theta(0.1).theta, 4)
    1.0
    """
    check_category(data)
    pi = data.require_role("sampling_fraction", sampling_fraction)
    if isinstance(pi, str):
        raise ParameterError(f"The sampling fraction is the column {pi}: households must have one, a number.")
    confidence = require_number("composition_theta", "confidence", confidence)
    household = data.require_role("household")
    pi = require_fraction(pi, "sampling fraction")
    row = data.row("sdc_composition_theta", data.table, data.keys, household, pi, confidence=confidence)
    return CompositionTheta(**row)


def composition_risk(data: Roles) -> CompositionRisk:
    """Return how many households are expected to be re-identified by who knows the keys of all their members.

    Pitman's model, between Chao & Lin's lower bound and the cells of the sample; and the sum of the individual risks
    with households as units, where it holds.

    Raises
    ------
    ParameterError
        Where the table was described without a weight or a household, or NULL counts as a wildcard.

    Notes
    -----
    Chao & Lin (2012); Favaro, Lijoi, Mena & Pruenster (2009), (6). Without members' weights alike a household has
    their mean. Where the population is at hand: :func:`composition_k_map`.

    Examples
    --------
    >>> import sdc_sql
    >>> found = sdc_sql.example().risk.composition_risk()
    >>> found.cells, found.by_weights is None
    (2, True)
    """
    check_category(data)
    weight, household = data.checked_weight(), data.require_role("household")
    return CompositionRisk(**data.row("sdc_composition_risk", data.table, data.keys, weight, household))
