"""The share of the information that is lost, over variables of all scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table, some_of, weight_of
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class LambdaLoss(Result):
    """Lambda of a variable, 0 to 1, and the records whose value changed; variable None: all of them."""

    variable: str | None
    scale: str | None
    records: int
    changed: int
    loss: float


def lambda_loss(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    ordinal: Iterable[str] | None = None,
    continuous: Iterable[str] | None = None,
    weight: str | None = None,
) -> Results[LambdaLoss]:
    """Return lambda, the share of the information that is lost, and lambda_j of each variable.

    Parameters
    ----------
    original
        The table before masking or recoding: a Microdata, or its name on this connection.
    columns
        The variables.
    ordinal
        Those of them whose categories have an order.
    continuous
        Those of them that are numbers; the others are nominal. Their loss depends on the unit they are in.
    weight
        A column of the original, what each record counts for (whole weights: as many records each); by default the
        records are counted.

    Returns
    -------
    list of LambdaLoss
        All variables together first.

    Notes
    -----
    SDC handbook, section 3.5.4, (3.10) to (3.16). The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.loss.lambda_loss("persons", ["sex", "age", "w"], ordinal=["age"], continuous=["w"])[0].loss
    0.0
    """
    found = data.rows(
        "sdc_lambda_loss", original_table(data, original), data.table, columns_of(data, columns), data.required("id"),
        ordinal=some_of(ordinal), continuous=some_of(continuous), weight=weight_of(weight),
    )  # fmt: skip
    return Results(LambdaLoss(**row) for row in found)
