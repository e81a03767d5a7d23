"""How coarse the classes of the keys are in a released table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ClassSizes(Result):
    """The records, their classes, the suppressed ones, discernibility (share: of its most) and average class size."""

    records: int
    classes: int
    suppressed: int
    discernibility: float
    average_class_size: float | None
    share: float


def class_sizes(data: Roles) -> ClassSizes:
    """Return the discernibility and the average class size of the keys of this, the released table.

    Returns
    -------
    ClassSizes

    Notes
    -----
    Bayardo & Agrawal (2005); LeFevre et al. (2006). NULL in a key is a value of its own.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().loss.class_sizes().discernibility
    5.0
    """
    return ClassSizes(**data.row("sdc_class_sizes", data.table, data.keys))
