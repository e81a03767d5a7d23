"""Records in random order, with ids recoded by a keyed permutation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.masking.replaced import replace_records
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.roles import Roles


def renumber(data: Roles, release: str, *, stream: str | None = None, into: str | None = None) -> MaskingStep:
    """Put the records in random order and number them anew in that order, in place or in a copy.

    The ids become 1, 2, ... by a permutation that is drawn with the secret key: without the key it can neither be
    turned back nor told from any other. Measures that compare a masked table with its original find records by their
    ids: take those before, and renumber last (``write(release=..., ids="recode")`` does the same to what it writes).

    Parameters
    ----------
    release
        The name of the release: two files of the same records under one name and key have the same numbers, and link
        line by line; under two names their orders are independent.
    stream
        Names the pass of draws; by default the next one, by the table's steps: ``''``, ``'2'``, ...
    into
        A new table for the renumbered copy. Without it the table itself is changed; a database file then keeps the old
        order and ids in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Raises
    ------
    ParameterError
        Where the release has no name.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.renumber("2026", into="renumbered")
    >>> data.con.sql("SELECT sum(id), sum(age) FROM renumbered").fetchall()
    [(6, 101)]
    """
    if not isinstance(release, str) or not release:
        raise ParameterError(
            f"release is {text_for_message(release)}: renumbered records need the name of a release, a text."
        )
    arguments: dict[str, Any] = {"id": data.require_role("id"), "release": release, "stream": stream}
    return replace_records(data, Masking("renumber", (str(arguments["id"]),), arguments), into=into)
