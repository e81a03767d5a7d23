# Written from sql/linkage/attribute_inference.sql by python -m sdc_sql.write: change that file.
"""Whether the released file tells what is not known of a person, given what is: inference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, original_table, resolve_columns_or_keys, resolve_table
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class AttributeInference(Result):
    """The records attacked, the successes, and the risk beside the holdout.

    ``rate`` and ``error`` are the middle and half the width of Wilson's interval.
    """

    guesses: int
    successes: float
    control_guesses: int
    control_successes: float
    rate: float | None
    error: float | None
    control_rate: float | None
    control_error: float | None
    risk: float | None
    risk_lower: float | None
    risk_upper: float | None


def attribute_inference(
    data: Roles,
    original: Described | str,
    holdout: str,
    columns: str | Iterable[str],
    target: str,
    *,
    continuous: str | Iterable[str] | None = None,
    tolerance: float = 0.05,
    max_guesses: int = 2000,
    confidence: float = 0.95,
) -> AttributeInference:
    """Return how often the nearest released record tells the true value of a variable, beside a holdout.

    Parameters
    ----------
    original
        The table from which the released one was made, without the holdout: a Microdata, or its name on this
        connection.
    holdout
        The name of records of the same population of which nothing was made.
    columns
        The variables that are known.
    target
        The variable that is guessed.
    continuous
        Those of either that are numbers; the others are categories.
    tolerance
        How far a number may be from the true one, as a share of it, at least 0.
    max_guesses
        The most records that are attacked in either file, at least 1.
    confidence
        Of the intervals, strictly between 0 and 1.

    Returns
    -------
    AttributeInference

    Raises
    ------
    ParameterError
        Where ``tolerance`` or ``max_guesses`` or ``confidence`` is out of its range.
    InputError
        Where the holdout holds the very records of the original.
    ColumnError
        Where a number is none.

    Notes
    -----
    NULL is a value. No id is needed.

    Giomi, Boenisch, Wehmeyer & Tasnadi (2022), A unified framework for quantifying privacy risk in synthetic data,
    PoPETs 2023(2), 312-328: section 4 (the attacks), 5.1 (rates with Wilson's interval, the risk beside a control);
    Wilson (1927), JASA 22, 209-212.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES ('a', 'u'), ('b', 'v')) AS t(x, y)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES ('a', 'u'), ('b', 'v')) AS t(x, y)")
    >>> _ = con.execute("CREATE TABLE holdout AS FROM (VALUES ('a', 'v'), ('b', 'v')) AS t(x, y)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.linkage.attribute_inference("original", "holdout", ["x"], "y"))
    AttributeInference
      guesses            2
      successes          2
      control guesses    2
      control successes  1
      rate               0.67119
      error              0.32881
      control rate       0.5
      control error      0.405469
      risk               0.34238
      risk lower         0
      risk upper         1
    """
    row = data.row(
        "sdc_attribute_inference",
        original_table(data, original),
        data.table,
        resolve_table(data, "holdout", holdout),
        resolve_columns_or_keys(data, columns),
        data.spell_column("target", target),
        continuous=list_or_none(continuous),
        tolerance=require_number("attribute_inference", "tolerance", tolerance),
        max_guesses=require_number("attribute_inference", "max_guesses", max_guesses),
        confidence=require_number("attribute_inference", "confidence", confidence),
    )
    return AttributeInference(**row)
