"""The best generalisation over the lattice of hierarchies (SDC handbook, 3.4.3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.checks import is_number, told, whole
from sdc_sql.db.masked_values import NAME
from sdc_sql.db.results import Result
from sdc_sql.errors import ParameterError
from sdc_sql.mask.hierarchy_tables import GIVEN, long_table
from sdc_sql.mask.loss_expression import checked_loss
from sdc_sql.mask.suppressible import suppressible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.steps import MaskingStep
    from sdc_sql.mask.hierarchy_tables import Hierarchies
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Generalisation(Result):
    """A combination of levels by the name of each key: its loss, the records it suppresses, the cells it releases.

    ``holds``: whether it suppresses no more than may be, and none or at least k.
    """

    levels: dict[str, str]
    loss: float | None
    suppressed: int
    cells: int
    holds: bool


def generalise(
    data: Roles,
    hierarchies: Hierarchies,
    *,
    k: int = 3,
    suppression: float = 0,
    loss: str = "generalised_loss",
    keys: Iterable[str] | None = None,
    into: str | None = None,
) -> MaskingStep:
    """Generalise each key to a level of its hierarchy, the cheapest on which no record stands out, in place or a copy.

    Records in cells below k lose all keys, so that they look alike; they are none or at least k. The keys become text.
    What is released is counted anew before it is written, and is an error where a record stands out.

    Parameters
    ----------
    hierarchies
        For each key by its name a :class:`Hierarchy`, the path of a CSV file as ARX writes it, or the name of a table
        with a column for each level. Or the name of a table of them all, as ``sdc_hierarchy`` makes it, or a folder
        with a file ``KEY.csv`` for each key.
    k
        The least number of records, at least 2.
    suppression
        The share of the records that may be suppressed, from 0 to 1.
    loss
        What is to be least: ``"generalised_loss"``, ``"precision"``, ``"entropy"``, ``"discernibility"``,
        ``"average_class_size"``; or an expression in SQL that is summed over the cells, of ``records`` (of the cell),
        ``suppressed`` (whether they are the suppressed ones), ``total``, and ``levels`` and ``heights``, maps from the
        key's name. An expression looks at every combination of levels.
    keys
        The key variables; by default those of the table.
    into
        A new table for the generalised copy. Without it the table itself is changed; a database file then keeps the
        old values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the ``levels`` by key, the ``loss_found``, and the ``suppressed`` records.

    Raises
    ------
    InputError
        Where a key has no hierarchy, a value no row in it, or no combination of levels holds.

    Notes
    -----
    Samarati (2001), IEEE TKDE 13(6); Kohlmayer et al. (2012), PASSAT, 708-717; the losses: ``sdc_generalise``.

    Examples
    --------
    >>> import sdc_sql
    >>> levels = {"age": sdc_sql.interval_hierarchy([30, 41], [[40]]), "sex": sdc_sql.tree_hierarchy({"*": ["f", "m"]})}
    >>> step = sdc_sql.example().generalise(levels, into="released")
    >>> step.changed, step.parameters["levels"], step.parameters["suppressed"]
    (3, {'age': '2', 'sex': '1'}, 0)
    """
    allowed = suppression > 0 if is_number(suppression) else True
    chosen = suppressible(data, keys, into, what="Generalisation", suppressed=allowed)
    k, loss = whole(k, "k", least=2), checked_loss(loss)
    with long_table(data, chosen, hierarchies) as long:
        asked = (long, k, _share(suppression), loss)
        found = data.row("sdc__generalisation", data.table, chosen, *asked)
        levels = {key: found["sdc__level_names"][key] for key in data.columns if key in chosen}
        arguments = {
            "columns": chosen, "hierarchies": long, "id": data.required("id"), "k": k,
            "suppression": float(suppression), "loss": loss, "levels": found["sdc__levels"],
        }  # fmt: skip
        figures = {"loss_found": found["sdc__loss"], "suppressed": found["sdc__suppressed"]}
        proof = query.call("sdc__generalisation_proof", f"temp.{NAME}", chosen, k)
        proof = proof.select(*(exp.alias_(query.literal(value), name) for name, value in figures.items()))
        return data.masked(
            "generalise", chosen, arguments, into=into, retyped=True, kept={"applied": proof},
            levels=levels, hierarchies=None if long == GIVEN else long,
        )  # fmt: skip


def generalisations(
    data: Roles,
    hierarchies: Hierarchies,
    *,
    k: int = 3,
    suppression: float = 0,
    loss: str = "generalised_loss",
) -> list[Generalisation]:
    """Return every combination of levels: what it costs, how many records it suppresses, and whether it holds.

    Parameters
    ----------
    hierarchies
        For each key by its name, or the name of a table, as of :func:`generalise`.
    k
        The least number of records, at least 2.
    suppression
        The share of the records that may be suppressed, from 0 to 1.
    loss
        What it costs, as of :func:`generalise`.

    Returns
    -------
    list[Generalisation]
        In the order of the levels, those of the table's last key changing fastest.

    Examples
    --------
    >>> import sdc_sql
    >>> levels = {"age": sdc_sql.interval_hierarchy([30, 41], [[40]]), "sex": sdc_sql.tree_hierarchy({"*": ["f", "m"]})}
    >>> every = sdc_sql.example().generalisations(levels, k=2, loss="discernibility")
    >>> [(g.levels, g.loss) for g in every if g.holds]
    [({'age': '2', 'sex': '1'}, 9.0)]
    """
    chosen = suppressible(data, None, "", what="Generalisation", suppressed=False)
    k, loss = whole(k, "k", least=2), checked_loss(loss)
    with long_table(data, chosen, hierarchies) as long:
        rows = data.rows("sdc_generalisations", data.table, chosen, long, k, _share(suppression), loss)
    return [Generalisation(**row) for row in rows]


def _share(suppression: float) -> float:
    if not is_number(suppression) or not 0 <= suppression <= 1:
        raise ParameterError(
            f"suppression is {told(suppression)}: it must be the share of records that may be suppressed, from 0 to 1."
        )
    return float(suppression)
