"""The section of the internal report on a series: what the releases of a table that changes tell together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.document.blocks import Block, Section, Table, Text
from sdc_sql.errors import InputError, SdcError
from sdc_sql.release.judging.measured import describe_table, list_columns
from sdc_sql.series.told_counts import describe_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sdc_sql.figures.asked import Asked
    from sdc_sql.microdata import Microdata
    from sdc_sql.release.running.outcome import Outcome

TITLE = "All releases of the series together"
MEASURES = ("series_disclosure", "series_changes", "series_newcomers")
ATTACKS = {
    "equations": "the equations of all released means, solved together, or the average of what was released",
    "midpoint": "the midpoint of the least and the greatest released number",
    "mode": "the commonest released value, or what another release shows",
    "classes": "the intersection of the classes of several releases",
    "none": "one release tells as much",
}
_NOTE = (
    "The intruder has all releases, links them by the id, and knows the methods and when an original changed. A number "
    "counts as known within a share of the median distance of released values from their originals, a category where "
    "it is right."
)


def write_series_section(outcome: Outcome) -> Section | None:
    """Return the section; None where the release file names no earlier releases.

    They are named by a figure, as in ``[figures.series]`` with ``measure = "series_disclosure"``, ``earlier_originals``
    and ``earlier_releases``: files of the house that have the id.
    """
    series, counted = _find_series(outcome), _list_counts(outcome)
    if series is None:
        return Section(TITLE, tuple(counted)) if counted else None
    earlier = [str(name) for name in series.arguments["earlier_releases"]]
    blocks: list[Block] = [Text(f"Earlier releases that are beside this one: {len(earlier)}. {_NOTE}")]
    released = describe_table(outcome.released.con, outcome.plan, outcome.released.table)
    try:
        columns = _choose_columns(series, released, outcome)
        given = {"original": outcome.original.table, **_list_arguments(series), "columns": columns}
        blocks += [
            *_tell_values(released.linkage.series_disclosure(**given)),
            _show_changes(released.linkage.series_changes(**given)),
            _show_newcomers(released.linkage.series_newcomers(**{n: v for n, v in given.items() if n != "width"})),
        ]
    except (InputError, SdcError) as error:
        return Section(TITLE, (*blocks, Text(f"The releases could not be compared: {error}"), *counted))
    return Section(TITLE, (*blocks, *_list_keys(outcome, earlier), *counted))


def _list_counts(outcome: Outcome) -> list[Block]:
    """Return what the ledger's rule did with records that could not go on as they were released."""
    counts = {n: c for n, c in outcome.kept.get("series_counts", {}).items() if n != "waiting"}  # they are told before
    rows = tuple(describe_counts(counts))
    return [Table("Records that could not go on as they were released", ("what", "number"), rows)] if rows else []


def _find_series(outcome: Outcome) -> Asked | None:
    """Return the figure that names the earlier releases."""
    named = (asked for asked in outcome.plan.asked.values() if asked.measure.name in MEASURES)
    return next((asked for asked in named if asked.arguments.get("earlier_releases")), None)


def _list_arguments(series: Asked) -> dict[str, Any]:
    return {name: value for name, value in series.arguments.items() if name != "columns"}


def _choose_columns(series: Asked, released: Microdata, outcome: Outcome) -> list[str]:
    """Return the columns that the file names, or else all that each of the tables has."""
    if "columns" in series.arguments:
        named = series.arguments["columns"]
        return [named] if isinstance(named, str) else [*named]
    tables = [*series.arguments["earlier_releases"], *series.arguments["earlier_originals"], outcome.original.table]
    there = [{name.lower() for name in list_columns(released.con, str(table))} for table in tables]
    roles = outcome.plan.roles
    left_out = {str(name).lower() for name in (roles.id, roles.household) if name is not None}
    shared = {name.lower() for name in released.columns}.intersection(*there) - left_out
    return [name for name in released.columns if name.lower() in shared]


def _tell_values(rows: Iterable[Any]) -> list[Block]:
    """Return the values that one release and all of them tell, and who came or left."""
    found = [*rows]
    if not found:
        return [Text("No column is in all of the releases.")]
    worst = max(found, key=lambda row: row.gain)
    alone = sum(row.given_alone for row in found)
    said = (
        f"The series tells {100 * worst.gain:.2g} per cent of the values of {worst.variable} that one release hides."
        if worst.gain else "The releases together tell no value that the first with it hides."
    )  # fmt: skip
    if alone:
        said += f" {alone:,} values of records that came or left alone are the difference of two releases."
    values = Table(
        "Values that are known by one release, and by all",
        ("variable", "values", "by one", "by all", "gain, per cent", "by", "suppressed", "of these shown elsewhere"),
        tuple(
            (r.variable, r.values, r.one, r.together, round(100 * r.gain, 2), ATTACKS[r.attack], r.suppressed, r.shown)
            for r in found
        ),
    )
    moved = Table(
        "Values that came or left between two releases",
        ("variable", "values", "given to who knows the others", "given to everybody"),
        tuple((row.variable, row.moved, row.given, row.given_alone) for row in found),
    )
    return [Text(said), values, moved]


def _show_changes(rows: Iterable[Any]) -> Table:
    return Table(
        "What changing tells",
        ("variable", "originals that changed", "seen to change", "stayed", "shown as changed", "certainty",
         "persons' levels", "known by one", "known by all"),
        tuple(
            (r.variable, r.changed, r.changed_shown, r.stayed, r.stayed_shown, r.certainty, r.persons, r.level_one,
             r.level_together)
            for r in rows
        ),
    )  # fmt: skip


def _show_newcomers(rows: Iterable[Any]) -> Table:
    return Table(
        "Categories that only newcomers have",
        (
            "variable",
            "newcomers",
            "categories",
            "show one",
            "of these their own",
            "certainty",
            "that of other newcomers",
        ),
        tuple((r.variable, r.newcomers, r.categories, r.records, r.right, r.certainty, r.usual) for r in rows),
    )


def _list_keys(outcome: Outcome, earlier: Sequence[str]) -> list[Block]:
    """Return for each scenario the joint risk of its keys in all releases."""
    blocks: list[Block] = []
    for scenario in (s.scenario for s in outcome.scenarios):
        data = describe_table(outcome.released.con, outcome.plan, outcome.released.table, scenario.keys)
        keys = [[*scenario.keys]] * (1 + len(earlier))
        try:
            found = data.risk.joint_releases([data.table, *earlier], keys, scenario.k)
        except (InputError, SdcError) as error:
            blocks.append(Text(f"Scenario {scenario.name}: its keys together could not be counted: {error}"))
            continue
        names = {0: "all together", 1: "this one"}
        rows = tuple(
            (names.get(row.release or 0, f"earlier {(row.release or 0) - 1}"), row.records, row.uniques, row.below_k,
             row.expected_correct_matches, row.exposed)
            for row in found
        )  # fmt: skip
        title = f"Keys of {scenario.name} in all releases, by id, k = {scenario.k}"
        blocks.append(
            Table(title, ("release", "records", "uniques", "below k", "expected matches", "safe alone only"), rows)
        )
    return blocks
