"""The best recoding of the keys of a scenario, as the lattice of their levels gives it: taken by a click."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckdb import ColumnExpression
from htmltools import Tag, TagList, tags

from sdc_sql.app import protect_list
from sdc_sql.app.show import act, button, show_job, show_problem
from sdc_sql.app.tables import Head, write_row, write_table
from sdc_sql.app.worked import describe_work, find_worked, read_plan
from sdc_sql.document.blocks import format_short
from sdc_sql.errors import ParameterError
from sdc_sql.mask.generalise import generalisations
from sdc_sql.mask.hierarchies import Hierarchy
from sdc_sql.mask.hierarchy_making import interval_hierarchy
from sdc_sql.release.judging.measured import list_number_columns
from sdc_sql.release.reading.plan import RELEASED

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.state import State
    from sdc_sql.app.worked import Sides
    from sdc_sql.release.reading.plan import Plan, Scenario

MOST = 400  # values of a key of which intervals are made
SHOWN = 8  # proposals
_CLASSES = (10, 5, 3)  # about so many intervals at the levels


@dataclass(frozen=True)
class Proposal:
    """Levels of the keys on which few enough records stand out, and the steps that bring them there."""

    words: str
    loss: float
    suppressed: int
    cells: int
    steps: tuple[dict[str, Any], ...]


def propose_recodings(
    sides: Sides, scenario: Scenario, k: int, share: float, tell: Callable[[str], None] = lambda _: None
) -> list[Proposal]:
    """Return the best recodings into intervals of the keys that are numbers, the least loss first.

    At most ``share`` of the records may be in cells below k afterwards: those are left to be suppressed.
    """
    data = sides.describe(RELEASED, scenario)
    numbers = list_number_columns(data) & {*scenario.keys}
    breaks: dict[str, list[list[float]]] = {}
    hierarchies: dict[str, Hierarchy] = {}
    for key in data.keys:
        tell(key)
        own = data.con.table(RELEASED).select(ColumnExpression(key))
        values = [row[0] for row in own.distinct().fetchall()]
        known = [value for value in values if value is not None]
        if key in numbers and 3 < len(known) <= MOST:  # noqa: PLR2004 - fewer values are classes already
            breaks[key] = _choose_breaks([float(value) for value in known])
            hierarchies[key] = interval_hierarchy(values, breaks[key])
        else:
            hierarchies[key] = Hierarchy(tuple((None if value is None else str(value),) for value in values))
    if not breaks:
        return []
    tell("the lattice of the levels")
    names = {key: hierarchies[key].names for key in data.keys}
    found = generalisations(data._roles, hierarchies, k=k, suppression=share)  # noqa: SLF001 - as its methods take them
    proposals = []
    for one in found:
        levels = {key: names[key].index(name) for key, name in one.levels.items()}
        if not one.holds or one.loss is None or any(level > len(breaks.get(key, ())) for key, level in levels.items()):
            continue  # '*' would be a column without a value
        steps = tuple(
            {"mask": "recode", "column": key, "breaks": _as_numbers(breaks[key][level - 1]), "ends": "open"}
            for key, level in levels.items()
            if level
        )
        words = "; ".join(
            f"{key}: {len(breaks[key][level - 1]) + 1} intervals" for key, level in levels.items() if level
        )
        proposals.append(Proposal(words or "as they are", one.loss, one.suppressed, one.cells, steps))
    return sorted(proposals, key=lambda p: p.loss)[:SHOWN]


def _as_numbers(breaks: list[float]) -> list[float]:
    return [int(one) if one == int(one) else one for one in breaks]


def _choose_breaks(values: list[float]) -> list[list[float]]:
    """Return cut points for each level, those of a level among those of the one below.

    Examples
    --------
    >>> _choose_breaks([float(age) for age in range(20, 70)])
    [[25.0, 30.0, 35.0, 40.0, 45.0, 50.0, 55.0, 60.0, 65.0], [30.0, 40.0, 50.0, 60.0], [40.0, 60.0]]
    """
    low, high = min(values), max(values)
    width = _round_up((high - low) / _CLASSES[0])
    found: list[list[float]] = []
    for times in (1, 2, 4):
        wide = width * times
        first = (low // wide + 1) * wide
        points = [first + wide * i for i in range(int((high - first) // wide) + 1)]
        points = [float(f"{p:.12g}") for p in points if low < p <= high]
        if points and (not found or len(points) < len(found[-1])):
            found.append(points)
    return found


def _round_up(width: float) -> float:
    power = 10.0 ** len(str(int(width))) / 10 if width >= 1 else 1.0
    while power > width:
        power /= 10
    return next(power * f for f in (1, 2, 5, 10) if power * f >= width * (1 - 1e-9))


def serve(desk: Desk) -> None:
    """Register the part, and what is done in it."""
    state = desk.state

    def find(scenario: str, k: int, share: float) -> Any:  # noqa: ANN401 - a job
        plan, _ = read_plan(state, state.release)
        return desk.find_job(
            "protect_best", (describe_work(plan), scenario, k, share), _make_run(state, plan, scenario, k, share)
        )

    @desk.part("protect_best")
    def _() -> Tag | TagList:
        names = [s["name"] for s in desk.release().get("scenarios", [])]
        if not names or not desk.release().get("roles", {}).get("id"):
            return tags.p("It needs a scenario, and a column that identifies each record.", class_="hint")
        asked = desk.read_choice("protect_best", None)
        chosen = asked or {"scenario": names[0], "k": "3", "share": "0.01"}
        form = tags.form(
            tags.label("For", for_="best-scenario"),
            tags.select(
                *(tags.option(n, value=n, selected="" if n == chosen["scenario"] else None) for n in names),
                id="best-scenario", name="scenario",
            ),
            tags.label("records that are alike, at least", for_="best-k"),
            tags.input(type="text", inputmode="numeric", size="4", id="best-k", name="k", value=chosen["k"]),
            tags.label("share left to be suppressed, at most", for_="best-share"),
            tags.input(
                type="text", inputmode="decimal", size="6", id="best-share", name="share", value=chosen["share"]
            ),
            tags.button("Search", type="submit", id="best-search"),
            act("protect_search", place="protect-best"), class_="line",
        )  # fmt: skip
        about = tags.p(
            "Of all ways to make intervals of the keys that are numbers, together, those that lose least.",
            class_="hint",
        )
        problem = show_problem(desk, "protect-best")
        if asked is None:
            return TagList(about, form, problem)
        job = find(asked["scenario"], int(asked["k"]), float(asked["share"]))
        return TagList(about, form, problem, show_job(job, _write_proposals, what="Searching"))

    _serve_search(desk, find)


def _serve_search(desk: Desk, find: Callable[[str, int, float], Any]) -> None:
    state = desk.state

    @desk.on("protect_search")
    def _(sent: dict[str, Any]) -> None:
        try:
            k, share = int(str(sent["k"])), float(str(sent["share"]))
        except ValueError:
            raise ParameterError("Give a whole number of records, and a share between 0 and 1, as 0.01.") from None
        if not (2 <= k <= 10**6 and 0 <= share < 1):  # noqa: PLR2004 - as the header says
            raise ParameterError("Give at least 2 records, and a share from 0 to below 1, as 0.01.")
        desk.choose("protect_best", {"scenario": str(sent["scenario"]), "k": str(k), "share": str(share)})

    @desk.on("protect_take")
    def _(sent: dict[str, Any]) -> None:
        asked: Any = desk.read_choice("protect_best", None)
        if asked is None:
            raise ParameterError("Search first.")
        proposals = find(asked["scenario"], int(asked["k"]), float(asked["share"])).result or []
        steps = proposals[int(sent["row"])].steps

        def edit(release: dict[str, Any]) -> None:
            for step in steps:
                protect_list.put_item(release, dict(step))

        state.change("the best recoding", edit)


def _make_run(
    state: State, plan: Plan, name: str, k: int, share: float
) -> Callable[[duckdb.DuckDBPyConnection, Callable[[str], None]], list[Proposal]]:
    worked = find_worked(state)

    def run(cursor: duckdb.DuckDBPyConnection, tell: Callable[[str], None]) -> list[Proposal]:
        scenario = next((s for s in plan.scenarios if s.name == name), None)
        if scenario is None:
            raise ParameterError(f"There is no scenario {name}.")
        with worked.open(cursor, plan, tell) as sides:
            return propose_recodings(sides, scenario, k, share, tell)

    return run


_HEADS = (
    Head("recoding"), Head("loss", number=True, meaning="Generalised loss: 0 nothing is lost, 1 all"),
    Head("records left below", number=True, meaning="In cells of too few records: to be suppressed"),
    Head("cells", number=True), Head("take"),
)  # fmt: skip


def _write_proposals(found: list[Proposal]) -> Tag:
    if not found:
        return tags.p(
            "No way to make intervals is enough: there is no key of numbers with more than three values, or too many "
            "records stand out whatever the intervals. Allow a larger share, or recode categories.",
            class_="hint", role="status",
        )  # fmt: skip
    rows = [
        write_row(
            (
                one.words,
                format_short(float(one.loss)),
                one.suppressed,
                one.cells,
                button(
                    "Take",
                    "protect_take",
                    row=i,
                    id=f"best-take-{i}",
                    place="protect-best",
                    disabled=not one.steps,
                    spoken=f"Take: {one.words}",
                ),
            ),
            _HEADS,
        )
        for i, one in enumerate(found)
    ]
    return write_table("protect-proposals", "The recodings that lose least", _HEADS, rows)
