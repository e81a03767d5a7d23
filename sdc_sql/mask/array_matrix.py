"""A PRAM matrix given as an array, as a table that the macros read."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import text_for_message
from sdc_sql.db.table import Table
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike

    from sdc_sql.db.masking.apply import Maskable

MATRIX = "sdc_pram_matrix_values"
PROBABILITY = ("probability",)  # these columns of a matrix in a CSV file are no categories


def list_numbers(matrix: ArrayLike) -> list[list[float]]:
    """Return an array as lists."""
    import numpy as np  # noqa: PLC0415 - an import takes longer than most measures

    rows: list[list[float]] = np.asarray(matrix).tolist()
    return rows


@contextmanager
def matrix_table(
    data: Maskable, columns: Sequence[str], matrix: str | ArrayLike, labels: Sequence[Any] | None
) -> Iterator[str]:
    """Yield the name of a table (from, to, probability): of one made of an array with labels, or the one given."""
    if isinstance(matrix, str):
        yield data.read_table(matrix, PROBABILITY) if isinstance(data, Table) else matrix
        return
    import numpy as np  # noqa: PLC0415 - an import takes longer than most measures
    import pyarrow as pa  # noqa: PLC0415

    try:
        p = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):  # numpy shows what is no number
        raise ParameterError(
            f"The PRAM matrix is {text_for_message(matrix)} that holds no numbers: give a square array of "
            "probabilities, "
            "or the name of a table."
        ) from None
    k = len(labels) if labels is not None else 0
    if p.shape != (k, k) or labels is None:
        raise ParameterError(
            f"The PRAM matrix has shape {p.shape} and there are {k} labels: give one label for each row and column."
        )
    if len(columns) > 1:
        labels = [dict(zip(columns, label, strict=True)) for label in labels]
    rows, places = np.divmod(np.arange(k * k), k)
    try:
        names = {"from": pa.array([labels[i] for i in rows]), "to": pa.array([labels[j] for j in places])}
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # Arrow shows the label
        raise ParameterError("The labels of the PRAM matrix are of several types: give all as texts.") from None
    table = pa.table(names | {"probability": pa.array(p.ravel())})
    data.con.register(MATRIX, table)
    try:
        yield MATRIX
    finally:
        data.con.unregister(MATRIX)
