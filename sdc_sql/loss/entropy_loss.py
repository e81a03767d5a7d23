"""What is uncertain of the original values once the released ones are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table, weight_of
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class EntropyLoss(Result):
    """The uncertainty of a variable (None: all of them), in nats, its mean over records, and the share of the most."""

    variable: str | None
    records: int
    loss: float
    mean_loss: float
    share: float


def entropy_loss(
    data: Roles, original: Described | str, columns: Iterable[str], *, weight: str | None = None
) -> Results[EntropyLoss]:
    """Return what is uncertain of the original values once the released ones are known, by the two files.

    Parameters
    ----------
    original
        The table before masking or recoding: a Microdata, or its name on this connection.
    columns
        The categorical variables.
    weight
        A column of the original, what each record counts for (whole weights: as many records each); by default the
        records are counted.

    Returns
    -------
    list of EntropyLoss
        All variables together first, then each.

    Notes
    -----
    SDC handbook, section 3.5.2.3; for recodings the non-uniform entropy of Gionis & Tassa (2009). The table needs an
    id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.loss.entropy_loss(data, ["age", "sex"])[0].loss
    0.0
    """
    found = data.rows(
        "sdc_entropy_loss", original_table(data, original), data.table, columns_of(data, columns), data.required("id"),
        weight=weight_of(weight),
    )  # fmt: skip
    return Results(EntropyLoss(**row) for row in found)
