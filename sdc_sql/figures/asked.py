"""A measure with the arguments that it is to have, under the name that limits have for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.renamed import refuse_old_names
from sdc_sql.errors import ParameterError
from sdc_sql.figures.registry import list_all_measures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.figures.registry import Measure


@dataclass(frozen=True)
class Asked:
    """A figure that limits name ``label``: the measure, and the arguments that it is given."""

    label: str
    measure: Measure
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse arguments that the measure has not."""
        refuse_old_names(self.measure.verb, self.arguments)
        strange = [name for name in self.arguments if name not in self.measure.arguments]
        if strange:
            raise ParameterError(
                f"{self.measure.name} takes no {strange[0]}: it takes {', '.join(self.measure.arguments) or 'nothing'}."
            )

    @property
    def of_steps(self) -> bool:
        """Whether the steps of the table must say what PRAM did to its keys: no argument does."""
        by_matrices = "matrices" in self.measure.required and "matrices" not in self.arguments
        return by_matrices or self.measure.verb != self.measure.name

    @property
    def tables(self) -> tuple[str, ...]:
        """Return which of the arguments are tables, or files, besides the one that is measured."""
        return tuple(name for name in self.arguments if self.measure.takes_tables(name))


@cache
def list_measures() -> Mapping[str, Asked]:
    """Return each measure without arguments, under its own name."""
    return {name: Asked(name, found) for name, found in list_all_measures().items()}
