"""Data shuffling (Muralidhar & Sarathy 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db import query
from sdc_sql.db.masking.masking import Masking
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.masking import Kept
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value


def data_shuffling(
    data: Maskable,
    columns: str | Iterable[str],
    given: str | Iterable[str] | None,
    *,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Shuffle the values of numeric columns by their relations with each other and with given columns.

    The values of each column as a whole are kept exactly, and its rank correlations with the other columns and the
    given ones within sampling error. Given the record's given columns, a released value tells nothing of its own; but
    the values are there: who knows a person's rank, or the values of a file with one record less, has the person's.

    Parameters
    ----------
    columns
        One numeric column or several; NULL and NaN stay where they are.
    given
        Other columns, released as they are: text by its values, others by their ranks. None or an empty list: the
        values are drawn whatever the record.
    stratum
        A column within whose values values are shuffled.
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
        Its parameters have ``explained``: of each column the share of the variance of its normal scores that the given
        columns explain (the greatest of the strata), which is what the release tells of a record.

    Raises
    ------
    InputError
        Where there are too few records for what is given, a given column has NULL where it is ranked, or more than 0.99
        of a column is explained. Nothing is changed then.

    Notes
    -----
    Muralidhar & Sarathy (2006), Data shuffling: a new masking approach for numerical data, Management Science 52,
    658-670.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute(
    ...     "CREATE TABLE ten AS SELECT range AS id, range % 2 AS a, range * 7 % 10 AS b FROM range(10)"
    ... )
    >>> sdc_sql.Microdata(data.con, "ten", id="id").mask.data_shuffling("b", ["a"]).parameters["explained"]
    {'b': 0.047604}
    >>> data.con.sql("SELECT sum(b) FROM ten").fetchall()
    [(45,)]
    """
    chosen, beside = resolve_columns(data, columns), (given,) if isinstance(given, str) else tuple(given or ())
    arguments: dict[str, Value] = {
        "columns": chosen, "given": resolve_columns(data, beside) if beside else None, "id": data.require_role("id"),
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
    }  # fmt: skip
    read = (arguments[name] for name in ("columns", "given", "id", "stratum"))
    kept: dict[str, Kept] = {"applied": query.call_macro("sdc__shuffling_explained", data.table, *read)}
    return data.masked(Masking("data_shuffling", chosen, arguments, kept=kept), into=into)
