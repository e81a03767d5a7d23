"""Numeric columns drawn anew within groups of alike records: microhybrid (SDC handbook, section 3.4.7.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.masking.masking import Masking
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value


def microhybrid(
    data: Maskable,
    columns: str | Iterable[str],
    k: int,
    *,
    generator: Literal["ipso", "hybrid", "bootstrap"] = "ipso",
    given: str | Iterable[str] | None = None,
    alpha: float = 0.5,
    smoothing: float = 0.3,
    blocks: int = 1,
    stratum: str | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Draw numeric columns anew within groups of k alike records; means and covariances of each group are kept.

    The groups are those of microaggregation by MDAV. Exactly means to 1e-9 of the columns' deviations in columns of
    DOUBLE; whole numbers are rounded. The smaller k, the nearer are released values to the own ones. Release it once.

    Parameters
    ----------
    columns
        One numeric column or several, without missing values, drawn together.
    k
        The least number of records in a group: at least 4, and 2 times the given columns + the drawn ones + 1.
    generator
        ``"ipso"``: by method C of IPSO; ``"hybrid"``: by Muralidhar & Sarathy, of each residual a share ``alpha``;
        ``"bootstrap"``: records of the group that are drawn, with noise (means and covariances in expectation).
    given
        Numeric columns that are released as they are, of ipso and hybrid; None: none.
    alpha
        Of hybrid: the share of the own residual, at least 0 and less than 1.
    smoothing
        Of bootstrap: the deviation of the noise, in deviations of the group.
    blocks
        Groups are sought within so many blocks along the first principal component, for large files.
    stratum
        A column within whose values all is done.
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

    Raises
    ------
    InputError
        Where values are missing, k is too small for the generator, there are fewer than k records, or a record counts
        for more than a quarter of what is fitted for it from the given columns. Nothing is changed.

    Notes
    -----
    SDC handbook, section 3.4.7.8; Domingo-Ferrer & Gonzalez-Nicolas (2010), Hybrid microdata using microaggregation,
    Information Sciences 180, 2834-2844.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute(
    ...     "CREATE TABLE forty AS SELECT range AS id, range * 7 % 40 * 1e0 AS b, sqrt(range) AS x FROM range(40)"
    ... )
    >>> _ = sdc_sql.Microdata(data.con, "forty", id="id").mask.microhybrid(["b", "x"], 8, into="mixed")
    >>> for table in ("forty", "mixed"):
    ...     data.con.sql(f"SELECT round(avg(b), 6), round(var_pop(b), 6), round(corr(b, x), 6) FROM {table}").fetchall()
    [(19.5, 133.25, 0.212719)]
    [(19.5, 133.25, 0.212719)]
    """
    chosen = resolve_columns(data, columns)
    beside = (given,) if isinstance(given, str) else tuple(given or ())
    arguments: dict[str, Value] = {
        "columns": chosen, "k": require_number("microhybrid", "k", k), "id": data.require_role("id"),
        "generator": generator, "given": resolve_columns(data, beside) if beside else None, "alpha": alpha,
        "smoothing": require_number("microhybrid", "smoothing", smoothing),
        "blocks": require_number("microhybrid", "blocks", blocks),
        "stratum": stratum and data.spell_column("stratum", stratum), "stream": stream, "release": release,
    }  # fmt: skip
    return data.masked(Masking("microhybrid", chosen, arguments), into=into)
