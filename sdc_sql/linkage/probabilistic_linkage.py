# Written from sql/linkage/probabilistic_linkage.sql by python -m sdc_sql.write: change that file.
"""Probabilistic record linkage: how many records an intruder links correctly by what agrees in pairs of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import list_or_none, original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class LinkageParameters(Result):
    """How often a variable agrees: in matched pairs (m), in others (u), both estimated, and in the true ones.

    ``agreement``, ``disagreement``: the weights, log2(m / u) and log2((1 - m) / (1 - u)).
    """

    variable: str
    m: float
    u: float
    agreement: float
    disagreement: float
    true_m: float
    true_u: float


@dataclass(frozen=True)
class LinkagePattern(Result):
    """The pairs that agree in just some variables: how many, how many are true, and what is decided of them.

    ``matched``, ``unmatched``: the probability of the pattern in matched and other pairs; ``expected_matches``: how
    many of the pairs are matched, by the model; ``decision``: link, possible or non-link.
    """

    agreeing: list[str]
    pairs: int
    true_pairs: int
    weight: float
    matched: float
    unmatched: float
    expected_matches: float
    decision: str


@dataclass(frozen=True)
class ProbabilisticLinkage(Result):
    """What probabilistic record linkage finds of the released records, and how much of it is right.

    ``true_pairs``: persons of both files; ``pairs``: all that are compared; ``expected_matches``: how many of them are
    matched, by the model; ``links``, ``possible``: pairs so decided; ``expected_false_links``: of the links, by the
    model; ``correct_links``: those of one person; ``link_rate``: their share of the true pairs, the handbook's risk;
    ``rate_estimated``, ``rate_known``: the mean probability that a record's best candidate is the right one, with the
    estimated and with the true m and u; ``rate``: the higher of the two.
    """

    records: int
    originals: int
    true_pairs: int
    pairs: int
    expected_matches: float
    false_match: float
    links: int
    expected_false_links: float
    correct_links: int
    possible: int
    link_rate: float
    rate_estimated: float
    rate_known: float
    rate: float


def probabilistic_linkage_parameters(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    tolerance: float | list[float] | None = None,
    block: str | Iterable[str] | None = None,
) -> Results[LinkageParameters]:
    """Return the estimated m and u of each variable, its weights, and the true ones.

    Parameters
    ----------
    original
        The table before masking, or another file that the intruder has: a Microdata, or its name on this connection.
    columns
        The variables compared, three or more; those that are not continuous are categories.
    continuous
        Those of them that are numbers, which agree within the tolerance.
    tolerance
        The largest difference that agrees: one number, or one for each of the continuous columns, at least 0.
    block
        Variables that have to be equal, or a pair is not compared.

    Returns
    -------
    Results of LinkageParameters

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Notes
    -----
    m, u and the share of matched pairs come by EM, from the numbers of pairs with each pattern of agreement.

    Fellegi & Sunter (1969), A theory for record linkage, JASA 64(328), 1183-1210; Jaro (1989), Advances in
    record-linkage methodology, JASA 84(406), 414-420; SDC handbook, section 3.3.8.2 (risk is the share of the records
    that are linked, and correctly); Torra & Domingo-Ferrer (2003), Record linkage methods for multidatabase data
    mining.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (1, 'f', 30, 'north'), (2, 'f', 40, 'south'), "
    ...     "(3, 'm', 40, 'south'), (4, 'm', 50, 'north')) AS t(id, sex, age, region)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (1, 'f', 30, 'north'), (2, 'f', 40, 'south'), "
    ...     "(3, 'm', 50, 'south'), (4, 'm', 50, 'north')) AS t(id, sex, age, region)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.linkage.probabilistic_linkage_parameters("original", ["sex", "age", "region"]))
    LinkageParameters
      variable    m            u  agreement  disagreement  true m    true u
      sex       0.8     0.363636     1.1375      -1.66985       1  0.333333
      age         1  1.18001e-09    29.6586      -27.4565    0.75  0.166667
      region    0.8     0.363636     1.1375      -1.66985       1  0.333333
    """
    rows = data.rows(
        "sdc_probabilistic_linkage_parameters",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        continuous=list_or_none(continuous),
        tolerance=tolerance,
        block=list_or_none(block),
    )
    return Results(LinkageParameters(**row) for row in rows)


def probabilistic_linkage_patterns(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    tolerance: float | list[float] | None = None,
    block: str | Iterable[str] | None = None,
    false_match: float | None = None,
    false_nonmatch: float = 0.05,
) -> Results[LinkagePattern]:
    """Return the patterns of agreement, the highest weight first, with their pairs and the decision.

    Parameters
    ----------
    original
        The table before masking, or another file that the intruder has: a Microdata, or its name on this connection.
    columns
        The variables compared, three or more; those that are not continuous are categories.
    continuous
        Those of them that are numbers, which agree within the tolerance.
    tolerance
        The largest difference that agrees: one number, or one for each of the continuous columns, at least 0.
    block
        Variables that have to be equal, or a pair is not compared.
    false_match
        The largest probability that an unmatched pair is linked; None: so that 1 released record in 20 is linked wrong,
        strictly between 0 and 1.
    false_nonmatch
        The largest probability that a matched pair is taken for unmatched, strictly between 0 and 1.

    Returns
    -------
    Results of LinkagePattern

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``false_match`` or ``false_nonmatch`` is out of its range.

    Notes
    -----
    There is no random decision for the pattern at a threshold (section 2.4 of the first): it is possible.

    Fellegi & Sunter (1969), A theory for record linkage, JASA 64(328), 1183-1210; Jaro (1989), Advances in
    record-linkage methodology, JASA 84(406), 414-420; SDC handbook, section 3.3.8.2 (risk is the share of the records
    that are linked, and correctly); Torra & Domingo-Ferrer (2003), Record linkage methods for multidatabase data
    mining.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (1, 'f', 30, 'north'), (2, 'f', 40, 'south'), "
    ...     "(3, 'm', 40, 'south'), (4, 'm', 50, 'north')) AS t(id, sex, age, region)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (1, 'f', 30, 'north'), (2, 'f', 40, 'south'), "
    ...     "(3, 'm', 50, 'south'), (4, 'm', 50, 'north')) AS t(id, sex, age, region)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.linkage.probabilistic_linkage_patterns("original", ["sex", "age", "region"]))
    LinkagePattern
      agreeing                  pairs  true pairs    weight      matched    unmatched  expected matches  decision
      ['sex', 'age', 'region']      3           3   31.9336         0.64  1.56035e-10                 3  link
      ['age', 'region']             1           0   29.1262         0.16  2.73061e-10                 1  link
      ['sex', 'age']                1           0   29.1262         0.16  2.73061e-10                 1  link
      ['age']                       0           0   26.3188         0.04  4.77856e-10                 0  link
      ['sex', 'region']             1           1  -25.1815   3.4749e-09     0.132231        1.1945e-08  non-link
      ['region']                    3           0  -27.9889  8.68726e-10     0.231405       5.11928e-09  non-link
      ['sex']                       3           0  -27.9889  8.68726e-10     0.231405       5.11928e-09  non-link
      []                            4           0  -30.7962  2.17181e-10     0.404959         9.751e-10  non-link
    """
    rows = data.rows(
        "sdc_probabilistic_linkage_patterns",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        continuous=list_or_none(continuous),
        tolerance=tolerance,
        block=list_or_none(block),
        false_match=require_number("probabilistic_linkage_patterns", "false_match", false_match),
        false_nonmatch=require_number("probabilistic_linkage_patterns", "false_nonmatch", false_nonmatch),
    )
    return Results(LinkagePattern(**row) for row in rows)


def probabilistic_linkage_records(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    tolerance: float | list[float] | None = None,
    block: str | Iterable[str] | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return the best candidates of each released record, and the probability that the link is correct.

    Parameters
    ----------
    original
        The table before masking, or another file that the intruder has: a Microdata, or its name on this connection.
    columns
        The variables compared, three or more; those that are not continuous are categories.
    continuous
        Those of them that are numbers, which agree within the tolerance.
    tolerance
        The largest difference that agrees: one number, or one for each of the continuous columns, at least 0.
    block
        Variables that have to be equal, or a pair is not compared.

    Returns
    -------
    duckdb.DuckDBPyRelation
        id, weight, candidates, correct, probability, and probability_known, that with the true m and u.

    Raises
    ------
    ParameterError
        Where the table was described without an id.

    Notes
    -----
    Fellegi & Sunter (1969), A theory for record linkage, JASA 64(328), 1183-1210; Jaro (1989), Advances in
    record-linkage methodology, JASA 84(406), 414-420; SDC handbook, section 3.3.8.2 (risk is the share of the records
    that are linked, and correctly); Torra & Domingo-Ferrer (2003), Record linkage methods for multidatabase data
    mining.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (1, 'f', 30, 'north'), (2, 'f', 40, 'south'), "
    ...     "(3, 'm', 40, 'south'), (4, 'm', 50, 'north')) AS t(id, sex, age, region)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (1, 'f', 30, 'north'), (2, 'f', 40, 'south'), "
    ...     "(3, 'm', 50, 'south'), (4, 'm', 50, 'north')) AS t(id, sex, age, region)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> found = released.linkage.probabilistic_linkage_records("original", ["sex", "age", "region"])
    >>> for row in found.order("ALL").fetchall():
    ...     print(row)
    (1, 31.933557617451584, 1, True, 1.0, 1.0)
    (2, 31.933557617451584, 1, True, 1.0, 1.0)
    (3, 29.126202689439005, 1, False, 0.0, 1.0)
    (4, 31.933557617451584, 1, True, 1.0, 1.0)
    """
    return data.relation(
        "sdc_probabilistic_linkage_records",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        continuous=list_or_none(continuous),
        tolerance=tolerance,
        block=list_or_none(block),
    )


def probabilistic_linkage(
    data: Roles,
    original: Described | str,
    columns: str | Iterable[str],
    *,
    continuous: str | Iterable[str] | None = None,
    tolerance: float | list[float] | None = None,
    block: str | Iterable[str] | None = None,
    false_match: float | None = None,
    false_nonmatch: float = 0.05,
) -> ProbabilisticLinkage:
    """Return how many records an intruder links correctly by probabilistic record linkage.

    Parameters
    ----------
    original
        The table before masking, or another file that the intruder has: a Microdata, or its name on this connection.
    columns
        The variables compared, three or more; those that are not continuous are categories.
    continuous
        Those of them that are numbers, which agree within the tolerance.
    tolerance
        The largest difference that agrees: one number, or one for each of the continuous columns, at least 0.
    block
        Variables that have to be equal, or a pair is not compared.
    false_match
        The largest probability that an unmatched pair is linked; None: so that 1 released record in 20 is linked wrong,
        strictly between 0 and 1.
    false_nonmatch
        The largest probability that a matched pair is taken for unmatched, strictly between 0 and 1.

    Returns
    -------
    ProbabilisticLinkage

    Raises
    ------
    ParameterError
        Where the table was described without an id, or ``false_match`` or ``false_nonmatch`` is out of its range.
    InputError
        Where the patterns of agreement do not tell matched pairs from others, or fewer than three variables are named.
    ColumnError
        Where a category was recoded: the original has to be recoded alike first.

    Notes
    -----
    NULL agrees with nothing, or in a category of which no value was suppressed is one more.

    Fellegi & Sunter (1969), A theory for record linkage, JASA 64(328), 1183-1210; Jaro (1989), Advances in
    record-linkage methodology, JASA 84(406), 414-420; SDC handbook, section 3.3.8.2 (risk is the share of the records
    that are linked, and correctly); Torra & Domingo-Ferrer (2003), Record linkage methods for multidatabase data
    mining.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (1, 'f', 30, 'north'), (2, 'f', 40, 'south'), "
    ...     "(3, 'm', 40, 'south'), (4, 'm', 50, 'north')) AS t(id, sex, age, region)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (1, 'f', 30, 'north'), (2, 'f', 40, 'south'), "
    ...     "(3, 'm', 50, 'south'), (4, 'm', 50, 'north')) AS t(id, sex, age, region)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", id="id")
    >>> print(released.linkage.probabilistic_linkage("original", ["sex", "age", "region"]))
    ProbabilisticLinkage
      records               4
      originals             4
      true pairs            4
      pairs                 16
      expected matches      5
      false match           0.0125
      links                 5
      expected false links  9.11828e-09
      correct links         3
      possible              0
      link rate             0.75
      rate estimated        0.75
      rate known            1
      rate                  1
    """
    row = data.row(
        "sdc_probabilistic_linkage",
        original_table(data, original),
        data.table,
        resolve_columns_or_keys(data, columns),
        data.require_role("id"),
        continuous=list_or_none(continuous),
        tolerance=tolerance,
        block=list_or_none(block),
        false_match=require_number("probabilistic_linkage", "false_match", false_match),
        false_nonmatch=require_number("probabilistic_linkage", "false_nonmatch", false_nonmatch),
    )
    return ProbabilisticLinkage(**row)
