"""The section of the internal report on a motivated intruder: persons of the source, looked for in the release."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.db.table import fetch_rows
from sdc_sql.document.blocks import Block, Section, Table, Text
from sdc_sql.errors import InputError, SdcError, translate_errors
from sdc_sql.release.judging.measured import list_number_columns
from sdc_sql.release.judging.relabelled import relabel_original

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.microdata import Microdata
    from sdc_sql.release.reading.plan import Scenario
    from sdc_sql.release.running.outcome import Outcome

TITLE = "A motivated intruder"
HOW = {
    "keys": "agrees in all categories, one of those that do at random",
    "distance": "the nearest record",
    "agreement": "agrees in what tells most (Fellegi & Sunter)",
    "ranks": "the nearest in ranks, within the range of a swap",
}
_DRAWN = "sdc_persons_drawn"
_Found = dict[str, "set[object] | str"]  # by linkage the persons found, or why it could not be tried


def list_intruder_sections(outcome: Outcome) -> list[Section]:
    """Return the section; none where the release file asks for none (``[intruder] records = 0``)."""
    records = outcome.plan.intruder
    if records == 0:
        return []
    lacks = _explain_lack(outcome)
    if lacks:
        return [Section(TITLE, (Text(f"No person of the source was looked for in the released file: {lacks}."),))]
    blocks: list[Block] = [_write_scenario(outcome, s.scenario, records) for s in outcome.scenarios]
    whole = "All persons of the source were" if records is None else f"{records:,} persons of the source, or all, were"
    said = (
        f"{whole} looked for in the released file by each linkage that fits the columns, by who knows these as they "
        "are in the source and knows the classes of what was recoded. The secret key draws them. Intervals are "
        "Wilson's, at 95 %."
    )
    return [Section(TITLE, (Text(said), *blocks))]


def _explain_lack(outcome: Outcome) -> str:
    if outcome.plan.roles.id is None:
        return "roles.id is missing, by which it is known who was found"
    try:
        execute(outcome.released.con, "SELECT length(sdc__secret_key())").fetchall()
    except Exception:  # noqa: BLE001 - of DuckDB: there is no key, or one that is no secret
        return "there is no secret key (SDC_KEY), which draws them"
    return ""


def _write_scenario(outcome: Outcome, scenario: Scenario, records: int | None) -> Section:
    known, continuous = _list_known_columns(outcome, scenario)
    gone = [name for name in _list_columns(scenario) if name not in known]
    left = f" Not in the released file: {', '.join(gone)}." if gone else ""
    title = f"Scenario: {scenario.name}"
    if not known:
        return Section(title, (Text(f"Nothing that such an intruder knows is in the released file.{left}"),))
    drawn, found = _look_for_persons(outcome, known, continuous, records)
    tried = {name: persons for name, persons in found.items() if isinstance(persons, set)}
    several = set().union(*tried.values())
    rows = [(how, len(persons)) for how, persons in tried.items()]
    rows = [("by one of them at least", len(several)), *rows] if len(rows) > 1 else rows
    bounds = [_find_interval(outcome.released, count, drawn) for _, count in rows]
    table = Table(
        "", ("found by", "persons found", "of", "per cent", "from", "to"),
        tuple(
            (_name(how), count, drawn, *(round(100 * value, 1) for value in (count / drawn, *of)))
            for (how, count), of in zip(rows, bounds, strict=True)
        ),
    )  # fmt: skip
    worst = bounds[0][1] if bounds else None
    of_all = "" if worst is None else f"{rows[0][1]:,} of {drawn:,}: of all at most {100 * worst:.2g} per cent"
    answer = f"He finds {of_all}. " if of_all else ""
    text = Text(f"{answer}What he knows: {', '.join(known)}.{left}")
    told = [Text(f"{_name(how)}: not tried: {why}") for how, why in found.items() if isinstance(why, str)]
    return Section(title, (text, *([table] if rows else []), *told))


def _name(how: str) -> str:
    return f"{how}: {HOW[how]}" if how in HOW else how


def _list_columns(scenario: Scenario) -> list[str]:
    near = scenario.neighbourhood["columns"] if scenario.neighbourhood else ()
    return list(dict.fromkeys([*scenario.keys, *near]))


def _list_known_columns(outcome: Outcome, scenario: Scenario) -> tuple[list[str], list[str]]:
    """Return the columns that an intruder knows and finds in the release, and which of them are numbers there."""
    there = {name.lower() for name in outcome.released.columns}
    known = [name for name in _list_columns(scenario) if name.lower() in there]
    near = scenario.neighbourhood["columns"] if scenario.neighbourhood else ()
    numbers = list_number_columns(outcome.original) & list_number_columns(outcome.released)
    return known, [n for n in known if n in numbers and n in {*near, *outcome.plan.loss.continuous}]


def _look_for_persons(
    outcome: Outcome, known: list[str], continuous: list[str], records: int | None
) -> tuple[int, _Found]:
    """Return how many persons were drawn, and by linkage whom of them it finds."""
    released = outcome.released
    count = outcome.records_before if records is None else min(records, outcome.records_before)
    categories = [name for name in known if name not in continuous]  # numbers are near, or they are not
    kinds = [known, continuous or None]
    ((fitting,),) = execute(released.con, "SELECT sdc__fitting_linkages(?, ?)", kinds).fetchall()
    try:
        with (
            relabel_original(outcome.original, released, outcome.plan, categories) as source,
            _draw_persons(outcome, known, count) as drawn,
        ):
            given = drawn, source, released.table, known, released.id, continuous or None
            # one after another: together they would hold several times what one does
            return count, {
                how: _try_linkage(
                    released,
                    query.call_macro("sdc__looked_up", *given, how, "", persons=outcome.original.table),
                )
                for how in fitting
            }
    except (InputError, SdcError) as error:  # nobody is drawn
        return count, dict.fromkeys(fitting, str(error))


@contextmanager
def _draw_persons(outcome: Outcome, known: list[str], count: int) -> Iterator[str]:
    """Yield the name of a table of the persons who are looked for, who are the same for each linkage."""
    released = outcome.released
    drawn = query.call_macro("sdc__drawn_persons", outcome.original.table, known, released.id, count, "")
    with translate_errors():
        execute(released.con, create_from_rows(_DRAWN, "TABLE", drawn, temporary=True))
    try:
        yield _DRAWN
    finally:
        released.con.execute(f"DROP TABLE IF EXISTS temp.{_DRAWN}")


def _try_linkage(released: Microdata, found: exp.Select) -> set[object] | str:
    """Return the persons whom a linkage finds, or why it could not be tried."""
    try:
        rows = fetch_rows(released.con, found.where(exp.column("sdc__found")))
    except (InputError, SdcError) as error:
        return str(error)
    return {row["sdc__person"] for row in rows}


def _find_interval(data: Microdata, found: int, drawn: int) -> tuple[float, float]:
    """Return Wilson's interval."""
    rows = execute(
        data.con,
        "SELECT sdc__wilson_rate(?, ?, z), sdc__wilson_error(?, ?, z) FROM (SELECT sdc__interval_quantile(0.95) AS z)",
        [found, drawn, found, drawn],
    )
    ((middle, half),) = rows.fetchall()
    return (0.0 if found == 0 else middle - half, 1.0 if found == drawn else middle + half)
