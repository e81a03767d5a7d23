"""What each column is by the release file, and how that is changed: in a role, a key of a scenario, or in a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Release = dict[str, Any]

KEYS = "keys"
SCENARIO = "intruder"  # the name of a first scenario
# fields of [roles] that name one column, and those that name several
SINGLE, SEVERAL = ("id", "weight", "household"), ("strata", "sensitive", "identifiers", "drop", "released_as_collected")


@dataclass(frozen=True)
class Role:
    """What a column can be: the field of the release file, a word for a list, and what it means."""

    field: str
    word: str
    meaning: str


ROLES = (
    Role(
        KEYS, "key",
        "An intruder may know it of a person and look for it: age, sex, region. Risk is measured by the keys.",
    ),
    Role(
        "sensitive", "sensitive",
        "Nobody is to learn it of a person: income, illness. It is measured what a cell tells of its values.",
    ),
    Role(
        "released_as_collected", "as collected",
        "It leaves as it is: no intruder knows it, and it tells nothing that must be protected.",
    ),
    Role(
        "identifiers", "direct identifier",
        "It names a person by itself: a name, an address, a number of insurance. It is not read at all.",
    ),
    Role("drop", "not needed", "It is not read at all, and not released."),
    Role("id", "id", "It tells every record apart. Steps need it; it is left out of the released file."),
    Role(
        "weight", "weight",
        "How many persons of the population a record stands for. Risk in the population is measured by it.",
    ),
    Role(
        "household", "household",
        "It says which records are members of one household: one who is found exposes the others.",
    ),
    Role("strata", "stratum", "A stratum of the sampling design: theta is measured in each."),
)  # fmt: skip
WORDS = {role.field: role for role in ROLES}


def list_roles(release: Mapping[str, Any], columns: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the roles of each column, by the fields of the release file; of keys ``keys``, of steps ``steps``.

    Examples
    --------
    >>> release = {"roles": {"id": "person"}, "scenarios": [{"keys": ["age"]}], "steps": [{"column": "pay"}]}
    >>> list_roles(release, ["person", "age", "pay", "note"])
    {'person': ('id',), 'age': ('keys',), 'pay': ('steps',), 'note': ()}
    """
    found: dict[str, list[str]] = {name: [] for name in columns}
    by_lower = {name.lower(): name for name in found}
    for name, role in _list_named(release):
        spelled = by_lower.get(str(name).lower())
        if spelled is not None and role not in found[spelled]:
            found[spelled].append(role)
    return {name: tuple(roles) for name, roles in found.items()}


def _list_named(release: Mapping[str, Any]) -> Iterator[tuple[object, str]]:
    """Yield every column that the release file names, with what it is there."""
    for field, value in release.get("roles", {}).items():
        if field in SINGLE:
            yield value, field
        elif field in SEVERAL:
            yield from ((name, field) for name in value)
        elif field == "ghosts":
            yield from ((name, field) for key, names in value.items() for name in (key, *names))
    for scenario in release.get("scenarios", []):
        near = scenario.get("neighbourhood", {}).get("columns", [])
        yield from ((name, KEYS) for name in (*scenario.get("keys", []), *near))
    for step in release.get("steps", []):
        yield from ((name, "steps") for name in (step.get("column"), *step.get("columns", []), *step.get("keys", [])))


def list_undecided(release: Mapping[str, Any], columns: Iterable[str]) -> list[str]:
    """Return the columns that nobody has decided about: they would leave by oversight.

    Examples
    --------
    >>> list_undecided({"roles": {"id": "person"}}, ["person", "note"])
    ['note']
    """
    return [name for name, roles in list_roles(release, columns).items() if not roles]


def set_role(release: Release, name: str, field: str) -> None:
    """Let a column be one thing, and nothing else that it was; "" for undecided.

    Examples
    --------
    >>> release = {"roles": {"id": "person"}, "scenarios": []}
    >>> set_role(release, "age", "keys"); set_role(release, "person", "drop")
    >>> release
    {'roles': {'drop': ['person']}, 'scenarios': [{'name': 'intruder', 'keys': ['age']}]}
    """
    remove_roles(release, name, keys=field != KEYS)
    roles, scenarios = release.setdefault("roles", {}), release.setdefault("scenarios", [])
    if field == KEYS:
        if not any(name in scenario.get("keys", []) for scenario in scenarios):
            if not scenarios:
                scenarios.append({"name": SCENARIO, "keys": []})
            scenarios[0].setdefault("keys", []).append(name)
    elif field in SINGLE:
        roles[field] = name
    elif field == "strata":
        roles[field] = [name]
    elif field:
        roles.setdefault(field, []).append(name)


def remove_roles(release: Release, name: str, *, keys: bool = True) -> None:
    """Take a column out of all roles and, where ``keys``, out of the keys of all scenarios."""
    roles = release.setdefault("roles", {})
    for field in [*roles]:
        value = roles[field]
        if field in SINGLE and value == name:
            del roles[field]
            if field == "weight":
                roles.pop("small_weights", None)
        elif isinstance(value, list) and name in value:
            roles[field] = [other for other in value if other != name]
            if not roles[field]:
                del roles[field]
    for scenario in release.get("scenarios", []) if keys else ():
        scenario["keys"] = [other for other in scenario.get("keys", []) if other != name]
