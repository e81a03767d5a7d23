"""The true risk of a sample whose population is at hand (Skinner & Elliot 2002, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.checks import told
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import TableError

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
    """Return the true risk of the table as a sample of a population.

    Parameters
    ----------
    population
        The name of the table (view, file) of the whole population, with the same keys.

    Returns
    -------
    PopulationRisk

    Raises
    ------
    TableError
        Where a cell has more records in the sample than in the population.

    Notes
    -----
    Skinner & Elliot (2002), (2) and (3); SDC handbook, section 3.3.3.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.population_risk("persons").theta
    1.0
    """
    if not isinstance(population, str) or not population:
        raise TableError(f"The population is {told(population)}: it must be the name of a table, view or file.")
    return PopulationRisk(**data.row("sdc_population_risk", data.table, data.read(population), data.keys))
