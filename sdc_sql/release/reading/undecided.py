"""No column leaves by oversight: each is in a role, a scenario, a step, or said to be released as collected."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from sdc_sql.release.proposing import facts
from sdc_sql.session import toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import duckdb

    from sdc_sql.release.reading.plan import Output, Plan, RolesOfColumns, Scenario, Source, Step
    from sdc_sql.release.reading.problems import Problems

FIELD = "roles.released_as_collected"
# roles that are a word, and no column; and what is only said of columns, not decided of them
_WORDS = {"small_weights", "household_columns", "guessed"}
INDENT = "\n    "  # it stands between the lines of one problem


def find_undecided(
    columns: Mapping[str, str], roles: RolesOfColumns, scenarios: Sequence[Scenario], others: Iterable[str]
) -> dict[str, str]:
    """Return the columns, with their types, that are in no role, no scenario and not among the others (of steps)."""
    named = {*_list_role_columns(roles), *others}
    for scenario in scenarios:
        named |= {*scenario.keys, *(scenario.neighbourhood or {}).get("columns", ())}
    return {name: kind for name, kind in columns.items() if name not in named}


def _list_role_columns(roles: RolesOfColumns) -> Iterator[str]:
    """Yield every column that a role names, of whatever roles there are."""
    for field in fields(roles):
        value = getattr(roles, field.name)
        if field.name in _WORDS:
            continue
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from value
        elif isinstance(value, dict):
            yield from value
            yield from (name for names in value.values() for name in names)


def check_columns(
    problems: Problems,
    source: Source,
    columns: Mapping[str, str],
    roles: Mapping[str, Any],
    con: duckdb.DuckDBPyConnection | None = None,
) -> None:
    """Add one problem with all the columns that nobody has decided about; ``roles`` are as the file has them."""
    if not columns:
        return
    known = facts.find_source_facts(source, columns, con)
    are = f"{len(known):,} columns of the source are" if len(known) > 1 else "1 column of the source is"
    decide = (
        "Decide of each: a key of a scenario, a step that masks it, sensitive, or not read at all (identifiers, drop). "
        "Of those that may leave as they were collected, this line says so:"
    )
    lines = [
        f"{FIELD}: {are} in no role, scenario or step, and would leave by oversight:",
        *map(str, known), decide, *([] if roles else ["[roles]"]),
    ]  # fmt: skip
    for field, names in (
        ("drop", [its.name for its in known if its.like_names]),
        ("released_as_collected", [its.name for its in known if not its.like_names]),
    ):
        if names:
            given = roles.get(field, [])
            lines.append(toml.format_line(field, [*given, *names],
                                   "under [roles], in the place of what is there" if given
                                   else "under [roles]" if roles else ""))  # fmt: skip
    problems.found.append(INDENT.join(lines))


def check_to_decide(problems: Problems, questions: Sequence[str]) -> None:
    """Add one problem with all that a proposal left to be decided."""
    if questions:
        head = "to_decide: the file is a proposal, and nothing is run before this list is empty. Decide, and take out:"
        ways = (
            "A column can be a key of a scenario, masked by a step, sensitive, not read at all (identifiers, drop), or "
            "in released_as_collected."
        )
        problems.found.append(INDENT.join([head, *(" ".join(question.split()) for question in questions), ways]))


def check_collected_columns(
    problems: Problems, roles: RolesOfColumns, steps: Sequence[Step], output: Output | None
) -> None:
    """Add a problem for each column that is said to be released as collected, and is not."""
    changed = {name: step.path for step in reversed(steps) for name in step.changes}
    for name in roles.released_as_collected:
        if name in changed:
            problems.add(FIELD, f"{name} is changed by {changed[name]}: take it out of one of them.")
        for field, role in (("ids", roles.id), ("households", roles.household)):
            how = getattr(output, field, "keep")
            if name == role and how != "keep":
                problems.add(FIELD, f'{name} is not: output.{field} is "{how}". Take it out of the list.')


def list_unchanged_columns(plan: Plan, columns: Iterable[str]) -> list[str]:
    """Return those of the released columns that no step of the plan changes, and that are not numbered anew."""
    changed = {name.lower() for step in plan.steps for name in step.changes}
    for how, name in ((plan.output.ids, plan.roles.id), (plan.output.households, plan.roles.household)):
        if how != "keep" and name is not None:
            changed.add(name.lower())
    return [name for name in columns if name.lower() not in changed]
