"""What a door does with limits: it measures the figures that they name and its report lacks, and judges them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sdc_sql.figures.asked import list_measures
from sdc_sql.figures.condition import Named, check_side, list_named_figures
from sdc_sql.figures.measured import measure_rows
from sdc_sql.figures.renamed import AFTER_PRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sdc_sql.db.showing.results import Result
    from sdc_sql.figures.asked import Asked
    from sdc_sql.figures.measured import Beside
    from sdc_sql.roles import Roles

_THETA = "theta_misclassified"  # one field is looked up beside the others, as among the figures of individual risk


def index_figures(name: str, result: Result | Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the figures of a result by the names of the measures: those after PRAM are of a measure of their own.

    Examples
    --------
    >>> index_figures("theta", {"theta": 0.2, "theta_misclassified": 0.1, "pram": "sex"})
    {'theta': {'theta': 0.2}, 'theta_misclassified': {'theta': 0.1}}
    """
    if result is None:
        return {name: None}
    row: dict[str, Any] = {**result} if isinstance(result, Mapping) else result.to_dict()
    row.pop("pram", None)
    after = {figure for figure in row if figure.endswith(AFTER_PRAM)}
    found: dict[str, Any] = {name: {figure: value for figure, value in row.items() if figure not in after}}
    if _THETA in after:
        found[_THETA] = {"theta": row[_THETA]}
    elif after:
        found[f"{name}{AFTER_PRAM}"] = row
    return found


def check_limits_early(limits: Iterable[str], asked: Mapping[str, Asked], *, holds: bool) -> None:
    """Refuse limits that cannot be read, or that bound the wrong side, before anything is measured."""
    for limit in limits:
        check_side(limit, asked, holds=holds)


def find_asked_k(limits: Iterable[str], k: int, asked: Mapping[str, Asked] | None = None) -> int:
    """Return the greatest k for which a limit asks, at least a given one.

    Examples
    --------
    >>> find_asked_k(["k_anonymity.7.records > 0"], 5)
    7
    """
    asked = list_measures() if asked is None else asked
    rows = (
        n.row
        for limit in limits
        for n in list_named_figures(limit)
        if n.label in asked and asked[n.label].measure.by == ("k",)
    )
    return max([k, *(int(row) for row in rows if row is not None and row.isascii() and row.isdigit())])


def complete_report(
    report: Mapping[str, Any],
    limits: Iterable[str],
    asked: Mapping[str, Asked],
    sides: Mapping[str, tuple[Roles, Beside]],
    progress: Callable[[str], None] = lambda _: None,
    *,
    also: Iterable[str] = (),
) -> dict[str, Any]:
    """Return a report with what the limits name besides.

    Parameters
    ----------
    sides
        The tables that the figures are of, each with what else measures may ask for, by the part of a limit's name:
        ``""``, or ``before``.
    also
        Figures by name that are measured too, whether or not a limit names them.
    """
    found, done = dict(report), set[tuple[str, str]]()
    every_one = [
        *(name for limit in limits for name in list_named_figures(limit)),
        *(Named("", label, None, "") for label in also),
    ]
    for name in every_one:
        there = found.get(name.part, {}) if name.part else found
        as_given = bool(asked[name.label].arguments)  # the report knows nothing of these arguments
        if name.part not in sides or (there.get(name.label) is not None and not as_given) or name[:2] in done:
            continue
        done.add(name[:2])
        progress(name.measured.replace("_", " "))
        rows = measure_rows(asked[name.label], *sides[name.part])
        its = asked[name.label].measure
        value = rows if its.by or "sensitive" in rows[0] else rows[0]
        if name.part:
            found[name.part] = {**there, name.label: value}
        else:
            found[name.label] = value
    return found
