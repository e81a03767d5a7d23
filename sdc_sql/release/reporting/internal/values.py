"""The values of a variable before and after, summed up for a small picture: classes of numbers, or the commonest.

``sdc_value_shares`` has the exact shares. A cell of a table shows a few classes: numbers are counted in one pass,
without a group of each value, and a long tail does not hide the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.table import fetch_rows
from sdc_sql.document.blocks import Bars, Distribution, format_short, make_label
from sdc_sql.release.judging.measured import list_number_columns

if TYPE_CHECKING:
    from sdc_sql.microdata import Microdata
    from sdc_sql.release.running.outcome import Outcome

CLASSES, COMMONEST = 20, 9  # of numbers with more values than the second there are classes
MANY = 100  # of so many values, about, none is counted by itself where they are numbers
TAIL = 0.01  # a long tail stands in the class at its end
OTHERS = "others"


@dataclass(frozen=True)
class _Side:
    """A column of one of the files: its records, those without a value, and about how many values it has."""

    data: Microdata
    name: str
    is_number: bool
    records: int
    missing: int
    values: int

    @cached_property
    def common(self) -> dict[Any, int]:
        """The commonest values with their records, one more than are shown; counted once."""
        value: exp.Expr = exp.column(self.name, quoted=True)
        if not self.is_number:  # lists and dates too are shown as texts
            value = exp.cast(value, "VARCHAR")
        counted = (
            exp.select(exp.alias_(value, "value"), exp.alias_(exp.Count(this=exp.Star()), "records"))
            .from_(_list_rows(self.data))
            .where(exp.not_(exp.column(self.name, quoted=True).is_(exp.null())))
            .group_by(exp.Literal.number(1))
            .order_by(exp.Ordered(this=exp.column("records"), desc=True), exp.Ordered(this=exp.column("value")))
            .limit(COMMONEST + 1)
        )
        return {row["value"]: row["records"] for row in fetch_rows(self.data.con, counted)}


def compare_values(outcome: Outcome, name: str) -> Distribution | None:
    """Return the values of a variable in both files; None where neither has one."""
    return compare_tables(outcome.original, outcome.released, name)


def compare_tables(original: Microdata, released: Microdata, name: str) -> Distribution | None:
    """Return the values of a variable in two tables; None where the first has none.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> compare_tables(data, data, "sex").after.labels
    ('f', 'm')
    """
    before, after = (_describe(data, name) for data in (original, released))
    if before.records == before.missing:
        return None
    if before.is_number and after.is_number and (before.values > MANY or len(before.common) > COMMONEST):
        ends = _find_classes(before)
        return Distribution(name, _sum_classes(before, ends), _sum_classes(after, ends))
    if before.is_number and (before.values > MANY or len(before.common) > COMMONEST):  # labels by now
        return Distribution(name, _sum_classes(before, _find_classes(before)), _sum_values(after, []))
    found = before.common
    labels = _order(found, numbers=before.is_number)
    same = len(found) <= COMMONEST and {*after.common} <= {*found}
    return Distribution(name, _sum_values(before, labels), _sum_values(after, labels if same else []))


def summarise_values(data: Microdata, name: str) -> Distribution | None:
    """Return the values of a variable of one file; None where no record has one.

    Examples
    --------
    >>> import sdc_sql
    >>> summarise_values(sdc_sql.example(), "sex").before.labels
    ('f', 'm')
    """
    side = _describe(data, name)
    if side.records == side.missing:
        return None
    if side.is_number and (side.values > MANY or len(side.common) > COMMONEST):
        return Distribution(name, _sum_classes(side, _find_classes(side)))
    return Distribution(name, _sum_values(side, []))


def count_categories(data: Microdata, name: str, most: int) -> dict[str | None, int] | None:
    """Return how many records have each category, by the text that a mapping finds it by; None: of more than ``most``.

    Examples
    --------
    >>> import sdc_sql
    >>> count_categories(sdc_sql.example(), "sex", 50), count_categories(sdc_sql.example(), "sex", 1)
    ({'f': 2, 'm': 1}, None)
    """
    value = exp.column(name, quoted=True)
    counted = (
        exp.select(
            exp.alias_(exp.Anonymous(this="sdc__mapping_text", expressions=[value]), "value"),
            exp.alias_(exp.Count(this=exp.Star()), "records"),
        )
        .from_(_list_rows(data))
        .group_by(exp.Literal.number(1))
        .order_by(exp.Ordered(this=exp.Min(this=value.copy())))
        .limit(most + 2)  # what is missing is none
    )
    found = {row["value"]: row["records"] for row in fetch_rows(data.con, counted)}
    return found if len({*found} - {None}) <= most else None


def _describe(data: Microdata, name: str) -> _Side:
    value = exp.column(name, quoted=True)
    (row,) = fetch_rows(
        data.con,
        exp.select(
            exp.alias_(exp.Count(this=exp.Star()), "records"), exp.alias_(exp.Count(this=value), "known"),
            exp.alias_(exp.Anonymous(this="approx_count_distinct", expressions=[value.copy()]), "values"),
        ).from_(_list_rows(data)),
    )  # fmt: skip
    number = name in list_number_columns(data)
    return _Side(data, name, number, row["records"], row["records"] - row["known"], row["values"])


def _list_rows(data: Microdata) -> exp.Subquery:
    return query.call_macro("sdc__rows", data.table).subquery("r")


def _order(found: dict[Any, int], *, numbers: bool) -> list[Any]:
    """Return the values that are shown: all in their order, or of many the commonest first."""
    if len(found) > COMMONEST:
        return list(found)[: COMMONEST - 1]
    return sorted(found) if numbers else sorted(found, key=str)


def _sum_values(side: _Side, labels: list[Any]) -> Bars:
    """Return the shares of some values, by default of the commonest, and of all others together."""
    found = side.common
    labels = labels or _order(found, numbers=side.is_number)
    whole = side.records or 1
    counts = [found.get(label, 0) for label in labels]
    rest = side.records - side.missing - sum(counts)
    names = (*(make_label(label) for label in labels), *([OTHERS] if rest else []))
    return Bars(
        names, tuple(count / whole for count in (*counts, *([rest] if rest else []))), missing=side.missing / whole
    )


def _find_classes(side: _Side) -> list[float]:
    """Return the ends of classes of one width, those at the ends with what is beyond them."""
    value = exp.cast(exp.column(side.name, quoted=True), "DOUBLE")
    shares = exp.Array(expressions=[exp.Literal.number(share) for share in (TAIL, 1 - TAIL)])
    bounds = exp.Anonymous(this="approx_quantile", expressions=[value.copy(), shares])
    (row,) = fetch_rows(
        side.data.con,
        exp.select(
            exp.alias_(exp.Min(this=value.copy()), "least"), exp.alias_(exp.Max(this=value.copy()), "most"),
            exp.alias_(bounds, "bounds"),
        ).from_(_list_rows(side.data)).where(exp.Anonymous(this="isfinite", expressions=[value.copy()])),
    )  # fmt: skip
    if row["least"] is None:  # none is finite
        return [0.0, 1.0]
    low, high = row["bounds"]
    # ends that are near are shown as they are
    if row["most"] - row["least"] < 2 * (high - low) or high <= low:
        low, high = row["least"], row["most"]
    if not high > low:
        return [low, low + 1.0]
    return [low + (high - low) * i / CLASSES for i in range(CLASSES + 1)]


def _sum_classes(side: _Side, ends: list[float]) -> Bars:
    value = exp.cast(exp.column(side.name, quoted=True), "DOUBLE")
    place: exp.Expr = exp.Literal.number(0)
    for end in ends[1:-1]:
        place = place + exp.cast(value.copy() >= exp.convert(end), "INTEGER")
    counted = fetch_rows(
        side.data.con,
        exp.select(exp.alias_(place, "place"), exp.alias_(exp.Count(this=exp.Star()), "records"))
        .from_(_list_rows(side.data)).where(exp.not_(value.copy().is_(exp.null()))).group_by(exp.Literal.number(1)),
    )  # fmt: skip
    whole = side.records or 1
    by = {row["place"]: row["records"] / whole for row in counted}
    pairs = list(pairwise(ends))
    shares = tuple(by.get(i, 0.0) for i in range(len(pairs)))
    labels = tuple(f"{format_short(a)} to {format_short(b)}" for a, b in pairs)
    return Bars(labels, shares, tuple(pairs), missing=side.missing / whole)
