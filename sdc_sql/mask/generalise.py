"""The best generalisation over the lattice of hierarchies (SDC handbook, 3.4.3.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import check_arguments
from sdc_sql.db.checks import is_number
from sdc_sql.db.masking.masked_values import NAME
from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.showing.results import Result
from sdc_sql.db.table import Table, fetch_rows
from sdc_sql.errors import SeriesError
from sdc_sql.mask.hierarchy_tables import GIVEN, make_long_table
from sdc_sql.mask.loss_expression import require_loss
from sdc_sql.mask.suppressible import list_suppressible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sdc_sql.db.masking.steps import MaskingStep
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
    sensitive: str | None = None,
    l: float | None = None,  # noqa: E741 - its name in the field
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    c: float = 2.0,
    t: float | None = None,
    distance: Literal["equal", "ordered"] = "equal",
    population: str | None = None,
    population_k: int | None = None,
    weight: str | float | None = None,
    threshold: float | None = None,
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
    sensitive
        A sensitive variable, no key; of its values in each cell, and among the suppressed records, l and t are asked.
    l
        The least l-diversity, at least 1.
    diversity
        How it is measured: ``"distinct"``, ``"entropy"`` or ``"recursive"``, as of :func:`l_diversity`.
    c
        Of recursive (c, l)-diversity, positive.
    t
        The greatest distance from the file's distribution, from 0 to 1, as of :func:`t_closeness`.
    distance
        Between values: ``"equal"``, or ``"ordered"``.
    population
        A table of the population, with the same keys.
    population_k
        How many persons of it must have the labels of each cell, as of :func:`k_map`.
    weight
        The column of weights that are compared with the threshold, or a number; by default the table's.
    threshold
        The least sum of the weights of a cell.
    keys
        The key variables; by default those of the table.
    into
        A new table for the generalised copy. Without it the table itself is changed; a database file then keeps the
        old values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the ``levels`` by key, the ``loss_found``, and the ``suppressed`` records; with l or t also
        those of them that k alone would have released, ``suppressed_beyond_k``.

    Raises
    ------
    InputError
        Where a key has no hierarchy, a value no row in it, or no combination of levels holds.

    Notes
    -----
    Samarati (2001), IEEE TKDE 13(6); Kohlmayer et al. (2012), PASSAT, 708-717; the losses: ``sdc_generalise``.
    With l or t the levels and the suppressed records tell of the sensitive values: who knows the rule concludes that a
    cell of k records was suppressed because its values are alike (Wong et al. 2007, minimality).

    Examples
    --------
    >>> import sdc_sql
    >>> levels = {"age": sdc_sql.interval_hierarchy([30, 41], [[40]]), "sex": sdc_sql.tree_hierarchy({"*": ["f", "m"]})}
    >>> step = sdc_sql.example().mask.generalise(levels, into="released")
    >>> step.changed, step.parameters["levels"], step.parameters["suppressed"]
    (3, {'age': '2', 'sex': '1'}, 0)
    """
    allowed = suppression > 0 if is_number(suppression) else True
    chosen = list_suppressible(data, keys, into, what="Generalisation", suppressed=allowed)
    chosen = tuple(column for column in data.columns if column in chosen)
    identifier = data.require_role("id")
    asked = _list_macro_arguments(
        data, k=k, suppression=suppression, loss=loss, sensitive=sensitive, l=l, diversity=diversity, c=c, t=t,
        distance=distance, population=population, population_k=population_k, weight=weight, threshold=threshold,
    )  # fmt: skip
    with make_long_table(data, chosen, hierarchies) as long:
        if not isinstance(data, Table):  # the levels are found where the cells are
            arguments = {"columns": chosen, "hierarchies": long, "id": identifier, **asked, "levels": None}
            return data.masked(Masking("generalise", chosen, arguments, retyped=True), into=into)
        found = _find_levels(data, chosen, long, asked)
        levels = found["sdc__levels"]
        arguments = {"columns": chosen, "hierarchies": long, "id": identifier, **asked, "levels": levels}
        logged: dict[str, Any] = {name: None for name, needs in _NEEDS.items() if asked[needs] is None}
        logged |= {
            "levels": {key: found["sdc__level_names"][key] for key in chosen},
            "hierarchies": None if long == GIVEN else long,
        }
        figures = {"loss_found": found["sdc__loss"], "suppressed": found["sdc__suppressed"]}
        proof = _select_proof(data, chosen, identifier, long=long, levels=levels, asked=asked, figures=figures)
        masking = Masking("generalise", chosen, arguments, kept={"applied": proof}, retyped=True, logged=logged)
        return data.masked(masking, into=into)


def generalisations(
    data: Roles,
    hierarchies: Hierarchies,
    *,
    k: int = 3,
    suppression: float = 0,
    loss: str = "generalised_loss",
    sensitive: str | None = None,
    l: float | None = None,  # noqa: E741 - its name in the field
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    c: float = 2.0,
    t: float | None = None,
    distance: Literal["equal", "ordered"] = "equal",
    population: str | None = None,
    population_k: int | None = None,
    weight: str | float | None = None,
    threshold: float | None = None,
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
    sensitive
        A sensitive variable, no key; of its values in each cell, and among the suppressed records, l and t are asked.
    l
        The least l-diversity, at least 1.
    diversity
        How it is measured: ``"distinct"``, ``"entropy"`` or ``"recursive"``, as of :func:`l_diversity`.
    c
        Of recursive (c, l)-diversity, positive.
    t
        The greatest distance from the file's distribution, from 0 to 1, as of :func:`t_closeness`.
    distance
        Between values: ``"equal"``, or ``"ordered"``.
    population
        A table of the population, with the same keys.
    population_k
        How many persons of it must have the labels of each cell, as of :func:`k_map`.
    weight
        The column of weights that are compared with the threshold, or a number; by default the table's.
    threshold
        The least sum of the weights of a cell.

    Returns
    -------
    list[Generalisation]
        In the order of the levels, those of the table's last key changing fastest.

    Examples
    --------
    >>> import sdc_sql
    >>> levels = {"age": sdc_sql.interval_hierarchy([30, 41], [[40]]), "sex": sdc_sql.tree_hierarchy({"*": ["f", "m"]})}
    >>> every = sdc_sql.example().mask.generalisations(levels, k=2, loss="discernibility")
    >>> [(g.levels, g.loss) for g in every if g.holds]
    [({'age': '2', 'sex': '1'}, 9.0)]
    """
    chosen = list_suppressible(data, None, "", what="Generalisation", suppressed=False)
    asked = _list_macro_arguments(
        data, k=k, suppression=suppression, loss=loss, sensitive=sensitive, l=l, diversity=diversity, c=c, t=t,
        distance=distance, population=population, population_k=population_k, weight=weight, threshold=threshold,
    )  # fmt: skip
    with make_long_table(data, chosen, hierarchies) as long:
        rows = data.rows("sdc_generalisations", data.table, chosen, long, *asked.values())
    return [Generalisation(**row) for row in rows]


def _find_levels(data: Roles, keys: tuple[str, ...], long: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the levels, by places and names, with their loss: in a series none below those of the release before.

    These stay while they hold; else of all combinations above them the one that loses least.
    """
    series = data.series
    kept = {} if series is None else series.find_kept_arguments(data, "generalise")
    if not kept:
        row: dict[str, Any] = data.row("sdc__generalisation", data.table, keys, long, *asked.values())
        return row
    least: list[int] = kept["levels"]
    names = (
        exp.select("variable", "level", "level_name")
        .distinct()
        .from_(query.call_macro("sdc__rows", long).subquery("h"))
    )
    at = {(str(r["variable"]).lower(), str(r["level_name"])): int(r["level"]) for r in fetch_rows(data.con, names)}
    every = []
    for row in data.rows("sdc_generalisations", data.table, keys, long, *asked.values()):
        levels = [at[key.lower(), str(row["levels"][key])] for key in keys]
        if row["holds"] and all(a <= b for a, b in zip(least, levels, strict=True)):
            loss = math.inf if row["loss"] is None else float(row["loss"])
            every.append((levels != least, loss, levels, row))
    if not every:
        raise SeriesError(
            "No levels at or above those of the release before hold: the table has too few records now. Leave this "
            "release out, or begin another series with another table."
        )
    _, _, levels, row = min(every, key=lambda one: one[:3])
    return {
        "sdc__levels": levels, "sdc__level_names": row["levels"], "sdc__loss": row["loss"],
        "sdc__suppressed": row["suppressed"],
    }  # fmt: skip


# What says nothing where the other is not asked, and is not logged then.
_NEEDS = {"diversity": "l", "c": "l", "distance": "t"}


def _list_macro_arguments(
    data: Roles, *, k: int, suppression: float, loss: str, sensitive: str | None, l: float | None, diversity: str,  # noqa: E741
    c: float, t: float | None, distance: str, population: str | None, population_k: int | None,
    weight: str | float | None, threshold: float | None,
) -> dict[str, Any]:  # fmt: skip
    """Return what is asked in the order of the macro's arguments, checked."""
    if weight is None and threshold is not None:
        weight = data.weight
    asked = {
        "k": k, "suppression": suppression, "loss": require_loss(loss),
        "sensitive": sensitive and data.spell_column("sensitive variable", sensitive), "l": l, "diversity": diversity,
        "c": c, "t": t, "distance": distance, "population": population and data.read_table(population),
        "population_k": population_k,
        "weight": data.spell_column("weight", weight) if isinstance(weight, str) else weight, "threshold": threshold,
    }  # fmt: skip
    check_arguments("generalisations", asked)
    return asked | {"suppression": float(suppression), "c": float(c)}


def _select_proof(
    data: Roles,
    keys: Sequence[str],
    identifier: str,
    *,
    long: str,
    levels: Sequence[int],
    asked: dict[str, Any],
    figures: dict[str, Any],
) -> exp.Select:
    """Return a query of one row that measures what is to be released anew, each condition by its own measure."""
    released = f"temp.{NAME}"
    proof = query.call_macro("sdc__generalisation_proof", released, keys, asked["k"])
    place = (data.table, released, keys, identifier)
    others: dict[str, tuple[Any, ...]] = {
        "l": ("sdc__diversity_proof", *place, asked["sensitive"], asked["l"], asked["diversity"], asked["c"]),
        "t": ("sdc__closeness_proof", *place, asked["sensitive"], asked["t"], asked["distance"]),
        "population": ("sdc__population_proof", *place, long, levels, asked["population"], asked["population_k"]),
        "threshold": ("sdc__threshold_proof", *place, asked["weight"], asked["threshold"]),
    }
    for name, arguments in others.items():
        if asked[name] is not None:
            proof = proof.join(query.call_macro(*arguments).subquery(f"p_{name}"), join_type="cross")
    if asked["sensitive"] is not None:
        beyond = query.call_macro("sdc__suppressed_beyond_k", *place, long, levels, asked["k"])
        proof = proof.join(beyond.subquery("p_beyond"), join_type="cross")
    return proof.select(*(exp.alias_(query.make_text_literal(value), name) for name, value in figures.items()))
