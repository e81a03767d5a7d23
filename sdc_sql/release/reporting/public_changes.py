"""How many values the users of a file no longer have as they were: by variable and by dimension, in round figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.document.blocks import Table, Text, make_label
from sdc_sql.release.reporting import lost, public_loss
from sdc_sql.release.reporting.public_facts import list_columns_as_collected, treatments

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import Outcome

_ROUND = "These figures are round, so that none tells of few records."


def list_change_blocks(outcome: Outcome) -> list[Block]:
    """Return the shares of changed and suppressed values of the treated variables; what is 0 is summed up."""
    withheld = public_loss.list_withheld_columns(outcome) | {c.lower() for c in list_columns_as_collected(outcome)}
    rows = [row for row in lost.count_by_variable(outcome) if row["variable"].lower() not in withheld]
    counted = {
        r["variable"]: tuple(public_loss.round_share(r[n], r["records"]) for n in ("changed", "suppressed"))
        for r in rows
    }
    if not counted or None in next(iter(counted.values())):  # no id, or too few records
        return []
    done = {name: _list_methods(outcome, name) for name in counted}
    shown = tuple((name, done[name], *shares) for name, shares in counted.items() if any(shares))
    blocks: list[Block] = []
    if shown:
        title = "Values that are not the original ones, in per cent"
        blocks.append(Table(title, ("variable", "treatment", "changed", "suppressed"), shown))
    masked = [c for c in _list_masked(outcome) if c.lower() in public_loss.list_withheld_columns(outcome)]
    if masked:
        blocks.append(Text(f"Masked too, and how much is not told, as it would help to undo it: {', '.join(masked)}."))
    few = [name for name, shares in counted.items() if not any(shares)]
    step = public_loss.find_share_step(outcome.records_after)
    if few:
        blocks.append(Text(f"Changed in less than {step / 2:g} per cent of the records: {', '.join(few)}. {_ROUND}"))
    elif shown:
        blocks.append(Text(f"{_ROUND} 0 stands for less than {step / 2:g} per cent."))
    gone = [row["variable"] for row in rows if row["suppressed"]]
    for name, found in lost.count_by_dimension(outcome, gone).items():
        blocks += _write_dimension(name, found, gone)
    return blocks


def _list_masked(outcome: Outcome) -> list[str]:
    there = {c.lower() for t in treatments(outcome) for c in t.columns}
    return [c for c in outcome.columns_after if c.lower() in there]


def _list_methods(outcome: Outcome, column: str) -> str:
    of = (t.method for t in treatments(outcome) if column.lower() in {c.lower() for c in t.columns})
    return ", ".join(dict.fromkeys(of)) or "recoded"


def _write_dimension(name: str, found: list[dict[str, Any]], gone: list[str]) -> list[Block]:
    """Return the suppressions by a dimension, of the variables for which some figure is not 0."""
    share = public_loss.round_share
    rows = [(row["value"], {v: share(row["suppressed"][v], row["records"]) for v in gone}) for row in found]
    shown = [v for v in gone if any(shares[v] for _, shares in rows)]
    if not shown:
        return []
    lines = tuple((make_label(value), *(shares[v] for v in shown)) for value, shares in rows)
    return [Table(f"Suppressed values by {name}, in per cent of its records", (name, *shown), lines)]
