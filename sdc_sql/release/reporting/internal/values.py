"""The values of a variable before and after, summed up for a small picture: classes of numbers, or the commonest.

``sdc_value_shares`` has the exact shares. A cell of a table shows a few classes: numbers are counted in one pass,
without a group of each value, and a long tail does not hide the rest.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.table import fetch_rows
from sdc_sql.document.blocks import Bars, Distribution, format_short, make_label
from sdc_sql.release.judging.measured import list_number_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.microdata import Microdata
    from sdc_sql.release.running.outcome import Outcome

OTHERS = object()  # whatever else there is; no value is it
CLASSES, COMMONEST = 20, 9  # of numbers with more values than the second there are classes
TAIL = 0.01  # a long tail stands in the class at its end


def compare_values(outcome: Outcome, name: str) -> Distribution | None:
    """Return the values of a variable in both files; None where neither has one."""
    sides = (outcome.original, outcome.released)
    numbers = [name in list_number_columns(data) for data in sides]
    few = [_count_values(data, name) for data in sides]
    if not few[0]:
        return None
    if all(numbers) and len(few[0]) > COMMONEST:
        ends = _find_classes(outcome.original, name)
        return Distribution(name, *(_sum_classes(data, name, ends) for data in sides))
    labels = _choose_labels(few[0], ordered=numbers[0])
    if numbers[0] and len(few[0]) > COMMONEST:  # numbers that have become labels
        before = _sum_classes(outcome.original, name, _find_classes(outcome.original, name))
        return Distribution(name, before, _sum_labels(few[1], _choose_labels(few[1], ordered=False)))
    same = {*few[1]} <= {*few[0], None}
    return Distribution(
        name, _sum_labels(few[0], labels),
        _sum_labels(few[1], labels if same else _choose_labels(few[1], ordered=numbers[1])),
    )  # fmt: skip


def _count_values(data: Microdata, name: str) -> dict[Any, int]:
    """Return the records of each value, None among them; of many values the commonest, and the rest as one."""
    value: exp.Expr = exp.column(name, quoted=True)
    if name not in list_number_columns(data):  # lists and dates too are shown as texts
        value = exp.cast(value, "VARCHAR")
    counted = (
        exp.select(exp.alias_(value, "value"), exp.alias_(exp.Count(this=exp.Star()), "records"))
        .from_(query.call_macro("sdc__rows", data.table).subquery("r"))
        .group_by(exp.Literal.number(1))
        .subquery("c")
    )
    place = exp.Window(
        this=exp.RowNumber(),
        order=exp.Order(expressions=[exp.Ordered(this=exp.column("records"), desc=True),
                                     exp.Ordered(this=exp.cast(exp.column("value"), "VARCHAR"))]),
    )  # fmt: skip
    placed = exp.select("value", "records", exp.alias_(place, "place")).from_(counted)
    chosen = exp.column("place") <= COMMONEST + 2
    rows = fetch_rows(
        data.con,
        exp.select("value", "records").from_(placed.subquery("p")).where(chosen | exp.column("value").is_(exp.null())),
    )
    found = {row["value"]: row["records"] for row in rows}
    whole = fetch_rows(data.con, exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(
        query.call_macro("sdc__rows", data.table).subquery("r")))[0]["n"]  # fmt: skip
    rest = whole - sum(found.values())
    return {**found, **({OTHERS: rest} if rest else {})}


def _choose_labels(found: Mapping[Any, int], *, ordered: bool) -> list[Any]:
    values = [value for value in found if value is not None and value is not OTHERS]
    if len(values) > COMMONEST:
        return sorted(values, key=lambda v: (-found[v], str(v)))[: COMMONEST - 1]
    return sorted(values) if ordered else sorted(values, key=str)


def _sum_labels(found: Mapping[Any, int], labels: list[Any]) -> Bars:
    whole = sum(found.values()) or 1
    shares = [found.get(label, 0) / whole for label in labels]
    missing = found.get(None, 0) / whole
    rest = max(0.0, 1 - sum(shares) - missing)
    others = [rest] if len([v for v in found if v is not None]) > len(labels) else []
    names = tuple(make_label(label) for label in labels) + (("others",) if others else ())
    return Bars(names, (*shares, *others), missing=missing)


def _find_classes(data: Microdata, name: str) -> list[float]:
    """Return the ends of classes of one width, those at the ends with what is beyond them."""
    value = exp.cast(exp.column(name, quoted=True), "DOUBLE")
    finite = exp.Anonymous(this="isfinite", expressions=[value.copy()])
    bounds = exp.func(
        "quantile_cont", value.copy(), exp.Array(expressions=[exp.Literal.number(q) for q in (TAIL, 1 - TAIL)])
    )
    rows = exp.select(
        exp.alias_(exp.Min(this=value.copy()), "least"), exp.alias_(exp.Max(this=value.copy()), "most"),
        exp.alias_(bounds, "bounds"),
    ).from_(query.call_macro("sdc__rows", data.table).subquery("r")).where(finite)  # fmt: skip
    (row,) = fetch_rows(data.con, rows)
    if row["least"] is None:
        return []
    low, high = row["bounds"]
    # ends that are near are shown as they are
    if row["most"] - row["least"] < 2 * (high - low) or high <= low:
        low, high = row["least"], row["most"]
    if not high > low:
        return [low, low + 1.0]
    return [low + (high - low) * i / CLASSES for i in range(CLASSES + 1)]


def _sum_classes(data: Microdata, name: str, ends: list[float]) -> Bars:
    whole = exp.alias_(exp.Count(this=exp.Star()), "whole")
    value = exp.cast(exp.column(name, quoted=True), "DOUBLE")
    gone = exp.alias_(
        exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=value.copy().is_(exp.null()))), "gone"
    )
    inner = ends[1:-1]
    place: exp.Expr = exp.Literal.number(0)
    for end in inner:
        place = place + exp.cast(value.copy() >= exp.convert(end), "INTEGER")
    rows = query.call_macro("sdc__rows", data.table).subquery("r")
    counted = fetch_rows(
        data.con,
        exp.select(exp.alias_(place, "place"), exp.alias_(exp.Count(this=exp.Star()), "records"))
        .from_(rows).where(exp.not_(value.copy().is_(exp.null()))).group_by(exp.Literal.number(1)),
    )  # fmt: skip
    (size,) = fetch_rows(data.con, exp.select(whole, gone).from_(rows.copy()))
    total = size["whole"] or 1
    by = {row["place"]: row["records"] / total for row in counted}
    pairs = list(pairwise(ends))
    shares = tuple(by.get(i, 0.0) for i in range(len(pairs)))
    labels = tuple(f"{format_short(a)} to {format_short(b)}" for a, b in pairs)
    return Bars(labels, shares, tuple(pairs), missing=size["gone"] / total)
