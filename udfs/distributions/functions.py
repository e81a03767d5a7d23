"""Values replaced, rank by rank, by draws from the distribution that fits them (Liew, Choi & Liew 1985), for DuckDB.

A column's fits are lines: what became of a family, its name, its parameters exactly, the statistic, the p-value, and
the parameters as a person reads them. The first line is what is drawn from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function
from sdc_sql.udfs.arguments import require_columns, require_uniforms
from sdc_sql.udfs.arrow_function import TABLE, WHOLES
from sdc_sql.udfs.distributions import goodness, intervals
from sdc_sql.udfs.distributions.continuous import CONTINUOUS
from sdc_sql.udfs.distributions.discrete import DISCRETE
from sdc_sql.udfs.distributions.goodness import FAMILIES, Fit

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

INTERVALS = "intervals"
LINES = "VARCHAR[][]"


def lines(x: Floats, names: tuple[str, ...], significance: float, most: int, *, whole: bool) -> list[str]:
    """Return the fits of a column without missing values, what is drawn from first.

    Raises
    ------
    ValueError
        Where there are fewer than eight values or three different ones, or nothing fits them.
    """
    if not len(x):
        return []
    different = len(np.unique(x))
    if len(x) < goodness.LEAST or different < goodness.DIFFERENT:
        least = goodness.DIFFERENT
        some = f"{min(different, least)}{' or more' * (different >= least)}"
        raise ValueError(
            f"it has {len(x)} values, of which {some} are different; expected "
            f"{goodness.LEAST} or more values and {least} or more different ones, to fit a distribution: "
            "join strata, or take a method for categories (pram)"
        )
    found, taken = goodness.list_fits(x, names, significance, whole=whole)
    said = [
        _format_line("taken" if f is taken else "rejected" if f.p_value <= significance else "farther", f)
        for f in found
    ]
    if taken is None:
        ends = intervals.cuts(x, most)
        shown = f"{len(ends) - 1} intervals"
        exact = " ".join(map(repr, ends.tolist()))
        return [f"taken\t{INTERVALS}\t{exact}\t\t\t{shown}", *said]
    return sorted(said, key=lambda line: not line.startswith("taken"))


def distort_column(x: Floats, uniforms: Floats, breakers: Floats, fit: str | None) -> Floats:
    """Return draws from the fit by the rank of the values; equal ones by their breakers. What is missing stays.

    Examples
    --------
    >>> x, draws = np.array([5.0, np.nan, 1.0]), np.array([0.25, 0.5, 0.75])
    >>> distort_column(x, draws, draws, _format_line("taken", Fit(CONTINUOUS["uniform"], (0.0, 8.0), 0.1))).tolist()
    [6.0, nan, 2.0]
    """
    released = x.copy()
    there = np.flatnonzero(~np.isnan(x))
    if fit is None or not len(there):
        return released
    _, name, exact, *_ = fit.split("\t")
    numbers = tuple(float(p) for p in exact.split(" "))
    if name == INTERVALS:
        drawn = intervals.draw_within_intervals(x[there], np.array(numbers), uniforms[there])
    else:
        drawn = Fit(CONTINUOUS.get(name) or DISCRETE[name], numbers, 0.0).draw(uniforms[there])
    released[there[np.lexsort((breakers[there], x[there]))]] = np.sort(drawn)
    return released


def _format_line(verdict: str, fit: Fit) -> str:
    exact = " ".join(map(repr, fit.parameters))
    shown = ", ".join(f"{name} {p:.6g}" for name, p in zip(fit.family.parameters, fit.parameters, strict=True))
    p_value = "" if np.isnan(fit.p_value) else f"{fit.p_value:.3g}"
    return "\t".join((verdict, fit.family.name, exact, f"{fit.statistic:.4f}", p_value, shown))


def _choose_families(families: str | None) -> tuple[str, ...]:
    if families is None:
        return FAMILIES
    asked = tuple(name.strip().lower().replace("_", " ") for name in families.split("\n"))
    unknown = [name for name in asked if name not in FAMILIES]
    if unknown:
        raise ValueError(f"families names {unknown[0]!r}: it must be some of {', '.join(FAMILIES)}")
    return asked


def _list_fits(
    _stratum: str | None, x: Floats, whole: Integers, families: str | None, significance: float, most: float, names: str
) -> list[list[str]]:
    chosen, found = _choose_families(families), []
    for column, is_whole, name in zip(require_columns(x).T, whole, names.split("\n"), strict=True):
        try:
            found.append(lines(column[~np.isnan(column)], chosen, significance, int(most), whole=bool(is_whole)))
        except ValueError as error:
            raise ValueError(f"{name} cannot be fitted: {error}") from None
    return found


def _distort_columns(
    _stratum: str | None, x: Floats, uniforms: Floats, breakers: Floats, fits: list[list[str]]
) -> list[Floats]:
    draws, others = require_uniforms(uniforms, x.shape), require_uniforms(breakers, x.shape)
    return [
        distort_column(np.ascontiguousarray(column), u, v, lines_of[0] if lines_of else None)
        for column, u, v, lines_of in zip(x.T, draws.T, others.T, fits, strict=True)
    ]


FUNCTIONS = (
    declare_function("distribution_fits", _list_fits, LINES,
             x=TABLE, whole=WHOLES, families=TEXT, significance=NUMBER, intervals=NUMBER, names=TEXT),
    declare_function("distorted", _distort_columns, TABLE, x=TABLE, uniforms=TABLE, breakers=TABLE, fits=LINES),
)  # fmt: skip
