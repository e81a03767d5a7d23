"""Levels of identification in the release file: a figure of the threshold rule that has them, and the limit on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, tags

from sdc_sql.app.checked import check_change
from sdc_sql.app.look import read_number
from sdc_sql.app.show import act, show_problem
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.state import State

MEASURE, LABEL = "threshold_rule_summary", "threshold_by_level"


def read_levels(release: Mapping[str, Any], number: int) -> dict[str, str]:
    """Return the level of each key that a limit of a scenario has, by the release file.

    Examples
    --------
    >>> figure = {"measure": MEASURE, "levels": {"very": ["sex"], "identifying": ["age"]}}
    >>> limits = ["threshold_by_level.unsafe_combinations <= 0"]
    >>> read_levels({"figures": {LABEL: figure}, "scenarios": [{"name": "one", "limits": limits}]}, 0)
    {'sex': 'very', 'age': 'identifying'}
    """
    label = _find_label(release, number)
    levels = {} if label is None else release["figures"][label]["levels"]
    return {str(key): level for level, keys in levels.items() for key in keys}


def choose_levels(desk: Desk, number: int) -> dict[str, str]:
    """Return the level of each key that this tab looks at: those of the release file, until others are chosen."""
    chosen: dict[str, str] | None = desk.read_choice(f"levels_{number}", None)
    return read_levels(desk.release(), number) if chosen is None else chosen


def choose_threshold(desk: Desk, number: int) -> Any:  # noqa: ANN401 - a number, several, or None
    """Return the threshold that this tab looks at: that of the release file, until another is chosen."""
    release = desk.release()
    label = _find_label(release, number)
    own = None if label is None else release["figures"][label].get("threshold")
    return desk.read_choice(f"threshold_{number}", None) or own or release["scenarios"][number].get("threshold")


def _find_limits(release: Mapping[str, Any], number: int, label: str) -> list[str]:
    scenarios = release.get("scenarios", [])
    limits = scenarios[number].get("limits", []) if number < len(scenarios) else []
    return [limit for limit in limits if limit.startswith(f"{label}.")]


def _find_label(release: Mapping[str, Any], number: int) -> str | None:
    """Return the name of the figure with levels that a limit of a scenario is on."""
    with_levels = [
        label
        for label, its in release.get("figures", {}).items()
        if its.get("measure") == MEASURE and isinstance(its.get("levels"), dict)
    ]
    return next((label for label in with_levels if _find_limits(release, number, label)), None)


def drop_unused(release: dict[str, Any]) -> None:
    """Take figures with levels that no limit is on any more out of the release file."""
    figures = release.get("figures", {})
    numbers = range(len(release.get("scenarios", [])))
    for label in [*figures]:
        if label.startswith(LABEL) and not any(_find_limits(release, number, label) for number in numbers):
            del figures[label]


def write_kept(desk: Desk, number: int, levels: Mapping[str, str]) -> Tag:
    """Return what makes the levels that are chosen a limit of the release file, and whether they are one."""
    release = desk.release()
    label = _find_label(release, number)
    said = (
        "These levels are for looking, until they are a limit of the release file: a release is refused then that has "
        "more unsafe combinations in any set of keys."
    )
    if label is not None:
        limits = ", ".join(_find_limits(release, number, label))
        same = read_levels(release, number) == dict(levels)
        said = f"The release file has {'these' if same else 'other'} levels, in the limit {limits}."
    at = f"levels-{number}-bound"
    return tags.div(
        show_problem(desk, "levels"),
        tags.p(said, class_="hint", id=f"levels-{number}-said"),
        tags.form(
            tags.label("Unsafe combinations of a set, at most", for_=at),
            tags.input(type="text", inputmode="numeric", name="bound", id=at, value="0", size="8"),
            tags.button("Write as a limit", type="submit", id=f"levels-{number}-write"),
            act("risk_levels_keep", scenario=number, place="levels"), class_="line",
        ),
    )  # fmt: skip


def serve_kept(desk: Desk) -> None:
    """Register what writes the levels to the release file."""

    @desk.on("risk_levels_keep")
    def _(sent: dict[str, Any]) -> None:
        number, bound = int(sent["scenario"]), read_number(str(sent["bound"]))
        chosen, threshold = choose_levels(desk, number), choose_threshold(desk, number)
        desk.state.change(
            "levels of identification",
            lambda release: set_levels(desk.state, release, number, (chosen, threshold, bound)),
        )


def set_levels(state: State, release: dict[str, Any], number: int, said: tuple[Any, Any, Any]) -> None:
    """Let a limit of a scenario be on the threshold rule by levels, and check it as the command line does.

    Parameters
    ----------
    state, release
        The state, and the copy of its release file that is changed.
    number
        Which scenario.
    said
        The level of each key, the threshold, and how many unsafe combinations a set of keys may have.
    """
    chosen, threshold, bound = said
    scenario = release["scenarios"][number]
    levels: dict[str, list[str]] = {}
    for key in scenario["keys"]:
        if chosen.get(key):
            levels.setdefault(chosen[key], []).append(key)
    lacking = [key for key in scenario["keys"] if not chosen.get(key)]
    if lacking:
        raise ParameterError(
            f"Each key needs a level: {', '.join(lacking)} {'has' if len(lacking) == 1 else 'have'} none."
        )
    figures = release.setdefault("figures", {})
    label = _find_label(release, number) or next(
        name for name in (LABEL, *(f"{LABEL}_{i}" for i in range(2, 100))) if name not in figures
    )
    figures[label] = {"measure": MEASURE, "levels": levels}
    if threshold is not None and threshold != scenario.get("threshold"):
        figures[label]["threshold"] = threshold
    limits = [limit for limit in scenario.get("limits", []) if not limit.startswith(f"{label}.")]
    scenario["limits"] = [*limits, f"{label}.unsafe_combinations <= {bound!r}"]
    check_change(state, release, f"figures.{label}")
    check_change(state, release, f"scenarios[{number}].limits[{len(limits)}]")
