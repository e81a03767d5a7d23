"""Data distortion by probability distribution (SDC handbook, section 3.4.7.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.masking.masking import Designed, Masking
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value


def data_distortion(
    data: Maskable,
    columns: str | Iterable[str],
    families: str | Iterable[str] | None = None,
    *,
    significance: float = 0.05,
    intervals: int = 20,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Replace the values of numeric columns, rank by rank, by draws from the distribution that fits each column.

    Each family is fitted by maximum likelihood; taken is the nearest by Kolmogorov and Smirnov that is not rejected.
    Where all are, as many values are drawn in each of up to twenty intervals as there were. The ranks are released
    exactly; sums of columns, and heaps, are lost.

    Parameters
    ----------
    columns
        One numeric column or several; NULL and NaN stay where they are. Each is fitted by itself.
    families
        Which may be taken, of ``normal``, ``logistic``, ``laplace``, ``extreme value``, ``extreme value of minima``,
        ``uniform``, ``beta``, ``exponential``, ``gamma``, ``weibull``, ``lognormal``, ``loglogistic``, ``pareto`` and,
        for whole numbers, ``poisson``, ``geometric``, ``binomial``, ``negative binomial``. None: all of them.
    significance
        A family is rejected whose p-value (parametric bootstrap) is this or less, in (0, 1).
    intervals
        The most intervals where all families are rejected, from 8 to 20.
    stratum
        A column within whose values distributions are fitted.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have ``explained``: for each stratum and column the families by their statistic, with parameters,
        p-value and verdict. Keep it: of two files of which one has a record more, parameters give its value.

    Raises
    ------
    InputError
        Where a column has fewer than 8 values or 3 different ones, or no family fits and there are no 8 intervals of
        3 records. Nothing is changed then.

    Notes
    -----
    SDC handbook, section 3.4.7.1; Liew, Choi & Liew (1985), A data distortion by probability distribution, ACM
    Transactions on Database Systems 10, 395-411.

    Examples
    --------
    The handbook's ten values.

    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> values = "[186, 693, 830, 1177, 1219, 1428, 1902, 1903, 2496, 3406]"
    >>> _ = data.con.execute(f"CREATE TABLE ten AS SELECT i AS id, {values}[i] * 1e0 AS x FROM range(1, 11) AS t(i)")
    >>> ten = sdc_sql.Microdata(data.con, "ten", id="id")
    >>> step = ten.mask.data_distortion("x", families=["extreme value", "normal"], into="released")
    >>> taken = step.parameters["explained"][0]
    >>> taken["family"], taken["parameters"], taken["statistic"]
    ('extreme value', 'mode 1105.78, scale 732.434', 0.1138)
    """
    chosen = resolve_columns(data, columns)
    among = (families,) if isinstance(families, str) else families
    arguments: dict[str, Value] = {
        "columns": chosen, "families": None if among is None else tuple(among), "id": data.require_role("id"),
        "significance": require_number("data_distortion", "significance", significance),
        "intervals": require_number("data_distortion", "intervals", intervals),
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
    }  # fmt: skip
    read = (arguments[name] for name in ("columns", "families", "id", "significance", "intervals", "stratum"))
    rows = query.call_macro("sdc__data_distortion_design", data.table, *read)
    designed = Designed(rows, masks="sdc__data_distortion_designed", applied="sdc__data_distortion_applied")
    return data.masked(
        Masking("data_distortion", chosen, arguments, designed=designed, confidential=("explained",)), into=into
    )
