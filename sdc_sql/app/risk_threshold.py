"""The threshold rule: combinations of a few keys that too few persons share, by levels of identification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app.look import read_number
from sdc_sql.app.meaning import explain_measures
from sdc_sql.app.panel import Panel
from sdc_sql.app.risk_levels import choose_levels, choose_threshold, serve_kept, write_kept
from sdc_sql.app.scenario_risk import describe_scenario
from sdc_sql.app.show import act, show_job, show_problem
from sdc_sql.app.tables import Head, write_row, write_table
from sdc_sql.document.blocks import format_readable, format_short
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import duckdb

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.scenario_risk import Asked
    from sdc_sql.risk.threshold_rule import ThresholdSummary, UnsafeCombination

LEVELS = {
    "": "no level",
    "extremely": "extremely identifying",
    "very": "very identifying",
    "identifying": "identifying",
}
MOST = 50
SUMMARY = (
    Head("keys together"),
    Head("threshold", number=True),
    Head("combinations", number=True, meaning="Different combinations of their values"),
    Head("unsafe", number=True, meaning="Combinations that no more persons share than the threshold"),
    Head("records", number=True, meaning="Records with an unsafe combination"),
    Head("rarest", number=True, meaning="Persons (or records) who share the rarest combination"),
)
COMBINATIONS = (
    Head("combination"),
    Head("records", number=True),
    Head("persons or records", number=True, meaning="Persons of the population where there is a weight, else records"),
)


@dataclass(frozen=True)
class Found:
    """The summary of each set of keys, and the rarest combinations."""

    sets: tuple[ThresholdSummary, ...]
    rarest: tuple[UnsafeCombination, ...]


def draw(desk: Desk, number: int, asked: Asked) -> Tag | TagList:
    """Return the unsafe combinations of a scenario."""
    levels = {key: its for key, its in choose_levels(desk, number).items() if key in asked.scenario.keys}
    threshold = choose_threshold(desk, number)
    form = TagList(_write_form(number, asked, levels, threshold), write_kept(desk, number, levels) if levels else None)
    help_ = explain_measures("threshold_rule_summary", "threshold_rule", key="risk-threshold-help")
    if threshold is None:
        said = (
            "Give a threshold: for a file with weights in persons of the population, as 20000, else in records, as 3."
        )
        return TagList(show_problem(desk, "threshold"), form, help_, tags.p(said))
    lacking = [format_readable(key) for key in asked.scenario.keys if key not in levels]
    if levels and lacking:
        said = (
            f"Give a level to each key, or to none: {', '.join(lacking)} {'has' if len(lacking) == 1 else 'have'} none."
        )
        return TagList(show_problem(desk, "threshold"), form, help_, tags.p(said, role="status"))
    given = {level: [key for key, its in levels.items() if its == level] for level in LEVELS if level}
    by_level = given if any(given.values()) else None

    def run(cursor: duckdb.DuckDBPyConnection, tell: Callable[[str], None]) -> Found:
        _, data = describe_scenario(desk.state, asked, cursor)
        tell("sets of keys")
        limit = list(threshold) if isinstance(threshold, list | tuple) else threshold
        sets = tuple(data.risk.threshold_rule_summary(limit, levels=by_level))
        tell("combinations")
        rarest = data.risk.threshold_rule(limit, levels=by_level)
        return Found(sets, tuple(rarest[:MOST]))

    job = desk.find_job(f"threshold-{number}", (asked.inputs, str(threshold), str(by_level)), run)
    return TagList(
        show_problem(desk, "threshold"), form, help_, show_job(job, _write_found, what="Combinations of keys")
    )


def serve(desk: Desk) -> None:
    """Register what is chosen in the panel."""

    @desk.on("risk_level")
    def _(sent: dict[str, Any]) -> None:
        name, level = f"levels_{int(sent['scenario'])}", str(sent["value"])
        if level not in LEVELS:
            raise ParameterError("There is no such level.")
        levels = {**choose_levels(desk, int(sent["scenario"])), str(sent["column"]): level}
        desk.choose(name, {key: its for key, its in levels.items() if its})

    @desk.on("risk_threshold")
    def _(sent: dict[str, Any]) -> None:
        number, given = int(sent["scenario"]), str(sent["threshold"]).strip()
        threshold = read_number(given) if given else None
        if threshold is not None and threshold <= 0:
            raise ParameterError(f"The threshold is {given}: it must be above 0.")
        desk.choose(f"threshold_{number}", threshold)

    serve_kept(desk)


def _write_form(number: int, asked: Asked, levels: Mapping[str, str], threshold: object) -> TagList:
    selects = [
        tags.div(
            tags.label(format_readable(key), for_=f"level-{number}-{i}"),
            tags.select(
                *(
                    tags.option(words, value=value, selected="" if value == levels.get(key, "") else None)
                    for value, words in LEVELS.items()
                ),
                act("risk_level", scenario=number, column=key, place="threshold"), id=f"level-{number}-{i}",
            ),
        )
        for i, key in enumerate(asked.scenario.keys)
    ]  # fmt: skip
    shown = threshold if isinstance(threshold, int | float) else ""
    return TagList(
        tags.form(
            tags.label("Threshold", for_=f"threshold-{number}"),
            tags.input(
                type="text", inputmode="decimal", name="threshold", id=f"threshold-{number}", value=str(shown),
                size="10",
            ),
            tags.button("Measure", type="submit", id=f"threshold-{number}-set"),
            act("risk_threshold", scenario=number, place="threshold"), class_="line",
        ),
        tags.details(
            tags.summary("Levels of identification"),
            tags.p(
                "Without levels every set of up to three keys is checked. With levels only combinations of one key of "
                "each are: extremely, very and simply identifying. Then each key has a level.",
                class_="hint",
            ),
            tags.div(*selects, class_="fields"),
            id=f"levels-{number}", open="" if levels else None,
        ),
    )  # fmt: skip


def _write_found(found: Found) -> TagList:
    unsafe = [row for row in found.sets if row.unsafe_combinations]
    total = sum(row.unsafe_combinations for row in unsafe)
    if not total:
        return TagList(tags.p(tags.strong(f"No combination is unsafe, in {len(found.sets)} sets of keys.")))
    sets = [
        write_row(
            (
                ", ".join(row.columns), format_short(float(row.threshold)), row.combinations, row.unsafe_combinations,
                row.unsafe_records, format_short(float(row.least_frequency)),
            ),
            SUMMARY,
        )
        for row in sorted(unsafe, key=lambda row: -row.unsafe_combinations)
    ]  # fmt: skip
    return TagList(
        tags.p(tags.strong(f"{total:,} combinations are unsafe, in {len(unsafe)} of {len(found.sets)} sets of keys.")),
        tags.h2("Sets of keys"),
        write_table("threshold-sets", "Sets of keys with unsafe combinations", SUMMARY, sets),
        tags.h2("The rarest of the smallest sets"),
        write_table("threshold-rarest", "Unsafe combinations", COMBINATIONS, _write_rarest(found.rarest)),
    )


def _write_rarest(rarest: Sequence[UnsafeCombination]) -> list[Tag]:
    rows = []
    for row in rarest:
        pairs = zip(row.columns, row.values, strict=True)
        said = ", ".join(f"{format_readable(c)} = {'NULL' if v is None else format_readable(v)}" for c, v in pairs)
        rows.append(write_row((said, row.records, format_short(float(row.frequency))), COMBINATIONS))
    return rows


PANEL = Panel("threshold", "Threshold rule", draw, serve)
