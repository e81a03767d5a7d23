"""Which keys, and which combinations of values, put records at risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList, tags

from sdc_sql.app.meaning import explain_measures
from sdc_sql.app.panel import Panel, serve_nothing
from sdc_sql.app.scenario_risk import describe_scenario, find_report
from sdc_sql.app.show import show_job
from sdc_sql.app.tables import Head, write_row, write_table, write_value
from sdc_sql.document.blocks import format_short
from sdc_sql.microdata import Microdata

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.scenario_risk import Asked
    from sdc_sql.report import RiskReport
    from sdc_sql.risk.key_uniques import KeyUniques
    from sdc_sql.risk.threshold_rule import ThresholdSummary

MOST = 20  # sets of keys
KEYS = (
    Head("key"),
    Head("alone without it", number=True, meaning="Records that are alone with the other keys"),
    Head("made unique", number=True, meaning="Records that are alone with all keys, and not without this one"),
)
SETS = (
    Head("keys together"),
    Head("combinations", number=True, meaning="Different combinations of their values"),
    Head("of one record", number=True, meaning="Combinations that a single record has"),
)
WORDS = {
    "sample_frequency": Head("records", number=True, meaning="Records of the file that share these values"),
    "population_frequency": Head("persons", number=True, meaning="Persons of the population, by the weights"),
    "individual_risk": Head("risk of each", number=True, meaning="The probability that such a record is re-identified"),
}


@dataclass(frozen=True)
class Found:
    """What each key adds, and the sets of keys that make most records unique."""

    keys: tuple[KeyUniques, ...]
    sets: tuple[ThresholdSummary, ...]


def draw(desk: Desk, number: int, asked: Asked) -> Tag | TagList:
    """Return what each key adds, the sets of keys that make unique, and the worst combinations of values."""
    state = desk.state

    def run(cursor: duckdb.DuckDBPyConnection, tell: Callable[[str], None]) -> Found:
        tell("what each key adds")
        describe_scenario(state, asked, cursor)
        data = Microdata(cursor, state.table, keys=asked.scenario.keys)
        found = data.risk.key_uniques()
        tell("sets of keys")
        sets = sorted(data.risk.threshold_rule_summary(1), key=lambda row: -row.unsafe_records)
        return Found(tuple(found), tuple(row for row in sets if row.unsafe_records)[:MOST])

    return TagList(
        show_job(desk.find_job(f"keys-{number}", asked.inputs, run), _write_keys, what="Keys"),
        tags.h2("The worst combinations"),
        show_job(find_report(desk, number, asked), _write_riskiest, what="Risk"),
    )


def _write_keys(found: Found) -> TagList:
    keys = sorted(found.keys, key=lambda row: -row.made_unique)
    rows = [write_row((tags.strong(row.variable), row.without, row.made_unique), KEYS) for row in keys]
    sets = [
        write_row((", ".join(row.columns), row.combinations, row.unsafe_records), SETS) for row in found.sets
    ]  # fmt: skip
    return TagList(
        explain_measures("key_uniques", "threshold_rule_summary", key="risk-keys-help"),
        tags.div(
            tags.div(tags.h2("What each key adds"), write_table("risk-keys", "What each key adds", KEYS, rows)),
            tags.div(
                tags.h2("Up to three keys that make unique"),
                write_table("risk-sets", "Up to three keys that make unique", SETS, sets)
                if sets else tags.p("No record is alone with up to three of the keys."),
            ),
            class_="two",
        ),
    )  # fmt: skip


def _write_riskiest(report: RiskReport) -> Tag:
    rows: Sequence[dict[str, Any]] = report.riskiest_keys
    if not rows:
        return tags.p("There is none.")
    measured = [name for name in WORDS if name in rows[0]]
    heads = [*(Head(key) for key in report.keys), *(WORDS[name] for name in measured)]
    written = [
        write_row(
            [
                *(write_value(None if row[key] is None else str(row[key])) for key in report.keys),
                *(format_short(float(row[n])) if isinstance(row[n], float) else row[n] for n in measured),
            ],
            heads,
        )
        for row in rows
    ]
    return write_table(
        "risk-riskiest", "The combinations of values at the greatest risk", heads, written, kind="records"
    )


PANEL = Panel("keys", "Keys and combinations", draw, serve_nothing)
