"""What is to be masked, and how: a mask makes it, and the table's engine does it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlglot import exp

    from sdc_sql.db.masking.masked_values import OfValue
    from sdc_sql.db.query import Value

# a query, or a function that makes it of the arguments; the pass of draws is named in it
Kept: TypeAlias = "exp.Select | Callable[[Mapping[str, Value]], exp.Select]"


@dataclass(frozen=True)
class Designed:
    """What a mask is computed from, a query whose rows are kept; and the macros that read them.

    ``masks`` gives the masked values in the place of the mask's own macro, and takes the name of the rows last; the
    columns of ``applied`` are logged with the parameters.
    """

    rows: exp.Select
    masks: str
    applied: str


@dataclass(frozen=True)
class Masking:
    """Columns that a macro is to mask, and what the log is to tell of it.

    Parameters
    ----------
    macro
        The name without its prefix: ``sdc__<macro>`` gives the id and the masked columns.
    columns
        As the table spells them.
    arguments
        What the macro takes after the table, in its order, the id among them. A ``stream`` of None is the next pass of
        draws over the columns: the first one is '', then '2', '3', ...
    measured
        Whether to measure SSE/SST, of numeric columns.
    kept
        Queries of one row, or what makes them of the arguments, computed before the table is changed, for the log:
        ``matrix`` and ``counts`` give JSON; the columns of ``applied`` are logged with the parameters.
    designed
        What the macro reads before it masks, and the log tells: computed once.
    confidential
        Which parameters and columns of the log must not be published.
    retyped
        Whether the columns take the types of what the macro gives (labels in the place of numbers).
    of_value
        The macro of one value, and its further arguments, where the value alone decides its masked one.
    logged
        Parameters for the log in place of arguments of the same name.
    """

    macro: str
    columns: tuple[str, ...]
    arguments: Mapping[str, Value]
    measured: bool = False
    kept: Mapping[str, Kept] = field(default_factory=dict)
    designed: Designed | None = None
    confidential: tuple[str, ...] = ()
    retyped: bool = False
    of_value: OfValue | None = None
    logged: Mapping[str, object] = field(default_factory=dict)
