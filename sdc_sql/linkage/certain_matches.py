# Written from sql/linkage/certain_matches.sql by python -m sdc_sql.write: change that file.
"""Whom an intruder finds in a suppressed file who knows the keys of all participants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class CertainMatches(Result):
    """How many original records are found by who assigns all released records to different persons at once.

    ``matches_below_k``: original records that fewer than k released ones can be; ``certain_matches``: those whose
    released record is known for certain.
    """

    k: int
    records: int
    matches_below_k: int
    certain_matches: int


def certain_matches(data: Roles, original: Described | str, k: int = 3) -> CertainMatches:
    """Return how many records an intruder finds for certain who knows the keys of all participants.

    Parameters
    ----------
    original
        The table before suppression: a Microdata, or its name on this connection.
    k
        The least number of records, at least 2.

    Returns
    -------
    CertainMatches

    Raises
    ------
    ParameterError
        Where ``k`` is out of its range.
    TableError
        Where the released table has values that the original lacks: they are given the wrong way round.

    Notes
    -----
    No released record may be left without a person: what one of them must be, no other can. So more are found than by
    looking at one record at a time (``suppression_report``).

    Gionis, Mazza & Tassa (2008), k-Anonymization revisited, ICDE, 744-753 (a match: an edge that is part of a perfect
    matching; matches_below_k is 0 where the file is globally (1,k)-anonymous); Dulmage & Mendelsohn (1958), Coverings
    of bipartite graphs, Canadian Journal of Mathematics 10, 517-534 (where the sides differ in size).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (0, 2), (1, 0), (0, 0)) AS t(a, b)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (0, NULL), (1, 0), (NULL, 0)) AS t(a, b)")
    >>> released = sdc_sql.Microdata(con, "released", keys=["a", "b"])
    >>> print(released.linkage.certain_matches("original", 2))
    CertainMatches
      k                2
      records          3
      matches below k  3
      certain matches  3
    """
    row = data.row(
        "sdc_certain_matches",
        original_table(data, original),
        data.table,
        data.keys,
        k=require_number("certain_matches", "k", k),
    )
    return CertainMatches(**row)
