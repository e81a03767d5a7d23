"""Limits judged from Python: each with its figures, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.compared import list_or_none, original_table
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ParameterError
from sdc_sql.figures.door import check_limits_early, complete_report, find_asked_k
from sdc_sql.figures.given import name_figures
from sdc_sql.figures.limits import collect_figures, holds_limit
from sdc_sql.figures.measured import Beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class JudgedLimit(Result):
    """A limit, whether it holds, and the figures that it names: of several rows the worst, None for NULL."""

    limit: str
    holds: bool
    figures: dict[str, float | None]


def check_limits(
    data: Roles,
    limits: Iterable[str],
    *,
    original: Described | str | None = None,
    figures: Mapping[str, tuple[str, Mapping[str, Any]]] | None = None,
    columns: Iterable[str] | None = None,
    sensitive: Iterable[str] | None = None,
    ordered: Iterable[str] | None = None,
) -> Results[JudgedLimit]:
    """Return limits that must hold, each with its figures: in the words of a release file, of any measure.

    A figure is named by its measure and its column, ``theta.upper_bound <= 0.1``; of a measure with several rows each
    must hold, or the one that is named (``k_anonymity.3.records``, ``il1.income.il1``).

    Parameters
    ----------
    limits
        Comparisons of figures with numbers, joined by AND, OR, NOT and parentheses.
    original
        The table before masking, for measures that compare.
    figures
        Measures with arguments of their own, by the names that limits have for them, as in
        ``{"register": ("k_map", {"population": "register"})}``.
    columns
        The columns that are compared with the original; by default the keys.
    sensitive, ordered
        The sensitive variables, measured one by one; those of them that are numbers or ordered.

    Returns
    -------
    list of JudgedLimit

    Raises
    ------
    ParameterError
        Where a limit cannot be read, bounds a figure on its good side, or names what cannot be measured.

    Examples
    --------
    >>> import sdc_sql
    >>> for found in sdc_sql.example().check_limits(["k_anonymity.2.records <= 0", "global_risk.percent < 50"]):
    ...     print(found.limit, found.holds, {name: round(value, 3) for name, value in found.figures.items()})
    k_anonymity.2.records <= 0 False {'k_anonymity.2.records': 1}
    global_risk.percent < 50 True {'global_risk.percent': 9.78}
    """
    if isinstance(limits, str):
        raise ParameterError("limits is a text: give a list of limits, as in ['k_anonymity.3.records <= 0'].")
    every, asked = list(limits), name_figures(figures or {})
    check_limits_early(every, asked, holds=True)
    beside = Beside(
        None if original is None else original_table(data, original),
        tuple(list_or_none(sensitive) or ()),
        tuple(list_or_none(ordered) or ()),
        {"k": find_asked_k(every, 2, asked)},
        {"columns": list(list_or_none(columns) or data.keys) or None},
    )
    report = complete_report({}, every, asked, {"": (data, beside)})
    return Results(
        JudgedLimit(limit, holds_limit(limit, report, asked), collect_figures(limit, report, asked)) for limit in every
    )
