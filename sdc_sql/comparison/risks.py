"""The risk figures of one of the tables of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from sdc_sql.comparison.sides import has_column
from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ColumnError, ParameterError, translate_errors
from sdc_sql.figures.door import index_figures
from sdc_sql.linkage.probabilistic_linkage import probabilistic_linkage
from sdc_sql.risk.global_risk import global_risk
from sdc_sql.risk.household_risk import household_global_risk
from sdc_sql.risk.individual_risk import cell_risk
from sdc_sql.risk.k_anonymity import k_anonymity
from sdc_sql.risk.l_diversity import l_diversity
from sdc_sql.risk.likeness import likeness
from sdc_sql.risk.many_uniques import describe_estimated
from sdc_sql.risk.risk_misclassified import note_pram
from sdc_sql.risk.t_closeness import t_closeness
from sdc_sql.risk.theta import theta
from sdc_sql.risk.theta_by import theta_by
from sdc_sql.risk.uniqueness import frequency_summary
from sdc_sql.roles import complete_roles, read_roles, weigh_roles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import duckdb

    from sdc_sql.comparison.pram import Reversed
    from sdc_sql.roles import Roles

Figures = dict[str, Any]


def measure_risks(data: Roles, k: int, confidence: float, pram: Reversed | None = None) -> Figures:
    """Return what the roles allow to measure, by the names of the macros; else None."""
    pi = data.sampling_fraction
    data = weigh_roles(complete_roles(data)[0])
    found: Figures = {**count_risky_records(data, k, pram), "theta": None, "theta_by": None}
    if isinstance(pi, int | float):
        found |= index_figures("theta", theta(data, confidence=confidence))
    if data.stratum and pi is not None and set(data.keys) != {data.stratum}:
        by_stratum = theta_by(data, confidence=confidence)
        found["theta_by"] = [index_figures("theta_by", stratum)["theta_by"] for stratum in by_stratum]
    if pram and isinstance(pi, int | float):
        found["theta_misclassified"] = {"theta": pram.theta(data, pi)}
    return {**found, "pram": pram.note if pram else note_pram(data)}


def count_risky_records(data: Roles, k: int, pram: Reversed | None = None) -> Figures:
    """Return the figures that depend on how NULL in a key is read."""
    data = weigh_roles(complete_roles(data)[0])
    found: Figures = {
        **index_figures("frequency_summary", frequency_summary(data)),
        "k_anonymity": [v.to_dict() for v in k_anonymity(data, k)],
        "individual_risk": None,
        "global_risk": None,
        "household_global_risk": None,
    }
    if data.weight is None:
        return found
    if pram:
        return {**found, **pram.risks(data)}
    found |= find_highest_risk(cell_risk(data)) | index_figures("global_risk", global_risk(data))
    if data.household:
        found |= index_figures("household_global_risk", household_global_risk(data))
    return found


def note_many_uniques(found: Mapping[str, Any]) -> str | None:
    """Return what a reader of the estimates among these figures has to know; None where there are none."""
    return describe_estimated(found["frequency_summary"], found["global_risk"])


def find_highest_risk(cells: duckdb.DuckDBPyRelation) -> Figures:
    """Return the highest individual risk; after PRAM, that times the probability that the cell is the true one, too."""
    there = [name for name in ("individual_risk", "individual_risk_misclassified") if name in cells.columns]
    with translate_errors():
        found = cells.aggregate(", ".join(f"max({column})" for column in there)).fetchall()
    return {name: {name: value} for name, value in zip(there, found[0], strict=True)}


def measure_sensitive(data: Roles, sensitive: Iterable[str], ordered: Iterable[str]) -> Figures:
    """Return how much a cell discloses of each sensitive variable that the table has, NULL a category of its own."""
    data = read_roles(complete_roles(data, {"sensitive": [*sensitive]})[0], nulls="category")
    by_order = {name.lower() for name in ordered}
    names = [data.spell_column("sensitive variable", n) for n in sensitive if has_column(data, n)]
    found: Figures = {"l_diversity": [], "t_closeness": [], "likeness": []}
    for name in names:
        distance: Literal["ordered", "equal"] = "ordered" if name.lower() in by_order else "equal"
        found["l_diversity"].append({"sensitive": name, **l_diversity(data, name).to_dict()})
        found["t_closeness"].append({"sensitive": name, **t_closeness(data, name, distance=distance).to_dict()})
        found["likeness"].append({"sensitive": name, **likeness(data, name).to_dict()})
    return {measure: rows or None for measure, rows in found.items()}


def measure_linkage(before: Roles, after: Roles, variables: Mapping[str, float | None] | None) -> Figures | None:
    """Return what probabilistic record linkage finds; each variable has the largest difference that agrees, or None.

    Raises
    ------
    ColumnError, ParameterError
        Where a table has no id, or the variables are no mapping.
    """
    if variables is None:
        return None
    if not hasattr(variables, "items"):
        raise ParameterError(
            f"probabilistic_linkage is {text_for_message(variables)}: it must name the variables with the largest "
            "difference that "
            "agrees, None of categories, as in {'sex': None, 'region': None, 'age': 1}."
        )
    if after.id is None or not has_column(before, after.id):
        raise ColumnError("Record linkage needs an id in both tables, which tells the links that are correct.")
    numbers = {name: tolerance for name, tolerance in variables.items() if tolerance is not None}
    after, given = complete_roles(after, {"columns": list(variables), "original": before})
    found = probabilistic_linkage(
        after,
        given["original"],
        list(variables),
        continuous=list(numbers) or None,
        tolerance=list(numbers.values()) or None,
    )
    return found.to_dict()
