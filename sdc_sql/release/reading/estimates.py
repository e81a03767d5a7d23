"""The section ``[[estimates]]`` of a release file: what users will compute, before and after, and what must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import text_for_message
from sdc_sql.figures.condition import check_side, list_named_figures
from sdc_sql.figures.given import name_figures
from sdc_sql.figures.registry import find_measure
from sdc_sql.release.reading.figures import read_arguments
from sdc_sql.release.reading.plan import Estimate, Limit
from sdc_sql.release.reading.problems import NUMBER, TEXT, TEXTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.release.reading.fields import Reading
    from sdc_sql.release.reading.plan import Output, RolesOfColumns

MEASURE = "estimate_change"
ESTIMATE = {
    "name": TEXT, "title": TEXT, "statistic": TEXT, "variable": TEXT, "domains": TEXTS, "predictors": TEXTS,
    "quantile": NUMBER, "weight": TEXT, "strata": TEXT, "cluster": TEXT, "confidence": NUMBER, "limits": TEXTS,
}  # fmt: skip
_NEEDED = ("name", "statistic", "variable")
_OWN = ("name", "title", "limits")


def read_estimates(reading: Reading, roles: RolesOfColumns, output: Output | None) -> tuple[Estimate, ...]:
    """Return the estimates, each with its limits; errors are added to the problems of the reading.

    Weights, strata and clusters are those of the roles unless the estimate names its own. Users compute with what they
    have: households whose numbers are not released are no clusters.
    """
    found: dict[str, Estimate] = {}
    for i, row in enumerate(reading.said.get("estimates", [])):
        path = f"estimates[{i}]"
        given = reading.problems.table(path, row, ESTIMATE)
        for field in _NEEDED:
            if field not in row:
                reading.problems.add(f"{path}.{field}", "it is missing.")
        name = given.get("name", "")
        if name in found:
            reading.problems.add(f"{path}.name", f"there is another estimate {name!r}.")
        arguments = read_arguments(
            reading, path, find_measure(MEASURE), {n: v for n, v in given.items() if n not in _OWN}
        )
        _check_predictors(reading, path, given)
        for role, column in _list_design(roles, output).items():
            arguments.setdefault(role, column)
        if {*_NEEDED} <= given.keys():
            with reading.problems.collect_at(f"{path}.name"):
                name_figures({name: (MEASURE, arguments)})
                limits = _read_limits(reading, path, name, arguments, given.get("limits", []))
                found[name] = Estimate(path, name, given.get("title", ""), arguments, limits)
    return tuple(found.values())


def _check_predictors(reading: Reading, path: str, given: dict[str, Any]) -> None:
    is_regression = given.get("statistic") == "regression"
    if is_regression and not given.get("predictors"):
        reading.problems.add(f"{path}.predictors", "it is missing: the numeric variables that explain the response.")
    if given.get("predictors") and not is_regression:
        reading.problems.add(f"{path}.predictors", 'it goes with statistic = "regression" only.')


def _list_design(roles: RolesOfColumns, output: Output | None) -> dict[str, str]:
    """Return the weight, strata and clusters of the roles."""
    household = None if output is not None and output.households == "drop" else roles.household
    every = {
        "weight": roles.weight if isinstance(roles.weight, str) else None,
        "strata": roles.strata[0] if roles.strata else None,
        "cluster": household,
    }
    return {role: column for role, column in every.items() if column is not None}


def _read_limits(
    reading: Reading, path: str, name: str, arguments: dict[str, Any], texts: Sequence[str]
) -> tuple[Limit, ...]:
    asked, limits = name_figures({name: (MEASURE, arguments)}), []
    for i, text in enumerate(texts):
        at = f"{path}.limits[{i}]"
        with reading.problems.collect_at(at):
            check_side(text, asked, holds=True)
            others = [n.label for n in list_named_figures(text) if n.label != name or n.part]
            if others:
                reading.problems.add(
                    at, f"{text_for_message(text)} is not of {name} alone: write it as {name}.overlap >= 0.8, and put "
                    "limits on other figures under [loss] or [[scenarios]].",
                )  # fmt: skip
            limits.append(Limit(at, text))
    return tuple(limits)
