"""Read a release file and check all of it against its source, before any work."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import require_small_weights, text_for_message
from sdc_sql.db.files.released_file import IDS
from sdc_sql.db.files.source import ELSEWHERE
from sdc_sql.errors import ParameterError
from sdc_sql.figures.door import find_asked_k
from sdc_sql.figures.given import name_figures
from sdc_sql.release.reading import (
    density,
    engine_fields,
    estimates,
    figures,
    frontier_fields,
    governance,
    rules,
    serial_fields,
    step_fields,
    undecided,
)
from sdc_sql.release.reading.fields import Reading
from sdc_sql.release.reading.plan import Limit, Loss, Output, Place, Plan, RolesOfColumns, Scenario, Source
from sdc_sql.release.reading.problems import (
    COLUMN_OR_NUMBER,
    LISTS,
    NUMBERS,
    TABLE,
    TABLES,
    TEXT,
    TEXTS,
    WHOLE,
    Kind,
    is_whole,
)
from sdc_sql.release.running import formats, raw
from sdc_sql.release.running.documents import DOCUMENTS
from sdc_sql.roles import NULLS

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from sdc_sql.release.reading.plan import Estimate
    from sdc_sql.release.reading.ruleset import Rules

TEXTS_OF_FILE = ("title", "producer", "version", "description", "population", "release")
FILE = dict.fromkeys(TEXTS_OF_FILE, TEXT) | {
    "to_decide": TEXTS, "engine": engine_fields.KIND,
    "rules": rules.KIND, "figures": TABLE, "source": TABLE, "roles": TABLE,
    "scenarios": TABLES, "steps": TABLES, "loss": TABLE, "estimates": TABLES,
    "intruder": TABLE, "frontier": TABLE, "governance": TABLE, "series": TABLE, "output": TABLE,
}  # fmt: skip
SOURCE = {"path": TEXT, "database": TEXT, "table": TEXT}
ROLES = {
    "id": TEXT, "weight": COLUMN_OR_NUMBER, "small_weights": TEXT, "sampling_fraction": COLUMN_OR_NUMBER,
    "household": TEXT, "household_columns": TEXTS,
    "strata": TEXTS, "sensitive": TEXTS, "ordered": TEXTS, "identifiers": TEXTS, "ghosts": LISTS,
    "drop": TEXTS, "released_as_collected": TEXTS,
}  # fmt: skip
SCENARIO = {
    "name": TEXT, "text": TEXT, "keys": TEXTS, "nulls": TEXT, "k": WHOLE, "threshold": NUMBERS,
    "neighbourhood": TABLE, "limits": TEXTS,
}  # fmt: skip
LOSS = {
    "columns": TEXTS, "limits": TEXTS, "ordinal": TEXTS, "continuous": TEXTS, "domains": TEXTS, "dimension": WHOLE,
}  # fmt: skip
INTRUDER = {
    "records": Kind(
        lambda v: v == "all" or (is_whole(v) and v >= 0),
        'a whole number, 0 for none, or "all"',
        {"anyOf": [{"type": "integer", "minimum": 0}, {"const": "all"}]},
    )
}
_HEADS = {"scenarios": "[[scenarios]]"}
OUTPUT = {"path": TEXT, "ids": TEXT, "households": TEXT} | dict.fromkeys(DOCUMENTS, TEXT)


def read_release(path: str | os.PathLike[str], *, output_folder: str | os.PathLike[str] | None = None) -> Plan:
    """Read a release file and check it: its fields, its steps against the methods, its columns against the source.

    Parameters
    ----------
    path
        The release file.
    output_folder
        The folder that the paths of its outputs are relative to, made by the run where it is not there. By default that
        of the file, as for the source.

    Raises
    ------
    ReleaseFileError
        With every error in it, each with its place (``steps[3].k``).
    ParameterError
        Where there is no such file, or it is no TOML.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "release.toml")
    ...     _ = file.write_text('source = 1' + chr(10) + '[outputs]')
    ...     try:
    ...         read_release(file)
    ...     except ValueError as error:
    ...         print(error.problems[0])
    source: it is 1: it must be a table, [name].
    """
    return read_release_at(path, output_folder=output_folder)


def read_release_at(
    path: str | os.PathLike[str], place: Place | None = None, *, output_folder: str | os.PathLike[str] | None = None
) -> Plan:
    """Read a release file as :func:`read_release` does; what ``place`` gives need not be in it."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")  # editors on Windows begin a file with a mark
        said = tomllib.loads(text)
    except OSError:
        raise ParameterError(f"There is no release file {file}, or it cannot be read.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise ParameterError(f"{file} is no TOML file: {reason}.") from None
    if place is not None and place.release is not None:
        said["release"] = place.release
    sections = _Sections(file.absolute(), text, said, FILE)
    sections.folder = None if output_folder is None else Path(output_folder).expanduser().absolute()
    sections.place = place
    return sections.plan()


def read_draft(said: Mapping[str, Any], text: str, file: Path) -> tuple[Plan, tuple[str, ...]]:
    """Return what can be read of a release file that is being made, and its problems, as ``read_release`` has them.

    Whether each column is decided is not asked: the source would be read for it.

    Parameters
    ----------
    said, text
        What stands in the file, as tables and as it is written.
    file
        Where it stands, or will: its paths are relative to its folder.

    Raises
    ------
    ReleaseFileError
        Where its source cannot be read.
    """
    sections = _Sections(file, text, dict(said), FILE)
    sections.drafted = True
    return sections.plan(), tuple(sections.problems.found)


class _Sections(Reading):
    """The sections of the file, each with all its errors kept; ``folder`` is that of the outputs, if it has its own."""

    folder: Path | None = None

    place: Place | None = None

    engine = engine_fields.ENGINES[0]

    drafted: bool = False  # what can be read is wanted, whatever the problems of the rest

    def plan(self) -> Plan:
        """Return the plan; an error with all problems where there are any."""
        elsewhere = {"output"} if self.place else set()
        elsewhere |= {"source"} if self.place and self.place.source else set()
        for section in ("source", "output", "scenarios"):
            if section not in self.said and section not in elsewhere:
                self.problems.add(section, f"the file has no {_HEADS.get(section, f'[{section}]')}.")
        self.engine = engine_fields.read_engine(self)
        source = self._source()
        roles = self._roles()
        ruleset = rules.read_rules(self, roles)
        self.figures = figures.read_figures(self, self.said.get("figures", {}))
        self.asked = name_figures(self.figures)
        scenarios = self._scenarios(roles, ruleset)
        if ruleset is not None:
            ruleset = rules.add_keys(ruleset, scenarios, self.problems)
        added = ruleset.steps if ruleset else ()
        self.named.clear()
        steps = step_fields.read_steps(self, self.said.get("steps", []), roles, scenarios, added=added)
        in_steps = frozenset(self.named)
        output = self._output(source.path if source else None, roles)
        estimated = estimates.read_estimates(self, roles, output)
        for one in estimated:
            self._name_estimate(one)
        loss = self._loss(roles)
        frontier = frontier_fields.read_frontier(self, roles, scenarios)
        unlimited = ruleset is None and scenarios and not any(s.limits for s in scenarios)
        if unlimited and not self.problems.found:
            self.problems.add("scenarios", "none has a limit: nothing could be refused. Give limits, as in "
                              '["k_anonymity.3.records <= 0"].')  # fmt: skip
        undecided.check_collected_columns(self.problems, roles, steps, output)
        undecided.check_to_decide(self.problems, self.said.get("to_decide", []))
        if (
            not self.problems.found and source is not None and not self.drafted
        ):  # a misspelled name would look like no decision otherwise
            keys = ruleset.keys if ruleset else ()
            left = undecided.find_undecided(self.columns, roles, scenarios, {*in_steps, *keys})
            con = self.place.con if self.place else None
            undecided.check_columns(self.problems, source, left, self.said.get("roles", {}), con)
        intruder, governed = self._intruder(), governance.read_governance(self)
        serial = serial_fields.read_series(self, steps)
        if self.engine == "spark":
            engine_fields.check_engine(self, source, roles, steps, elsewhere=self.place is not None)
        if not self.drafted or source is None:
            self.problems.raise_if_any(self.file)
        if self.drafted:
            output = output or Output(self.file.with_name("released.parquet"))
        assert source is not None and output is not None  # noqa: PT018, S101 - or there was a problem
        texts = {name: self.said.get(name, "") for name in TEXTS_OF_FILE}
        return Plan(
            self.file, self.text, source, roles, tuple(scenarios), tuple(steps), loss, output, self.columns, **texts,
            rules=str(ruleset) if ruleset else None, ruleset=ruleset, frontier=frontier, figures=self.figures,
            estimates=estimated, intruder=intruder, governance=governed, series=serial,
            engine=self.engine,
        )  # fmt: skip

    def _name_estimate(self, estimate: Estimate) -> None:
        """Let limits on loss name an estimate, too."""
        if estimate.name in self.figures:
            self.problems.add(f"{estimate.path}.name", f"[figures.{estimate.name}] has this name: give another one.")
        self.figures[estimate.name] = (estimates.MEASURE, dict(estimate.arguments))
        with self.problems.collect_at(f"{estimate.path}.name"):
            self.asked = name_figures(self.figures)

    def _intruder(self) -> int | None:
        """Return how many persons a motivated intruder looks for: None for all, 0 for none."""
        given = self.problems.table("intruder", self.said.get("intruder"), INTRUDER)
        records = given.get("records", 1000)
        return None if records == "all" else int(records)

    def _source(self) -> Source | None:
        given = self.problems.table("source", self.said.get("source"), SOURCE)
        if self.place and self.place.source:
            self.columns = dict(self.place.columns)
            return self.place.source
        if "source" not in self.said:
            return None
        if self.engine == "spark":
            found = engine_fields.describe_spark_source(self, given)
            self.columns = {} if found is None else found[1]
            return None if found is None else found[0]
        ways = [name for name in ("path", "database") if name in given]
        if len(ways) != 1:
            self.problems.add("source", "give either path = (a Parquet or CSV file) or database = with table =.")
            return None
        if "table" in given and ways == ["path"]:
            self.problems.add("source.table", "it goes with database = only.")
        with self.problems.collect_at(f"source.{ways[0]}"):
            if ELSEWHERE.match(given[ways[0]]):
                raise ParameterError(
                    f"{given[ways[0]]} is not on this machine: fetch it first, for a release says which file it was "
                    "made of."
                )
            source, self.columns = raw.describe_source(
                self.resolve_path(given[ways[0]]), given.get("table") if ways == ["database"] else None
            )
            if ways == ["path"] and source.kind == "duckdb":
                self.problems.add("source.path", "it is a database: name it as database =, with table =.")
            return source
        return None

    def _roles(self) -> RolesOfColumns:
        given = self.problems.table("roles", self.said.get("roles"), ROLES)
        found: dict[str, Any] = {}
        for role, words in (("identifiers", "direct identifier"), ("drop", "column")):
            every, path = dict(self.columns), f"roles.{role}"
            found[role] = self.resolve_columns(path, words, given.pop(role, []))
            self.columns = {name: kind for name, kind in every.items() if name not in found[role]}
            self.left_out |= dict.fromkeys(found[role], path)
            if every and not self.columns:
                self.problems.add(path, "no column is left.")
        weights = given.pop("small_weights", None)
        for role, value in given.items():
            words, path = role.replace("_", " "), f"roles.{role}"
            if isinstance(value, str):
                found[role] = self.column(path, words, value)
            elif isinstance(value, list):
                found[role] = self.resolve_columns(path, words, value)
            elif isinstance(value, dict):
                found[role] = {
                    key: self.resolve_columns(f"{path}.{name}", "ghost variable", names)
                    for name, names in value.items()
                    if (key := self.column(path, "key variable", name)) is not None
                }
            else:
                found[role] = value
        if len(found.get("strata", ())) > 1:
            self.problems.add("roles.strata", "it names several columns; give one: their crossing as a column.")
        self._check_household(found)
        self._check_numbers(found.get("weight"), found.get("sampling_fraction"))
        if weights is not None:
            found["small_weights"] = self._small_weights(weights, weighed="weight" in self.said["roles"])
        strange = [name for name in found.get("ordered", ()) if name not in found.get("sensitive", ())]
        if strange:
            self.problems.add("roles.ordered", f"{', '.join(strange)} is none of roles.sensitive.")
        return RolesOfColumns(**{role: value for role, value in found.items() if value is not None})

    def _check_household(self, found: Mapping[str, Any]) -> None:
        """Refuse columns of the household without a household, and the household or the id among them."""
        path, named_ = "roles.household_columns", found.get("household_columns")
        if named_ is None:
            return
        if found.get("household") is None:
            self.problems.add(path, "it goes with roles.household, which is missing.")
        for role in ("household", "id"):
            if found.get(role) in {*named_}:
                self.problems.add(path, f"{found[role]} is roles.{role}, and no column of the household: leave it out.")

    def _check_numbers(self, weight: object, fraction: object) -> None:
        if isinstance(fraction, int | float) and not 0 < fraction < 1:
            self.problems.add("roles.sampling_fraction", f"it is {fraction}: it must lie strictly between 0 and 1.")
        if isinstance(weight, int | float) and not 1e-9 <= weight <= 1e15:  # noqa: PLR2004 - sql/core/checks.sql
            self.problems.add("roles.weight", f"it is {weight}: it must be from 1e-9 to 1e15.")

    def _small_weights(self, given: str, *, weighed: bool) -> str:
        if not weighed:
            self.problems.add("roles.small_weights", "it goes with roles.weight, which is missing.")
        with self.problems.collect_at("roles.small_weights"):
            require_small_weights(given)
        return given

    def _scenarios(self, roles: RolesOfColumns, ruleset: Rules | None) -> list[Scenario]:
        found: list[Scenario] = []
        if self.said.get("scenarios") == []:
            self.problems.add("scenarios", "give one at least: what an intruder may know.")
        for i, row in enumerate(self.said.get("scenarios", [])):
            path = f"scenarios[{i}]"
            given = self.problems.table(path, row, SCENARIO)
            for field in ("name", "keys"):
                if field not in row:
                    self.problems.add(f"{path}.{field}", "it is missing.")
                elif field in given and not given[field]:
                    self.problems.add(f"{path}.{field}", "it is empty.")
            name = given.get("name", "")
            if name in [s.name for s in found]:
                self.problems.add(f"{path}.name", f"there is another scenario {name!r}.")
            if given.get("nulls", NULLS[0]) not in NULLS:
                self.problems.add(
                    f"{path}.nulls", f"it is {text_for_message(given['nulls'])}: one of {', '.join(NULLS)}."
                )
            if given.get("k", 5) < 2:  # noqa: PLR2004 - a group
                self.problems.add(f"{path}.k", f"it is {given['k']}: it must be at least 2.")
            keys = self.resolve_columns(f"{path}.keys", "key variable", given.get("keys", []))
            if roles.id in keys:
                self.problems.add(f"{path}.keys", f"{roles.id} is the id, which tells every record apart.")
            threshold = given.get("threshold")
            scenario = Scenario(
                path, name, keys, given.get("nulls"), given.get("k", 5),
                threshold=tuple(threshold) if isinstance(threshold, list) else threshold,
                neighbourhood=density.read_neighbourhood(self, f"{path}.neighbourhood", given.get("neighbourhood"),
                keys), text=given.get("text", "").strip(),
            )  # fmt: skip
            found.append(self._add_limits(scenario, given, roles, ruleset))
        return found

    def _add_limits(
        self, scenario: Scenario, given: dict[str, Any], roles: RolesOfColumns, ruleset: Rules | None
    ) -> Scenario:
        limits, k = [], scenario.k
        written = [(f"{scenario.path}.limits[{i}]", text) for i, text in enumerate(given.get("limits", []))]
        if ruleset is not None:
            scenario = rules.add_threshold(ruleset, scenario, given, self.problems)
            name = ruleset.ruleset.name
            written += [(f"{scenario.path}, {name} limits[{i}]", t) for i, t in enumerate(ruleset.ruleset.limits)]
        for at, text in written:
            with self.problems.collect_at(at):
                figures.check_risk(text, self.asked, roles, scenario, self._continuous())
                k = find_asked_k([text], k, self.asked)
                limits.append(Limit(at, text, scenario.name))
        return replace(scenario, k=k, limits=tuple(limits))

    def _continuous(self) -> list[str]:
        """Return what [loss] calls continuous, which is read later and checked there."""
        loss = self.said.get("loss")
        named_ = loss.get("continuous") if isinstance(loss, dict) else None
        return [name for name in named_ if isinstance(name, str)] if isinstance(named_, list) else []

    def _loss(self, roles: RolesOfColumns) -> Loss:
        given = self.problems.table("loss", self.said.get("loss"), LOSS)
        lists = {name: self.resolve_columns(f"loss.{name}", "column", given[name]) for name in LOSS if name in given
                 and LOSS[name] is TEXTS and name != "limits"}  # fmt: skip
        limits = []
        for i, text in enumerate(given.get("limits", [])):
            at = f"loss.limits[{i}]"
            with self.problems.collect_at(at):
                figures.check_loss(text, self.asked, given, roles)
                limits.append(Limit(at, text))
        if given.get("limits"):
            if not given.get("columns"):
                self.problems.add("loss.columns", "it is missing: say of which columns the loss is measured.")
            for name in ("ordinal", "continuous"):
                strange = [c for c in lists.get(name, ()) if c not in lists.get("columns", ())]
                if strange:
                    self.problems.add(f"loss.{name}", f"{', '.join(strange)} is none of loss.columns.")
            if roles.id is None:
                self.problems.add("roles.id", "it is missing: loss is measured record by record, found by the id.")
        return Loss(limits=tuple(limits), dimension=given.get("dimension"), **lists)

    def _output(self, source: Path | None, roles: RolesOfColumns) -> Output | None:
        given = self.problems.table("output", self.said.get("output"), OUTPUT)
        if "path" not in given and not self.place:
            if "output" in self.said:
                self.problems.add("output.path", "it is missing: the released file.")
            return None
        paths = {} if self.place else self._paths(given, source)
        ids, households = given.get("ids", "drop"), given.get("households", "recode")
        for name, value, role in (("ids", ids, "id"), ("households", households, "household")):
            if value not in IDS:
                self.problems.add(f"output.{name}", f"it is {text_for_message(value)}: one of {', '.join(IDS)}.")
            if name in given and getattr(roles, role) is None:
                self.problems.add(f"output.{name}", f"it goes with roles.{role}, which is missing.")
        if ids == "recode" and not self.said.get("release"):
            self.problems.add("output.ids", "recoded ids need release =, a name: else two files would link.")
        if self.place:
            return replace(self.place.output, ids=ids, households=households)
        return Output(paths.pop("path"), ids, households, paths, self.folder)

    def _paths(self, given: dict[str, str], source: Path | None) -> dict[str, Path]:
        """Return the paths of the outputs, each of the right ending, in a folder that is there, and its own."""
        taken: dict[Path, str] = {self.file.resolve(): "the release file itself"}
        if source is not None:
            taken[source.resolve()] = "the source"
        paths: dict[str, Path] = {}
        for name in ("path", *DOCUMENTS):
            if name not in given:
                continue
            at = f"output.{name}"
            elsewhere = ELSEWHERE.match(given[name]) is not None
            path = self.resolve_path(given[name]) if self.folder is None else self.folder / given[name]
            endings = (*formats.ENDINGS,) if name == "path" else DOCUMENTS[name].endings
            same = taken.get(path.resolve())
            for wrong, message in (
                (path.suffix.lower() not in endings, f"{given[name]} must end in {', '.join(endings)}."),
                (elsewhere, f"{given[name]} is not on this machine: write a file here, and send that."),
                (
                    not elsewhere and path.parent != self.folder and not path.parent.is_dir(),
                    f"there is no folder {path.parent}.",
                ),
                (same is not None, f"{given[name]} is {same}: give another name."),
            ):
                if wrong:
                    self.problems.add(at, message)
            taken[path.resolve()] = at
            if path.suffix.lower() in formats.FORMATS:
                formats.packages()
            paths[name] = path
        return paths
