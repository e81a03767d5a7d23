# Written from sql/loss/margin_distance.sql by python -m sdc_sql.write: change that file.
"""How far each variable, and each pair of variables, is from the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, name_weight, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result
from sdc_sql.pictures.drawn import DrawnResults
from sdc_sql.pictures.margins import draw_margins
from sdc_sql.pictures.pairs import draw_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class MarginDistance(Result):
    """The distance of a variable's distribution from the original one.

    ``ks`` (Kolmogorov-Smirnov) and ``wasserstein`` (in standard deviations of the original) are those of a number,
    ``total_variation`` is that of categories; ``distance`` is ks or the total variation, 0 to 1.
    """

    variable: str
    distance: float
    ks: float | None
    wasserstein: float | None
    total_variation: float | None


@dataclass(frozen=True)
class PairDistance(Result):
    """The total variation of a pair's cells, Cramer's V of either file, and its change."""

    columns: list[str]
    cells: int
    total_variation: float
    v_before: float
    v_after: float
    change: float


def margin_distance(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    weight: str | None = None,
) -> DrawnResults[MarginDistance]:
    """Return how far the distribution of each variable is from the original one.

    Parameters
    ----------
    original
        The table before masking, or from which a synthetic one was made: a Microdata, or its name on this connection.
    columns
        The variables; those that are not continuous are categories.
    continuous
        Those of them that are numbers.
    weight
        Of both tables, whose sums are the shares; None: the records are counted.

    Returns
    -------
    Results of MarginDistance
        One for each variable.

    Notes
    -----
    No id is needed, and the files may be of any sizes. NULL is a category; a missing number is below all others.

    Kolmogorov (1933) and Smirnov (1948), in any textbook; Vallender (1974), Calculation of the Wasserstein distance
    between probability distributions on the line, Theory of Probability and Its Applications 18(4), 784-786; Cramer
    (1946), Mathematical methods of statistics, section 21.9; pairs as a measure of synthetic files: Raab, Nowok &
    Dibben (2021), Assessing, visualizing and improving the utility of synthetic data, arXiv:2109.12717.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 'f'), (1, 'f'), (3, 'm'), (3, 'm')) AS t(x, sex)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 'f'), (1, 'm'), (1, 'm'), (3, 'm')) AS t(x, sex)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.margin_distance("original", ["x", "sex"], continuous=["x"]))
    MarginDistance
      variable  distance    ks  wasserstein  total variation
      x             0.25  0.25          0.5             NULL
      sex           0.25  NULL         NULL             0.25
    """
    rows = data.rows(
        "sdc_margin_distance",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        continuous=list_or_none(continuous),
        weight=name_weight(weight),
    )
    return DrawnResults((MarginDistance(**row) for row in rows), draw_margins)


def pair_distance(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    weight: str | None = None,
    classes: int = 10,
) -> DrawnResults[PairDistance]:
    """Return how far the distribution of each pair of variables, and their association, is from the original one.

    Parameters
    ----------
    original
        The table before masking, or from which a synthetic one was made: a Microdata, or its name on this connection.
    columns
        The variables; those that are not continuous are categories.
    continuous
        Those of them that are numbers.
    weight
        Of both tables, whose sums are the shares; None: the records are counted.
    classes
        Of a number in a pair, each with as many of the original's records, at least 2.

    Returns
    -------
    Results of PairDistance
        One for each columns.

    Raises
    ------
    ParameterError
        Where ``classes`` is out of its range.

    Notes
    -----
    No id is needed, and the files may be of any sizes. Numbers are compared in classes. NULL is a category, or a class,
    of its own.

    Kolmogorov (1933) and Smirnov (1948), in any textbook; Vallender (1974), Calculation of the Wasserstein distance
    between probability distributions on the line, Theory of Probability and Its Applications 18(4), 784-786; Cramer
    (1946), Mathematical methods of statistics, section 21.9; pairs as a measure of synthetic files: Raab, Nowok &
    Dibben (2021), Assessing, visualizing and improving the utility of synthetic data, arXiv:2109.12717.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE original AS FROM (VALUES (1, 'f'), (1, 'f'), (3, 'm'), (3, 'm')) AS t(x, sex)")
    >>> _ = con.execute("CREATE TABLE released AS FROM (VALUES (1, 'f'), (1, 'm'), (1, 'm'), (3, 'm')) AS t(x, sex)")
    >>> released = sdc_sql.Microdata(con, "released")
    >>> print(released.loss.pair_distance("original", ["x", "sex"], continuous=["x"]))
    PairDistance
      columns       cells  total variation  v before   v after    change
      ['x', 'sex']      3              0.5         1  0.333333  0.666667
    """
    rows = data.rows(
        "sdc_pair_distance",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        continuous=list_or_none(continuous),
        weight=name_weight(weight),
        classes=require_number("pair_distance", "classes", classes),
    )
    return DrawnResults((PairDistance(**row) for row in rows), draw_pairs)
