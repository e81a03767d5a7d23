"""The report: the measures, and how they are shown on every kind of page."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sdc_sql.db.checks import text_for_message
from sdc_sql.db.showing.results import format_value, html_table
from sdc_sql.document.blocks import Page, Section, make_label
from sdc_sql.document.markdown import markdown
from sdc_sql.document.page import page_html
from sdc_sql.errors import ParameterError
from sdc_sql.figures.door import index_figures
from sdc_sql.pictures.picture import Picture
from sdc_sql.report import layout
from sdc_sql.risk.many_uniques import describe_estimated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.db.showing.results import Result
    from sdc_sql.risk.global_risk import GlobalRisk
    from sdc_sql.risk.household_risk import HouseholdGlobalRisk
    from sdc_sql.risk.k_anonymity import KViolations
    from sdc_sql.risk.suda import SudaSummary
    from sdc_sql.risk.theta import Theta
    from sdc_sql.risk.theta_by import StratumTheta
    from sdc_sql.risk.uniqueness import FrequencySummary

OF_SENSITIVE = ("l_diversity", "t_closeness", "likeness")  # these measures are taken of each sensitive variable
_OF_CELLS = ("sensitive", "records", "cells", "k")


@dataclass(frozen=True)
class RiskReport:
    """The measures that the described table allows, in the order in which they are shown.

    ``frequency_distribution`` has the cells and records by the size of their cell, ``risk_distribution`` the records by
    their individual risk, in classes that are the same for every file.
    """

    table: str
    keys: tuple[str, ...]
    weight: str | float | None
    frequency_summary: FrequencySummary
    k_anonymity: tuple[KViolations, ...]
    theta: Theta | None
    theta_by: tuple[StratumTheta, ...]
    global_risk: GlobalRisk | None
    household_global_risk: HouseholdGlobalRisk | None
    riskiest_keys: tuple[dict[str, Any], ...]
    l_diversity: tuple[dict[str, Any], ...] = ()
    t_closeness: tuple[dict[str, Any], ...] = ()
    likeness: tuple[dict[str, Any], ...] = ()
    suda_summary: SudaSummary | None = None
    pram: str | None = None
    households: str | None = None  # it says which NULLs count as known
    frequency_distribution: tuple[dict[str, Any], ...] = ()
    risk_distribution: tuple[dict[str, Any], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON: the measures by the names of their macros; else None."""
        return {
            "table": self.table,
            **({"pram": self.pram} if self.pram else {}),
            **({"households": self.households} if self.households else {}),
            **({"many_uniques": self.many_uniques} if self.many_uniques else {}),
            "keys": list(self.keys),
            "weight": self.weight,
            **index_figures("frequency_summary", self.frequency_summary),
            "k_anonymity": [v.to_dict() for v in self.k_anonymity],
            **index_figures("theta", self.theta),
            "theta_by": [t.to_dict() for t in self.theta_by] or None,
            **index_figures("global_risk", self.global_risk),
            **index_figures("household_global_risk", self.household_global_risk),
            "riskiest_keys": list(self.riskiest_keys),
            **{name: list(getattr(self, name)) or None for name in OF_SENSITIVE},
            **index_figures("suda_summary", self.suda_summary),
            "frequency_distribution": list(self.frequency_distribution) or None,
            "risk_distribution": list(self.risk_distribution) or None,
        }

    @property
    def many_uniques(self) -> str | None:
        """What a reader of the estimates has to know: that most records are alone with their keys; None else."""
        overall = self.global_risk.to_dict() if self.global_risk else None
        return describe_estimated(self.frequency_summary.to_dict(), overall)

    @property
    def attribute(self) -> list[dict[str, Any]]:
        """What the worst cell discloses of each sensitive variable, in one table; sizes stand elsewhere."""
        of_all = zip(*(getattr(self, name) for name in OF_SENSITIVE), strict=True)
        return [
            {"sensitive": rows[0]["sensitive"], **{n: v for row in rows for n, v in row.items() if n not in _OF_CELLS}}
            for rows in of_all
        ]

    @property
    def about(self) -> tuple[str, ...]:
        """What was measured, in a line or two."""
        weight = "none" if self.weight is None else format_value(self.weight)
        line = f"key variables: {', '.join(self.keys)}; weight: {weight}"
        return (line, *(note for note in (self.pram, self.households) if note))

    @property
    def parts(self) -> dict[str, Result | list[dict[str, Any]]]:
        """What was measured: a result or rows by the title over them, in the order in which they are shown."""
        strata = [{**t.to_dict(), "stratum": make_label(t.stratum)} for t in self.theta_by]
        # a value of a key is a label, even where it is a number
        riskiest = [{n: make_label(v) if n in self.keys else v for n, v in row.items()} for row in self.riskiest_keys]
        every: dict[str, Result | list[dict[str, Any]] | None] = {
            layout.FREQUENCIES: self.frequency_summary,
            layout.K_ANONYMITY: [v.to_dict() for v in self.k_anonymity],
            layout.THETA: self.theta,
            layout.THETA_BY: strata,
            layout.GLOBAL: self.global_risk,
            layout.HOUSEHOLDS: self.household_global_risk,
            layout.ATTRIBUTE: self.attribute,
            layout.SUDA: self.suda_summary,
            layout.RISKIEST: riskiest,
        }
        return {title: part for title, part in every.items() if part}

    def __str__(self) -> str:
        """Return the report as text."""
        parts = ["\n".join([f"Disclosure risk of {self.table}", *self._head])]
        for title, part in self.parts.items():
            parts.append(_format_table(title, part) if isinstance(part, list) else _format_result(title, part))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """Return the report as HTML tables, for a notebook."""
        tables = {t: part if isinstance(part, list) else [part.to_dict()] for t, part in self.parts.items()}
        return (
            f"<h3>Disclosure risk of {html.escape(self.table)}</h3>"
            + "".join(f"<p>{html.escape(line)}</p>" for line in self._head)
            + "".join(
                html_table(title, [name.replace("_", " ") for name in rows[0]], [list(row.values()) for row in rows])
                for title, rows in tables.items()
            )
        )

    @property
    def _head(self) -> tuple[str, ...]:
        """What stands over all figures, where they have no sections."""
        return (*self.about, *([self.many_uniques] if self.many_uniques else []))

    def page(self, more: Sequence[Section] = ()) -> Page:
        """Return the report as a page, with further sections below."""
        about = (*self.about, "Confidential: it says which combinations are at risk, and how large the risk is.")
        distributions = (self.frequency_distribution, self.risk_distribution)
        measured = layout.list_report_sections(self.parts, distributions, self.many_uniques)
        return Page(f"Disclosure risk of {self.table}", about, (*measured, *more))

    def plot(self, figure: Literal["individual_risk", "frequency"] = "individual_risk") -> Picture:
        """Draw how many records have which individual risk, or how many share their combination of keys.

        Raises
        ------
        ParameterError
            Where the figure is another, or was not measured: individual risk needs a weight.

        Examples
        --------
        >>> import sdc_sql
        >>> report = sdc_sql.risk_report(sdc_sql.example())
        >>> report.plot().title, report.plot("frequency").block.series[0][1][:2]
        ('Records by individual risk (the scale is logarithmic)', (1, 2))
        """
        of_both = {"individual_risk": layout.RISKS, "frequency": layout.FREQUENCIES}
        if not isinstance(figure, str) or figure not in of_both:
            raise ParameterError(f"figure is {text_for_message(figure)}: it must be one of {', '.join(of_both)}.")
        drawn = layout.pictures(of_both[figure], {"records": (self.frequency_distribution, self.risk_distribution)})
        if not drawn:
            raise ParameterError(f"{figure} was not measured: individual risk needs a weight or a sampling fraction.")
        return Picture(drawn[0])

    def to_html(self) -> str:
        """Return the report as one HTML page, with pictures; it needs nothing else, no script and no network.

        Examples
        --------
        >>> import sdc_sql
        >>> page = sdc_sql.risk_report(sdc_sql.example()).to_html()
        >>> page.startswith("<!DOCTYPE html>"), "<svg" in page, "http" in page.replace("http-equiv", "")
        (True, True, False)
        """
        return page_html(self.page())

    def to_markdown(self) -> str:
        """Return the report as Markdown: the same figures, pictures as tables.

        Examples
        --------
        >>> import sdc_sql
        >>> print(sdc_sql.risk_report(sdc_sql.example()).to_markdown().splitlines()[0])
        # Disclosure risk of persons
        """
        return markdown(self.page())


def _format_result(title: str, result: Result) -> str:
    """Format one result, one line per figure."""
    return "\n".join([title, *str(result).splitlines()[1:]])


def _format_table(title: str, rows: Sequence[dict[str, Any]]) -> str:
    """Format rows as a table under a title: numbers aligned to the right, text to the left."""
    cells = [[name.replace("_", " ") for name in rows[0]], *([format_value(v) for v in row.values()] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    numeric = [
        all(isinstance(v, int | float) for v in column) for column in zip(*(r.values() for r in rows), strict=True)
    ]
    lines = [
        "  ".join(
            c.rjust(w) if right else c.ljust(w) for c, w, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in cells
    ]
    return "\n".join([title, *(f"  {line}" for line in lines)])
