"""What recodings would do to the risk, counted from the cells alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ParameterError
from sdc_sql.mask.hierarchy_tables import make_long_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from sdc_sql.mask.hierarchy_tables import Hierarchies
    from sdc_sql.roles import Roles

    Candidates: TypeAlias = "Iterable[Sequence[int | str] | Mapping[str, int | str]] | str | None"

ALL = "all"


@dataclass(frozen=True)
class RecodingPreview(Result):
    """The risk of the file with the keys at these levels of their hierarchies.

    ``levels`` are numbers, ``level_names`` their names, in the order of the keys. ``sample_uniques`` are the records
    below 2-anonymity, ``below_k`` those below k. ``theta`` and its bound are None without a sampling fraction, the
    expected re-identifications and their rate without a weight. ``discernibility`` and ``hellinger``, the distance of
    the joint distribution from that of the file, 0 to 1, say what is lost.
    """

    levels: list[int]
    level_names: list[str]
    records: int
    cells: int
    sample_uniques: int
    k: int
    below_k: int
    theta: float | None
    upper_bound: float | None
    expected_reidentifications: float | None
    reidentification_rate: float | None
    discernibility: float
    hellinger: float


def preview_recodings(
    data: Roles,
    hierarchies: Hierarchies,
    candidates: Candidates = None,
    *,
    weight: str | float | None = None,
    sampling_fraction: float | None = None,
    k: int = 3,
    confidence: float = 0.99,
) -> Results[RecodingPreview]:
    """Return the risk of the file under every candidate recoding of its keys; nothing is changed.

    The table is read once, for its cells; each candidate is counted from these.

    Parameters
    ----------
    hierarchies
        For each key a :class:`Hierarchy`, the path of a CSV file as ARX writes it or the name of a table; or a long
        table of them all, or a folder of such files.
    candidates
        For each candidate the levels of the keys, by name or number: a list in the order of the keys, or a dict by
        key, which leaves the others as they are. ``"all"``: every combination of levels. None: each key alone at each
        of its levels.
    weight
        The column of expansion weights, or what every record weighs; by default the table's.
    sampling_fraction
        The fraction of the population in the file, in (0, 1); by default the table's, where that is a number.
    k
        The least number of records of a cell, at least 2.
    confidence
        Of theta's one-sided upper bound, in (0, 1).

    Returns
    -------
    list of RecodingPreview
        In the order of the candidates, none twice.

    Raises
    ------
    InputError
        Where a key has no hierarchy, a value of a key no row in it, or a level is none of it.

    Notes
    -----
    The figures are those of :func:`theta`, :func:`frequency_summary`, :func:`k_anonymity`, :func:`global_risk` and
    :func:`class_sizes` on the recoded file, NULL a value of its own. Without uniques theta is 0: no match is unique.
    The Hellinger distance is that of Karr & Sanil, (2), where the records of a recoded cell are spread evenly over the
    combinations of values that its labels stand for.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> ages = sdc_sql.interval_hierarchy([30, 41], [[40]])
    >>> sexes = sdc_sql.tree_hierarchy({"anyone": ["f", "m"]})
    >>> for found in data.mask.preview_recodings({"age": ages, "sex": sexes}):
    ...     print(found.levels, found.cells, found.sample_uniques)
    [0, 0] 2 1
    [1, 0] 2 1
    [2, 0] 2 1
    [0, 1] 2 1
    """
    given = data.sampling_fraction if sampling_fraction is None else sampling_fraction
    if isinstance(given, str) and sampling_fraction is not None:
        raise ParameterError(
            f"The sampling fraction is {text_for_message(given)}: theta of the whole file needs one number."
        )
    no_number = given is None or isinstance(given, str)
    pi = None if no_number else require_number("preview_recodings", "sampling_fraction", given)
    weighed = data.weight if weight is None else weight
    with make_long_table(data, data.keys, hierarchies) as table:
        rows = data.rows(
            "sdc_preview_recodings", data.table, data.keys, table, _list_candidates(data, candidates),
            weight=data.spell_column("weight", weighed) if isinstance(weighed, str) else weighed,
            sampling_fraction=pi, small_weights=data.small_weights, k=require_number("preview_recodings", "k", k),
            confidence=require_number("preview_recodings", "confidence", confidence)
        )  # fmt: skip
        return Results(RecodingPreview(**row) for row in rows)


def _list_candidates(data: Roles, candidates: Candidates) -> str | list[list[str]] | None:
    """Return the candidates as lists in the order of the keys."""
    if candidates is None:
        return None
    if isinstance(candidates, str):
        if candidates == ALL:
            return ALL
        raise ParameterError(f"candidates is {text_for_message(candidates)}: it must be lists of levels, or 'all'.")
    found = []
    for candidate in candidates:
        if isinstance(candidate, dict):
            named = {data.spell_column("key variable", name): level for name, level in candidate.items()}
            stray = sorted(set(named) - set(data.keys))
            if stray:
                raise ParameterError(f"{', '.join(stray)} is no key: levels are given to {', '.join(data.keys)}.")
            found.append([str(named.get(key, 0)) for key in data.keys])
        elif isinstance(candidate, (list, tuple)):
            found.append([str(level) for level in candidate])
        else:
            raise ParameterError(
                f"A candidate is {text_for_message(candidate)}: give a list of levels, one a key, or a dict."
            )
    return found
