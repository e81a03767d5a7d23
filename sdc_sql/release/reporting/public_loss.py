"""The losses that the users of a file are told: rounded so that no figure tells of few records.

A loss that is exact says how many records were changed, and of a top-coded income nearly by how much. A share of
records is therefore given in steps of at least ten records. The mean of a distance, which one outlying record may
dominate (it is at most the root of n standard deviations from the mean), is given in steps of no less than 1 / root n.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.macros import find_effect, index_catalogue
from sdc_sql.document.blocks import Points, Table, Text
from sdc_sql.release.reporting.public_steps import is_withheld
from sdc_sql.release.reporting.stages import list_output_columns

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import Outcome

FEWEST = 100  # a file of fewer records tells nothing of its losses
# a file of so many records or more tells its losses in steps of so many per cent
_STEPS = ((1000, 1), (200, 5), (FEWEST, 10))


def round_share(part: int, whole: int) -> float | None:
    """Return a share in per cent, in steps of at least ten records; None of fewer than 100 records.

    Examples
    --------
    >>> round_share(3, 61_395), round_share(600, 61_395), round_share(3, 200), round_share(1, 99)
    (0.0, 1.0, 0.0, None)
    """
    step = next((step for least, step in _STEPS if whole >= least), None)
    return None if step is None else float(step * math.floor(100 * part / whole / step + 0.5))


def find_share_step(records: int) -> int:
    """Return the step, in per cent, in which shares of so many records are told."""
    return next((step for least, step in _STEPS if records >= least), 100)


def coarse(value: float | None, records: int) -> float | None:
    """Return a loss in steps of a power of ten that is at least 1 / root n; None of fewer than 100 records.

    Examples
    --------
    >>> coarse(0.14731, 61_395), coarse(0.14731, 2_000_000), coarse(0.14731, 99)
    (0.15, 0.147, None)
    """
    if value is None or not math.isfinite(value) or records < FEWEST:
        return None
    digits = math.floor(math.log10(math.sqrt(records)))
    return round(value, digits)


def list_withheld_columns(outcome: Outcome) -> set[str]:
    """Return the columns, in small letters, whose masking a loss would help to undo."""
    return {c.lower() for step in outcome.steps if is_withheld(step) for c in step.columns}


def list_told_losses(outcome: Outcome) -> list[dict[str, Any]]:
    """Return the measure, figure, variables and value of each loss that users are told.

    Told are the figures that the measure's header names: bounded means over records. Moments, entropies, models and
    sizes of classes stay inside; so does a loss of a column whose masking it would help to undo, and one over several
    columns that has such a column.
    """
    secret = list_withheld_columns(outcome)
    shown = {c.lower() for c in list_output_columns(outcome)}
    of_all = {c.lower() for c in outcome.plan.loss.columns}
    found = []
    for measure, rows in outcome.loss.items():
        for row in rows:
            named = _name_columns(row)
            if {c.lower() for c in named} & secret or not {c.lower() for c in named} <= shown:
                continue
            if not named and (of_all & secret or not of_all):
                continue
            for figure in find_effect(measure).list_told({}):
                value = coarse(row.get(figure), outcome.records_after)
                if value is not None:
                    found.append(
                        {
                            "measure": measure.replace("_", " "), "figure": figure.replace("_", " "),
                            "variables": ", ".join(named) or "all together", "loss": value,
                        }
                    )  # fmt: skip
    return found


def list_loss_blocks(outcome: Outcome) -> list[Block]:
    """Return the losses: a row for each variable that lost something, the others summed up, and what is measured."""
    told = list_told_losses(outcome)
    if not told:
        return []
    name = {(r["measure"], r["figure"]): _name_figure(r["measure"], r["figure"]) for r in told}
    values = {(r["variables"], name[r["measure"], r["figure"]]): r["loss"] for r in told}
    variables, figures = list(dict.fromkeys(v for v, _ in values)), list(dict.fromkeys(f for _, f in values))
    lossy = [v for v in variables if any(values.get((v, f)) for f in figures)]
    blocks: list[Block] = []
    if lossy:
        rows = tuple((v, *(values.get((v, f)) for f in figures)) for v in lossy)
        blocks.append(Table("Information loss, 0 where nothing is lost", ("variables", *figures), rows))
    none = [v for v in variables if v not in lossy]
    if none:
        least = 10.0 ** -math.floor(math.log10(math.sqrt(outcome.records_after))) / 2
        told_of = f"{', '.join(none)}: no loss by {', '.join(figures)}, or one of less than {least:g}."
        blocks.append(Text(told_of))
    catalogue = index_catalogue()
    macros = {m: catalogue[f"sdc_{m.replace(' ', '_')}"] for m in dict.fromkeys(r["measure"] for r in told)}
    return [*blocks, Points(tuple(f"{m}: {macro.effect.publicly or macro.summary}" for m, macro in macros.items()))]


def _name_figure(measure: str, figure: str) -> str:
    return measure if measure.endswith(figure) else f"{measure}, {figure}"


def _name_columns(row: Any) -> tuple[str, ...]:  # noqa: ANN401 - a row of a measure
    if row.get("variable") is not None:
        return (str(row["variable"]),)
    return tuple(str(c) for c in row.get("columns") or ())
