"""Risk after PRAM by matrices that are given, where no step of the released table says what was done to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.comparison.sides import has_column
from sdc_sql.db import query
from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError
from sdc_sql.figures.door import index_figures
from sdc_sql.risk.misclassification import PROBABILITY, resolve_misclassified_key
from sdc_sql.risk.risk_misclassified import note_pram

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.roles import Roles

TRUTH = "sdc__truth"


class Reversed:
    """The matrices of PRAM, each inverted by Bayes' theorem with the counts of the original table."""

    def __init__(self, before: Roles, after: Roles, matrices: Mapping[str, str]) -> None:
        if not hasattr(matrices, "items") or not all(isinstance(t, str) for pair in matrices.items() for t in pair):
            raise ParameterError(
                f"pram is {text_for_message(matrices)}: it must give the table of the matrix for each key, as in "
                f"{{'sex': 'm'}}."
            )
        self.keys = [resolve_misclassified_key(after, name) for name in matrices]
        lost = [key for key in self.keys if not has_column(before, key)]
        if lost:
            raise ParameterError(f"pram names {', '.join(lost)}, which the original lacks: there is nothing to invert.")
        known = note_pram(after)
        if known and "misclassified count" in known:
            raise ParameterError("The steps of the released table say already what PRAM did: leave out pram.")
        tables = [before.read_table(table, PROBABILITY) for table in matrices.values()]
        self.names = [f"sdc__reversed_{i}" for i in range(len(self.keys))]
        self.relations = {
            name: query.call_macro("sdc_pram_reversed", before.table, key, table)
            for name, key, table in zip(self.names, self.keys, tables, strict=True)
        }

    @property
    def note(self) -> str:
        """What the figures are."""
        return (
            f"{', '.join(self.keys)} went through PRAM by the matrices given. The figures take every record's keys as "
            "they stand; those called misclassified count the probability that the released cell is the true one, by "
            "Bayes' theorem from matrix and original counts, exact where what changed is independent of the other keys "
            "in the original file."
        )

    def theta(self, data: Roles, sampling_fraction: float) -> float:
        """Return theta where the intruder knows the true keys."""
        arguments = (data.table, data.keys, sampling_fraction, self.keys, self.names)
        (row,) = data.select(self._add_original_weight(query.call_macro("sdc_theta_misclassified", *arguments)))
        return float(row["theta"])

    def risks(self, data: Roles) -> dict[str, Any]:
        """Return the risks as the keys stand, and times the probability that the cell is the true one."""

        def measure_risk(macro: str, *household: str) -> dict[str, Any]:
            arguments = (data.table, data.keys, data.weight, *household, TRUTH)
            (row,) = data.select(self._add_original_weight(query.call_macro(macro, *arguments, **data.counting), data))
            return row

        cells = self._add_original_weight(
            query.call_macro("sdc_cell_risk_misclassified", data.table, data.keys, data.weight, TRUTH, **data.counting),
            data,
        ).select(
            exp.alias_(exp.Max(this=exp.column("individual_risk")), "individual_risk"),
            exp.alias_(exp.Max(this=exp.column("individual_risk_misclassified")), "individual_risk_misclassified"),
            append=False,
        )
        (risk,) = data.select(cells)
        found: dict[str, Any] = {name: {name: value} for name, value in risk.items()}
        found |= index_figures("global_risk", measure_risk("sdc_global_risk_misclassified"))
        if data.household:
            of_households = measure_risk("sdc_household_global_risk_misclassified", data.household)
            found |= index_figures("household_global_risk", of_households)
        return found

    def _add_original_weight(self, select: exp.Select, data: Roles | None = None) -> exp.Select:
        relations = dict(self.relations)
        if data is not None:
            relations[TRUTH] = query.call_macro("sdc_true_probability", data.table, data.keys, self.keys, self.names)
        for name, relation in relations.items():
            select = select.with_(exp.to_identifier(name), as_=relation, materialized=True, copy=False)
        return select
