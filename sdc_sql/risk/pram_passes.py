"""What was changed together by PRAM, and the relations that lead from the log of its steps to the true cells."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.db import query
from sdc_sql.db.catalogue.macros import find_effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlglot import exp

    from sdc_sql.db.masking.steps import LoggedStep

# PRAM by cells as a whole matrix, for a second pass or theta of several: at most so many cells
MOST_CELLS = 300


def is_pram(step: LoggedStep) -> bool:
    """Return whether a step misclassifies with probabilities that its log tells."""
    return find_effect(step.method).matrix.kind not in {"none", "unknown"}


def has_matrix(step: LoggedStep) -> bool:
    """Return whether the log of such a step has its matrix; else it follows from the counts of the cells."""
    return find_effect(step.method).matrix.kind == "logged"


@dataclass(frozen=True)
class Changed:
    """Columns that were changed together, in one pass or several: ``keys`` are those of them and of the strata."""

    columns: tuple[str, ...]
    strata: tuple[str, ...]
    steps: tuple[LoggedStep, ...]
    keys: tuple[str, ...]
    number: int

    @property
    def every(self) -> list[str]:
        """The columns and the strata."""
        return list(dict.fromkeys([*self.columns, *self.strata]))

    @property
    def by_cells(self) -> bool:
        """Whether it was one pass of PRAM by cells, whose matrix need not be written out."""
        return len(self.steps) == 1 and not has_matrix(self.steps[0])

    @property
    def few(self) -> bool:
        """Whether its matrix can be written out."""
        cells = [step.counts or "" for step in self.steps if not has_matrix(step)]
        return all(counts.count('"count"') <= MOST_CELLS for counts in cells)

    def name(self, of: str) -> str:
        """Return the name of a relation of this group."""
        return f"sdc__log_{of}_{self.number}"

    def relations(self, table: str) -> Iterable[tuple[str, exp.Select]]:
        """Yield the relations that lead to the diagonal and, of few cells, to the reversed matrix, with their names."""
        name = self.name
        for i, step in enumerate(self.steps):
            if i == 0 or not has_matrix(step):
                yield name(f"counts_{i}"), self._call_step_macro("sdc__logged_counts", table, step)
            if not has_matrix(step):
                yield name(f"cells_{i}"), self._cells(step, name(f"counts_{i}"))
        if self.by_cells:
            yield name("diagonal"), query.call_macro("sdc__logged_diagonal_of_cells", name("cells_0"), self.keys)
        if not self.few:
            return
        yield name("weights_0"), query.call_macro("sdc__logged_start", name("counts_0"))
        for i, step in enumerate(self.steps):
            cells = name(f"cells_{i}")
            written_out = query.call_macro("sdc__logged_moves", cells)
            yield (
                name(f"moves_{i}"),
                self._call_step_macro("sdc__logged_matrix", table, step) if has_matrix(step) else written_out,
            )
            before, columns = name(f"weights_{i}"), list(step.columns)
            yield name(f"weights_{i + 1}"), query.call_macro("sdc__logged_pass", before, name(f"moves_{i}"), columns)
        yield name("reversed"), query.call_macro("sdc__logged_reversed", name(f"weights_{len(self.steps)}"), self.keys)
        if not self.by_cells:
            yield name("diagonal"), query.call_macro("sdc__logged_diagonal", name("reversed"))

    def _call_step_macro(self, macro: str, table: str, step: LoggedStep) -> exp.Select:
        columns, strata = list_step_columns(step)
        return query.call_macro(macro, table, columns, strata, self.every, step.log, step.step)

    def _cells(self, step: LoggedStep, counts: str) -> exp.Select:
        columns, strata = list_step_columns(step)
        parameters = json.loads(step.parameters)
        return query.call_macro(
            "sdc__logged_cells", counts, columns, strata, parameters.get("retention"), parameters.get("xi")
        )


def list_step_columns(step: LoggedStep) -> tuple[list[str], list[str]]:
    """Return the columns of a step and its strata."""
    parameters: dict[str, Any] = json.loads(step.parameters)
    within = parameters.get("within") or ([parameters["stratum"]] if parameters.get("stratum") else [])
    return list(step.columns), list(within)
