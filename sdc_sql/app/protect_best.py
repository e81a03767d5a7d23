"""The best recoding of the keys of a scenario, as the lattice of their levels gives it: taken by a click."""

from __future__ import annotations

import math
from bisect import bisect_right
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
    from collections.abc import Callable, Mapping

    import duckdb

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.jobs import Job
    from sdc_sql.app.state import State
    from sdc_sql.app.worked import Sides
    from sdc_sql.mask.generalise import Generalisation
    from sdc_sql.release.reading.plan import Plan, Scenario

MOST = 400  # values of a key of which intervals are made
SHOWN = 8  # proposals
FEW = 3  # so many values are classes already
_CLASSES = (10, 5, 3)  # about so many intervals at the levels


@dataclass(frozen=True)
class Proposal:
    """Levels of the keys on which few enough records stand out, and the steps that bring them there."""

    words: str
    loss: float
    suppressed: int
    cells: int
    steps: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Search:
    """What a search found: the proposals, the least loss first.

    ``k`` and ``share`` are what was asked, ``records`` how many there are. ``reached``: whether the proposals leave no
    more of them than was asked; where no intervals do, they are those that leave the fewest.
    """

    proposals: tuple[Proposal, ...]
    k: int
    share: float
    records: int
    reached: bool

    @property
    def least_share(self) -> float:
        """The smallest share that the proposals hold, rounded up: asked for it, each of them is found."""
        most = max((one.suppressed for one in self.proposals), default=0)
        return math.ceil(most / self.records * 10_000) / 10_000


def propose_recodings(
    sides: Sides, scenario: Scenario, k: int, share: float, tell: Callable[[str], None] = lambda _: None
) -> Search:
    """Return the best recodings into intervals of the keys that are numbers, the least loss first.

    At most ``share`` of the records may be in cells below k afterwards: those are left to be suppressed. Where no
    intervals leave so few, the proposals are those that leave the fewest.
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
        points = _choose_breaks([float(value) for value in known]) if key in numbers and len(known) <= MOST else []
        if points:
            breaks[key] = points
            hierarchies[key] = interval_hierarchy(values, points)
        else:
            hierarchies[key] = Hierarchy(tuple((None if value is None else str(value),) for value in values))
    records = sides.records
    if not breaks:
        return Search((), k, share, records, reached=False)
    tell("the lattice of the levels")
    names = {key: hierarchies[key].names for key in data.keys}
    found = generalisations(data._roles, hierarchies, k=k, suppression=share)  # noqa: SLF001 - as its methods take them
    proposals = []
    for one in found:
        levels = {key: names[key].index(name) for key, name in one.levels.items()}
        if one.loss is None or any(level > len(breaks.get(key, ())) for key, level in levels.items()):
            continue  # '*' would be a column without a value
        proposals.append((one.holds, _make_proposal(one, levels, breaks)))
    holding = [proposal for holds, proposal in proposals if holds]
    # (fewer than k suppressed records are no group of k alike: no share lets them be)
    every = [proposal for _, proposal in proposals]
    left = [proposal for proposal in every if proposal.suppressed >= k] or every
    fewest = min((proposal.suppressed for proposal in left), default=0)
    shown = holding or [proposal for proposal in left if proposal.suppressed == fewest]
    best = tuple(sorted(shown, key=lambda one: (one.loss, one.suppressed))[:SHOWN])
    return Search(best, k, share, records, reached=bool(holding))


def _make_proposal(
    found: Generalisation, levels: Mapping[str, int], breaks: Mapping[str, list[list[float]]]
) -> Proposal:
    chosen = {key: breaks[key][level - 1] for key, level in levels.items() if level}
    steps = tuple(
        {"mask": "recode", "column": key, "breaks": _as_numbers(points), "ends": "open"}
        for key, points in chosen.items()
    )
    words = "; ".join(f"{key}: {len(points) + 1} intervals" for key, points in chosen.items())
    loss = 0.0 if found.loss is None else found.loss
    return Proposal(words or "as they are", loss, found.suppressed, found.cells, steps)


def _as_numbers(breaks: list[float]) -> list[float]:
    return [int(one) if one == int(one) else one for one in breaks]


def _choose_breaks(values: list[float]) -> list[list[float]]:
    """Return cut points for each level, those of a level among those of the one below.

    Each level joins values that the one below parts: none is proposed twice under other cut points.

    Examples
    --------
    >>> _choose_breaks([float(age) for age in range(20, 70)])
    [[25.0, 30.0, 35.0, 40.0, 45.0, 50.0, 55.0, 60.0, 65.0], [30.0, 40.0, 50.0, 60.0], [40.0, 60.0]]
    >>> _choose_breaks([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])  # a cut point at each of them would join none
    [[2.0, 4.0], [4.0]]
    """
    if len(values) <= FEW:
        return []
    low, high = min(values), max(values)
    width = _round_up((high - low) / _CLASSES[0])
    found: list[list[float]] = []
    classes = len(values)
    for times in (1, 2, 4, 8, 16):
        wide = width * times
        first = (low // wide + 1) * wide
        points = [first + wide * i for i in range(int((high - first) // wide) + 1)]
        points = [float(f"{p:.12g}") for p in points if low < p <= high]
        filled = len({bisect_right(points, value) for value in values})
        if points and filled < classes and len(found) < len(_CLASSES):
            found.append(points)
            classes = filled
    return found


def _round_up(width: float) -> float:
    power = 10.0 ** len(str(int(width))) / 10 if width >= 1 else 1.0
    while power > width:
        power /= 10
    return next(power * f for f in (1, 2, 5, 10) if power * f >= width * (1 - 1e-9))


def serve(desk: Desk) -> None:
    """Register the part, and what is done in it."""
    state = desk.state

    def find(scenario: str, k: int, share: float) -> Job[Search]:
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
            tags.label("records that are alike, at least (k)", for_="best-k"),
            tags.input(type="text", inputmode="numeric", size="4", id="best-k", name="k", value=chosen["k"]),
            tags.label("share of the records left to be suppressed, at most", for_="best-share"),
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
        head = TagList(about, form, show_problem(desk, "protect-best"))
        taken, version = desk.read_choice("protect_taken", ("", -1))
        if asked is None or taken:
            done = f"Taken: {taken}. It stands in the list of steps now." if version == state.version else ""
            return TagList(head, tags.p(done, class_="hint", role="status") if done else None)
        job = find(asked["scenario"], int(asked["k"]), float(asked["share"]))
        return TagList(head, show_job(job, _write_search, what="Searching"))

    _serve_search(desk, find)


def _serve_search(desk: Desk, find: Callable[[str, int, float], Job[Search]]) -> None:
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
        desk.choose("protect_taken", ("", -1))

    @desk.on("protect_take")
    def _(sent: dict[str, Any]) -> None:
        asked: Any = desk.read_choice("protect_best", None)
        if asked is None:
            raise ParameterError("Search first.")
        found = find(asked["scenario"], int(asked["k"]), float(asked["share"])).result
        if found is None:
            raise ParameterError("Wait until the search has ended.")
        taken = found.proposals[int(sent["row"])]

        def edit(release: dict[str, Any]) -> None:
            for step in taken.steps:
                protect_list.put_item(release, dict(step))

        state.change("the best recoding", edit)
        desk.choose("protect_taken", (taken.words, state.version))  # what was found is of the file before it


def _make_run(
    state: State, plan: Plan, name: str, k: int, share: float
) -> Callable[[duckdb.DuckDBPyConnection, Callable[[str], None]], Search]:
    worked = find_worked(state)

    def run(cursor: duckdb.DuckDBPyConnection, tell: Callable[[str], None]) -> Search:
        scenario = next((s for s in plan.scenarios if s.name == name), None)
        if scenario is None:
            raise ParameterError(f"There is no scenario {name}.")
        with worked.open(cursor, plan, tell) as sides:
            return propose_recodings(sides, scenario, k, share, tell)

    return run


_LOSS = "How much of what the keys tell is lost, as the intervals are wide: 0 is nothing, 1 is all (generalised loss)."
_LEFT = (
    "Records that fewer than k share all their keys with, after the recoding: local suppression takes values out of "
    "them afterwards."
)
_CELLS = "So many different combinations of the keys are left (cells); fewer are coarser."


def _list_heads(k: int) -> tuple[Head, ...]:
    return (
        Head("recoding"), Head("loss", number=True, meaning=_LOSS),
        Head(f"records in groups below {k}", number=True, meaning=_LEFT),
        Head("combinations left", number=True, meaning=_CELLS), Head("take"),
    )  # fmt: skip


def _write_search(found: Search) -> TagList:
    if not found.proposals:
        return TagList(
            tags.p(
                f"There is no key of numbers with more than {FEW} and at most {MOST} values, of which intervals could "
                "be made. Recode categories above: merge some, or go to a level of a hierarchy.",
                class_="hint", role="status",
            )
        )  # fmt: skip
    heads = _list_heads(found.k)
    rows = [write_row(_list_cells(i, one), heads) for i, one in enumerate(found.proposals)]
    return TagList(
        None if found.reached else _say_least(found),
        write_table("protect-proposals", "The recodings that lose least", heads, rows),
        tags.details(
            tags.summary("What these columns mean"),
            tags.dl(*(part for head in heads if head.meaning for part in (tags.dt(head.words), tags.dd(head.meaning)))),
            class_="help", id="protect-proposals-what",
        ),
    )  # fmt: skip


def _say_least(found: Search) -> Tag:
    fewest = found.proposals[0].suppressed
    few = f"{fewest:,} of {found.records:,} records"
    if fewest < found.k:
        said = (
            f"Whatever the intervals, {few} are left in groups below {found.k}: too few to be alike when they are "
            "suppressed. These ways leave no more, the least loss first. Recode categories as well."
        )
    else:
        said = (
            f"No intervals leave at most {found.share:g} of the records in groups below {found.k}. The smallest share "
            f"that they reach is {found.least_share:g} ({few}): these are the ways that do, the least loss first. To "
            "come below it, recode categories as well, or let a key leave."
        )
    return tags.p(said, class_="hint", role="status")


def _list_cells(number: int, one: Proposal) -> tuple[object, ...]:
    take = button(
        "Take", "protect_take", row=number, id=f"best-take-{number}", place="protect-best", disabled=not one.steps,
        spoken=f"Take: {one.words}",
    )  # fmt: skip
    return one.words, format_short(float(one.loss)), one.suppressed, one.cells, take
