"""How many persons of the population are unique on the keys, by a model of the population (Dankar et al. 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import checked_choice, checked_number
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


def population_uniqueness(data: Roles, population_size: int, *, method: str = "dankar") -> PopulationUniqueness:
    """Return how many persons of the population are expected to be unique on the keys, by a model of it.

    Parameters
    ----------
    population_size
        N, the persons of the population: a whole number, no fewer than the records. The table is taken as a simple
        random sample of them.
    method
        ``pitman``, ``zayatz``, ``snb`` (slide negative binomial), or ``dankar``, the rule that chooses between them by
        the sampling fraction. Each may err by much: `sql/risk/README.md` shows how.

    Returns
    -------
    PopulationUniqueness

    Raises
    ------
    ParameterError
        Where the model has no solution, or the method is none of these; where the population is smaller than the file.

    Notes
    -----
    Dankar, El Emam, Neisa & Roffey (2012), appendix A; Hoshino (2001); Zayatz (1991); Chen & Keller-McNulty (1998).
    Ewens (1972), The sampling theory of selectively neutral alleles, Theoretical Population Biology 3, 87-112.
    NULL in a key is a category of its own. Where the population is at hand: :func:`population_risk`.

    Examples
    --------
    >>> import sdc_sql
    >>> found = sdc_sql.example().risk.population_uniqueness(80, method="zayatz")
    >>> found.sample_uniques, round(found.pr_pu_given_su, 4)
    (1, 0.3391)
    """
    check_category(data)
    method = checked_choice("population_uniqueness", "method", method)
    size = checked_number("population_uniqueness", "population_size", population_size)
    return PopulationUniqueness(**data.row("sdc_population_uniqueness", data.table, data.keys, size, method=method))
