"""A released table beside its original: risk before and after, and what was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.compared import list_or_none
from sdc_sql.comparison.losses import measure_losses, variables
from sdc_sql.comparison.page import Comparison
from sdc_sql.comparison.pram import Reversed
from sdc_sql.comparison.risks import (
    count_risky_records,
    measure_linkage,
    measure_risks,
    measure_sensitive,
    note_many_uniques,
)
from sdc_sql.comparison.sides import ROLES, describe_sides, has_column
from sdc_sql.db import query
from sdc_sql.db.checks import require_flag, require_whole_number
from sdc_sql.db.table import spell_column
from sdc_sql.errors import ColumnError, ParameterError
from sdc_sql.risk.many_uniques import tell_beside
from sdc_sql.risk.pram_steps import find_pram
from sdc_sql.roles import read_roles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles

OTHER = {"category": "wildcard", "wildcard": "category"}


@tell_beside()  # its notes say it
def compare(
    data: Roles,
    original: Described | str,
    *,
    columns: Iterable[str] | None = None,
    categorical: Iterable[str] | None = None,
    continuous: Iterable[str] | None = None,
    sensitive: Iterable[str] | None = None,
    ordered: Iterable[str] | None = None,
    dropped: Iterable[str] | None = None,
    k: int = 5,
    confidence: float = 0.99,
    pram: Mapping[str, str] | None = None,
    propensity: bool = False,
    pairs: bool = True,
    linkage: bool = False,
    probabilistic_linkage: Mapping[str, float | None] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Return risk before and after masking beside what was lost, in one table.

    Each table is measured as its roles allow: frequencies and k-anonymity; with a sampling fraction theta; with a
    weight (or the fraction) individual and global risk; with a household its risk. A role or key of one table is the
    other's too where that has the column: so a key that the release dropped counts before and not after.

    Where the steps of the released table, or ``pram``, say that a key went through PRAM, there are besides the figures
    called misclassified (:func:`global_risk`). Where keys hold NULL that the original has not, the figures that depend
    on it are given in both readings: NULL as a value of its own, and NULL agreeing with every value.

    Parameters
    ----------
    original
        The table before masking: a Microdata, or its name on this connection.
    columns
        The columns whose loss is measured; by default all that both tables have, but id, household and weight.
    categorical, continuous
        Those of them (or further ones) that are categories, or numbers. By default numbers are those of a numeric type
        in both tables; a key of whole numbers is a category.
    sensitive
        The sensitive variables: l-diversity, t-closeness, alpha, beta and delta before and after.
    ordered
        Those of them that are numbers or ordered: t by the ordered distance.
    dropped
        The keys that the release has left out. Needed where it also has columns that the original has not, one of which
        could be such a key under another name.
    k
        k-anonymity is shown for 2 .. k.
    confidence
        Of theta's one-sided interval.
    pram
        For each key that went through PRAM the table of its matrix, as PRAM took it: from (the original category), to
        (the released one), probability. Needed where no step of the table says so, as of a file.
    propensity
        Whether the propensity score is measured as well, which takes longest.
    pairs
        Whether its model has the products of every two variables.
    linkage
        Whether the released records are linked to the original ones by these columns: by distance, and numbers by
        their ranks, as after a rank swap (:func:`distance_linkage`, :func:`rank_linkage`). It needs an id.
    probabilistic_linkage
        The variables that an intruder compares by probabilistic record linkage, three or more: of a number the largest
        difference that agrees, of a category None (:func:`probabilistic_linkage`). Needs an id in both tables.
    progress
        Called with the name of each part before it is computed.

    Returns
    -------
    Comparison
        ``to_dict()`` has all figures: those after masking under their own names, those before under ``before``.

    Raises
    ------
    InputError
        Where there are no keys, or one may have been renamed; where the tables are on two connections, or where records
        cannot be paired by the id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.mask.local_suppression(2, into="released")
    >>> found = sdc_sql.Microdata(data.con, "released", keys=["age", "sex"], id="id").compare(data)
    >>> found.to_dict()["before"]["k_anonymity"][0]["records"], found.to_dict()["wildcard"]["k_anonymity"][0]["records"]
    (1, 0)
    """
    k = require_whole_number(k, "k", least=2)
    score = require_flag(pairs, "pairs") if require_flag(propensity, "propensity") else None
    linkage = require_flag(linkage, "linkage")
    before, after = describe_sides(data, original, list_or_none(dropped) or ())
    if linkage and (after.id is None or not has_column(before, after.id)):
        raise ParameterError("linkage needs an id, a column of both tables: give id=... when describing them.")
    sensitive, ordered = list_or_none(sensitive) or [], list_or_none(ordered) or []
    _check_sensitive(before, after, sensitive, ordered)
    categories, numbers = variables(before, after, columns, categorical, continuous)
    matrices = Reversed(before, after, pram) if pram else None
    found: dict[str, dict[str, Any]] = {}
    for name, side in (("before", before), ("after", after)):
        progress(f"risk {name}")
        found[name] = measure_risks(side, k, confidence, matrices if side is after else None)
        found[name] |= measure_sensitive(side, sensitive, ordered)
    if probabilistic_linkage:
        progress("probabilistic record linkage")
    found["after"]["probabilistic_linkage"] = measure_linkage(before, after, probabilistic_linkage)
    keys = [key for key in after.keys if has_column(before, key)]
    gone, moved = _find_changed_keys(before, after, keys)
    other = OTHER[data.nulls]
    if gone:
        progress("NULL in keys")
        found[other] = count_risky_records(read_roles(after, nulls=other), k, matrices)
        if any(before.count(exp.column(key, quoted=True).is_(exp.null())) for key in before.keys):
            found[f"before_{other}"] = count_risky_records(read_roles(before, nulls=other), k)
    lost = measure_losses(before, after, categories, numbers, score=score, linkage=linkage, progress=progress)
    estimated = {"before masking": found["before"], "after masking": found["after"]}
    notes = [
        *(f"{when}: {said}" for when, figures in estimated.items() if (said := note_many_uniques(figures))),
        *(f"before masking: {said}" for said in [found["before"].pop("pram")] if said),
        *(said for said in [found["after"]["pram"]] if said),
        *_notes(before, after, matrices, gone, moved),
    ]
    return Comparison(
        table=data.file or data.table,
        original=original if isinstance(original, str) else str(original.table),
        keys=after.keys,
        keys_before=before.keys,
        weight=after.weight,
        id=after.id,
        nulls=data.nulls,
        only_original=tuple(c for c in before.columns if not has_column(after, c)),
        only_released=tuple(c for c in after.columns if not has_column(before, c)),
        categorical=tuple(categories),
        continuous=tuple(numbers),
        risk=found,
        loss=lost,
        notes=tuple(notes),
    )


def _check_sensitive(before: Roles, after: Roles, sensitive: list[str], ordered: list[str]) -> None:
    for name in sensitive:
        if not has_column(before, name):
            spell_column(after.table, after.columns, "sensitive variable", name)
    strange = sorted({n.lower() for n in ordered} - {n.lower() for n in sensitive})
    if strange:
        raise ParameterError(f"{', '.join(strange)} is given as ordered, not among the sensitive variables.")


def _find_changed_keys(before: Roles, after: Roles, keys: list[str]) -> tuple[dict[str, int | None], list[str]]:
    """Return the keys that hold NULL where the original does not, with how many, and those that moved by chance.

    A key moved where one category of the original became several of the release. Without an id neither is known; then
    every key of the release that holds NULL is of the first, without a number.
    """
    if after.id is None or not has_column(before, after.id):
        blank = [key for key in after.keys if after.count(exp.column(key, quoted=True).is_(exp.null()))]
        return dict.fromkeys(blank), []
    cells = query.call_macro("sdc__transitions_among", before.table, after.table, keys, after.id, every=False).subquery(
        "t"
    )
    by_category = (
        exp.select(
            exp.column("sdc__variable"),
            "sum(sdc__n) FILTER (WHERE sdc__y IS NULL AND sdc__x IS NOT NULL) AS sdc__gone",
            "count(sdc__y) AS sdc__kinds",
            dialect="duckdb",
        )
        .from_(cells)
        .group_by("sdc__variable", "sdc__x")
    )
    rows = exp.select("sdc__variable AS variable", "sum(sdc__gone)::BIGINT AS gone", "max(sdc__kinds) AS kinds",
                      dialect="duckdb")  # fmt: skip
    found = after.select(rows.from_(by_category.subquery("c")).group_by("sdc__variable"))
    spelling = {key.lower(): key for key in after.keys}
    named = {spelling[row["variable"].lower()]: row for row in found}
    if not set(keys) <= set(named):
        raise ColumnError("No record of the released table is in the original.")
    return (
        {key: int(named[key]["gone"]) for key in keys if named[key]["gone"]},
        [key for key in keys if named[key]["kinds"] > 1],
    )


def _notes(
    before: Roles, after: Roles, matrices: Reversed | None, gone: dict[str, int | None], moved: list[str]
) -> list[str]:
    """Return what a reader has to know besides the figures."""
    notes = []
    lost = [key for key in before.keys if not has_column(after, key)]
    if lost:
        notes.append(f"{', '.join(lost)}: a key before, not in the released table.")
    new = [key for key in after.keys if not has_column(before, key)]
    if new:
        notes.append(f"{', '.join(new)}: a key after, not in the original.")
    for role in ROLES:
        one = [name for name, side in (("before", before), ("after", after)) if getattr(side, role) is not None]
        if len(one) == 1:
            notes.append(f"There is a {role.replace('_', ' ')} {one[0]} only: what needs it is not measured otherwise.")
    if after.id is None or before.id is None:
        notes.append(
            "Without an id in both tables records are not compared: no direct distance, entropy loss, IL1, intervals "
            "and linkage."
        )
    if gone:
        named = ", ".join(key if number is None else f"{key} ({number:,})" for key, number in gone.items())
        notes.append(
            f"Suppressed in the keys: {named}. The figures that depend on it are given with NULL as a value of its own "
            "and with NULL agreeing with every value; theta, and what a cell discloses, as a value of its own only."
        )
    said = find_pram(after)
    steps = [part.partition(" went through PRAM")[0].split(", ") for part in said.said.split("; ")] if said else []
    covered = {key.lower() for keys in [*steps, matrices.keys if matrices else []] for key in keys}
    unknown = [key for key in moved if key.lower() not in covered]
    if unknown:
        notes.append(
            f"In {', '.join(unknown)} one category became several. If that was PRAM, give its matrix: the figures take "
            "every record's keys as they stand."
        )
    return notes
