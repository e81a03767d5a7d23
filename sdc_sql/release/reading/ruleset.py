"""Rulesets: what a file must keep, by name or in a file of one's own, each with its version and source."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.errors import ParameterError
from sdc_sql.release.reading.problems import NUMBERS, TABLE, TABLES, TEXT, TEXTS, TRUTH, WHOLE, Problems, hint_nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.release.reading.problems import Kind

# The rows of these verbs are rules; the number says how many rules there are.
CHECKS = {"research": ("research_file_rules", 5), "public": ("public_use_file_rules", 10)}
_NUMBERED = re.compile(r"[1-9]\d*")
FIELDS: Mapping[str, Kind] = {
    "name": TEXT, "version": TEXT, "title": TEXT, "source": TEXT, "check": TEXT, "threshold": NUMBERS,
    "limits": TEXTS, "thresholds": TABLES, "look": TABLE, "values": TABLE, "coarsening": TABLES, "unchecked": TEXTS,
}  # fmt: skip
THRESHOLD: Mapping[str, Kind] = {"rule": WHOLE, "threshold": NUMBERS, "levels": TRUTH}


@dataclass(frozen=True)
class Ruleset:
    """What a ruleset says, checked.

    ``limits`` and ``threshold`` are for each scenario; ``check`` is the macro whose rows are rules; ``thresholds`` are
    rules too, or stand in the place of some; ``look`` says of rules what a person looks at where they are not measured;
    ``coarsening`` are steps by variable, ``values`` what they take from the release file; ``unchecked`` is what nobody
    checks here.
    """

    name: str
    version: str
    source: str
    text: str
    title: str = ""
    check: str | None = None
    threshold: float | tuple[float, ...] | None = None
    limits: tuple[str, ...] = ()
    thresholds: tuple[Mapping[str, Any], ...] = ()
    look: Mapping[int, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    coarsening: tuple[Mapping[str, Any], ...] = ()
    unchecked: tuple[str, ...] = ()

    @property
    def rules(self) -> set[int]:
        """The numbers of its rules."""
        measured = range(1, CHECKS[self.check][1] + 1) if self.check else ()
        return {*measured, *self.look, *(t["rule"] for t in self.thresholds)}

    @property
    def variables(self) -> list[str]:
        """The variables that it coarsens."""
        return list(dict.fromkeys(step["variable"] for step in self.coarsening))


@dataclass(frozen=True)
class Rules:
    """A ruleset and what the release file says for it; ``facts`` are the arguments of its check."""

    ruleset: Ruleset
    facts: Mapping[str, Any] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    looked_at: tuple[int, ...] = ()
    steps: tuple[tuple[str, Mapping[str, Any]], ...] = ()  # the steps of the coarsening, each with its place

    def __str__(self) -> str:
        """Return the name and version."""
        return f"{self.ruleset.name} {self.ruleset.version}"


def list_rulesets() -> list[str]:
    """Return the names of the rulesets there are; in those of a family N stands for a number.

    Examples
    --------
    >>> list_rulesets()
    ['eu-silc-research', 'k-N', 'nl-public', 'nl-research', 'threshold-N']
    """
    files = (file.name for file in resources.files("sdc_sql.release.reading").joinpath("rulesets").iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


def read_shipped_text(name: str) -> str:
    """Return the text of a ruleset by its name.

    Raises
    ------
    ParameterError
        Where there is none of that name; it names the nearest.

    Examples
    --------
    >>> read_shipped_text("k-7").splitlines()[1]
    'name = "k-7"'
    """
    family, _, number = name.rpartition("-")
    numbered = _NUMBERED.fullmatch(number) is not None and f"{family}-N" in list_rulesets()
    if not numbered and (name not in list_rulesets() or name.endswith("-N")):
        raise ParameterError(
            f"there is no ruleset {name!r}{hint_nearest(name, list_rulesets())} N is a whole number, as in k-5; the "
            "path of a file "
            "of your own ends in .toml."
        )
    return find_shipped_file(f"{family}-N").replace("{N}", number) if numbered else find_shipped_file(name)


def find_shipped_file(name: str) -> str:
    """Return the file of one of the names there are; in that of a family {N} stands for the number."""
    file = resources.files("sdc_sql.release.reading").joinpath("rulesets", f"{name}.toml")
    return file.read_text(encoding="utf-8")


def read_ruleset_text(name: str, folder: Path) -> str:
    """Return the text of a ruleset by its name, or by the path of a file, from a folder on.

    Raises
    ------
    ParameterError
        Where there is none.
    """
    if not name.endswith(".toml"):
        return read_shipped_text(name)
    path = folder / Path(name).expanduser()
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ParameterError(f"there is no ruleset {path}, or it cannot be read.") from None


def parse_ruleset(text: str, problems: Problems, place: str = "rules") -> Ruleset | None:
    """Return what a ruleset says; where it has errors, add them to the problems and return None."""
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problems.add(place, f"the ruleset is no TOML: {error}.")
        return None
    own = Problems()
    given = own.table("", said, FIELDS)
    _check_fields(given, own)
    if own.found:
        problems.found += [f"{place} ({given.get('name', 'a ruleset')}): {problem}" for problem in own.found]
        return None
    threshold = given.get("threshold")
    return Ruleset(
        given["name"], given["version"], given["source"], text, given.get("title", ""), given.get("check"),
        tuple(threshold) if isinstance(threshold, list) else threshold, tuple(given.get("limits", [])),
        tuple(given.get("thresholds", [])), {int(n): what for n, what in given.get("look", {}).items()},
        given.get("values", {}), tuple(given.get("coarsening", [])), tuple(given.get("unchecked", [])),
    )  # fmt: skip


def _check_fields(given: dict[str, Any], own: Problems) -> None:
    for name in ("name", "version", "source"):
        if not given.get(name):
            own.add(name, "it is missing: a ruleset has a name, a version and a source.")
    if given.get("check", "research") not in CHECKS:
        own.add("check", f"it must be one of {', '.join(CHECKS)}.")
    _check_rows(given, own)
    if not all(map(_NUMBERED.fullmatch, given.get("look", {}))):
        own.add("look", "its names must be the numbers of rules.")
    for name in ("look", "values"):
        if not all(isinstance(v, str) for v in given.get(name, {}).values()):
            own.add(name, "each must be a text.")
    if not {"check", "limits", "thresholds", "look"} & {name for name, value in given.items() if value}:
        own.add("limits", "it has no check, limits, thresholds or look: nothing could be refused.")


def _check_rows(given: dict[str, Any], own: Problems) -> None:
    for i, row in enumerate(given.get("thresholds", [])):
        its = own.table(f"thresholds[{i}]", row, THRESHOLD)
        own.found += [f"thresholds[{i}].{n}: it is missing." for n in ("rule", "threshold") if n not in its]
    for i, row in enumerate(given.get("coarsening", [])):
        if not isinstance(row.get("variable"), str):
            own.add(f"coarsening[{i}].variable", "it is missing: of which variable it is.")
        groups = row.get("groups", {})
        if not isinstance(groups, dict) or not all(TEXTS[0](values) for values in groups.values()):
            own.add(f"coarsening[{i}].groups", "it must be lists of values by label.")
