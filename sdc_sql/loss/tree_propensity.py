# Written from sql/loss/tree_propensity.sql by python -m sdc_sql.write: change that file.
"""How well a classification tree tells released records from original ones, beside what one tells by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, name_weight, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class TreePropensity(Result):
    """pMSE by a classification tree, what it is where labels are permuted, and the ratio of the two.

    ``leaves`` are those of the tree, ``z`` is by how many standard deviations pMSE is above the mean of the
    permutations, ``share`` is of the most that pMSE can be.
    """

    records: int
    leaves: int
    pmse: float
    null_mean: float
    null_deviation: float
    ratio: float | None
    z: float | None
    share: float


def tree_propensity(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    weight: str | None = None,
    size: int = 5,
    permutations: int = 20,
) -> TreePropensity:
    """Return how well a classification tree tells released records from original ones, beside what one tells by chance.

    Parameters
    ----------
    original
        The table before masking, or from which a synthetic one was made: a Microdata, or its name on this connection.
    columns
        The variables; those that are not continuous are categories.
    continuous
        Those of them that are numbers.
    weight
        Of both tables; None: the records are counted.
    size
        The fewest records of a leaf, at least 1.
    permutations
        How often the labels are permuted, at least 2.

    Returns
    -------
    TreePropensity

    Raises
    ------
    ParameterError
        Where ``size`` or ``permutations`` is out of its range.

    Notes
    -----
    A fresh sample of the same population has a ratio near 1. ``ratio`` and ``z`` are None where the null is 0 or
    constant. The permutations are the same each time.

    Snoke, Raab, Nowok, Dibben & Slavkovic (2018), General and specific utility measures for synthetic data, JRSS A
    181(3), 663-688, CART and the null by permutation; the trees: Breiman, Friedman, Olshen & Stone (1984),
    Classification and regression trees; leaves of five records are those of synthpop.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES ('f'), ('f'), ('m'), ('m')) AS t(sex)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES ('f'), ('m'), ('m'), ('m')) AS t(sex)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.tree_propensity("original", ["sex"], size=3))
    TreePropensity
      records         8
      leaves          2
      pmse            0.0166667
      null mean       0.03
      null deviation  0.0410391
      ratio           0.555556
      z               -0.324893
      share           0.0666667
    """
    row = data.row(
        "sdc_tree_propensity",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        continuous=list_or_none(continuous),
        weight=name_weight(weight),
        size=require_number("tree_propensity", "size", size),
        permutations=require_number("tree_propensity", "permutations", permutations),
    )
    return TreePropensity(**row)
