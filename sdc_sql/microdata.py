"""A described table with the measures as methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from sdc_sql.mask import microaggregation as _microaggregation
from sdc_sql.mask import noise as _noise
from sdc_sql.mask import pram as _pram
from sdc_sql.mask import pram_correction as _pram_correction
from sdc_sql.mask import rank_swap as _rank_swap
from sdc_sql.mask import rounding as _rounding
from sdc_sql.risk import attribute as _attribute
from sdc_sql.risk import file_rules as _file_rules
from sdc_sql.risk import global_risk as _global_risk
from sdc_sql.risk import household_risk as _household_risk
from sdc_sql.risk import individual_risk as _individual_risk
from sdc_sql.risk import k_anonymity as _k_anonymity
from sdc_sql.risk import population_risk as _population_risk
from sdc_sql.risk import risk_threshold as _risk_threshold
from sdc_sql.risk import suda as _suda
from sdc_sql.risk import theta as _theta
from sdc_sql.risk import theta_misclassified as _theta_misclassified
from sdc_sql.risk import threshold_rule as _threshold_rule
from sdc_sql.risk import uniqueness as _uniqueness
from sdc_sql.roles import Roles

if TYPE_CHECKING:
    from collections.abc import Iterable


class Microdata(Roles):
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
        A column that identifies each record; masking needs one, for the draws of a record hang on it.
    stratum
        The column of strata of the sampling design.
    sampling_fraction
        The fraction of the population in the file, or a column that holds it.
    nulls
        ``"category"``: NULL in a key is a value of its own; ``"wildcard"``: it agrees with every value.

    Raises
    ------
    TableError, ColumnError, WeightError, ParameterError
        Where the table or a column cannot play its role; the message says what would be right.

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
        super().__init__(
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

    def weighing(self, weight: str | float) -> Microdata:
        """Return the same table with another weight.

        Examples
        --------
        >>> example().weighing(25).global_risk().records
        3
        """
        roles = ("keys", "household", "id", "stratum", "sampling_fraction", "nulls")
        return Microdata(self.con, self.table, weight=weight, **{role: getattr(self, role) for role in roles})

    cells = _uniqueness.cells
    frequencies = _uniqueness.frequencies
    sample_uniques = _uniqueness.sample_uniques
    frequency_summary = _uniqueness.frequency_summary
    frequency_counts = _uniqueness.frequency_counts
    theta = _theta.theta
    theta_by = _theta.theta_by
    population_risk = _population_risk.population_risk
    individual_risk = _individual_risk.individual_risk
    cell_risk = _individual_risk.cell_risk
    global_risk = _global_risk.global_risk
    risk_threshold = _risk_threshold.risk_threshold
    household_risk = _household_risk.household_risk
    household_global_risk = _household_risk.household_global_risk
    k_anonymity = _k_anonymity.k_anonymity
    l_diversity = _attribute.l_diversity
    l_diversity_cells = _attribute.l_diversity_cells
    l_diversity_records = _attribute.l_diversity_records
    t_closeness = _attribute.t_closeness
    t_closeness_cells = _attribute.t_closeness_cells
    likeness = _attribute.likeness
    likeness_cells = _attribute.likeness_cells
    alpha_k_anonymity = _attribute.alpha_k_anonymity
    k_map = _attribute.k_map
    minimal_sample_uniques = _suda.minimal_sample_uniques
    suda = _suda.suda
    suda_summary = _suda.suda_summary
    suda_contributions = _suda.suda_contributions
    suda_value_contributions = _suda.suda_value_contributions
    theta_misclassified = _theta_misclassified.theta_misclassified
    data_intrusion_simulation = _theta_misclassified.data_intrusion_simulation
    threshold_rule = _threshold_rule.threshold_rule
    threshold_rule_summary = _threshold_rule.threshold_rule_summary
    threshold_rule_records = _threshold_rule.threshold_rule_records
    research_file_rules = _file_rules.research_file_rules
    public_use_file_rules = _file_rules.public_use_file_rules

    pram = _pram.pram
    pram_retention = _pram.pram_retention
    pram_guaranteed = _pram.pram_guaranteed
    pram_proof = _pram.pram_proof
    pram_matrix = _pram_correction.pram_matrix
    pram_estimate = _pram_correction.pram_estimate
    pram_covariance = _pram_correction.pram_covariance
    pram_estimate_two_way = _pram_correction.pram_estimate_two_way
    noise = _noise.noise
    multiplicative_noise = _noise.multiplicative_noise
    microaggregate = _microaggregation.microaggregate
    microaggregate_categorical = _microaggregation.microaggregate_categorical
    rank_swap = _rank_swap.rank_swap
    resample = _rank_swap.resample
    round_to_base = _rounding.round_to_base


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
