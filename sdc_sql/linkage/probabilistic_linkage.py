"""Probabilistic record linkage: how many records an intruder links correctly by what agrees in pairs of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.compared import columns_of, original_table, some_of
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


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


def probabilistic_linkage(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    continuous: Iterable[str] | None = None,
    tolerance: float | list[float] | None = None,
    block: Iterable[str] | None = None,
    false_match: float | None = None,
    false_nonmatch: float = 0.05,
) -> ProbabilisticLinkage:
    """Return how many records of this released table an intruder links correctly by Fellegi and Sunter's model.

    Parameters
    ----------
    original
        The table before masking, or another file that the intruder has: a Microdata, or its name on this connection.
    columns
        The variables compared, three or more. NULL agrees with nothing, or in a category of which no value was
        suppressed is one more.
    continuous
        Those of them that are numbers, which agree within the tolerance; the others are categories.
    tolerance
        The largest difference that agrees: one number, or one for each of the continuous columns.
    block
        Variables that have to be equal, or a pair is not compared.
    false_match
        The largest probability that an unmatched pair is linked; None: so that 1 released record in 20 is linked wrong.
    false_nonmatch
        The largest probability that a matched pair is taken for unmatched.

    Returns
    -------
    ProbabilisticLinkage

    Raises
    ------
    InputError
        Where the patterns of agreement do not tell matched pairs from others, or fewer than three variables are named.
    ColumnError
        Where a category was recoded: the original has to be recoded alike first.

    Notes
    -----
    Fellegi & Sunter (1969); Jaro (1989); SDC handbook, section 3.3.8.2. The table needs an id.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> found = data.linkage.probabilistic_linkage(data, ["age", "sex", "household"])
    >>> found.pairs, found.true_pairs, found.rate
    (9, 3, 0.6666666666666666)
    """
    given = _given(data, original, columns, continuous, block)
    return ProbabilisticLinkage(
        **data.row("sdc_probabilistic_linkage", *given[0], **given[1], tolerance=tolerance, false_match=false_match,
                   false_nonmatch=false_nonmatch)
    )  # fmt: skip


def probabilistic_linkage_parameters(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    continuous: Iterable[str] | None = None,
    tolerance: float | list[float] | None = None,
    block: Iterable[str] | None = None,
) -> Results[LinkageParameters]:
    """Return the estimated m and u of each variable and its weights, beside the true ones.

    Parameters
    ----------
    original
        The table before masking, or another file that the intruder has: a Microdata, or its name on this connection.
    columns
        The variables compared, three or more. NULL agrees with nothing, or in a category of which no value was
        suppressed is one more.
    continuous
        Those of them that are numbers, which agree within the tolerance; the others are categories.
    tolerance
        The largest difference that agrees: one number, or one for each of the continuous columns.
    block
        Variables that have to be equal, or a pair is not compared.

    Returns
    -------
    list of LinkageParameters
        One a variable.

    Notes
    -----
    Jaro (1989): m, u and the share of matched pairs by EM, from the numbers of pairs with each pattern of agreement.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> found = data.linkage.probabilistic_linkage_parameters(data, ["age", "sex", "household"])
    >>> [(row.variable, row.true_m) for row in found]
    [('age', 1.0), ('sex', 1.0), ('household', 1.0)]
    """
    given = _given(data, original, columns, continuous, block)
    rows = data.rows("sdc_probabilistic_linkage_parameters", *given[0], **given[1], tolerance=tolerance)
    return Results(LinkageParameters(**row) for row in rows)


def probabilistic_linkage_patterns(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    continuous: Iterable[str] | None = None,
    tolerance: float | list[float] | None = None,
    block: Iterable[str] | None = None,
    false_match: float | None = None,
    false_nonmatch: float = 0.05,
) -> Results[LinkagePattern]:
    """Return the patterns of agreement, the highest weight first: their pairs, and whether they are links.

    Parameters
    ----------
    original
        The table before masking, or another file that the intruder has: a Microdata, or its name on this connection.
    columns
        The variables compared, three or more. NULL agrees with nothing, or in a category of which no value was
        suppressed is one more.
    continuous
        Those of them that are numbers, which agree within the tolerance; the others are categories.
    tolerance
        The largest difference that agrees: one number, or one for each of the continuous columns.
    block
        Variables that have to be equal, or a pair is not compared.
    false_match
        The largest probability that an unmatched pair is linked; None: so that 1 released record in 20 is linked wrong.
    false_nonmatch
        The largest probability that a matched pair is taken for unmatched.

    Returns
    -------
    list of LinkagePattern
        One for each set of variables that may agree.

    Notes
    -----
    Fellegi & Sunter (1969), section 2.4, without their random decision for the pattern at a threshold: it is possible.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> first = data.linkage.probabilistic_linkage_patterns(data, ["age", "sex", "household"])[0]
    >>> first.agreeing, first.pairs, first.true_pairs
    (['age', 'sex', 'household'], 5, 3)
    """
    given = _given(data, original, columns, continuous, block)
    rows = data.rows("sdc_probabilistic_linkage_patterns", *given[0], **given[1], tolerance=tolerance,
                     false_match=false_match, false_nonmatch=false_nonmatch)  # fmt: skip
    return Results(LinkagePattern(**row) for row in rows)


def probabilistic_linkage_records(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    *,
    continuous: Iterable[str] | None = None,
    tolerance: float | list[float] | None = None,
    block: Iterable[str] | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return of each released record its best weight, the candidates that have it, and how probably the link is right.

    Parameters
    ----------
    original
        The table before masking, or another file that the intruder has: a Microdata, or its name on this connection.
    columns
        The variables compared, three or more. NULL agrees with nothing, or in a category of which no value was
        suppressed is one more.
    continuous
        Those of them that are numbers, which agree within the tolerance; the others are categories.
    tolerance
        The largest difference that agrees: one number, or one for each of the continuous columns.
    block
        Variables that have to be equal, or a pair is not compared.

    Returns
    -------
    DuckDBPyRelation
        id, weight, candidates, correct, probability, and probability_known, that with the true m and u.

    Notes
    -----
    The probability is 1 / candidates where the record's own original is one of them, else 0.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> found = data.linkage.probabilistic_linkage_records(data, ["age", "sex", "household"])
    >>> found.select("id, candidates, correct, probability").order("id").fetchall()[0]
    (1, 2, True, 0.5)
    """
    given = _given(data, original, columns, continuous, block)
    return data.relation("sdc_probabilistic_linkage_records", *given[0], **given[1], tolerance=tolerance)


def _given(
    data: Roles,
    original: Described | str,
    columns: Iterable[str],
    continuous: Iterable[str] | None,
    block: Iterable[str] | None,
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return what the macros are given: the arguments in their order, and those by name."""
    return (
        (original_table(data, original), data.table, columns_of(data, columns), data.required("id")),
        {"continuous": some_of(continuous), "block": some_of(block)},
    )
