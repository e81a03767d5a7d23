"""The figures that limits can name: of the risks of a scenario, and of what was lost."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING

from sdc_sql import methods, results
from sdc_sql.db.macros import declared
from sdc_sql.errors import ParameterError
from sdc_sql.limits import named
from sdc_sql.release.problems import near

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.release.plan import RolesOfColumns, Scenario

_ATTRIBUTE = ("distinct_l", "entropy_l", "recursive_l", "t", "alpha", "beta", "enhanced_beta", "delta")
# What [loss] can say besides columns and limits, by the parameters of the measures.
LOSS_FIELDS = ("ordinal", "continuous", "domains", "dimension")
_GIVEN = {"original", "released", "tbl", "columns", "keys", "id", *LOSS_FIELDS}


@dataclass(frozen=True)
class LossMeasure:
    """A measure of loss: its verb, the fields of a row, and what it takes of ``[loss]``.

    ``of``: ``numeric`` or ``categorical`` columns, or both; ``compares``: the released table with the original.
    """

    verb: str
    figures: tuple[str, ...]
    takes: tuple[str, ...]
    needs: tuple[str, ...]
    of: str
    compares: bool


def _of_result(name: str) -> tuple[str, ...]:
    """Return the fields of a result that are numbers."""
    return tuple(f.name for f in fields(getattr(results, name)) if re.match(r"int\b|float\b", str(f.type)))


RISK: Mapping[str, tuple[str, ...]] = {
    "frequencies": _of_result("FrequencySummary"),
    "k_anonymity": _of_result("KViolations"),
    "theta": _of_result("Theta"),
    "theta_by": _of_result("StratumTheta"),
    "global_risk": _of_result("GlobalRisk"),
    "household_risk": _of_result("HouseholdGlobalRisk"),
    "attribute": _ATTRIBUTE,
    "suda": _of_result("SudaSummary"),
    "log_linear_risk": _of_result("LogLinearRisk"),
    "threshold_rule": _of_result("ThresholdSummary"),
    "neighbourhood": _of_result("Neighbourhood"),
}


def of_verb(verb: str) -> tuple[str, ...]:
    """Return the figures that a method gives of a file; of what gives records, or no numbers, none."""
    kind = re.search(r"\w+(?=\]?$)", str(inspect.signature(getattr(methods.Methods, verb)).return_annotation))
    return _of_result(kind[0]) if kind is not None and hasattr(results, kind[0]) else ()


@cache
def loss_measures() -> Mapping[str, LossMeasure]:
    """Return the measures of loss that need nothing but the two tables, columns and an id, by their verbs."""
    found = {}
    for declaration in declared():
        parameters = {p.name: p for p in declaration.parameters}
        required = {p.name for p in declaration.required}
        verb = getattr(methods.Methods, declaration.verb, None)
        if not declaration.file.startswith("loss/") or verb is None or not required <= _GIVEN:
            continue
        signature = inspect.signature(verb)
        kind = re.search(r"\w+(?=\]?$)", str(signature.return_annotation))
        if kind is None or not hasattr(results, kind[0]):
            continue
        columns = parameters.get("columns")
        found[declaration.verb] = LossMeasure(
            declaration.verb, _of_result(kind[0]),
            tuple(name for name in LOSS_FIELDS if name in parameters and name in signature.parameters),
            tuple(name for name in LOSS_FIELDS if name in required),
            next((kind for kind in ("numeric", "categorical") if columns is not None and kind in columns.meaning), ""),
            "original" in parameters,
        )  # fmt: skip
    return found


def check_risk(limit: str, roles: RolesOfColumns, scenario: Scenario) -> None:
    """Refuse a limit that cannot be read, or that names what is not measured with these roles.

    Raises
    ------
    ParameterError
        It says what there is, and what is lacking.
    """
    weighted = roles.weight is not None or isinstance(roles.sampling_fraction, int | float)
    needs = {
        "theta": (isinstance(roles.sampling_fraction, int | float), "roles.sampling_fraction, a number"),
        "theta_by": (
            bool(roles.sampling_fraction is not None and roles.strata and {*scenario.keys} != {*roles.strata}),
            "roles.sampling_fraction and roles.strata, which are not the only key",
        ),
        "global_risk": (weighted, "roles.weight or roles.sampling_fraction"),
        "log_linear_risk": (weighted, "roles.weight or roles.sampling_fraction"),
        "household_risk": (weighted and roles.household is not None, "roles.household and roles.weight"),
        "attribute": (bool(roles.sensitive), "roles.sensitive"),
        "threshold_rule": (scenario.threshold is not None, "a threshold of the scenario, as in threshold = 20000"),
        "neighbourhood": (
            scenario.neighbourhood is not None,
            'a neighbourhood of the scenario, as in neighbourhood = { columns = ["turnover"], width = 0.1 }',
        ),
    }
    for measure, figure, k in named(limit):
        _known(measure, figure, RISK)
        there, lacking = needs.get(measure, (True, ""))
        if not there:
            raise ParameterError(f"{measure} needs {lacking}.")
        if k is not None and k < 2:  # noqa: PLR2004 - a group
            raise ParameterError(f"{measure}.{k} is no k: it must be at least 2.")


def check_loss(limit: str, given: Mapping[str, object]) -> None:
    """Refuse a limit on loss likewise; ``given`` are the fields of ``[loss]``.

    Raises
    ------
    ParameterError
        It says what there is, and what is lacking.
    """
    measures = loss_measures()
    for measure, figure, _ in named(limit):
        _known(measure, figure, {name: m.figures for name, m in measures.items()})
        lacking = [f"loss.{name}" for name in measures[measure].needs if not given.get(name)]
        if lacking:
            raise ParameterError(f"{measure} needs {' and '.join(lacking)}.")


def _known(measure: str, figure: str, known: Mapping[str, tuple[str, ...]]) -> None:
    if measure not in known:
        raise ParameterError(f"there is no measure {measure!r}{near(measure, known)}")
    if figure not in known[measure]:
        raise ParameterError(f"{measure} has no figure {figure!r}{near(figure, known[measure])}")
