# Written from sql/risk/population_risk.sql by python -m sdc_sql.write: change that file.
"""The true risk of a sample whose population is at hand (a census, a register, a simulation)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import resolve_table
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class PopulationRisk(Result):
    """Pr(PU), Pr(PU | SU), theta (2), P (3), tau_1 and tau_2 (handbook, 3.3.3), and the counts they come from."""

    pr_pu: float
    pr_pu_given_su: float
    theta: float
    p: float
    tau1: float
    tau2: float
    expected_correct_matches: float
    sample_records: int
    population_records: int
    sample_cells: int
    population_cells: int
    sample_uniques: int
    population_uniques: int
    sample_and_population_uniques: int
    unique_matches: int


def population_risk(data: Roles, population: str) -> PopulationRisk:
    """Return the true risk of a sample whose population is at hand.

    Parameters
    ----------
    population
        The name of the table of the population, with the same keys.

    Returns
    -------
    PopulationRisk

    Raises
    ------
    TableError
        Where a cell has more records in the sample than in the population.

    Notes
    -----
    Skinner & Elliot (2002), sections 2.1-2.3; SDC handbook, section 3.3.3.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE sample AS FROM (VALUES (30, 'f'), (41, 'm'), (52, 'f')) AS t(age, sex)")
    >>> _ = con.execute(
    ...     "CREATE TABLE population AS FROM (VALUES (30, 'f'), (41, 'm'), (41, 'm'), (52, 'f'), (52, 'f'), "
    ...     "(52, 'f'), (52, 'f')) AS t(age, sex)"
    ... )
    >>> data = sdc_sql.Microdata(con, "sample", keys=["age", "sex"])
    >>> print(data.risk.population_risk("population"))
    PopulationRisk
      pr pu                          0.142857
      pr pu given su                 0.333333
      theta                          0.428571
      p                              0.583333
      tau1                           1.75
      tau2                           1.75
      expected correct matches       1.75
      sample records                 3
      population records             7
      sample cells                   3
      population cells               3
      sample uniques                 3
      population uniques             1
      sample and population uniques  1
      unique matches                 7
    """
    row = data.row("sdc_population_risk", data.table, resolve_table(data, "population", population), data.keys)
    return PopulationRisk(**row)
