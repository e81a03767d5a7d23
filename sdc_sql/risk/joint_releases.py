"""The joint risk of several released files of the same people, for an intruder who has them all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class JointRelease(Result):
    """The risk of one release (its place and its table), or of all together (both None).

    ``uniques``: persons alone in their cell; ``below_k``: in a cell of fewer than k; ``expected_correct_matches``: the
    sum of 1 / frequency, ``rate`` its share of the records; ``exposed``: of all together, persons who are safe in each
    release and not together; of a release, those who are safe in it and not together.
    """

    release: int | None
    tbl: str | None
    records: int
    uniques: int
    below_k: int
    expected_correct_matches: float
    rate: float
    exposed: int


def joint_releases(
    data: Roles,
    releases: Iterable[str],
    keys: Iterable[Iterable[str]],
    k: int = 3,
    *,
    nulls: Literal["category", "wildcard"] | None = None,
) -> Results[JointRelease]:
    """Return the risk of all releases together, an upper bound, and of each of them alone.

    Parameters
    ----------
    releases
        The names of the released files, two or more, each with the id added to it. (Of this table the id is taken.)
    keys
        For each of them, in their order, the list of its keys.
    k
        The least number of records that is safe, at least 2.
    nulls
        ``"category"`` or ``"wildcard"``; without it, as this table is described.

    Returns
    -------
    Results of JointRelease
        All together first.

    Notes
    -----
    SDC handbook, sections 3.2.2 and 3.2.3. The intruder is taken to know which records are of one person.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> together, *alone = data.risk.joint_releases(["persons", "persons"], [["age"], ["sex"]], k=2)
    >>> together.uniques, [release.uniques for release in alone]
    (1, [1, 1])
    """
    names, lists = _check_releases(data, releases, keys)
    found = data.rows(
        "sdc_joint_releases", names, lists, data.require_role("id"), k=require_number("joint_releases", "k", k),
        nulls=data.nulls if nulls is None else nulls,
    )  # fmt: skip
    return Results(JointRelease(**row) for row in found)


def joint_releases_records(
    data: Roles,
    releases: Iterable[str],
    keys: Iterable[Iterable[str]],
    *,
    nulls: Literal["category", "wildcard"] | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return each person's id (as text), the least frequency in one release (``least_alone``), and that ``together``.

    Parameters
    ----------
    releases
        The names of the released files, two or more, each with the id added to it. (Of this table the id is taken.)
    keys
        For each of them, in their order, the list of its keys.
    nulls
        ``"category"`` or ``"wildcard"``; without it, as this table is described.

    Returns
    -------
    DuckDBPyRelation
        A row a person of any release.

    Notes
    -----
    SDC handbook, sections 3.2.2 and 3.2.3. The intruder is taken to know which records are of one person.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.risk.joint_releases_records(["persons", "persons"], [["age"], ["sex"]]).order("id").fetchall()[2]
    ('3', 1, 1)
    """
    names, lists = _check_releases(data, releases, keys)
    return data.relation(
        "sdc_joint_releases_records",
        names,
        lists,
        data.require_role("id"),
        nulls=data.nulls if nulls is None else nulls,
    )


def _check_releases(
    data: Roles, releases: Iterable[str], keys: Iterable[Iterable[str]]
) -> tuple[list[str], list[list[str]]]:
    """Return the tables and the lists of keys: as many of the one as of the other, of what they must be."""
    names = [] if isinstance(releases, str) or not isinstance(releases, Iterable) else list(releases)
    given = [] if isinstance(keys, str) or not isinstance(keys, Iterable) else list(keys)
    lists = [list(k) for k in given if isinstance(k, Iterable) and not isinstance(k, str)]
    wrong = [v for v in (*names, *(name for k in lists for name in k)) if not isinstance(v, str) or not v]
    if wrong or len(names) < 2 or not len(names) == len(given) == len(lists) or not all(lists):  # noqa: PLR2004 - two
        raise ParameterError(
            f"releases is {text_for_message(releases)} and keys is {text_for_message(keys)}: give two tables or more, "
            "and a list of columns "
            "for each, as in ['public', 'research'], [['age', 'sex'], ['age', 'region']]."
        )
    return [data.read_table(name) for name in names], lists
