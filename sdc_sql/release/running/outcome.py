"""What the run of a release file found, and whether the file may be released."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sdc_sql.db.showing.results import format_value
from sdc_sql.figures.condition import list_named_figures
from sdc_sql.release.reading.plan import THIS
from sdc_sql.release.reading.undecided import list_unchanged_columns

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sdc_sql.db.completion import HouseholdColumn
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.frontier.found import Frontier
    from sdc_sql.microdata import Microdata
    from sdc_sql.release.reading.plan import Estimate, Limit, Plan, Scenario
    from sdc_sql.report import RiskReport


@dataclass(frozen=True)
class ScenarioOutcome:
    """The risks in a scenario before and after; ``nulls_*``: how NULL in a key counted, `category` or `wildcard`."""

    scenario: Scenario
    before: RiskReport
    after: RiskReport
    nulls_before: str = "category"
    nulls_after: str = "category"
    # the figures of the threshold rule and the neighbourhood, by name
    more_before: Mapping[str, Any] = field(default_factory=dict)
    more_after: Mapping[str, Any] = field(default_factory=dict)

    @property
    def figures(self) -> dict[str, Any]:
        """The figures after masking, by the names that limits have for them."""
        return {**self.after.to_dict(), **self.more_after}

    @property
    def figures_before(self) -> dict[str, Any]:
        """The figures of the original records, by the same names."""
        return {**self.before.to_dict(), **self.more_before}


@dataclass(frozen=True)
class LimitOutcome:
    """A limit, the figures that it names (the worst of several rows; None: NULL), and whether it holds.

    ``before`` are the same figures of the original records; a loss has none. ``judged``: a figure was there, or a rule
    was measured; what was not judged does not hold, unless a person has looked at the rule.
    """

    limit: Limit
    figures: Mapping[str, float | None]
    holds: bool
    found: str = ""  # a rule of the ruleset says here what it found, in words
    before: Mapping[str, float | None] = field(default_factory=dict)
    judged: bool = True

    def __str__(self) -> str:
        """Return the limit with its figures in words."""
        if self.found:
            return f"{self.limit.path}: {self.limit.text}: {self.found}"
        figures = ", ".join(f"{name} is {format_value(value)}" for name, value in self.figures.items())
        of = f"scenario {self.limit.scenario!r}" if self.limit.scenario else self.limit.part
        return f"{of}: {self.limit.text} {'holds' if self.holds else 'does not hold'}: {figures} ({self.limit.path})"


@dataclass(frozen=True)
class EstimateOutcome:
    """What users will compute, before and after, a row for each domain and term; ``lacks`` says why there is none."""

    estimate: Estimate
    rows: tuple[Mapping[str, Any], ...]
    lacks: str = ""


@dataclass(frozen=True)
class Outcome:
    """The measures before and after, the steps, the limits, and what was written.

    ``loss`` has the rows of each measure by its name (``direct_distance``: one of all variables, then one of each).
    ``steps`` are the logged steps in their order; ``step_paths`` says of each where it stands in the file.
    ``original`` and ``released`` are the two tables, described, on one connection: they can be asked while outputs are
    written, and afterwards where ``run`` was given a connection.
    """

    plan: Plan
    scenarios: tuple[ScenarioOutcome, ...]
    steps: tuple[MaskingStep, ...]
    step_paths: tuple[str, ...]
    loss: Mapping[str, tuple[Mapping[str, Any], ...]]
    limits: tuple[LimitOutcome, ...]
    records_before: int
    records_after: int
    columns_before: tuple[str, ...]
    columns_after: tuple[str, ...]
    versions: Mapping[str, str]  # the versions of sdc_sql, duckdb and Python
    original: Microdata = field(repr=False)
    released: Microdata = field(repr=False)
    # the sha256 of the bytes of the release file and the source
    digests: Mapping[str, str] = field(default_factory=dict)
    written: tuple[Path, ...] = ()
    frontier: Frontier | None = None  # this release, and the others that were considered
    # the columns that were found in the source, and are not named in the file
    household_columns: tuple[HouseholdColumn, ...] = ()
    # the columns of the source in which values were given one form
    reformed: Mapping[str, int] = field(default_factory=dict)
    estimates: tuple[EstimateOutcome, ...] = ()
    date: str = ""  # the day of the run, in universal time
    # the content is found once for both certificates
    kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def accepted(self) -> bool:
        """Whether every limit holds."""
        return all(limit.holds for limit in self.limits)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons why the release is refused: each limit that does not hold, with its figures."""
        return tuple(f"{limit}{self._advice(limit)}" for limit in self.limits if not limit.holds)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the figures has to know of the released file, of each scenario: limits may hold though."""
        found = ((one.scenario.name, one.after.many_uniques) for one in self.scenarios)
        return tuple(f"scenario {name!r}: {said}" for name, said in found if said)

    def _advice(self, found: LimitOutcome) -> str:
        """Return what mends a limit on the make-up of households; values of members are no help."""
        of_scenario = list_named_figures(found.limit.text) if found.limit.scenario else []
        if not any(self.plan.asked[name.label].measure.name.startswith("composition_") for name in of_scenario):
            return ""
        return (
            ". To suppress members' values hardly helps here, since the others still tell the household; coarser keys,"
            ' output.households = "drop", record_swap or a subsample of households do'
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values, for JSON; not to be published: the riskiest keys are in it."""
        return {
            "accepted": self.accepted,
            "records": {"before": self.records_before, "after": self.records_after},
            "columns": {"before": list(self.columns_before), "after": list(self.columns_after)},
            "released_as_collected": list_unchanged_columns(self.plan, self.columns_after),
            "values_given_one_form": dict(self.reformed),
            "scenarios": [
                {
                    "name": s.scenario.name,
                    "keys": list(s.scenario.keys),
                    "before": {**s.figures_before, "nulls": s.nulls_before},
                    "after": {**s.figures, "nulls": s.nulls_after},
                }
                for s in self.scenarios
            ],
            "steps": [
                {"path": path, **step.to_dict()} for path, step in zip(self.step_paths, self.steps, strict=True)
            ],
            "loss": {name: [dict(row) for row in rows] for name, rows in self.loss.items()},
            "estimates": [
                {
                    "name": e.estimate.name, "title": e.estimate.title, **e.estimate.arguments,
                    "rows": [dict(row) for row in e.rows], "lacks": e.lacks,
                }
                for e in self.estimates
            ],
            "limits": [
                {
                    "path": o.limit.path, "scenario": o.limit.scenario, "limit": o.limit.text,
                    "before": dict(o.before), "figures": dict(o.figures), "holds": o.holds,
                    **({"found": o.found} if o.found else {}),
                }
                for o in self.limits
            ],
            "date": self.date,
            "versions": dict(self.versions),
            "digests": dict(self.digests),
            "household_columns": [
                {"variable": c.name, "households": c.households, "share": c.share} for c in self.household_columns
            ],
            "frontier": None if self.frontier is None else _list_frontier(self.frontier, self.plan),
        }  # fmt: skip


def _list_frontier(found: Frontier, plan: Plan) -> dict[str, Any]:
    """Return the frontier as plain values, for JSON."""
    asked = plan.frontier
    assert asked is not None  # noqa: S101 - or there was none to find
    steps = [plan.steps, *(candidate.steps for candidate in asked.candidates)]
    return {
        "risk": found.risk, "loss": found.loss, "scenario": asked.scenario, "max_risk": asked.max_risk,
        "utility": asked.utility,
        "candidates": [
            {**one.to_dict(), "this_release": one.candidate == THIS, "steps": [str(step) for step in of_one]}
            for one, of_one in zip(found, steps, strict=True)
        ],
    }  # fmt: skip
