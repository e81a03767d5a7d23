# Written from sql/risk/population_uniqueness.sql by python -m sdc_sql.write: change that file.
"""How many persons of the population are unique on the keys, as estimated from the sample alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.showing.results import Result
from sdc_sql.risk.sensitive import check_category

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class PopulationUniqueness(Result):
    """The expected number of population uniques, their share, and that among the sample uniques.

    ``model`` is the one that gave them. ``ewens_uniques`` is the number by Ewens' formula where Pitman's alpha is 0
    (None elsewhere): where it is the higher one, it is the expected number, and the model.
    """

    model: str
    records: int
    cells: int
    sample_uniques: int
    population_size: int
    population_uniques: float
    pr_pu: float
    sample_and_population_uniques: float
    pr_pu_given_su: float
    ewens_uniques: float | None


def population_uniqueness(
    data: Roles, population_size: int, method: Literal["dankar", "pitman", "zayatz", "snb"] = "dankar"
) -> PopulationUniqueness:
    """Return the expected number of persons who are unique in the population, by a model of it.

    Parameters
    ----------
    population_size
        N, the persons of the population, no fewer than the records, which are taken as a simple random sample of them,
        at least 1.
    method
        The model, of Pitman, of Zayatz or the slide negative binomial one (snb), or the rule that chooses between them
        by the sampling fraction.

    Returns
    -------
    PopulationUniqueness

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``, or ``population_size`` is out of its range. Where the
        model has no solution, or the population is smaller than the file.

    Notes
    -----
    NULL in a key is a category of its own. Each model may err by much (sql/risk/README.md). Where the population is at
    hand: ``population_risk``.

    Dankar, El Emam, Neisa & Roffey (2012), Estimating the re-identification risk of clinical data sets, BMC Medical
    Informatics and Decision Making 12:66 and appendix A (the rule); Hoshino (2001), Applying Pitman's sampling formula
    to microdata disclosure risk assessment, Journal of Official Statistics 17, 499-520; Zayatz (1991), Estimation of
    the number of unique population elements using a sample; Chen & Keller-McNulty (1998), Estimation of identification
    disclosure risk in microdata, Journal of Official Statistics 14, 79-95; Haas & Stokes (1998), Estimating the number
    of classes in a finite population, JASA 93, 1475-1487 (K, after Shlosser).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE persons AS FROM (VALUES ('a'), ('b'), ('c'), ('d'), ('d'), ('e'), ('e'), ('f'), ('f'), "
    ...     "('f')) AS t(job)"
    ... )
    >>> data = sdc_sql.Microdata(con, "persons", keys=["job"])
    >>> print(data.risk.population_uniqueness(100, "zayatz"))
    PopulationUniqueness
      model                          zayatz
      records                        10
      cells                          6
      sample uniques                 3
      population size                100
      population uniques             9.87581
      pr pu                          0.0987581
      sample and population uniques  0.987581
      pr pu given su                 0.329194
      ewens uniques                  5.17923
    """
    check_category(data)
    row = data.row(
        "sdc_population_uniqueness",
        data.table,
        data.keys,
        require_number("population_uniqueness", "population_size", population_size),
        method=require_choice("population_uniqueness", "method", method),
    )
    return PopulationUniqueness(**row)
