"""Local recoding: Mondrian (SDC handbook, 3.4.3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.masking.masked_values import NAME
from sdc_sql.db.masking.masking import Masking
from sdc_sql.errors import ParameterError
from sdc_sql.mask.columns import resolve_columns
from sdc_sql.mask.hierarchy_tables import make_long_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.mask.hierarchy_tables import Hierarchies


def mondrian(
    data: Maskable,
    k: int,
    *,
    hierarchies: Hierarchies | None = None,
    keys: Iterable[str] | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Make keys coarser, group by group, until every record is one of k alike on them, in place or in a copy.

    All records are one group, which is cut in parts of at least k records until none can be cut: numbers and dates into
    ranges (17-24, 'up to 24', '65 and over'), a key with a hierarchy along it, any other key into its values or '*'.
    The masked keys are text. That they are k-anonymous is counted anew before anything is written.

    Parameters
    ----------
    k
        The least number of records in a group, at least 2.
    hierarchies
        By the names of keys, each a `Hierarchy`, the path of a CSV file as ARX writes it, or the name of a table with a
        column for each level; or a folder with a file of ARX's, ``KEY.csv``, for some; or the name of the long table
        that ``sdc_hierarchy`` makes. Every value of the key must be in it. Keys that are not named have none.
    keys
        The key variables; by default those of the table.
    into
        A new table for the recoded copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the number of ``classes`` of records that are alike, the ``smallest`` and the
        ``average_class``.

    Raises
    ------
    InputError
        Where there are fewer than k records, a value has no row in a hierarchy, or an argument cannot be used.

    Notes
    -----
    LeFevre, DeWitt & Ramakrishnan (2006), Mondrian multidimensional k-anonymity, ICDE. Of confidential variables
    nothing is promised: see `l_diversity`.

    Examples
    --------
    >>> import sdc_sql
    >>> step = sdc_sql.example().mask.mondrian(2, into="released")
    >>> step.parameters["classes"], step.parameters["smallest"]
    (1, 3)
    """
    chosen: tuple[str, ...] = data.keys if keys is None else resolve_columns(data, keys)
    if not chosen:
        raise ParameterError("Mondrian needs keys: give keys=[...] here or when describing the table.")
    k, identifier = require_number("mondrian", "k", k), data.require_role("id")
    proof = query.call_macro("sdc__mondrian_proof", f"temp.{NAME}", chosen, k)
    with _store_hierarchies(data, chosen, hierarchies) as table:
        arguments = {"columns": chosen, "k": k, "id": identifier, "hierarchies": table}
        told = [*hierarchies] if isinstance(hierarchies, Mapping) else hierarchies and str(hierarchies)
        masking = Masking(
            "mondrian", chosen, arguments, kept={"applied": proof}, retyped=True, logged={"hierarchies": told}
        )
        return data.masked(masking, into=into)


def _store_hierarchies(
    data: Maskable, keys: tuple[str, ...], hierarchies: Hierarchies | None
) -> AbstractContextManager[str | None]:
    """Return the long table of the hierarchies, which some keys have."""
    having = keys
    if isinstance(hierarchies, Mapping):
        having = tuple(data.spell_column("key variable", name) for name in hierarchies)
        strange = sorted({*having} - {*keys})
        if strange:
            raise ParameterError(f"hierarchies names {', '.join(strange)}: give those of the keys, {', '.join(keys)}.")
    elif isinstance(hierarchies, (str, Path)) and Path(hierarchies).is_dir():
        having = tuple(key for key in keys if (Path(hierarchies) / f"{key}.csv").is_file())
    return nullcontext() if hierarchies is None or not having else make_long_table(data, having, hierarchies)
