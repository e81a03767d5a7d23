"""How many records are in cells of each size, and how many have an individual risk of each class."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.table import fetch_rows
from sdc_sql.roles import complete_roles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc_sql.microdata import Microdata

# The classes are the same for every file, so that two files, or one before and after, are seen side by side.
FREQUENCIES = (1, 2, 3, 4, 5, 10, 20, 50, 100)  # each class begins here
RISKS = (0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # each class ends here
SIZES = ("1", "2", "3", "4", "5 to 9", "10 to 19", "20 to 49", "50 to 99", "100 or more")
LEVELS = (f"up to {RISKS[0]:g}", *(f"{low:g} to {high:g}" for low, high in pairwise(RISKS)))
Rows = tuple[dict[str, Any], ...]


def measure_distributions(data: Microdata, weight: str | float | None) -> tuple[Rows, Rows]:
    """Return cells and records by sample frequency, and records by individual risk where there is a weight.

    Examples
    --------
    >>> import sdc_sql
    >>> by_frequency, by_risk = measure_distributions(sdc_sql.example(), "w")
    >>> by_frequency[:2]
    ({'frequency': '1', 'cells': 1, 'records': 1}, {'frequency': '2', 'cells': 1, 'records': 2})
    >>> [row for row in by_risk if row["records"]]
    [{'individual_risk': '0.05 to 0.1', 'records': 2}, {'individual_risk': '0.1 to 0.2', 'records': 1}]
    """
    frequency, risk = exp.column("sdc__f"), exp.column("sdc__risk")
    table = complete_roles(data._roles)[0].table  # noqa: SLF001 - as its methods take them
    if weight is None:
        cells = query.call_macro("sdc__cells", table, data.keys, None, data.nulls)
        reached: exp.Expression = exp.Null()
    else:
        cells = query.call_macro(
            "sdc__cell_risk", table, data.keys, weight, data.nulls, small_weights=data.small_weights
        )
        reached = _number_class(RISKS, lambda limit: risk > limit)
    counted = (
        exp.select(
            exp.alias_(_number_class(FREQUENCIES[1:], lambda least: frequency >= least), "size"),
            exp.alias_(reached, "class"),
            exp.alias_(exp.Count(this=exp.Star()), "cells"),
            # the sum of whole numbers is an int of Python's
            exp.alias_(exp.cast(exp.Sum(this=exp.column("sdc__records")), "BIGINT"), "records"),
        )
        .from_(cells.subquery("c"))
        .group_by(exp.Literal.number(1), exp.Literal.number(2))
    )
    rows = fetch_rows(data.con, counted)
    by_frequency = tuple(
        {"frequency": name, **{n: sum(r[n] for r in rows if r["size"] == i) for n in ("cells", "records")}}
        for i, name in enumerate(SIZES)
    )
    by_risk = tuple(
        {"individual_risk": name, "records": sum(r["records"] for r in rows if r["class"] == i)}
        for i, name in enumerate(LEVELS)
    )
    return by_frequency, by_risk if weight is not None else ()


def _number_class(limits: Sequence[float], beyond: Callable[[float], exp.Expression]) -> exp.Expression:
    """Return how many limits a value is beyond: the number of its class."""
    parts: list[exp.Expression] = [exp.cast(exp.paren(beyond(limit)), "INTEGER") for limit in limits]
    return reduce(lambda left, right: exp.Add(this=left, expression=right), parts)
