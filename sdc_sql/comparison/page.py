"""What a comparison found, as one table: text, HTML in a notebook, plain values."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.db.showing.results import Result, Results, format_value, html_table

if TYPE_CHECKING:
    from collections.abc import Iterator

# each measure has its title, what a row of it is of, and the figures that are shown (to_dict has all of them)
RISK = {
    "frequency_summary": (
        "Frequencies", None, ("records", "cells", "sample_uniques", "uniques_rate", "pairs", "largest_cell")),
    "k_anonymity": ("k-anonymity: records with fewer than k", "k", ("records",)),
    "theta": ("theta: the probability that a unique match is correct", None,
              ("theta", "standard_error", "upper_bound")),
    "theta_misclassified": ("theta after PRAM, where the intruder knows the true keys", None, ("theta",)),
    "theta_by": ("theta by stratum", "stratum", ("theta", "upper_bound")),
    "individual_risk": ("Individual risk, the highest", None, ("individual_risk",)),
    "individual_risk_misclassified": ("Individual risk after PRAM, the highest", None, (
        "individual_risk_misclassified",)),
    "global_risk": ("Global risk", None, ("expected_reidentifications", "reidentification_rate")),
    "global_risk_misclassified": ("Global risk after PRAM", None, (
        "expected_reidentifications_misclassified", "reidentification_rate_misclassified")),
    "household_global_risk": ("Global risk with households", None, (
        "households", "expected_reidentified_persons", "expected_reidentified_households")),
    "household_global_risk_misclassified": ("Global risk with households after PRAM", None, (
        "expected_reidentified_persons_misclassified", "expected_reidentified_households_misclassified")),
    "l_diversity": ("l-diversity: the worst cell of each variable", "sensitive", (
        "distinct_l", "entropy_l", "recursive_l")),
    "t_closeness": ("t-closeness: the worst cell of each variable", "sensitive", ("t",)),
    "likeness": ("Likeness: the worst cell of each variable", "sensitive", ("alpha", "beta", "enhanced_beta", "delta")),
    "probabilistic_linkage": ("Probabilistic record linkage", None, (
        "true_pairs", "expected_matches", "links", "correct_links", "link_rate", "rate_estimated", "rate_known",
        "rate")),
}  # fmt: skip
LOSS = {
    "direct_distance": ("Direct distance: the share of the categories that changed", "variable", ("distance",)),
    "entropy_loss": ("Entropy loss: what is uncertain of the original", "variable", ("share",)),
    "distribution_distance": (
        "Distance of the distributions, of each variable and of the keys' crossing", "columns",
        ("hellinger", "total_variation", "entropy")),
    "il1": ("IL1: the distance of the numbers in standard deviations", "variable", ("il1", "bounded")),
    "interval_disclosure": (
        "Interval disclosure: the share of originals within 0.05 standard deviations", "variable", ("share",)),
    "distance_linkage": ("Record linkage: the nearest original record is their own", None, ("rate", "second_rate")),
    "rank_linkage": ("Record linkage by ranks: the nearest in the range of the ranks, or any there, is their own", None,
                     ("rate", "random_rate", "p")),
    "propensity": ("Propensity score", None, ("pmse", "ratio", "share")),
}  # fmt: skip
READINGS = {"wildcard": "NULL agrees", "category": "NULL a value"}


@dataclass(frozen=True)
class ComparedFigure(Result):
    """A figure before and after masking (of a loss: after only), the last two with NULL in keys read otherwise.

    Before masking it is the same in either reading where the original has no NULL in the keys: then it stands once.
    """

    measure: str
    of: str | None
    figure: str
    before: float | None
    after: float | None
    before_otherwise: float | None
    after_otherwise: float | None


@dataclass(frozen=True)
class Comparison:
    """Risk before and after masking, and what was lost.

    ``risk`` has the figures ``before`` and ``after``; where keys hold suppressed values also those of the other reading
    of NULL, ``wildcard`` (it agrees with every value) or ``category`` (a value of its own), and ``before_`` that where
    the original has NULL in the keys too.
    ``loss`` has the measures of loss. What was not measured is None. ``notes`` say what a reader has to know besides.
    """

    table: str
    original: str
    keys: tuple[str, ...]
    keys_before: tuple[str, ...]
    weight: str | float | None
    id: str | None
    nulls: str
    only_original: tuple[str, ...]
    only_released: tuple[str, ...]
    categorical: tuple[str, ...]
    continuous: tuple[str, ...]
    risk: dict[str, dict[str, Any]]
    loss: dict[str, Any]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain values, for JSON and limits.

        Risk after masking has its own names (``theta``), that before is in ``before``, another reading of NULL in
        ``wildcard`` or ``category`` and ``before_`` that; losses have the names of their measures.
        """
        lists = ("keys", "keys_before", "only_original", "only_released", "categorical", "continuous", "notes")
        return {
            "table": self.table,
            "original": self.original,
            "weight": self.weight,
            "id": self.id,
            "nulls": self.nulls,
            **{name: list(getattr(self, name)) or None for name in lists},
            **self.risk["after"],
            **{side: figures for side, figures in self.risk.items() if side != "after"},
            **self.loss,
        }

    @property
    def rows(self) -> Results[ComparedFigure]:
        """The one table: a row for each figure that is shown."""
        return Results([*self._risks(), *self._losses()])

    @property
    def _other(self) -> str | None:
        """The other reading of NULL, where there is one."""
        return next((reading for reading in READINGS if reading in self.risk), None)

    def _risks(self) -> Iterator[ComparedFigure]:
        other = self._other
        sides = ("before", "after", f"before_{other}", other or "")
        for measure, (_, of, figures) in RISK.items():
            found = [_index_rows(self.risk.get(side, {}).get(measure), of) for side in sides]
            for row in dict.fromkeys(row for rows in found for row in rows):
                for figure in figures:
                    if any(figure in rows.get(row, {}) for rows in found):
                        yield ComparedFigure(measure, row, figure, *(rows.get(row, {}).get(figure) for rows in found))

    def _losses(self) -> Iterator[ComparedFigure]:
        for measure, (_, of, figures) in LOSS.items():
            for row, found in _index_rows(self.loss.get(measure), of).items():
                for figure in figures:
                    before, after = found.get(f"{figure}_before"), found.get(figure, found.get(f"{figure}_after"))
                    yield ComparedFigure(measure, row, figure, before, after, None, None)

    def _head(self) -> list[str]:
        weight = "none" if self.weight is None else format_value(self.weight)
        return [
            f"key variables: {', '.join(self.keys)}; weight: {weight}; id: {self.id or 'none'}",
            *([f"columns only in the original: {', '.join(self.only_original)}"] if self.only_original else []),
            *([f"columns only in the released table: {', '.join(self.only_released)}"] if self.only_released else []),
            *self.notes,
        ]

    @property
    def _columns(self) -> dict[str, str]:
        """The columns of figures that are shown: the names of the fields, and their heads."""
        other = self._other
        first = {"before_otherwise": f"before, {READINGS[other]}"} if other and f"before_{other}" in self.risk else {}
        second = {"after_otherwise": f"after, {READINGS[other]}"} if other else {}
        return {"before": "before", "after": "after", **first, **second}

    def _cells(self) -> Iterator[tuple[str, str, list[float | None]]]:
        """Yield of each row the title of its measure, what it is, and its figures."""
        titles = {measure: title for measure, (title, *_) in (RISK | LOSS).items()}
        for row in self.rows:
            of = [] if row.of is None else [f"k = {row.of}" if row.measure == "k_anonymity" else row.of]
            values = [getattr(row, name) for name in self._columns]
            yield titles[row.measure], ": ".join([*of, row.figure.replace("_", " ")]), values

    def __str__(self) -> str:
        """Return the table as text, a block for each measure."""
        blocks: dict[str, list[list[str]]] = {}
        for title, name, values in self._cells():
            blocks.setdefault(title, []).append([name, *("" if v is None else format_value(v) for v in values)])
        head = ["", *self._columns.values()]
        every = [head, *(line for lines in blocks.values() for line in lines)]
        widths = [max(len(line[i]) for line in every) for i in range(len(head))]

        def text(line: list[str]) -> str:
            numbers = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
            return "  ".join(["", line[0].ljust(widths[0]), *numbers]).rstrip()

        parts = ["\n".join([title, *map(text, lines)]) for title, lines in blocks.items()]
        about = "\n".join([f"{self.table} beside {self.original}", *self._head()])
        return "\n\n".join([about, text(head), *parts])

    def _repr_html_(self) -> str:
        """Return the table as HTML, for a notebook."""
        rows: list[list[object]] = []
        last = ""
        for title, name, values in self._cells():
            rows.append(["" if title == last else title, name, *("" if v is None else v for v in values)])
            last = title
        about = "".join(f"<p>{html.escape(line)}</p>" for line in self._head())
        head = f"<h3>{html.escape(self.table)} beside {html.escape(self.original)}</h3>"
        return head + about + html_table("", ["measure", "figure", *self._columns.values()], rows)


def _index_rows(found: Any, of: str | None) -> dict[str | None, dict[str, Any]]:  # noqa: ANN401 - figures, or rows of them
    """Return the rows of a measure by what they are of, in order."""
    if found is None:
        return {}
    if of is None:
        return {None: found}
    return {_label(row[of], of): row for row in found}


def _label(value: object, of: str) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return ("all" if of == "variable" else "NULL") if value is None else str(value)
