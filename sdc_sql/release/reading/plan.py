"""What a release file says, checked: names are as the source spells them, paths absolute."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc_sql.figures.given import name_figures

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import duckdb

    from sdc_sql.figures.asked import Asked
    from sdc_sql.frontier.figures import Figure
    from sdc_sql.release.reading.ruleset import Rules

ORIGINAL = "sdc_original"  # the table that holds the source
RELEASED = "sdc_release"  # the table that the steps change
THIS = "this release"  # the name of the release itself among the candidates of its frontier


@dataclass(frozen=True)
class Source:
    """The raw table: a file, by its content ``Parquet``, ``CSV`` or ``duckdb``, by its ending ``Stata`` or ``SPSS``.

    Or a ``relation`` of the connection that the release runs on, or a table of ``Spark``: then ``path`` is no file but
    its name alone. With Spark ``path`` may be a folder of Parquet files.
    """

    path: Path
    table: str | None = None  # the name of a table of a database
    kind: str = "Parquet"
    relation: str | None = None  # the name of a relation, as query_table takes it


@dataclass(frozen=True)
class RolesOfColumns:
    """What the columns are.

    ``identifiers`` are direct ones: they are not read at all, nor is what is in ``drop``. ``released_as_collected`` are
    those that are in no other role, no scenario and no step, and leave the house as they are.
    """

    id: str | None = None
    weight: str | float | None = None
    small_weights: str = "error"
    sampling_fraction: str | float | None = None
    household: str | None = None
    household_columns: tuple[str, ...] | None = None  # None: the columns that are found to be such in the source
    guessed: tuple[str, ...] = ()  # some of them were found in few households, perhaps by chance
    strata: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()  # these sensitive variables are numbers or ordered categories
    identifiers: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    released_as_collected: tuple[str, ...] = ()
    ghosts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Limit:
    """A condition that must hold; ``path`` says where it stands in the file: ``scenarios[0].limits[1]``."""

    path: str
    text: str
    scenario: str | None = None  # the scenario of the limit; None: the limit is one of the loss, or of an estimate

    @property
    def part(self) -> str:
        """What a limit of no scenario is on: ``estimates``, or ``loss``."""
        return "estimates" if self.path.startswith("estimates[") else "loss"

    def __str__(self) -> str:
        """Return the condition as it is written."""
        return self.text


@dataclass(frozen=True)
class Scenario:
    """What an intruder may know: the keys, and the limits that the released file must keep against them.

    ``nulls`` is None where the file does not say: then NULL counts as a value of its own, and as one that agrees with
    every value once values of the keys were suppressed. ``k``: k-anonymity is measured for 2 .. k. ``threshold`` is
    that of the threshold rule, one number or one for each number of keys. ``neighbourhood`` has the continuous keys
    (``columns``) and the other arguments of that measure. ``text`` says who such an intruder is, and why these keys.
    """

    path: str
    name: str
    keys: tuple[str, ...]
    nulls: str | None = None
    k: int = 5
    threshold: float | tuple[float, ...] | None = None
    limits: tuple[Limit, ...] = ()
    neighbourhood: Mapping[str, Any] | None = None
    text: str = ""


@dataclass(frozen=True)
class Step:
    """A masking step: the verb of Microdata and its arguments by name. A verb for one column is called for each.

    ``verb`` is as the file writes it (``mask = "recode"``); ``scenario`` whose keys are masked; ``where`` which records
    may be changed; ``by_household`` whose households are masked as one record each.
    The rest comes from its declaration: whether it draws, suppresses values, makes them coarser, masks
    numbers (however a CSV file writes them), or leaves records out.
    """

    path: str
    verb: str
    arguments: Mapping[str, Any]
    columns: tuple[str, ...] = ()
    scenario: str | None = None
    where: str | None = None
    draws: bool = False
    suppresses: bool = False
    coarsens: bool = False
    of_numbers: bool = False
    draws_records: bool = False
    by_household: str | None = None
    macros: tuple[str, ...] = ()  # the masks that it may be, each by the name of its macro

    @property
    def changes(self) -> tuple[str, ...]:
        """The columns that it may change: its own, and those that follow them."""
        ghosts = self.arguments.get("ghosts") or {}
        following = (*(name for names in ghosts.values() for name in names), *(self.arguments.get("carry_along") or ()))
        return tuple(dict.fromkeys((*self.columns, *following)))

    def __str__(self) -> str:
        """Return the step in a line: ``recode age: keep first 2``."""
        told = {name: value for name, value in self.arguments.items() if name not in {"columns", "keys"}}
        said = ", ".join(f"{name.replace('_', ' ')} {_format_field(value)}" for name, value in told.items())
        where = f" where {self.where}" if self.where is not None else ""
        return f"{self.verb} {', '.join(self.columns)}{where}{': ' if said else ''}{said}"


@dataclass(frozen=True)
class Loss:
    """The limits on what is lost, over these columns; the others are what some of the measures take."""

    columns: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()
    ordinal: tuple[str, ...] = ()
    continuous: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    dimension: int | None = None


@dataclass(frozen=True)
class Estimate:
    """What users will compute: the arguments of the measure, and the limits on what masking does to it.

    ``name`` is what limits call it, ``title`` what a reader is told.
    """

    path: str
    name: str
    title: str
    arguments: Mapping[str, Any]
    limits: tuple[Limit, ...] = ()

    @property
    def numbers(self) -> set[str]:
        """The columns that it computes with, which are numbers however a CSV file writes them."""
        of_categories = self.arguments["statistic"] in {"count", "share"}
        named = [None if of_categories else self.arguments["variable"], self.arguments.get("weight")]
        return {name for name in (*named, *(self.arguments.get("predictors") or ())) if name is not None}


@dataclass(frozen=True)
class Output:
    """What is written: the released file, and ``documents`` by the field that names them (report, certificate, ...).

    ``ids``: ``drop`` (by default), ``keep`` or ``recode``; ``households``, their numbers: ``recode`` (by default),
    ``keep`` or ``drop``; ``folder``: where all of it goes, if not beside the release
    file. It is made where it is not there.
    """

    path: Path
    ids: str = "drop"
    households: str = "recode"
    documents: Mapping[str, Path] = field(default_factory=dict)
    folder: Path | None = None


@dataclass(frozen=True)
class Place:
    """The place where a release file runs that does not name one itself: a warehouse, with a relation there.

    ``source`` with its ``columns`` stands for that of the file, a relation of ``con``; ``output`` with its documents
    for those of the file, of which the ids are taken; ``release``, where it is given, names this run in the place of
    the file's own name.
    """

    output: Output
    source: Source | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    con: duckdb.DuckDBPyConnection | None = None
    release: str | None = None


@dataclass(frozen=True)
class Candidate:
    """Another release that was considered: its steps, none for the file as it is."""

    path: str
    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Considered:
    """The candidates of the frontier, and the figures by which they are compared with this release."""

    risk: Figure
    loss: Figure
    scenario: str
    max_risk: float | None
    utility: str | None
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Plan:
    """A release file, read and checked against its source.

    ``path`` is the file, ``text`` what stands in it; ``columns`` are those of the source with their types, direct
    identifiers left out. ``rules`` is the name and version of the ruleset. ``roles_after`` are the roles once
    steps have taken a sample, where the weight or the sampling fraction is one number. ``figures`` are measures with
    arguments of their own, by the names that limits have for them.
    """

    path: Path
    text: str
    source: Source
    roles: RolesOfColumns
    scenarios: tuple[Scenario, ...]
    steps: tuple[Step, ...]
    loss: Loss
    output: Output
    columns: Mapping[str, str]
    title: str = ""
    producer: str = ""
    version: str = ""
    description: str = ""
    population: str = ""
    release: str = ""
    rules: str | None = None
    ruleset: Rules | None = None
    frontier: Considered | None = None
    figures: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    estimates: tuple[Estimate, ...] = ()
    intruder: int | None = 1000  # how many persons are looked for in the internal report; None: all
    roles_after: RolesOfColumns | None = None
    governance: Mapping[str, str] = field(default_factory=dict)  # what a board asks, as far as it is given
    series: Mapping[str, Any] | None = None  # the arguments of the release of a series, where it is one
    engine: str = "duckdb"  # what masks the records: duckdb, or spark

    @cached_property
    def asked(self) -> Mapping[str, Asked]:
        """Return the figures that limits can name."""
        return name_figures(self.figures)

    @property
    def released_roles(self) -> RolesOfColumns:
        """What the columns of the released file are: a sample of the records has another sampling fraction."""
        return self.roles if self.roles_after is None else self.roles_after

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Every limit, in the order of the file."""
        of_scenarios = (limit for scenario in self.scenarios for limit in scenario.limits)
        return (*of_scenarios, *self.loss.limits, *(limit for estimate in self.estimates for limit in estimate.limits))

    @property
    def draws(self) -> bool:
        """Whether anything is drawn with the secret key."""
        others = self.frontier.candidates if self.frontier is not None else ()
        steps = (*self.steps, *(step for candidate in others for step in candidate.steps))
        return any(step.draws for step in steps) or self.output.ids == "recode"

    def scenario(self, name: str) -> Scenario:
        """Return the scenario of that name."""
        return next(scenario for scenario in self.scenarios if scenario.name == name)


def _format_field(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_format_field, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} = {_format_field(v)}' for name, v in value.items())}}}"
    return str(value)
