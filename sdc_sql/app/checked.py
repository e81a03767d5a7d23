"""The release file as far as it goes, checked as the command line checks it: its errors have their places.

While columns are undecided and no limit is given, a release file is not run. To measure risk it is enough that what is
said is right: what is missing is filled in for the check alone.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.app.columns import list_undecided
from sdc_sql.app.draft import format_release
from sdc_sql.db.files.work import OWNER
from sdc_sql.errors import ParameterError, ReleaseFileError
from sdc_sql.release.reading.plan import Output, Place
from sdc_sql.release.reading.read import read_release_at

if TYPE_CHECKING:
    from sdc_sql.app.state import State
    from sdc_sql.release.reading.plan import Plan

_NO_LIMIT = "k_anonymity.2.records <= 1000000000000000"  # it is always met; the check asks that a file has one
_LATER = ("to_decide", "steps", "loss", "estimates", "frontier", "series", "rules")


def read_plan(state: State, release: dict[str, Any] | None = None) -> Plan:
    """Return the plan of the roles and the scenarios alone, without steps, loss and outputs.

    Parameters
    ----------
    state
        The state.
    release
        A release file to check; by default that of the state.

    Raises
    ------
    ReleaseFileError
        With every error, each with its place: ``scenarios[0].keys: ...``.
    """
    said = state.release if release is None else release
    asked = {name: value for name, value in said.items() if name not in _LATER}
    scenarios = [dict(scenario) for scenario in asked.get("scenarios", [])]
    unlimited = not any(scenario.get("limits") for scenario in scenarios)
    if unlimited and scenarios:
        scenarios[0]["limits"] = [_NO_LIMIT]
    roles = dict(asked.get("roles", {}))
    left = list_undecided({"roles": roles, "scenarios": scenarios}, state.columns)
    roles["released_as_collected"] = [*roles.get("released_as_collected", []), *left]
    output = {name: value for name, value in asked.get("output", {}).items() if name in {"ids", "households"}}
    asked |= {"scenarios": scenarios, "roles": roles, "output": output}
    file = state.private / f"{secrets.token_hex(8)}.toml"
    try:
        file.touch(OWNER)
        file.write_text(format_release(asked), encoding="utf-8", newline="\n")
        plan = read_release_at(file, Place(Output(Path("released.parquet")), state.source, state.columns))
    finally:
        file.unlink(missing_ok=True)
    return replace(plan, scenarios=(replace(plan.scenarios[0], limits=()), *plan.scenarios[1:])) if unlimited else plan


def check_change(state: State, release: dict[str, Any], place: str) -> None:
    """Refuse a change of which the check says something at a place, as ``scenarios[0].limits[2]``.

    Raises
    ------
    ParameterError
        What the check says, without the place.
    """
    try:
        read_plan(state, release)
    except ReleaseFileError as error:
        for problem in error.problems:
            at, _, said = problem.partition(": ")
            if at == place or at.startswith((f"{place}.", f"{place}[")):
                raise ParameterError(said.removesuffix(f" ({place.partition('.')[0]}).")) from None
