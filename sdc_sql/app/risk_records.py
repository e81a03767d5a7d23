"""The records at the greatest risk, a hundred to a page, with the keys that make them so, and their households."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from duckdb import ColumnExpression, ConstantExpression
from htmltools import Tag, TagList, tags
from sqlglot import exp

from sdc_sql.app.meaning import explain_measures
from sdc_sql.app.panel import Panel
from sdc_sql.app.scenario_risk import describe_scenario
from sdc_sql.app.show import act, button, show_job, show_problem
from sdc_sql.app.stored import store_rows
from sdc_sql.app.tables import ROWS, Head, write_pager, write_row, write_table, write_value
from sdc_sql.db import query
from sdc_sql.document.blocks import format_readable, format_short
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.scenario_risk import Asked
    from sdc_sql.microdata import Microdata

NULL = "NULL"
MEASURED = {
    "sample_frequency": Head("alike", number=True, meaning="Records of the file with the same keys, itself among them"),
    "population_frequency": Head("persons", number=True, meaning="Persons of the population with these keys"),
    "individual_risk": Head("risk", number=True, meaning="The probability that the record is re-identified"),
    "household_risk": Head("household", number=True, meaning="The probability that somebody of its household is"),
}
WHY = Head("unique by", meaning="The smallest sets of keys whose values no other record has (minimal sample uniques)")


@dataclass(frozen=True)
class Ranked:
    """A table of the records by their risk, the worst first, with the figures that it has."""

    table: str
    id: str | None
    figures: tuple[str, ...]


def draw(desk: Desk, number: int, asked: Asked) -> Tag | TagList:
    """Return the worst records."""

    def run(cursor: duckdb.DuckDBPyConnection, tell: Callable[[str], None]) -> Ranked:
        _, data = describe_scenario(desk.state, asked, cursor)
        tell("the risk of each")
        return _rank_records(data, f"sdc_ranked_{number}")

    job = desk.find_job(f"records-{number}", asked.inputs, run)
    return TagList(
        explain_measures("individual_risk", "household_risk", "minimal_sample_uniques", key="risk-records-help"),
        show_job(job, lambda ranked: _draw_page(desk, number, asked, ranked), what="Records"),
    )


def _rank_records(data: Microdata, name: str) -> Ranked:
    """Store the records by their risk: each page of them is read there."""
    if data.weight is None and isinstance(data.sampling_fraction, int | float):
        data = data.weighing(1 / data.sampling_fraction)
    if data.weight is None:
        rows, by = data.risk.frequencies(), ("sample_frequency", False)
    elif data.household is not None:
        rows, by = data.risk.household_risk(), ("household_risk", True)
    else:
        rows, by = data.risk.individual_risk(), ("individual_risk", True)
    figures = tuple(figure for figure in MEASURED if figure in rows.columns)
    kept = [
        ColumnExpression(column) for column in dict.fromkeys([*([data.id] if data.id else []), *data.keys, *figures])
    ]
    first = exp.Ordered(this=exp.column(by[0]), desc=by[1])
    then = [exp.Ordered(this=exp.column(key, quoted=True), desc=False, nulls_first=False) for key in data.keys]
    order = ", ".join(query.write_sql(part) for part in [first, *then])
    store_rows(data.con, rows.select(*kept).order(order), name)
    return Ranked(name, data.id, figures)


def _draw_page(desk: Desk, number: int, asked: Asked, ranked: Ranked) -> TagList:
    page = desk.read_choice("records_page", 0)
    key, value = desk.read_choice("records_filter", ("", ""))
    chosen = (key, value) if key in asked.scenario.keys else ("", "")

    def run(cursor: duckdb.DuckDBPyConnection, _: Callable[[str], None]) -> tuple[int, list[tuple[Any, ...]]]:
        rows = cursor.table(ranked.table)
        if chosen[0]:
            rows = rows.filter(_match_value(*chosen))
        count = desk.state.records if not chosen[0] else int(rows.count("*").fetchall()[0][0])
        return count, rows.limit(ROWS, page * ROWS).fetchall()

    job = desk.find_job(f"ranked-{number}", (asked.inputs, page, chosen), run)
    return TagList(
        _write_filter(asked.scenario.keys, chosen),
        show_problem(desk, "records"),
        show_job(job, lambda found: _write_page(desk, number, asked, ranked, found), what="Records"),
    )


def _match_value(key: str, value: str) -> duckdb.Expression:
    column = ColumnExpression(key)
    return column.isnull() if value == NULL else column.cast("VARCHAR") == ConstantExpression(value)


def _find_reasons(desk: Desk, number: int, asked: Asked, rows: Sequence[tuple[Any, ...]]) -> Any:  # noqa: ANN401 - of the sets of keys by the values of all keys
    """Return the work that finds the minimal sample uniques of some records, known by their keys."""
    keys, name = asked.scenario.keys, f"sdc_reasons_{number}"

    def store(cursor: duckdb.DuckDBPyConnection, tell: Callable[[str], None]) -> str:
        _, data = describe_scenario(desk.state, asked, cursor)
        tell("the keys that make unique")
        found = data.risk.minimal_sample_uniques(None, nulls="category")
        store_rows(cursor, found.select(*map(ColumnExpression, (*keys, "columns"))), name)
        return name

    stored = desk.find_job(f"reasons-{number}", asked.inputs, store)
    if stored.result is None:
        return stored
    wanted = tuple(dict.fromkeys(rows))

    def run(cursor: duckdb.DuckDBPyConnection, _: Callable[[str], None]) -> dict[tuple[Any, ...], list[list[str]]]:
        found: dict[tuple[Any, ...], list[list[str]]] = {}
        if wanted:
            either = reduce(lambda a, b: a | b, (_match_row(keys, row) for row in wanted))
            for *values, columns in cursor.table(name).filter(either).fetchall():
                found.setdefault(tuple(values), []).append(columns)
        return found

    return desk.find_job(f"reasons-page-{number}", (asked.inputs, str(wanted)), run)


def _match_row(keys: Sequence[str], values: Sequence[object]) -> duckdb.Expression:
    same = [
        ColumnExpression(key).isnull() if value is None else ColumnExpression(key) == ConstantExpression(value)
        for key, value in zip(keys, values, strict=True)
    ]
    return reduce(lambda a, b: a & b, same)


def _write_page(
    desk: Desk, number: int, asked: Asked, ranked: Ranked, found: tuple[int, list[tuple[Any, ...]]]
) -> TagList:
    count, rows = found
    page = desk.read_choice("records_page", 0)
    keys, first = asked.scenario.keys, 1 if ranked.id else 0
    # the records that are alone are those that some of their keys make so
    job = _find_reasons(desk, number, asked, [row[first : first + len(keys)] for row in rows])
    reasons = job.result if isinstance(job.result, dict) else {}
    heads = [
        *([Head(ranked.id)] if ranked.id else []), *(MEASURED[n] for n in ranked.figures), WHY, *map(Head, keys),
    ]  # fmt: skip
    written = []
    for row in rows:
        values = row[first : first + len(keys)]
        figures = row[first + len(keys) :]
        sets = sorted(reasons.get(values, []), key=lambda one: (len(one), one))
        why = sets[0] if sets else []
        written.append(
            write_row(
                (
                    *([write_value(str(row[0]))] if ranked.id else []),
                    *(format_short(float(v)) if isinstance(v, float) else v for v in figures),
                    _write_sets(sets, done=isinstance(job.result, dict)),
                    *(_write_key(value, known=key in why) for key, value in zip(keys, values, strict=True)),
                ),
                heads,
            )
        )
    caption = f"Records by risk, the worst first: {asked.scenario.name}"
    return TagList(
        write_pager("records_page", page, count, "records"),
        write_table("risk-records", caption, heads, written, kind="records"),
        show_job(job, lambda _: None, what="Keys that make unique") if not isinstance(job.result, dict) else None,
    )


def _write_sets(sets: Sequence[Sequence[str]], *, done: bool) -> Tag | str:
    if not sets:
        return tags.span("not alone", class_="quiet") if done else "\N{HORIZONTAL ELLIPSIS}"
    shown = "; ".join(" + ".join(map(format_readable, one)) for one in sets[:3])
    more = f" and {len(sets) - 3} more" if len(sets) > 3 else ""  # noqa: PLR2004 - a cell is not a list
    return tags.span(f"{shown}{more}", class_="sets")


def _write_key(value: object, *, known: bool) -> Tag | str:
    """Return the value of a key, which stands out where it is among the few that make the record unique."""
    shown = write_value(None if value is None else str(value))
    return tags.strong(shown) if known else shown


def _write_filter(keys: Sequence[str], chosen: tuple[str, str]) -> Tag:
    options = [tags.option("all records", value="")]
    options += [tags.option(format_readable(key), value=key, selected="" if key == chosen[0] else None) for key in keys]
    return tags.form(
        tags.label("Only where", for_="records-key"),
        tags.select(*options, name="key", id="records-key"),
        tags.label("is", for_="records-value"),
        tags.input(type="text", name="value", id="records-value", value=chosen[1], size="14"),
        tags.button("Filter", type="submit", id="records-set"),
        button("All", "records_all", id="records-all") if chosen[0] else None,
        act("records_filter", place="records"), class_="line",
    )  # fmt: skip


def serve(desk: Desk) -> None:
    """Register what is chosen in the panel."""

    @desk.on("records_page")
    def _(sent: dict[str, Any]) -> None:
        desk.choose("records_page", max(0, min(int(sent["page"]), (desk.state.records - 1) // ROWS)))

    @desk.on("records_filter")
    def _(sent: dict[str, Any]) -> None:
        key = str(sent["key"])
        if key and key not in desk.state.columns:
            raise ParameterError(f"There is no column {key}.")
        desk.choose("records_filter", (key, str(sent["value"]).strip()))
        desk.choose("records_page", 0)

    @desk.on("records_all")
    def _(_: dict[str, Any]) -> None:
        desk.choose("records_filter", ("", ""))
        desk.choose("records_page", 0)


PANEL = Panel("records", "Records (individual risk)", draw, serve)
