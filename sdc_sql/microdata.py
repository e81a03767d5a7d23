"""A described table, with risk measures and masking methods."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import duckdb

from sdc_sql.mask import microaggregation as _microaggregation
from sdc_sql.mask import multiplicative_noise as _multiplicative_noise
from sdc_sql.mask import noise as _noise
from sdc_sql.mask import pram as _pram
from sdc_sql.mask import pram_cells as _pram_cells
from sdc_sql.mask import pram_matrix as _pram_matrix
from sdc_sql.mask import rank_swap as _rank_swap
from sdc_sql.mask import resampling as _resampling
from sdc_sql.mask import rounding as _rounding
from sdc_sql.risk import alpha_k_anonymity as _alpha_k_anonymity
from sdc_sql.risk import data_intrusion as _data_intrusion
from sdc_sql.risk import file_rules as _file_rules
from sdc_sql.risk import global_risk as _global_risk
from sdc_sql.risk import household_risk as _household_risk
from sdc_sql.risk import individual_risk as _individual_risk
from sdc_sql.risk import k_anonymity as _k_anonymity
from sdc_sql.risk import k_map as _k_map
from sdc_sql.risk import l_diversity as _l_diversity
from sdc_sql.risk import likeness as _likeness
from sdc_sql.risk import minimal_sample_uniques as _minimal_sample_uniques
from sdc_sql.risk import population_risk as _population_risk
from sdc_sql.risk import risk_threshold as _risk_threshold
from sdc_sql.risk import suda as _suda
from sdc_sql.risk import t_closeness as _t_closeness
from sdc_sql.risk import theta as _theta
from sdc_sql.risk import theta_by as _theta_by
from sdc_sql.risk import theta_misclassified as _theta_misclassified
from sdc_sql.risk import threshold_rule as _threshold_rule
from sdc_sql.risk import uniqueness as _uniqueness
from sdc_sql.roles import Roles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

P = ParamSpec("P")
R = TypeVar("R")


def _verb(function: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Microdata, P], R]:
    """Return a function of a described table as a method."""

    @wraps(function)
    def method(self: Microdata, /, *arguments: P.args, **named: P.kwargs) -> R:
        return function(self._roles, *arguments, **named)

    return method


class Microdata:
    """A table of persons or firms, what its columns are, the measures of its disclosure risk, and its masking.

    Parameters
    ----------
    con
        An open DuckDB connection; the macros are registered on it.
    table
        The name of a table or view (qualified, if need be), or of a Parquet or CSV file.
    keys
        The key variables: columns that an intruder may know of a person. Without them a table can be masked,
        but its risk not measured.
    weight
        The column of expansion weights, or a number that every record weighs (1 / sampling fraction).
    household
        The column of household numbers.
    id
        A column that identifies each record; masking needs one, because the draws of a record depend on it.
    stratum
        The column of strata of the sampling design.
    sampling_fraction
        The fraction of the population in the file, or a column that holds it.
    nulls
        ``"category"``: NULL in a key is a value of its own; ``"wildcard"``: it agrees with every value.

    Raises
    ------
    TableError, ColumnError, WeightError, ParameterError
        Where the table or a column cannot be used as described; the message says what is expected.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f', 25.0), (41, 'm', 20.0)) AS t(age, sex, w)")
    >>> data = Microdata(con, "persons", keys=["age", "sex"], weight="w")
    >>> print(data.theta(0.04))
    Theta
      records         2
      cells           2
      n1              2
      n2              0
      n3              0
      theta           1
      standard error  0
      upper bound     1
    """

    def __init__(
        self,
        con: duckdb.DuckDBPyConnection,
        table: str,
        *,
        keys: Iterable[str] | None = None,
        weight: str | float | None = None,
        household: str | None = None,
        id: str | None = None,  # noqa: A002 - the field's word for it
        stratum: str | None = None,
        sampling_fraction: str | float | None = None,
        nulls: str = "category",
    ) -> None:
        self._roles = Roles(
            con=con,
            table=table,
            keys=keys,  # type: ignore[arg-type] # any collection: made a tuple there
            weight=weight,
            household=household,
            id=id,
            stratum=stratum,
            sampling_fraction=sampling_fraction,
            nulls=nulls,
        )

    def __repr__(self) -> str:
        """Return the table with its roles."""
        return repr(self._roles).replace("Roles", "Microdata", 1)

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The connection."""
        return self._roles.con

    @property
    def table(self) -> str:
        """The table's name."""
        return self._roles.table

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in the table's order."""
        return self._roles.columns

    @property
    def keys(self) -> tuple[str, ...]:
        """The key variables, as the table spells them."""
        return self._roles.keys

    @property
    def weight(self) -> str | float | None:
        """The column of weights, or the weight of every record."""
        return self._roles.weight

    @property
    def household(self) -> str | None:
        """The column of household numbers."""
        return self._roles.household

    @property
    def id(self) -> str | None:
        """The column that identifies each record."""
        return self._roles.id

    @property
    def stratum(self) -> str | None:
        """The column of strata."""
        return self._roles.stratum

    @property
    def sampling_fraction(self) -> str | float | None:
        """The sampling fraction, or the column that holds it."""
        return self._roles.sampling_fraction

    @property
    def nulls(self) -> str:
        """How NULL in a key counts: ``category`` or ``wildcard``."""
        return self._roles.nulls

    def weighing(self, weight: str | float) -> Microdata:
        """Return the same table with another weight.

        Examples
        --------
        >>> example().weighing(25).global_risk().records
        3
        """
        roles = ("keys", "household", "id", "stratum", "sampling_fraction", "nulls")
        return Microdata(self.con, self.table, weight=weight, **{role: getattr(self, role) for role in roles})

    cells = _verb(_uniqueness.cells)
    frequencies = _verb(_uniqueness.frequencies)
    sample_uniques = _verb(_uniqueness.sample_uniques)
    frequency_summary = _verb(_uniqueness.frequency_summary)
    frequency_counts = _verb(_uniqueness.frequency_counts)
    theta = _verb(_theta.theta)
    theta_by = _verb(_theta_by.theta_by)
    population_risk = _verb(_population_risk.population_risk)
    individual_risk = _verb(_individual_risk.individual_risk)
    cell_risk = _verb(_individual_risk.cell_risk)
    global_risk = _verb(_global_risk.global_risk)
    risk_threshold = _verb(_risk_threshold.risk_threshold)
    household_risk = _verb(_household_risk.household_risk)
    household_global_risk = _verb(_household_risk.household_global_risk)
    k_anonymity = _verb(_k_anonymity.k_anonymity)
    l_diversity = _verb(_l_diversity.l_diversity)
    l_diversity_cells = _verb(_l_diversity.l_diversity_cells)
    l_diversity_records = _verb(_l_diversity.l_diversity_records)
    t_closeness = _verb(_t_closeness.t_closeness)
    t_closeness_cells = _verb(_t_closeness.t_closeness_cells)
    likeness = _verb(_likeness.likeness)
    likeness_cells = _verb(_likeness.likeness_cells)
    alpha_k_anonymity = _verb(_alpha_k_anonymity.alpha_k_anonymity)
    k_map = _verb(_k_map.k_map)
    minimal_sample_uniques = _verb(_minimal_sample_uniques.minimal_sample_uniques)
    suda = _verb(_suda.suda)
    suda_summary = _verb(_suda.suda_summary)
    suda_contributions = _verb(_suda.suda_contributions)
    suda_value_contributions = _verb(_suda.suda_value_contributions)
    theta_misclassified = _verb(_theta_misclassified.theta_misclassified)
    data_intrusion_simulation = _verb(_data_intrusion.data_intrusion_simulation)
    threshold_rule = _verb(_threshold_rule.threshold_rule)
    threshold_rule_summary = _verb(_threshold_rule.threshold_rule_summary)
    threshold_rule_records = _verb(_threshold_rule.threshold_rule_records)
    research_file_rules = _verb(_file_rules.research_file_rules)
    public_use_file_rules = _verb(_file_rules.public_use_file_rules)

    pram = _verb(_pram.pram)
    pram_retention = _verb(_pram_cells.pram_retention)
    pram_guaranteed = _verb(_pram_cells.pram_guaranteed)
    pram_proof = _verb(_pram_cells.pram_proof)
    pram_matrix = _verb(_pram_matrix.pram_matrix)
    pram_estimate = _verb(_pram_matrix.pram_estimate)
    pram_covariance = _verb(_pram_matrix.pram_covariance)
    pram_estimate_two_way = _verb(_pram_matrix.pram_estimate_two_way)
    noise = _verb(_noise.noise)
    multiplicative_noise = _verb(_multiplicative_noise.multiplicative_noise)
    microaggregate = _verb(_microaggregation.microaggregate)
    microaggregate_categorical = _verb(_microaggregation.microaggregate_categorical)
    rank_swap = _verb(_rank_swap.rank_swap)
    resample = _verb(_resampling.resample)
    round_to_base = _verb(_rounding.round_to_base)


def example() -> Microdata:
    """Return a table of three persons in two households, for the examples of the documentation.

    Examples
    --------
    >>> example().con.sql("FROM persons").fetchall()
    [(1, 30, 'f', 10.0, 1), (2, 30, 'f', 15.0, 1), (3, 41, 'm', 20.0, 2)]
    """
    con = duckdb.connect()
    con.execute("SET VARIABLE sdc_key = 'the key of an example is no secret'")
    con.execute(
        "CREATE TABLE persons AS FROM (VALUES (1, 30, 'f', 10.0::DOUBLE, 1), (2, 30, 'f', 15.0, 1), "
        "(3, 41, 'm', 20.0, 2)) AS t(id, age, sex, w, household)"
    )
    return Microdata(con, "persons", keys=["age", "sex"], weight="w", household="household", id="id")
