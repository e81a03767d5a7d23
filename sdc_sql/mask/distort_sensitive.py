"""Distortion of sensitive values in groups that the keys alone make (Wong, Fu, Wang & Pei 2007, MASK)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db import query
from sdc_sql.db.masking.masked_values import NAME
from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.table import Table
from sdc_sql.errors import ParameterError, Unsupported
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value

CONFIDENTIAL = ("groups_failing", "greatest_share", "greatest_t")


def distort_sensitive(
    data: Maskable,
    column: str,
    groups: Iterable[str] | None = None,
    *,
    l: float | None = None,  # noqa: E741 - its name in the field
    t: float | None = None,
    chosen: Iterable[str] | None = None,
    distance: Literal["equal", "ordered"] = "equal",
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Draw anew the sensitive values of the groups that are not l-diverse or not t-close, the keys alone making groups.

    To be taken after the keys were masked by k alone: no recoding or suppression then tells of the sensitive values, as
    those of :func:`generalise` with l or t do. Who knows the method, the keys, the file's shares and how alike groups
    are concludes a (chosen) value of nobody with a probability above 1/l. A table is to be released once.

    Parameters
    ----------
    column
        The sensitive variable; NULL in it is a value of its own.
    groups
        The key variables as they are released, NULL a value; by default those of the table.
    l
        At least 1: a value has at most the share 1/l of a group's records.
    t
        The greatest distance of a group's distribution from the file's, above 0 and at most 1, as of
        :func:`t_closeness`.
    chosen
        The sensitive values that l regards, as texts; by default all.
    distance
        Of t, between values: ``"equal"``, or ``"ordered"``.
    stream
        Names the pass of draws; by default the next one over the column, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the groups, those that failed (``groups_failing``), and what is released, measured anew:
        ``greatest_share`` of a (chosen) value in a group, and ``greatest_t``.

    Raises
    ------
    InputError
        Where the file's own shares break l, or a group is too small for what is asked. Nothing is changed then.

    Notes
    -----
    Wong, Fu, Wang & Pei (2007), VLDB, 543-554, section 6; the draws: ``sdc_distort_sensitive``.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.example().con
    >>> rows = "SELECT range AS id, range % 2 AS village, ['flu', 'hiv'][1 + range % 2] AS illness FROM range(10)"
    >>> _ = con.execute(f"CREATE TABLE ten AS {rows}")
    >>> ten = sdc_sql.Microdata(con, "ten", id="id")
    >>> step = ten.mask.distort_sensitive("illness", ["village"], l=1.2, into="released")
    >>> step.parameters["groups_failing"], step.parameters["greatest_share"] <= 1 / 1.2
    (2, True)
    """
    if not isinstance(data, Table):
        raise Unsupported(
            "A sensitive variable is distorted in DuckDB only, where what is released is measured anew: write the "
            "table as a Parquet file, and mask that into a new table."
        )
    chosen_column = resolve_columns(data, column)
    by = resolve_columns(data, data.require_role("keys") if groups is None else groups)
    if isinstance(chosen, str):
        raise ParameterError(f"chosen is the text {chosen!r}: give a list of values, as in [{chosen!r}].")
    values = None if chosen is None else tuple(str(value) for value in chosen)
    arguments: dict[str, Value] = {
        "columns": chosen_column, "groups": by, "id": data.require_role("id"), "l": l, "t": t, "chosen": values,
        "distance": distance, "stream": stream, "release": release,
    }  # fmt: skip
    proof = query.call_macro(
        "sdc__distortion_proof", data.table, f"temp.{NAME}", chosen_column[0], by, arguments["id"], l, t, values,
        distance,
    )  # fmt: skip
    return data.masked(
        Masking("distort_sensitive", chosen_column, arguments, kept={"applied": proof}, confidential=CONFIDENTIAL),
        into=into,
    )
